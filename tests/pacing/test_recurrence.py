"""
Recurring times, against values worked out by hand and a walk through UTC.

The walk never asks what instant a local time is, which is what the code must decide: it
goes through UTC in even steps and looks what the clock on the wall shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rooms.errors import InvalidInput
from rooms.pacing import WEEKDAYS, Recurrence, zones
from rooms.pacing.zones import zone as zone_of

MINUTE = timedelta(minutes=1)
HALF_HOURS = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30)]


def z(text: str) -> datetime:
    """An instant written as `2026-10-25 00:30`, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def following(recurrence: Recurrence, after: str, count: int) -> list[str]:
    found: list[str] = []
    at = z(after)
    for _ in range(count):
        at = recurrence.next_after(at)
        found.append(f"{at:%Y-%m-%d %H:%M}")
    return found


# What the wall shows ------------------------------------------------------------------


def walk(
    zone: str, start: datetime, end: datetime, step: timedelta
) -> Iterator[tuple[datetime, datetime]]:
    """Each instant with the naive local time that it happens for: L-RECUR-08."""
    place = ZoneInfo(zone)
    seen: set[datetime] = set()
    before: datetime | None = None
    at = start
    while at <= end:
        wall = at.astimezone(place).replace(tzinfo=None)
        if before is not None:
            skipped = before + step
            while skipped < wall:  # the gap: later by its length
                yield at + (skipped - before - step), skipped
                skipped += step
        if wall not in seen:  # a time that comes twice counts at the first
            seen.add(wall)
            yield at, wall
        before = wall
        at += step


@cache
def shown(
    zone: str, start: datetime, days: int, minutes: int
) -> list[tuple[datetime, str, str]]:
    """Instant, time and weekday; a day more on each side for what shifts or repeats."""
    step = timedelta(minutes=minutes)
    day = timedelta(days=1)
    return [
        (at, f"{wall.hour:02}:{wall.minute:02}", WEEKDAYS[wall.weekday()])
        for at, wall in walk(zone, start - day, start + (days + 1) * day, step)
    ]


def expected(
    recurrence: Recurrence, start: datetime, days: int, minutes: int
) -> list[datetime]:
    """What happens after `start` until `days` later, each instant once."""
    times = frozenset(recurrence.times)
    weekdays = recurrence.weekdays or WEEKDAYS
    end = start + timedelta(days=days)
    found = {
        at
        for at, clock, weekday in shown(recurrence.time_zone, start, days, minutes)
        if clock in times and weekday in weekdays
    }
    return sorted(at for at in found if start < at <= end)


# By hand ------------------------------------------------------------------------------


@pytest.mark.rule("L-RECUR-07")
def test_it_follows_the_clock_on_the_wall() -> None:
    early = Recurrence("Europe/Stockholm", ("06:41",))

    assert early.next_after(z("2026-07-01 00:00")) == z("2026-07-01 04:41")
    assert early.next_after(z("2026-12-01 00:00")) == z("2026-12-01 05:41")


@pytest.mark.rule("L-RECUR-08")
def test_a_skipped_time_runs_later_by_the_gap_and_a_repeated_one_at_the_first() -> None:
    night = Recurrence("Europe/Stockholm", ("02:30",))

    assert following(night, "2026-03-28 12:00", 2) == [
        "2026-03-29 01:30",  # 03:30 local
        "2026-03-30 00:30",
    ]
    assert following(night, "2026-10-24 12:00", 2) == [
        "2026-10-25 00:30",
        "2026-10-26 01:30",
    ]


@pytest.mark.rule("L-RECUR-08")
def test_a_gap_up_to_midnight_shifts_into_the_next_local_day() -> None:
    # Pyongyang went from +8:30 to +9 at 23:30 on 4 May 2018, which was then midnight:
    # 23:45 does not exist and runs at 00:15, ten minutes behind the next day's 00:05.
    late = Recurrence("Asia/Pyongyang", ("00:05", "23:45"))

    assert following(late, "2018-05-04 00:00", 2) == [
        "2018-05-04 15:05",
        "2018-05-04 15:15",
    ]


