"""
Times of day that recur in a time zone.

Three laws. An occurrence follows the wall clock: a time that a spring change skips runs
later by the length of the gap, one that an autumn change repeats runs at the first
(L-RECUR-08). An instant is one occurrence, also where two times meet in it. And every
search is bounded: no time of day is ever dropped, so a week and three days suffice.

Steps are taken in local calendar days, which may be 23 or 25 hours long or missing; all
waiting is computed in UTC.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo

from attrs import field, frozen

from rooms.errors import InvalidInput
from rooms.pacing.zones import canonical_zone, zone
from rooms.values import instant, member, names

__all__ = ["WEEKDAYS", "Recurrence"]

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days of a week, as a recurrence names them."""
_MOST_TIMES = 24  # L-RECUR-02
_DAY = timedelta(days=1)


def _to_zone_name(value: str) -> str:
    return canonical_zone("time_zone", value)


def _to_times(value: Sequence[str]) -> tuple[str, ...]:
    given = names("times", value)
    for place, time in enumerate(given):
        _minutes(f"times[{place}]", time)
    times = tuple(sorted(set(given)))
    if not 1 <= len(times) <= _MOST_TIMES:
        raise InvalidInput(
            "times", f"holds {len(times)}", allowed="1 to 24 different times of day"
        )
    return times


def _minutes(name: str, time: str) -> int:
    digits = time[:2] + time[3:]
    if len(time) == 5 and time[2] == ":" and digits.isascii() and digits.isdecimal():
        hour, minute = int(time[:2]), int(time[3:])
        if hour < 24 and minute < 60:
            return 60 * hour + minute
    raise InvalidInput(
        name, f"is {time[:40]!r}", allowed="a local time of day, 00:00 to 23:59"
    )


def _to_weekdays(value: Sequence[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    given = {
        member(f"weekdays[{place}]", day, WEEKDAYS)
        for place, day in enumerate(names("weekdays", value))
    }
    if not given:
        raise InvalidInput(
            "weekdays", "names no day", allowed="None for every day, or mon to sun"
        )
    return tuple(day for day in WEEKDAYS if day in given)


@frozen
class Recurrence:
    """
    Local times of day, on every day or on some weekdays, in one time zone.

    It holds what was meant and not an offset, so storing, reading and storing it again
    never moves an occurrence.

    Attributes:
        time_zone: An IANA name, in its canonical case; `europe/berlin` is taken, too.
        times: 1 to 24 local `HH:MM`, kept sorted, each once.
        weekdays: Some of `mon tue wed thu fri sat sun`, kept in the order of the week,
            each once; None for every day. A weekday is that of the local date for which
            the time is set, also where a gap moves the occurrence into the next date.

    Raises:
        InvalidInput: `unknown_time_zone`; `invalid_request`, naming the field.

    Source: L-RECUR-02, L-RECUR-07, L-RECUR-08.

    >>> from datetime import datetime, timezone
    >>> early = Recurrence("Europe/Stockholm", ("06:41",))
    >>> early.next_after(datetime(2026, 10, 24, 12, tzinfo=timezone.utc)).isoformat()
    '2026-10-25T05:41:00+00:00'
    """

    # Neither has a default: whose clock and which time only the user knows.
    time_zone: str = field(converter=_to_zone_name)
    times: tuple[str, ...] = field(converter=_to_times)
    weekdays: tuple[str, ...] | None = field(default=None, converter=_to_weekdays)

    def next_after(self, instant: datetime) -> datetime:
        """
        The first occurrence strictly after an aware instant, in UTC.

        Raises:
            InvalidInput: `naive_time`; `invalid_request` for what is no datetime, and
                where no occurrence is left before the year 10000; `unknown_time_zone`
                if the machine has lost the zone.

        Guarantees: whole minutes of local time but in a gap, never the same twice.
        """
        found = next(self._after(instant), None)
        if found is None:
            raise InvalidInput("instant", "has no occurrence after it by the year 9999")
        return found

    def occurrences(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """
        The occurrences after `after` up to and including `until`, in order, in UTC.

        What a schedule missed while its host was down: the last one runs, marked late,
        and the others are counted (L-RECUR-09). Each is worked out when asked for.

        Raises:
            InvalidInput: as `next_after`, at once and not at the first step.

        >>> from datetime import datetime, timezone
        >>> hourly = Recurrence("UTC", ("06:00", "07:00", "08:00"))
        >>> five, half_past_eight = (
        ...     datetime(2026, 10, 16, hour, minute, tzinfo=timezone.utc)
        ...     for hour, minute in [(5, 0), (8, 30)]
        ... )
        >>> [missed.hour for missed in hourly.occurrences(five, half_past_eight)]
        [6, 7, 8]
        """
        last = instant("until", until)
        return _up_to(last, self._after(after, name="after"))

    def _after(self, after: datetime, *, name: str = "instant") -> Iterator[datetime]:
        return _walk(
            instant(name, after),
            zone("time_zone", self.time_zone),
            clocks=[divmod(_minutes("times", time), 60) for time in self.times],
            weekdays={WEEKDAYS.index(day) for day in self.weekdays or WEEKDAYS},
        )


def _up_to(last: datetime, found: Iterator[datetime]) -> Iterator[datetime]:
    for occurrence in found:
        if occurrence > last:
            return
        yield occurrence


def _walk(
    start: datetime,
    place: tzinfo,
    *,
    clocks: list[tuple[int, int]],
    weekdays: set[int],
) -> Iterator[datetime]:
    """
    Every occurrence after `start`, in order, each once, all in UTC.

    A zone is less than a day away from UTC. So what happens after `start` is set for
    the date before it or for a later one; and what is set for a later date than today's
    happens after the midnight, in UTC, with which today begins.
    """
    found: list[datetime] = []
    latest = start
    today = start.date() - _DAY if start.date() > date.min else date.min
    while True:
        if today.weekday() in weekdays:
            for hour, minute in clocks:
                at = _happens(today, hour, minute, place)
                if at is not None:
                    heapq.heappush(found, at)
        is_last = today == date.max
        midnight = datetime(today.year, today.month, today.day, tzinfo=UTC)
        while found and (is_last or found[0] <= midnight):
            occurrence = heapq.heappop(found)
            if occurrence > latest:
                latest = occurrence
                yield occurrence
        if is_last:
            return
        today += _DAY


def _happens(day: date, hour: int, minute: int, place: tzinfo) -> datetime | None:
    """
    The instant, in UTC, at which a local time of a date happens.

    `fold=0` is both halves of L-RECUR-08 (PEP 495): in a gap it is read with the offset
    before the change, so it lands later by the gap's length; in a fold it is the first.
    None is outside the years 1 to 9999.
    """
    wall = datetime(day.year, day.month, day.day, hour, minute, tzinfo=place)
    try:
        return wall.astimezone(UTC)
    except OverflowError:
        return None
