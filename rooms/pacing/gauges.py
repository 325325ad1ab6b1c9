"""
Gauges: how much of something that renews itself is used, and how that goes.

Law: it is told and never enforced: nobody is warned, held or paused for it
(L-USAGE-06).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from attrs import Attribute, field, frozen

from rooms import values
from rooms.errors import InvalidInput

__all__ = ["Gauge", "Pace", "pace"]

_EVEN = 5
"""How many percent above or below the line still count as on it (L-USAGE-03)."""
_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)


def _percent(_: Any, attribute: Attribute[Any], value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 100:  # and so no NaN
        raise InvalidInput(attribute.name, "is no percentage", allowed="0 to 100")


def _instant(value: Any) -> datetime | None:
    return None if value is None else values.instant("resets_at", value)


@frozen
class Gauge:
    """
    How much is used.

    Attributes:
        used: In percent, 0 to 100.
        resets_at: When it begins anew, UTC; None where nobody says.

    Raises:
        InvalidInput: `invalid_request`, `naive_time`.
    """

    used: float = field(validator=_percent)
    resets_at: datetime | None = field(default=None, converter=_instant)


@frozen
class Pace:
    """
    How the use of a gauge goes.

    Attributes:
        line: How much would be used by now at an even pace, in percent.
        lead: How far the use is ahead of that, in percent.
        pace: `ahead` or `behind` by more than 5 percent, or `on` it.
        per_day: How much may be used a day until it begins anew, in percent.
    """

    line: float
    lead: float
    pace: Literal["ahead", "on", "behind"]
    per_day: float


def pace(gauge: Gauge, period: timedelta, now: datetime) -> Pace | None:
    """
    How the use of a gauge goes, in percent with one decimal.

    Args:
        gauge: What is used.
        period: How long it is from one reset to the next, such as seven days.
        now: The instant to tell it for.

    Returns:
        None where nobody says when it resets, or that has passed.

    Source: L-USAGE-03.

    >>> from datetime import UTC
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> pace(Gauge(60, now + timedelta(days=3.5)), timedelta(days=7), now)
    Pace(line=50.0, lead=10.0, pace='ahead', per_day=11.4)
    """
    values.duration("period", period, at_least=_MOMENT)
    at = values.instant("now", now)
    if gauge.resets_at is None or gauge.resets_at <= at:
        return None
    rest = min(gauge.resets_at - at, period)
    line = 100 * (1 - rest / period)
    lead = gauge.used - line
    on = abs(lead) <= _EVEN
    return Pace(
        round(line, 1),
        round(lead, 1),
        "on" if on else "ahead" if lead > 0 else "behind",
        round((100 - gauge.used) / (rest / _DAY), 1),
    )
