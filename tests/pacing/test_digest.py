"""When a digest is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rooms.errors import InvalidInput
from rooms.pacing import digest_due

NINE = datetime(2026, 10, 16, 9, tzinfo=UTC)
NAIVE = NINE.replace(tzinfo=None)
QUARTER = timedelta(minutes=15)
MOMENT = timedelta(microseconds=1)


@pytest.mark.rule("G-MODE-05")
def test_an_empty_interval_gives_no_digest() -> None:
    assert digest_due(NINE, QUARTER, None) is None


@pytest.mark.rule("G-MODE-05")
@pytest.mark.parametrize(
    ("posted", "due"),
    [
        (timedelta(0), QUARTER),  # never closer than the interval
        (timedelta(minutes=1), QUARTER),
        (QUARTER - MOMENT, QUARTER),
        (QUARTER, QUARTER),  # a tick carries what was posted at it
        (QUARTER + MOMENT, 2 * QUARTER),
        (timedelta(minutes=40), 3 * QUARTER),
        (timedelta(days=3, minutes=1), timedelta(days=3, minutes=15)),
        (timedelta(minutes=-20), QUARTER),  # untold since before the anchor
    ],
)
def test_a_digest_is_due_at_the_first_tick_that_is_not_before_its_first_entry(
    posted: timedelta, due: timedelta
) -> None:
    assert digest_due(NINE, QUARTER, NINE + posted) == NINE + due


@pytest.mark.rule("G-HELD-04")
def test_missed_ticks_are_one_digest() -> None:
    # Posted 9:05, the host was away until 11:07, where it takes the one that is due.
    due = digest_due(NINE, QUARTER, NINE + timedelta(minutes=5))
    taken = NINE + timedelta(hours=2, minutes=7)

    assert due == NINE + QUARTER
    assert digest_due(taken, QUARTER, None) is None


@pytest.mark.case("F-116")
def test_intervals_stay_even_through_the_repeated_hour() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    taken = datetime(2026, 10, 25, 1, 45, tzinfo=berlin)
    due: list[str] = []
    for _ in range(9):
        following = digest_due(taken, QUARTER, taken + MOMENT)
        assert following is not None
        taken = following.astimezone(berlin)
        due.append(f"{taken:%H:%M%z}")

    assert due == [
        "02:00+0200",
        "02:15+0200",
        "02:30+0200",
        "02:45+0200",
        "02:00+0100",
        "02:15+0100",
        "02:30+0100",
        "02:45+0100",
        "03:00+0100",
    ]


def test_thousands_of_years_of_ticks_are_counted_exactly() -> None:
    start = datetime(1, 1, 1, tzinfo=UTC)
    # 9,000 years of the calendar are no whole number of 7-microsecond steps.
    posted = datetime(9001, 1, 1, tzinfo=UTC)

    due = digest_due(start, 7 * MOMENT, posted)

    assert due is not None
    assert timedelta(0) <= due - posted < 7 * MOMENT
    assert (due - start) % (7 * MOMENT) == timedelta(0)


# An independent reading: try one tick after the other.
def slow_due(interval: int, posted: int) -> int:
    tick = interval
    while tick < posted:
        tick += interval
    return tick


@settings(max_examples=300, derandomize=True)
@given(interval=st.integers(1, 60), posted=st.integers(-100, 500))
def test_it_is_the_tick_that_a_count_finds(interval: int, posted: int) -> None:
    found = digest_due(
        NINE, timedelta(seconds=interval), NINE + timedelta(seconds=posted)
    )

    assert found == NINE + timedelta(seconds=slow_due(interval, posted))


@pytest.mark.parametrize(
    ("arguments", "field", "code"),
    [
        ((NAIVE, QUARTER, None), "anchor", "naive_time"),
        ((NINE, QUARTER, NAIVE), "first_untold", "naive_time"),
        ((NINE, QUARTER, "now"), "first_untold", "invalid_request"),
        ((None, QUARTER, NINE), "anchor", "invalid_request"),
        ((NINE, 15, NINE), "interval", "invalid_request"),
        ((NINE, timedelta(0), NINE), "interval", "invalid_request"),
        ((NINE, -QUARTER, None), "interval", "invalid_request"),
        ((NINE, timedelta.max, NINE), "interval", "invalid_request"),
        (
            (datetime.max.replace(tzinfo=UTC), QUARTER, NINE),
            "interval",
            "invalid_request",
        ),
    ],
)
def test_what_is_no_digest_is_refused_by_field(
    arguments: tuple[Any, Any, Any], field: str, code: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        digest_due(*arguments)

    assert (refusal.value.field, refusal.value.code) == (field, code)
