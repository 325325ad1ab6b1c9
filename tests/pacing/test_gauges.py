"""How the use of a gauge goes: the line, the lead, and what there is left a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.pacing import Gauge, Pace, pace

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


def going(used: float, days_left: float) -> Pace | None:
    return pace(Gauge(used, NOON + timedelta(days=days_left)), WEEK, NOON)


@pytest.mark.rule("L-USAGE-03")
@pytest.mark.parametrize(
    ("used", "days_left", "told"),
    [
        # half of the week is gone: 50 % is even
        (60, 3.5, (50.0, 10.0, "ahead", 11.4)),
        (55, 3.5, (50.0, 5.0, "on", 12.9)),
        (55.1, 3.5, (50.0, 5.1, "ahead", 12.8)),
        (45, 3.5, (50.0, -5.0, "on", 15.7)),
        (44.9, 3.5, (50.0, -5.1, "behind", 15.7)),
        (0, 7, (0.0, 0.0, "on", 14.3)),  # an even week: 100 / 7
        (100, 1, (85.7, 14.3, "ahead", 0.0)),
        (80, 0.5, (92.9, -12.9, "behind", 40.0)),
    ],
)
def test_a_pace_is_told_in_percent_with_one_decimal(
    used: float, days_left: float, told: tuple[float, float, str, float]
) -> None:
    found = pace(Gauge(used, NOON + timedelta(days=days_left)), WEEK, NOON)

    assert found is not None
    assert (found.line, found.lead, found.pace, found.per_day) == told


@pytest.mark.rule("L-USAGE-03")
def test_a_reset_that_is_farther_away_than_a_period_is_a_whole_one_away() -> None:
    assert going(0, 9) == going(0, 7) == Pace(0.0, 0.0, "on", 14.3)
    assert going(7, 9) == Pace(0.0, 7.0, "ahead", 13.3)  # 93 / 7


@pytest.mark.rule("L-USAGE-03")
def test_five_percent_are_even_and_more_are_not_on_either_side() -> None:
    assert going(55, 3.5) == Pace(50.0, 5.0, "on", 12.9)
    assert going(45, 3.5) == Pace(50.0, -5.0, "on", 15.7)
    assert going(55.01, 3.5) == Pace(50.0, 5.0, "ahead", 12.9)
    assert going(44.99, 3.5) == Pace(50.0, -5.0, "behind", 15.7)
    assert going(50.2, 3.5) == Pace(50.0, 0.2, "on", 14.2)
    assert going(12.34, 3.5) == Pace(50.0, -37.7, "behind", 25.0)  # 87.66 / 3.5


def test_a_reset_is_an_instant_wherever_it_was_said() -> None:
    there = timezone(timedelta(hours=2))

    gauge = Gauge(60, NOON.astimezone(there) + timedelta(days=3.5))
    assert gauge.resets_at == NOON + timedelta(days=3.5)
    assert gauge.resets_at.tzinfo is UTC
    assert pace(gauge, WEEK, NOON.astimezone(there)) == Pace(50.0, 10.0, "ahead", 11.4)


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ((100.1,), "invalid_request", "used"),
        ((-0.1,), "invalid_request", "used"),
        ((float("nan"),), "invalid_request", "used"),
        ((True,), "invalid_request", "used"),
        (("60",), "invalid_request", "used"),
        ((60, "soon"), "invalid_request", "resets_at"),
        ((60, datetime(2026, 3, 2)), "naive_time", "resets_at"),  # noqa: DTZ001
    ],
)
def test_what_is_no_gauge_is_refused_by_name(
    given: tuple[Any, ...], code: str, field: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Gauge(*given)

    assert (refusal.value.code, refusal.value.field) == (code, field)


def test_a_pace_has_a_period_and_an_instant() -> None:
    gauge = Gauge(60, NOON + timedelta(seconds=1))

    with pytest.raises(InvalidInput) as refusal:
        pace(gauge, timedelta(0), NOON)
    assert refusal.value.field == "period"
    with pytest.raises(InvalidInput) as refusal:
        pace(gauge, WEEK, NOON.replace(tzinfo=None))
    assert (refusal.value.code, refusal.value.field) == ("naive_time", "now")
    assert pace(gauge, timedelta(microseconds=1), NOON) is not None
    assert pace(gauge, WEEK, NOON + timedelta(seconds=1)) is None  # it has begun anew
    assert pace(Gauge(0), WEEK, NOON) is None
    assert Gauge(0.0).used == 0
    assert Gauge(100).used == 100