# Zone, local time, an instant before, and the next occurrence. Worked out from the
# offsets that the zones' governments announced, in the comments.
CHANGES = [
    # +1 -> +2 at 01:00Z, and back
    ("Europe/Stockholm", "02:30", "2026-03-29 00:00", "2026-03-29 01:30"),
    ("Europe/Stockholm", "02:30", "2026-10-24 23:00", "2026-10-25 00:30"),
    # Irish time is +1 in summer, and its winter is written as negative summer time
    ("Europe/Dublin", "01:30", "2026-03-29 00:00", "2026-03-29 01:30"),
    ("Europe/Dublin", "01:30", "2026-10-25 00:00", "2026-10-25 00:30"),
    # -5 -> -4 on 8 March at 2:00, back on 1 November
    ("America/New_York", "02:30", "2026-03-08 00:00", "2026-03-08 07:30"),
    ("America/New_York", "01:30", "2026-11-01 00:00", "2026-11-01 05:30"),
    # -3:30 -> -2:30 on the same days
    ("America/St_Johns", "02:30", "2026-03-08 00:00", "2026-03-08 06:00"),
    ("America/St_Johns", "01:30", "2026-11-01 00:00", "2026-11-01 04:00"),
    # -4 -> -3 on 6 September at midnight: 0:30 does not exist; back on 5 April, 0:00
    ("America/Santiago", "00:30", "2026-09-06 00:00", "2026-09-06 04:30"),
    ("America/Santiago", "23:30", "2026-04-05 00:00", "2026-04-05 02:30"),
    # +2 -> +3 on 24 April at midnight, back on 29 October at 24:00
    ("Africa/Cairo", "00:30", "2026-04-23 12:00", "2026-04-23 22:30"),
    ("Africa/Cairo", "23:30", "2026-10-29 12:00", "2026-10-29 20:30"),
    # +11 -> +10:30 on 5 April at 2:00, and back on 4 October: half an hour
    ("Australia/Lord_Howe", "01:45", "2026-04-04 12:00", "2026-04-04 14:45"),
    ("Australia/Lord_Howe", "02:15", "2026-10-03 12:00", "2026-10-03 15:45"),
    # +13:45 -> +12:45 on 5 April at 3:45, and back on 27 September at 2:45
    ("Pacific/Chatham", "03:15", "2026-04-04 12:00", "2026-04-04 13:30"),
    ("Pacific/Chatham", "03:00", "2026-09-26 12:00", "2026-09-26 14:15"),
    # no changes: +14 and +5:45
    ("Pacific/Kiritimati", "06:41", "2026-03-29 00:00", "2026-03-29 16:41"),
    ("Asia/Kathmandu", "06:41", "2026-03-29 00:00", "2026-03-29 00:56"),
]


@pytest.mark.rule("L-RECUR-07", "L-RECUR-08")
@pytest.mark.parametrize(("zone", "local", "after", "due"), CHANGES)
def test_each_zone_changes_its_clock_in_its_own_way(
    zone: str, local: str, after: str, due: str
) -> None:
    assert Recurrence(zone, (local,)).next_after(z(after)) == z(due)


@pytest.mark.case("F-112")
def test_weekly_at_eight_stays_at_eight_and_appears_once() -> None:
    mondays = Recurrence("Europe/Amsterdam", ("08:00",), ("mon",))
    evenings = Recurrence("Europe/Paris", ("20:00",))

    assert following(mondays, "2026-10-18 00:00", 3) == [
        "2026-10-19 06:00",
        "2026-10-26 07:00",
        "2026-11-02 07:00",
    ]
    assert following(evenings, "2026-10-24 00:00", 3) == [
        "2026-10-24 18:00",
        "2026-10-25 19:00",
        "2026-10-26 19:00",
    ]


@pytest.mark.case("F-120")
def test_a_short_day_is_not_jumped_over_and_negative_summer_time_is_no_trap() -> None:
    # Asked on Thursday 24 March 2022, 12:00 in Berlin.
    sundays = Recurrence("Europe/Berlin", ("12:00",), ("sun",))
    dublin = Recurrence("Europe/Dublin", ("01:30",))

    assert following(sundays, "2022-03-24 11:00", 1) == ["2022-03-27 10:00"]
    assert following(dublin, "2026-10-24 12:00", 2) == [
        "2026-10-25 00:30",
        "2026-10-26 01:30",
    ]


