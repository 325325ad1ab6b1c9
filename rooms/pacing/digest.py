"""
When a digest is due.

Two laws: it is due only for something untold, so an empty interval gives none
(G-MODE-05); and it is due once, however many ticks went by (G-HELD-04). Ticks are exact
instants in UTC, evenly spaced whatever the local clock does meanwhile.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from rooms.errors import InvalidInput
from rooms.pacing.instants import digest_tick
from rooms.values import duration, micros, moment

__all__ = ["digest_due"]

_MOMENT = timedelta(microseconds=1)


def digest_due(
    anchor: datetime, interval: timedelta, first_untold: datetime | None
) -> datetime | None:
    """
    The instant at which the next digest is due, or None when there is nothing to tell.

    It is `anchor + k * interval`, for the first whole k >= 1 that is not before the
    first untold entry. What came later than that entry goes with it.

    Args:
        anchor: When the last digest was taken, or else the subscription made; aware.
        interval: The subscription's.
        first_untold: When the oldest entry that no digest carried was posted; aware, or
            None if all is told.

    Raises:
        InvalidInput: `naive_time`; `invalid_request` for a wrong type, an empty
            interval, or a due date after the year 9999.

    Guarantees: in UTC, exact, and at least an interval after the anchor, so two digests
    are never closer than that.

    Source: G-MODE-05, G-HELD-04.

    >>> from datetime import timezone
    >>> nine = datetime(2026, 10, 16, 9, tzinfo=timezone.utc)
    >>> posted = nine + timedelta(minutes=40)
    >>> digest_due(nine, timedelta(minutes=15), posted).isoformat()
    '2026-10-16T09:45:00+00:00'
    """
    start = micros("anchor", anchor)
    step = duration("interval", interval, at_least=_MOMENT) // _MOMENT
    if first_untold is None:
        return None
    due = moment(digest_tick(start, step, micros("first_untold", first_untold)))
    if due is None:
        raise InvalidInput(
            "interval", "ends after the year 9999", allowed="a shorter one"
        )
    return due
