"""The rolling window: its edges, its waits, its independence of refused tries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rooms.errors import InvalidInput
from rooms.pacing import RateWindow

NOON = datetime(2026, 10, 16, 12, tzinfo=UTC)
NAIVE = NOON.replace(tzinfo=None)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def window(limit: int, seconds: float) -> RateWindow:
    return RateWindow(limit, timedelta(seconds=seconds))


@pytest.mark.rule("G-RATE-01")
def test_ten_places_in_three_hundred_seconds_unless_said_otherwise() -> None:
    assert RateWindow() == RateWindow(limit=10, period=timedelta(seconds=300))
    assert type(RateWindow().micros) is int  # the log counts in integers
    assert RateWindow().micros == 300_000_000


@pytest.mark.rule("G-RATE-01", "G-RATE-02")
def test_the_eleventh_waits_until_the_first_place_frees() -> None:
    grants = [after(second) for second in range(10)]

    assert RateWindow().free_at(grants[:9], after(10)) == after(10)
    assert RateWindow().free_at(grants, after(10)) == after(300)
    assert RateWindow().free_at(grants, after(300)) == after(300)


@pytest.mark.rule("G-RATE-03")
def test_the_thirty_first_is_not_admitted() -> None:
    grants = [after(second) for second in range(30)]

    assert window(30, 300).admits(grants[:29], after(30)) is True
    assert window(30, 300).admits(grants, after(30)) is False


@pytest.mark.case("F-69")
def test_the_window_is_half_open() -> None:
    grants = [after(0), after(10), after(20)]
    three = window(3, 60)

    assert three.admits(grants, after(59.999)) is False
    assert three.admits(grants, after(60)) is True
    assert three.free_at(grants, after(30)) == after(60)  # 30 s to wait


@pytest.mark.case("F-74")
def test_a_limit_of_one_means_one() -> None:
    one = window(1, 10)

    assert one.admits([], after(0)) is True
    assert one.admits([after(0)], after(5)) is False
    assert one.admits([after(0)], after(10)) is True
    assert one.free_at([after(0)], after(5)) == after(10)


@pytest.mark.case("F-74")
@pytest.mark.parametrize("grants", [[], [after(0)], [after(-999)]])
def test_a_limit_of_nought_never_admits_and_has_no_release(
    grants: list[datetime],
) -> None:
    assert window(0, 10).admits(grants, after(0)) is False
    assert window(0, 10).free_at(grants, after(0)) is None


@pytest.mark.case("F-75")
def test_after_a_clock_that_stepped_back_no_wait_exceeds_the_period() -> None:
    hit, now = after(1000), after(900)

    assert window(1, 60).free_at([hit], now) == after(960)
    assert window(1, 60).used([hit], now) == 1


@pytest.mark.case("F-35")
def test_what_is_used_can_be_read_before_the_limit_trips() -> None:
    five = window(5, 60)
    grants = [after(-60), after(-59), after(0), after(0)]

    assert five.used(grants, after(0)) == 3
    assert five.limit == 5
    assert five.free_at([*grants, after(0), after(0)], after(0)) == after(1)


@pytest.mark.rule("G-RATE-06")
def test_asking_leaves_no_trace() -> None:
    grants = [after(0)]
    answers = {window(1, 60).free_at(grants, after(1)) for _ in range(50)}

    assert answers == {after(60)}
    assert grants == [after(0)]


def test_a_lowered_limit_waits_until_enough_places_are_free() -> None:
    grants = [after(0), after(10), after(20), after(30)]

    assert window(2, 60).free_at(grants, after(40)) == after(80)
    assert window(2, 60).used(grants, after(40)) == 4


def test_times_of_any_zone_are_compared_in_utc() -> None:
    # 25 October 2026: Berlin's 02:30 happens twice, at 00:30Z and at 01:30Z.
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime(2026, 10, 25, 2, 30, tzinfo=berlin)
    second = datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=1)
    hour = RateWindow(1, timedelta(hours=1))

    assert hour.admits([first], second) is True
    assert hour.free_at([second], second) == datetime(2026, 10, 25, 2, 30, tzinfo=UTC)
    tokyo = timezone(timedelta(hours=9))
    assert hour.free_at([], NOON.astimezone(tokyo)) == NOON
    freed = hour.free_at([], NOON.astimezone(tokyo))
    assert freed is not None
    assert freed.tzinfo is UTC


def test_a_place_that_never_frees_has_no_release() -> None:
    forever = RateWindow(1, timedelta.max)
    last = datetime.max.replace(tzinfo=UTC)
    first = datetime.min.replace(tzinfo=UTC)

    assert forever.free_at([NOON], NOON) is None
    assert forever.free_at([], NOON) == NOON
    assert window(1, 60).free_at([last], last) is None
    assert window(1, 60).free_at([first], first) == first + timedelta(seconds=60)
    assert window(1, 60).free_at([last], first) == first + timedelta(seconds=60)
    assert window(1, 60).free_at([first], last) == last


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("limit", {"limit": -1}),
        ("limit", {"limit": True}),
        ("limit", {"limit": 1.5}),
        ("limit", {"limit": "10"}),
        ("limit", {"limit": -(10**5000)}),
        ("period", {"period": timedelta(0)}),
        ("period", {"period": timedelta(seconds=-1)}),
        ("period", {"period": 300}),
        ("period", {"period": None}),
    ],
)
def test_what_is_no_window_is_refused_by_field(
    name: str, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        RateWindow(**options)

    assert refusal.value.field == name


@pytest.mark.parametrize(
    ("grants", "now", "field", "code"),
    [
        ([], NAIVE, "now", "naive_time"),
        ([], "2026-01-01T00:00:00Z", "now", "invalid_request"),
        ([], None, "now", "invalid_request"),
        ([NOON, NAIVE], NOON, "grants[1]", "naive_time"),
        ([float("nan")], NOON, "grants[0]", "invalid_request"),
        ("soon", NOON, "grants[0]", "invalid_request"),
        (None, NOON, "grants", "invalid_request"),
        (7, NOON, "grants", "invalid_request"),
    ],
)
def test_what_is_no_instant_is_refused_by_field(
    grants: Any, now: Any, field: str, code: str
) -> None:
    for question in (window(1, 60).free_at, window(1, 60).used, window(1, 60).admits):
        with pytest.raises(InvalidInput) as refusal:
            question(grants, now)

        assert (refusal.value.field, refusal.value.code) == (field, code)


# An independent reading of the rule: look at one second after the other.
def slow_free_at(limit: int, period: int, grants: list[int], now: int) -> int | None:
    for second in range(now, now + period + 1):
        held = [
            grant
            for grant in (min(grant, now) for grant in grants)
            if grant <= second < grant + period
        ]
        if len(held) < limit:
            return second
    return None


@settings(max_examples=500, derandomize=True)
@given(
    limit=st.integers(0, 5),
    period=st.integers(1, 30),
    grants=st.lists(st.integers(-40, 40), max_size=12),
    now=st.integers(-20, 20),
)
def test_the_answer_is_the_first_second_that_admits(
    limit: int, period: int, grants: list[int], now: int
) -> None:
    expected = slow_free_at(limit, period, grants, now)
    asked = window(limit, period)
    given_at = [after(grant) for grant in grants]

    found = asked.free_at(given_at, after(now))

    assert found == (None if expected is None else after(expected))
    assert asked.admits(given_at, after(now)) is (expected == now)
    assert asked.free_at(given_at[::-1], after(now)) == found


@settings(max_examples=200, derandomize=True)
@given(
    limit=st.integers(1, 4),
    period=st.integers(1, 20),
    tries=st.lists(st.integers(0, 100), max_size=40),
)
def test_no_window_ever_holds_more_grants_than_its_limit(
    limit: int, period: int, tries: list[int]
) -> None:
    grants: list[int] = []
    asked = window(limit, period)
    for second in sorted(tries):
        if asked.admits([after(grant) for grant in grants], after(second)):
            grants.append(second)

    for start in range(101):
        inside = [grant for grant in grants if start <= grant < start + period]
        assert len(inside) <= limit
