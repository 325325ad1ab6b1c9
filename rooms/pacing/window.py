"""
A rolling window: how many places there are, and when the next one frees.

Three laws. The window is half open: a grant at t holds its place until t + period and
no longer. Only grants count: a try that was refused leaves no trace, so the same
question twice has the same answer. And no wait is ever longer than the period, not even
after the clock stepped back: a grant later than now counts as one at now.

The window holds no counter. It is asked with the grants, which the caller has from its
record, so a restart forgets nothing and resets nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from attrs import field, frozen

from rooms.errors import InvalidInput
from rooms.pacing.instants import frees_at, holding
from rooms.values import duration, micros, moment, whole_number

__all__ = ["RateWindow"]

_MOMENT = timedelta(microseconds=1)


def _to_limit(value: int) -> int:
    return whole_number("limit", value, at_least=0)


def _to_period(value: timedelta) -> timedelta:
    return duration("period", value, at_least=_MOMENT)


@frozen
class RateWindow:
    """
    At most `limit` grants in any `period`.

    Attributes:
        limit: Places; 0 admits nobody, ever.
        period: How long a grant holds its place, more than no time.
        micros: The period in microseconds.

    Raises:
        InvalidInput: `invalid_request`, for a limit below 0 or an empty period.

    Source: G-RATE-01, G-RATE-03.

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 10, 16, 12, tzinfo=timezone.utc)
    >>> window = RateWindow(limit=1, period=timedelta(seconds=10))
    >>> window.free_at([noon], noon + timedelta(seconds=4)).isoformat()
    '2026-10-16T12:00:10+00:00'
    """

    limit: int = field(default=10, converter=_to_limit)
    period: timedelta = field(default=timedelta(minutes=5), converter=_to_period)
    micros: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "micros", self.period // _MOMENT)

    def free_at(self, grants: Iterable[datetime], now: datetime) -> datetime | None:
        """
        The earliest instant at which one more is admitted: `now` itself when it is.

        None when there is none: the limit is 0, or a place frees only after the year
        9999. A hold behind None has no time of release.

        Args:
            grants: The instants at which somebody was admitted, aware, in any order;
                those whose place is free again may be left out or not.
            now: The instant of the question, aware.

        Raises:
            InvalidInput: `naive_time`, or `invalid_request` for what is no datetime.

        Guarantees: the answer is UTC, not before `now`, and at most a period after it.
        """
        free = frees_at(self.limit, self.micros, _granted(grants), micros("now", now))
        return None if free is None else moment(free)

    def admits(self, grants: Iterable[datetime], now: datetime) -> bool:
        """
        Whether one more is admitted at `now`; arguments and errors as for `free_at`.

        >>> from datetime import datetime, timezone
        >>> RateWindow(limit=0).admits([], datetime.now(timezone.utc))
        False
        """
        return self.used(grants, now) < self.limit

    def used(self, grants: Iterable[datetime], now: datetime) -> int:
        """
        How many places are held at `now`; arguments and errors as for `free_at`.

        With `limit` and `free_at` it is what a host shows before the limit trips. It
        may exceed the limit where the limit was lowered.
        """
        return len(holding(self.micros, _granted(grants), micros("now", now)))


def _granted(grants: Any) -> list[int]:
    if not isinstance(grants, Iterable):
        raise InvalidInput(
            "grants", f"is of type {type(grants).__name__}", allowed="aware datetimes"
        )
    return [micros(f"grants[{place}]", at) for place, at in enumerate(grants)]