@pytest.mark.case("F-117")
def test_what_is_stored_holds_the_wall_time_and_saving_it_again_moves_nothing() -> None:
    planned = Recurrence("Europe/Berlin", ("08:00",))
    saved = Recurrence(planned.time_zone, planned.times, planned.weekdays)

    assert saved == planned
    assert hash(saved) == hash(planned)
    assert following(planned, "2026-10-24 12:00", 1) == ["2026-10-25 07:00"]
    assert following(saved, "2026-10-24 12:00", 1) == ["2026-10-25 07:00"]
    assert saved.times == ("08:00",)


def test_two_times_that_meet_in_one_instant_are_one_occurrence() -> None:
    # 29 March 2026: 02:30 runs at 03:30 local, and so does 03:30.
    both = Recurrence("Europe/Stockholm", ("02:30", "03:30"))

    assert following(both, "2026-03-28 12:00", 2) == [
        "2026-03-29 01:30",
        "2026-03-30 00:30",
    ]


def test_a_gap_can_turn_the_order_of_two_times_around() -> None:
    # 02:30 runs at 03:30 local, and 03:00 before it.
    both = Recurrence("Europe/Stockholm", ("02:30", "03:00"))

    assert following(both, "2026-03-28 12:00", 2) == [
        "2026-03-29 01:00",
        "2026-03-29 01:30",
    ]


def test_a_gap_at_midnight_can_turn_the_order_of_two_dates_around() -> None:
    # In Nuuk, Saturday's 23:30 runs at Sunday's 0:30, and Sunday's 0:10 before it.
    both = Recurrence("America/Nuuk", ("00:10", "23:30"))

    assert following(both, "2026-03-28 12:00", 3) == [
        "2026-03-29 01:10",
        "2026-03-29 01:30",
        "2026-03-30 00:30",
    ]


def test_a_whole_day_that_is_missing_meets_the_day_after() -> None:
    # Samoa went from 29 December 2011 (-10) to the 31st (+14); the Line Islands from
    # 30 December 1994 (-10) to 1 January 1995 (+14).
    samoa = Recurrence("Pacific/Apia", ("06:00",))
    line = Recurrence("Pacific/Kiritimati", ("12:00",))

    assert following(samoa, "2011-12-29 00:00", 3) == [
        "2011-12-29 16:00",
        "2011-12-30 16:00",
        "2011-12-31 16:00",
    ]
    assert following(line, "1994-12-30 12:00", 3) == [
        "1994-12-30 22:00",
        "1994-12-31 22:00",
        "1995-01-01 22:00",
    ]


@pytest.mark.rule("L-RECUR-02")
def test_a_weekday_is_that_of_the_local_date() -> None:
    # Monday 06:41 on Kiritimati is Sunday 16:41 in UTC (+14).
    monday = Recurrence("Pacific/Kiritimati", ("06:41",), ("mon",))

    assert following(monday, "2026-10-14 00:00", 2) == [
        "2026-10-18 16:41",
        "2026-10-25 16:41",
    ]


@pytest.mark.rule("L-RECUR-02")
def test_a_weekday_is_that_of_the_date_for_which_the_time_is_set() -> None:
    # In Nuuk, Saturday 28 March 2026 ends at 23:00 (-2), when it is Sunday 0:00 (-1).
    # Saturday's 23:30 runs on Sunday at 0:30, and is still Saturday's.
    saturday = Recurrence("America/Nuuk", ("23:30",), ("sat",))
    sunday = Recurrence("America/Nuuk", ("23:30",), ("sun",))
    # Samoa's missing day was a Friday.
    friday = Recurrence("Pacific/Apia", ("06:00",), ("fri",))

    assert following(saturday, "2026-03-27 00:00", 1) == ["2026-03-29 01:30"]
    assert following(sunday, "2026-03-27 00:00", 1) == ["2026-03-30 00:30"]
    assert following(friday, "2011-12-29 00:00", 2) == [
        "2011-12-30 16:00",
        "2012-01-05 16:00",
    ]


def test_next_after_is_strictly_after() -> None:
    early = Recurrence("UTC", ("06:41",))

    assert early.next_after(z("2026-10-16 06:40")) == z("2026-10-16 06:41")
    assert early.next_after(z("2026-10-16 06:41")) == z("2026-10-17 06:41")
    almost = z("2026-10-16 06:41") - timedelta(microseconds=1)
    assert early.next_after(almost) == z("2026-10-16 06:41")
    assert early.next_after(almost).tzinfo is UTC


