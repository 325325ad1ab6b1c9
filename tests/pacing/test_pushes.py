"""How often something is pushed: the numbers, their bounds, and their record."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.pacing import Pushes, RateWindow

SECOND = timedelta(seconds=1)
MICRO = timedelta(microseconds=1)
KIB = 2**10


@pytest.mark.rule("L-NOTIFY-05")
def test_after_each_try_something_is_due_and_at_last_a_person_should_look() -> None:
    pushes = Pushes()

    assert pushes.tries == 3
    waits = [pushes.after(tries) for tries in (1, 2, 3, 4)]
    assert waits == [30_000_000, 120_000_000, 300_000_000, 300_000_000]
    assert all(type(wait) is int for wait in waits)  # the log counts in integers
    assert Pushes(again=(), attention=7 * SECOND).after(1) == 7_000_000


def test_a_record_holds_microseconds_and_gives_the_same_pushes_back() -> None:
    pushes = Pushes(
        batching=2 * SECOND,
        again=(3 * SECOND, 4 * SECOND),
        attention=5 * SECOND,
        window=RateWindow(6, 7 * SECOND),
        max_messages=8,
        max_bytes=9 * KIB,
    )
    record = [2_000_000, [3_000_000, 4_000_000], 5_000_000, [6, 7_000_000], 8, 9_216]

    assert pushes.recorded() == record
    assert repr(pushes.recorded()) == repr(record)  # 3000000.0 is no count
    assert Pushes.from_record(record) == pushes
    assert Pushes.from_record([*record, "of a later version"]) == pushes
    assert pushes.wait == 2_000_000


@pytest.mark.rule("L-NOTIFY-14")
@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"batching": -MICRO}, "batching"),
        ({"batching": 1}, "batching"),
        ({"again": 30 * SECOND}, "again"),
        ({"again": "30"}, "again"),
        ({"again": b"30"}, "again"),
        ({"again": [SECOND, timedelta(0)]}, "again[1]"),
        ({"again": [SECOND] * 21}, "again"),
        ({"attention": timedelta(0)}, "attention"),
        ({"window": RateWindow(0)}, "window"),
        ({"window": None}, "window"),
        ({"max_messages": 0}, "max_messages"),
        ({"max_messages": 101}, "max_messages"),
        ({"max_bytes": 8 * KIB - 1}, "max_bytes"),
        ({"max_bytes": 64 * KIB + 1}, "max_bytes"),
    ],
)
def test_what_is_out_of_bounds_is_named(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Pushes(**given)

    assert (refusal.value.code, refusal.value.field) == ("invalid_request", field)


def test_what_are_no_several_durations_is_told_by_its_type() -> None:
    with pytest.raises(InvalidInput, match="again is of type timedelta"):
        Pushes(again=30 * SECOND)


def test_the_bounds_themselves_are_taken() -> None:
    least = Pushes(
        batching=timedelta(0),
        again=[MICRO],
        attention=MICRO,
        window=RateWindow(1),
        max_messages=1,
        max_bytes=8 * KIB,
    )
    most = Pushes(again=[SECOND] * 20, max_messages=100, max_bytes=64 * KIB)

    assert (least.again, least.attention, least.batching) == (
        (MICRO,),
        MICRO,
        0 * MICRO,
    )
    assert (least.max_messages, least.max_bytes) == (1, 8 * KIB)
    assert (most.tries, most.max_messages, most.max_bytes) == (21, 100, 64 * KIB)
