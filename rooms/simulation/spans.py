"""
Spans of time as people write them: `90s`, `15m`, `1h30m`, `2d`.

>>> span("until", "1h30m")
datetime.timedelta(seconds=5400)
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from rooms import values
from rooms.errors import InvalidInput

__all__ = ["LONGEST", "Span", "as_span", "span"]

Span = timedelta | str
"""A duration, or one as people write it."""

LONGEST = timedelta(days=3_660)
"""Ten years; no run lasts longer."""

_UNITS = {
    "d": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
}
_PART = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|d|h|m|s)")
_ALLOWED = "a timedelta, or text such as 90s, 15m, 1h30m, 2d; at most ten years"


def span(field: str, value: Any, *, at_least: timedelta = timedelta(0)) -> timedelta:
    """
    A duration, from one or from its text.

    Raises:
        InvalidInput: `invalid_request` for anything else, for one below `at_least` and
            for one above ten years.
    """
    if isinstance(value, str):
        value = _read(field, value)
    elif not isinstance(value, timedelta):
        kind = type(value).__name__
        raise InvalidInput(field, f"is of type {kind}", allowed=_ALLOWED)
    values.duration(field, value, at_least=at_least)
    if value > LONGEST:
        raise InvalidInput(field, "is above ten years", allowed=_ALLOWED)
    length: timedelta = value
    return length


def as_span(length: timedelta) -> str:
    """
    The text of a duration, which `span` reads back.

    >>> as_span(timedelta(hours=1, seconds=30))
    '1h30s'
    """
    seconds, micros = divmod(length // timedelta(microseconds=1), 1_000_000)
    parts = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    if seconds or micros or not parts:
        tail = f".{micros:06d}".rstrip("0") if micros else ""
        parts.append(f"{seconds}{tail}s")
    return "".join(parts)


def _read(field: str, text: str) -> timedelta:
    found = list(_PART.finditer(text))
    units = [one[2] for one in found]
    if not found or "".join(one[0] for one in found) != text:
        raise InvalidInput(field, f"is no span: {text[:40]!r}", allowed=_ALLOWED)
    if len(set(units)) < len(units):
        raise InvalidInput(field, "names a unit twice", allowed=_ALLOWED)
    try:
        return timedelta(**{_UNITS[one[2]]: float(one[1]) for one in found})
    except OverflowError:
        raise InvalidInput(field, "is above ten years", allowed=_ALLOWED) from None