def test_an_instant_of_any_zone_may_be_asked_after() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    early = Recurrence("Europe/Berlin", ("02:30",))
    second = datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=1)

    assert early.next_after(second.replace(fold=0)) == z("2026-10-26 01:30")
    assert early.next_after(second) == z("2026-10-26 01:30")


@pytest.mark.rule("L-RECUR-09")
def test_what_was_missed_can_be_counted_and_the_last_one_found() -> None:
    hourly = Recurrence("UTC", ("06:00", "07:00", "08:00"))

    missed = list(hourly.occurrences(z("2026-10-16 05:59"), z("2026-10-16 08:30")))

    assert missed == [
        z("2026-10-16 06:00"),
        z("2026-10-16 07:00"),
        z("2026-10-16 08:00"),
    ]


def test_occurrences_lie_after_the_one_end_and_up_to_the_other() -> None:
    hourly = Recurrence("UTC", ("06:00", "07:00", "08:00"))
    six, eight = z("2026-10-16 06:00"), z("2026-10-16 08:00")

    assert [at.hour for at in hourly.occurrences(six, eight)] == [7, 8]
    assert list(hourly.occurrences(eight, six)) == []
    assert list(hourly.occurrences(six, six)) == []


def test_occurrences_are_worked_out_as_they_are_asked_for() -> None:
    always = Recurrence("Europe/Berlin", HALF_HOURS[:24])

    first = islice(always.occurrences(z("0001-01-01 00:00"), z("9999-12-31 23:59")), 30)

    assert len(list(first)) == 30


# Against the walk ---------------------------------------------------------------------

ZONES = [
    "Africa/Cairo",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Europe/Dublin",
    "Europe/Stockholm",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
]


@pytest.mark.rule("L-RECUR-07", "L-RECUR-08")
@pytest.mark.parametrize("zone", ZONES)
def test_two_years_agree_with_a_walk_through_utc(zone: str) -> None:
    start = z("2026-01-01 00:00")
    step = 15 if zone == "Pacific/Chatham" else 30  # its offsets have quarters
    for times in (HALF_HOURS[:24], HALF_HOURS[24:]):
        recurrence = Recurrence(zone, times)

        found = list(recurrence.occurrences(start, start + timedelta(days=730)))

        assert found == expected(recurrence, start, 730, step)


def weeks_of_change(zone: str) -> list[datetime]:
    """The weeks, from three days before, in which a zone changes its clock in 2026."""
    place = ZoneInfo(zone)
    days = [z("2026-01-01 00:00") + timedelta(days=day) for day in range(366)]
    weeks = [
        before - timedelta(days=3)
        for before, after in pairwise(days)
        if before.astimezone(place).utcoffset() != after.astimezone(place).utcoffset()
    ]
    return weeks or [z("2026-03-26 00:00")]


WEEKS = [(zone, week) for zone in ZONES for week in weeks_of_change(zone)]
minutes_of_day = st.times().map(lambda at: at.strftime("%H:%M"))
nightly = st.builds(
    lambda hour, minute: f"{hour:02}:{minute:02}",
    st.sampled_from([23, 0, 1, 2, 3]),
    st.integers(0, 59),
)


@pytest.mark.no_cover
@pytest.mark.rule("L-RECUR-08")
@settings(max_examples=200, derandomize=True)
@given(
    week=st.sampled_from(WEEKS),
    times=st.lists(nightly | minutes_of_day, min_size=1, max_size=24),
    weekdays=st.none() | st.lists(st.sampled_from(WEEKDAYS), min_size=1),
)
def test_a_week_of_change_agrees_with_a_walk_minute_by_minute(
    week: tuple[str, datetime], times: list[str], weekdays: list[str] | None
) -> None:
    zone, start = week
    recurrence = Recurrence(zone, times, weekdays)

    found = list(recurrence.occurrences(start, start + timedelta(days=7)))

    assert found == expected(recurrence, start, 7, 1)


