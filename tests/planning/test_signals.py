"""Whose turns start in a team: slots, the reserve, urgency, and that none starves."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from effort import sized
from rooms.planning.signals import (
    PATIENCE,
    Candidate,
    Reason,
    Signal,
    Slots,
    select_turns,
)

IDLE, WORKS, OFF = Candidate(), Candidate(works=True), Candidate(free=False)
LEAD = Candidate(lead=True)


def chosen(room: Slots, *signals: Signal, now: int = 10**9) -> list[str]:
    return [one.member for one in select_turns(room, signals, now)]


def message(member: str, at: int = 1) -> Signal:
    return Signal(member, Reason.MESSAGE, at)


@pytest.mark.rule("S-SCHED-02", "S-SCHED-03")
def test_story_3_the_reserve_is_the_conductors() -> None:
    room = Slots(3, {"lead": LEAD, "a": WORKS, "b": WORKS, "c": IDLE})

    assert chosen(room, message("c"), message("lead", 2)) == ["lead"]

    full = Slots(3, {**room.members, "lead": Candidate(lead=True, works=True)})
    assert chosen(full, message("c")) == []


@pytest.mark.rule("S-SCHED-01", "S-SCHED-02")
@pytest.mark.parametrize(
    ("most", "working", "started"),
    [(1, 0, 1), (2, 0, 1), (3, 0, 2), (3, 1, 1), (3, 2, 0), (4, 1, 2), (4, 4, 0)],
)
def test_others_have_what_the_reserve_leaves(
    most: int, working: int, started: int
) -> None:
    members = {"lead": LEAD, **{f"w{n}": WORKS for n in range(working)}}
    members |= {f"i{n}": IDLE for n in range(5)}

    found = chosen(Slots(most, members), *(message(f"i{n}") for n in range(5)))

    assert len(found) == started


@pytest.mark.rule("S-SCHED-02")
def test_the_reserve_is_there_for_a_conductor_whose_signal_comes_after_others() -> None:
    room = Slots(2, {"a": IDLE, "b": IDLE, "lead": LEAD})

    assert chosen(room, message("a"), message("b", 2), message("lead", 3)) == [
        *("a", "lead"),
    ]


def test_where_every_place_is_taken_the_conductor_has_none_either() -> None:
    room = Slots(2, {"a": WORKS, "b": WORKS, "lead": LEAD})

    assert chosen(room, message("lead")) == []


def test_a_signal_counts_from_its_instant_on() -> None:
    room = Slots(2, {"a": IDLE})

    assert chosen(room, message("a", 7), now=6) == []
    assert chosen(room, message("a", 7), now=7) == ["a"]


@pytest.mark.rule("S-SCHED-02")
def test_without_an_idle_conductor_nothing_is_kept() -> None:
    signals = [message("a"), message("b")]
    running = {"lead": Candidate(lead=True, works=True), "a": IDLE, "b": IDLE}

    assert chosen(Slots(3, running), *signals) == ["a", "b"]
    assert chosen(Slots(2, {"a": IDLE, "b": IDLE}), *signals) == ["a", "b"]


@pytest.mark.rule("S-SCHED-04")
def test_a_lone_slot_is_for_all() -> None:
    room = Slots(1, {"lead": LEAD, "a": IDLE})

    assert chosen(room, message("a")) == ["a"]
    assert chosen(room, message("a", 2), message("lead", 1)) == ["lead"]


@pytest.mark.rule("S-SCHED-05")
def test_who_is_not_free_is_not_selected() -> None:
    room = Slots(3, {"a": OFF, "b": WORKS, "c": IDLE})

    assert chosen(room, *(message(one) for one in "abcd")) == ["c"]
    assert chosen(room, message("c", at=11), now=10) == []


@pytest.mark.rule("S-SCHED-06", "S-SCHED-07")
def test_the_more_urgent_comes_first_then_the_older_one() -> None:
    room = Slots(9, dict.fromkeys("abcdefg", IDLE))
    signals = [
        Signal("a", Reason.FIRST_TURN, 1),
        Signal("b", Reason.WORK, 2),
        Signal("c", Reason.MESSAGE, 4),
        Signal("d", Reason.MESSAGE, 3),
        Signal("e", Reason.INTERVENTION, 5),
        Signal("f", Reason.ANSWER, 6),
        Signal("a", Reason.FIRST_TURN, 0),
    ]

    assert chosen(room, *signals) == ["f", "e", "d", "c", "b", "a"]


def test_what_waited_long_overtakes_what_is_more_urgent() -> None:
    room = Slots(1, {"a": IDLE, "b": IDLE})
    old = Signal("a", Reason.FIRST_TURN, 0)

    assert chosen(room, old, Signal("b", Reason.ANSWER, 4 * PATIENCE - 1)) == ["b"]
    assert chosen(room, old, Signal("b", Reason.ANSWER, 4 * PATIENCE + 1)) == ["a"]


def _bound(signal: Signal) -> int:
    """From when on nothing that is newer overtakes a signal."""
    return signal.at + 4 * PATIENCE


@pytest.mark.rule("S-SCHED-01", "S-SCHED-06", "S-SCHED-07")
@pytest.mark.parametrize("seed", range(sized(60, 1_000, 5_000)))
def test_no_signal_starves_while_slots_free_up(seed: int) -> None:
    """
    A random team whose members signal all the time: beyond four patiences each other
    member has at most one turn before a signal that waits.
    """
    draw = random.Random(seed)
    keys = [f"m{n}" for n in range(draw.randint(1, 9))]
    most = draw.randint(1, 4)
    lead = draw.choice([None, keys[0]])
    waiting: dict[tuple[str, Reason], int] = {}
    passed: dict[tuple[str, Reason], list[str]] = {}
    running: dict[str, int] = {}
    step = PATIENCE // 4
    for now in range(0, 60 * step, step):
        for key in keys:
            if draw.random() < 0.5:
                waiting.setdefault((key, draw.choice(list(Reason))), now)
        for key in [one for one, until in running.items() if until <= now]:
            del running[key]
        members = {
            key: Candidate(works=key in running, lead=key == lead) for key in keys
        }
        signals = [Signal(*key, at) for key, at in waiting.items()]
        draw.shuffle(signals)
        started = select_turns(Slots(most, members), signals, now)

        names = [one.member for one in started]
        assert len(names) == len(set(names))
        assert len(running) + len(names) <= most
        assert not set(names) & running.keys()
        _check_reserve(names, running, most, lead)
        for name in names:
            running[name] = now + draw.randint(1, 3) * step
        for served in [one for one in waiting if one[0] in names]:
            del waiting[served]
            passed.pop(served, None)
        _check_served(waiting, passed, names, now, lead)


def _check_reserve(
    names: list[str], running: Iterable[str], most: int, lead: str | None
) -> None:
    others = [one for one in names if one != lead]
    if lead is not None and lead not in running and most > 1:
        before = len([one for one in running if one != lead])
        assert not others or before + len(others) < most


def _check_served(
    waiting: dict[tuple[str, Reason], int],
    passed: dict[tuple[str, Reason], list[str]],
    names: list[str],
    now: int,
    lead: str | None,
) -> None:
    for (member, reason), at in waiting.items():
        if now < _bound(Signal(member, reason, at)):
            continue
        before = passed.setdefault((member, reason), [])
        before += [one for one in names if one != lead]  # whose place is its own
        assert len(before) == len(set(before)), (member, reason, before)
