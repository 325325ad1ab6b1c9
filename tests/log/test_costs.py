"""
What a room costs: a post what it wakes, a state its seats and open obligations.

Counted where that can be: how often a state's dictionaries are asked, how long its
lists are. Bytes are those of CPython.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from log.room import Room, room
from rooms.log import folding, seats
from rooms.log import seat as of_a_seat
from rooms.log.events import Fact
from rooms.log.owed import because
from rooms.log.state import Entry, Seat
from rooms.policy import RoomPolicy


def crowd(size: int, mode: str = "when_tagged") -> Room:
    hall = room()
    hall.checked = False
    for number in range(size):
        hall.join(f"a{number}", mode)
    return hall


def calls(work: Callable[[], object]) -> int:
    """How many Python functions a piece of work calls."""
    count = 0

    def counting(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_post_that_tags_one_costs_the_same_in_any_crowd() -> None:
    small, large = crowd(10), crowd(10_000)

    def post(hall: Room) -> Callable[[], object]:
        return lambda: hall.post("a1", "agent:a2", at=1)

    calls(post(crowd(3)))  # what is done once only is done

    assert calls(post(large)) <= calls(post(small)) + 20


def test_a_post_asks_no_seat_that_it_is_nothing_to() -> None:
    hall = crowd(1_000)
    asked: list[str] = []

    class Watched(dict[str, Seat]):
        def __getitem__(self, name: str) -> Seat:
            asked.append(name)
            return super().__getitem__(name)

        def __iter__(self) -> Iterator[str]:
            raise AssertionError("every seat was asked")

    hall.state.seats = Watched(hall.state.seats)
    hall.post("a1", "agent:a2", at=1)

    assert set(asked) <= {"a1", "a2"}


def test_a_take_and_a_read_cost_what_they_carry() -> None:
    small, large = crowd(10), crowd(5_000)
    for hall in (small, large):
        hall.post("ops", "agent:a2", at=1)

    def serve(hall: Room) -> None:
        hall.take("a2")
        hall.read("a2", 1, 1)

    assert calls(lambda: serve(large)) <= calls(lambda: serve(small)) + 20


def test_a_deadline_asks_for_the_first_only() -> None:
    hall = crowd(2_000, "digest")
    hall.post("ops", at=1)

    assert calls(hall.state.deadline) == 1
    assert len(hall.state.due(10**12)) == 2_000
    assert hall.state.due(0) == []


def test_the_agenda_does_not_grow_with_what_happened() -> None:
    hall = room("eve", "ben", policy=RoomPolicy(wake_window=None, send_window=None))
    hall.checked = False
    hall.join("late", "digest", minutes=1_440)
    hall.post("eve", at=1)  # it waits at the agenda's head for a day
    for second in range(2, 2_000):
        hall.post("ops", "agent:ben", at=second)
        hall.take("ben", hold=200_000 + second % 7)
        hall.close("ben")

    assert len(hall.state.agenda) < 200


def test_coming_back_out_of_order_costs_no_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths: list[int] = []

    def counting(entries: Iterable[Any], **how: Any) -> list[Any]:
        ordered = sorted(entries, **how)
        lengths.append(len(ordered))
        return ordered

    hall = room("ben", policy=RoomPolicy(wake_window=None))
    hall.checked = False
    for _ in range(500):
        hall.post("ops", "agent:ben")
    hall.wake("ben")
    for _ in range(500):
        hall.post("ops", "agent:ben")
    monkeypatch.setattr(of_a_seat, "sorted", counting, raising=False)

    hall.give_back("ben")

    assert sum(lengths) <= 5_000


def kept(make: Callable[[], object]) -> int:
    """The bytes that what is made keeps."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        made = make()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        assert made is not None
    finally:
        tracemalloc.stop()
    return after - before


def test_an_idle_seat_and_an_entry_are_small() -> None:
    names = [f"c{number}" for number in range(5_000)]
    at = 10**15
    hall = crowd(1)
    joined = [
        Fact(0, at, "", 1, seats.SeatJoined(name, name, False, "when_tagged", 900))
        for name in names
    ]

    def sit() -> object:
        for fact in joined:
            folding.evolve(hall.state, fact)
        return hall.state

    def owe() -> object:
        seat = Seat("c", "c", threaded=False)
        for number in range(5_000):
            cause = because("now", "direct", True, "t")
            seat.put("held", [Entry(number + 10**6, at, 0, cause)])
        return seat

    # With its membership and its place in every index, and with its number. The musts
    # are 300 and 150 bytes (`benchmarks memory`); what else the process does meanwhile
    # is counted here, so a byte or two more is no failure.
    assert kept(sit) / 5_000 < 315
    assert kept(owe) / 5_000 < 158