@pytest.mark.no_cover
@settings(max_examples=300, derandomize=True)
@given(
    zone=st.sampled_from(ZONES),
    times=st.lists(minutes_of_day, min_size=1, max_size=5),
    weekdays=st.none() | st.lists(st.sampled_from(WEEKDAYS), min_size=1),
    start=st.datetimes(
        datetime.combine(date(1970, 1, 1), time()),
        datetime.combine(date(2090, 1, 1), time()),
        timezones=st.just(UTC),
    ),
)
def test_each_occurrence_is_later_within_days_and_none_is_skipped(
    zone: str, times: list[str], weekdays: list[str] | None, start: datetime
) -> None:
    recurrence = Recurrence(zone, times, weekdays)
    first = recurrence.next_after(start)

    assert start < first <= start + timedelta(days=9)
    assert recurrence.next_after(first - MINUTE / 60) == first
    assert list(recurrence.occurrences(start, first)) == [first]


# Validation ---------------------------------------------------------------------------


@pytest.mark.rule("L-RECUR-02")
def test_equal_schedules_are_stored_as_equal() -> None:
    written = Recurrence(
        "europe/STOCKHOLM",
        ["18:00", "06:41", "18:00"],
        ["sun", "mon", "sun", "fri"],
    )

    assert written.time_zone == "Europe/Stockholm"
    assert written.times == ("06:41", "18:00")
    assert written.weekdays == ("mon", "fri", "sun")
    assert written == Recurrence(
        "Europe/Stockholm", ("06:41", "18:00"), ("mon", "fri", "sun")
    )
    assert Recurrence("utc", ("06:41",)).time_zone == "UTC"
    assert Recurrence("etc/gmt-14", ("06:41",)).time_zone == "Etc/GMT-14"


@pytest.mark.parametrize("given", [(), ("Europe/Stockholm",)])
def test_neither_a_zone_nor_a_time_is_made_up(given: Any) -> None:
    with pytest.raises(TypeError, match="times"):
        Recurrence(*given)


def test_every_day_is_meant_where_none_is_named() -> None:
    daily = Recurrence(times=("06:41",), time_zone="Europe/Stockholm")

    assert daily == Recurrence("Europe/Stockholm", ("06:41",), None)


