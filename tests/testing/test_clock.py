"""The clock of tests: it stands still, goes on as told, and tells what it cannot do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.testing import FakeClock


def test_it_starts_on_a_monday_morning_and_stands_still() -> None:
    clock = FakeClock()

    assert clock() == clock() == datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def test_it_goes_on_by_units_by_a_duration_or_by_both() -> None:
    clock = FakeClock()

    assert clock.advance(minutes=5) == datetime(2026, 1, 5, 9, 5, tzinfo=UTC)
    assert clock.advance(timedelta(hours=1)) == datetime(2026, 1, 5, 10, 5, tzinfo=UTC)
    later = clock.advance(timedelta(days=1), hours=1, seconds=2, microseconds=3)
    assert later == datetime(2026, 1, 6, 11, 5, 2, 3, tzinfo=UTC)
    assert clock() == later


def test_it_is_set_to_any_instant_of_any_zone() -> None:
    clock = FakeClock()
    stockholm = timezone(timedelta(hours=1))

    clock.set(datetime(2025, 12, 31, 23, 30, tzinfo=stockholm))

    assert clock() == datetime(2025, 12, 31, 22, 30, tzinfo=UTC)
    assert clock().tzinfo is UTC


def test_a_time_without_a_zone_is_refused() -> None:
    naive = datetime(2026, 1, 5)  # noqa: DTZ001 - it is what is refused

    for refused in (lambda: FakeClock(naive), lambda: FakeClock().set(naive)):
        with pytest.raises(InvalidInput) as error:
            refused()
        assert error.value.code == "naive_time"


@pytest.mark.parametrize(
    "given",
    [
        {"minutes": -1},
        {"by": timedelta(seconds=-1)},
        {"by": 5},
        {"minutes": "five"},
        {"days": float("nan")},
        {"days": 1e300},
        {"by": timedelta.max},
        {"by": timedelta.max, "days": 1},
    ],
)
def test_what_is_no_time_to_come_is_refused_and_the_clock_stands(
    given: dict[str, Any],
) -> None:
    clock = FakeClock()
    before = clock()

    with pytest.raises(InvalidInput) as error:
        clock.advance(**given)

    assert error.value.code == "invalid_request"
    assert clock() == before


def test_a_text_is_refused_with_the_units_that_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"by is of type str; allowed: .*minutes="):
        FakeClock().advance("5m")  # type: ignore[arg-type]


def test_a_step_back_is_told_as_that() -> None:
    with pytest.raises(InvalidInput, match=r"goes back by 0:05:00.*set"):
        FakeClock().advance(minutes=-5)