@pytest.mark.rule("L-RECUR-02")
@pytest.mark.parametrize(
    "zone",
    [
        "",
        " ",
        "Europe",
        "Europe/",
        "Europe/Stockholm ",
        "Europe//Stockholm",
        "Mars/Olympus",
        "CEST",
        "+02:00",
        "localtime",
        "LOCALTIME",
        "Factory",
        "posixrules",
        "posix/Europe/Stockholm",
        "right/Europe/Stockholm",
        "zone.tab",
        "tzdata.zi",
        "../etc/localtime",
        "/etc/localtime",
        "Europe/../Europe/Stockholm",
        "Europe\\Stockholm",
        "Europe/Stockholm\0",
        "Europe/Stoc\u212aholm",  # the Kelvin sign, which lowers to k
        "\ud800",
        "\N{LATIN SMALL LETTER E WITH ACUTE}urope",
        "x" * 1_000_000,
    ],
)
def test_what_is_no_zone_of_the_database_is_refused(zone: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Recurrence(zone, ("06:41",))

    assert refusal.value.code == "unknown_time_zone"
    assert refusal.value.field == "time_zone"
    assert len(str(refusal.value)) < 1000


@pytest.mark.rule("L-RECUR-02")
@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("time_zone", {"time_zone": None}),
        ("time_zone", {"time_zone": ZoneInfo("UTC")}),
        ("times", {"times": ()}),
        ("times", {"times": "06:41"}),
        ("times", {"times": None}),
        ("times", {"times": 641}),
        ("times", {"times": HALF_HOURS[:25]}),
        ("times[1]", {"times": ("06:41", "6:41")}),
        ("times[0]", {"times": ("24:00",)}),
        ("times[0]", {"times": ("23:60",)}),
        ("times[0]", {"times": ("06:41:00",)}),
        ("times[0]", {"times": ("0641",)}),
        ("times[0]", {"times": ("-1:30",)}),
        ("times[0]", {"times": (" 6:41",)}),
        ("times[0]", {"times": ("06:x1",)}),
        ("times[0]", {"times": ("0x:41",)}),
        ("times[0]", {"times": ("\u0660\u0666:\u0664\u0661",)}),
        ("times[0]", {"times": ("\u00b2\u00b2:\u00b2\u00b2",)}),
        ("times[0]", {"times": ("\ud800" * 100_000,)}),
        ("times[0]", {"times": (time(6, 41),)}),
        ("times[0]", {"times": ("",)}),
        ("weekdays", {"weekdays": ()}),
        ("weekdays", {"weekdays": "mon"}),
        ("weekdays", {"weekdays": 1}),
        ("weekdays[1]", {"weekdays": ("mon", "Monday")}),
        ("weekdays[0]", {"weekdays": ("MON",)}),
        ("weekdays[0]", {"weekdays": (0,)}),
    ],
)
def test_what_is_no_recurrence_is_refused_by_field(
    field: str, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Recurrence(**{"time_zone": "UTC", "times": ("06:41",), **options})

    assert refusal.value.code == "invalid_request"
    assert refusal.value.field == field
    assert len(str(refusal.value)) < 1000


def test_a_zone_that_the_machine_has_lost_is_named_when_it_is_asked_for() -> None:
    early = Recurrence("UTC", ("06:41",))
    object.__setattr__(early, "time_zone", "Gone/Zone")

    with pytest.raises(InvalidInput) as refusal:
        early.next_after(z("2026-10-16 00:00"))
    assert (refusal.value.code, refusal.value.field) == (
        "unknown_time_zone",
        "time_zone",
    )


@pytest.mark.rule("L-RECUR-02")
def test_twenty_four_times_are_allowed_and_duplicates_do_not_count() -> None:
    assert len(Recurrence("UTC", HALF_HOURS[:24] * 3).times) == 24


@pytest.mark.parametrize(
    ("hostile", "code"),
    [
        (z("2026-10-16 00:00").replace(tzinfo=None), "naive_time"),
        (date(2026, 10, 16), "invalid_request"),
        ("2026-10-16T00:00Z", "invalid_request"),
        (0, "invalid_request"),
        (None, "invalid_request"),
    ],
)
def test_what_is_no_instant_is_refused_at_once(hostile: Any, code: str) -> None:
    early, now = Recurrence("UTC", ("06:41",)), z("2026-10-16 00:00")
    for field, ask in (
        ("instant", lambda: early.next_after(hostile)),
        ("after", lambda: early.occurrences(hostile, now)),
        ("until", lambda: early.occurrences(now, hostile)),
    ):
        with pytest.raises(InvalidInput) as refusal:
            ask()

        assert (refusal.value.field, refusal.value.code) == (field, code)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Niue"])
def test_the_ends_of_time_are_refused_and_not_crossed(zone: str) -> None:
    early = Recurrence(zone, ("06:41",))
    first = datetime.min.replace(tzinfo=UTC)
    last = datetime.max.replace(tzinfo=UTC)

    assert first < early.next_after(first) < first + timedelta(days=2)
    assert list(early.occurrences(last - timedelta(hours=1), last)) == []
    with pytest.raises(InvalidInput) as refusal:
        early.next_after(last)

    assert refusal.value.field == "instant"


def test_a_zone_that_the_machine_has_lost_is_named() -> None:
    for lost in ("Europe/Atlantis", "../Europe/Stockholm", "Europe"):
        with pytest.raises(InvalidInput) as refusal:
            zone_of("time_zone", lost)

        assert refusal.value.code == "unknown_time_zone"


def test_a_zone_that_is_listed_and_cannot_be_read_is_refused_when_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(zones, "_known_zones", lambda: {"gone/zone": "Gone/Zone"})

    with pytest.raises(InvalidInput, match=r"^time_zone is 'Gone/Zone',") as lost:
        Recurrence("gone/zone", ("06:41",))
    assert lost.value.code == "unknown_time_zone"


def test_a_refused_zone_is_told_as_it_was_written() -> None:
    with pytest.raises(InvalidInput, match=r"^time_zone is 'Europe/Zürich',"):
        Recurrence("Europe/Zürich", ("06:41",))


def test_the_last_occurrence_of_all_is_found() -> None:
    noon = Recurrence("UTC", ("12:00",))

    assert noon.next_after(z("9999-12-31 00:00")) == z("9999-12-31 12:00")
    # Kiritimati's last 06:41 is 16:41 in UTC the day before.
    east = Recurrence("Pacific/Kiritimati", ("06:41",))
    assert east.next_after(z("9999-12-30 00:00")) == z("9999-12-30 16:41")
