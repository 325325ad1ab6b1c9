"""
Checked values: the few questions that every entrance asks of what it is handed.

Each function returns the value in the form that the library works with, or raises
`InvalidInput` naming the field. Nothing here reads a clock or the environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from rooms.errors import InvalidInput

__all__ = [
    "LARGEST",
    "LAST",
    "duration",
    "flag",
    "instant",
    "member",
    "micros",
    "moment",
    "names",
    "storable",
    "text",
    "whole_number",
]

_BROKEN_ZONE = (AttributeError, NotImplementedError, TypeError, ValueError)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LARGEST = 2**63 - 1
"""The largest number that every storage keeps."""

LAST = datetime.max.replace(tzinfo=UTC)
"""The last instant that a datetime can hold."""


def text(field: str, value: Any, *, empty: bool = True) -> str:
    """A string, `empty` or not as said; any characters, lone surrogates included."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"is {_kind(value)}", allowed="a string")
    if not empty and not value:
        raise InvalidInput(field, "is empty", allowed="a non-empty string")
    return value


def storable(field: str, value: Any) -> str:
    """Text that every storage can keep: any but lone surrogates."""
    if type(value) is str and value.isascii():
        return value
    written = text(field, value)
    if not written.isascii():
        try:
            written.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                field,
                f"has half a character at {error.start}",
                allowed="any text without lone surrogates",
            ) from None
    return written


def flag(field: str, value: Any) -> bool:
    """True or False, and nothing that merely counts as one of them."""
    if value is not True and value is not False:
        raise InvalidInput(field, f"is {_kind(value)}", allowed="True or False")
    return bool(value)


def whole_number(
    field: str, value: Any, *, at_least: int, at_most: float = LARGEST
) -> int:
    """
    An int within the bounds, both included; a bool is none. Unless said otherwise it is
    one of 64 bits, as storages keep.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"is {_kind(value)}", allowed="a whole number")
    if value < at_least or value > at_most:
        is_open = at_most >= LARGEST and value < at_least
        span = f">= {at_least}" if is_open else f"{at_least} to {at_most}"
        shown = value if abs(value) < 10**18 else "a huge number"
        raise InvalidInput(field, f"is {shown}", allowed=span)
    return value


def instant(field: str, value: Any) -> datetime:
    """An aware datetime, in UTC; a naive one is refused with `naive_time`."""
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"is {_kind(value)}", allowed="an aware datetime")
    if value.tzinfo is UTC:
        return value
    try:
        if value.utcoffset() is None:
            raise InvalidInput(
                field,
                "has no time zone",
                allowed="an aware datetime",
                code="naive_time",
            )
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "lies outside the years 1 to 9999") from None
    except _BROKEN_ZONE as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            field, "has a time zone that does not work", allowed="such as UTC"
        ) from error


def micros(field: str, value: Any) -> int:
    """An aware datetime as microseconds since 1970, UTC."""
    is_plain = type(value) is datetime and value.tzinfo is UTC
    since = (value if is_plain else instant(field, value)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment(since: int) -> datetime | None:
    """The instant so many microseconds after 1970, in UTC; None after the year 9999."""
    try:
        return _EPOCH + timedelta(microseconds=since)
    except OverflowError:
        return None


def duration(field: str, value: Any, *, at_least: timedelta) -> timedelta:
    """A timedelta no shorter than `at_least`."""
    if not isinstance(value, timedelta):
        raise InvalidInput(field, f"is {_kind(value)}", allowed="a timedelta")
    if value < at_least:
        raise InvalidInput(field, f"is {value}", allowed=f">= {at_least}")
    return value


def names(field: str, value: Any) -> tuple[str, ...]:
    """Non-empty strings in their order; a set has none, and a bare string is one."""
    if not isinstance(value, Iterable) or isinstance(
        value, str | bytes | set | frozenset | Mapping
    ):
        raise InvalidInput(field, f"is {_kind(value)}", allowed="a sequence of strings")
    return tuple(
        text(f"{field}[{place}]", name, empty=False) for place, name in enumerate(value)
    )


def member(field: str, value: Any, allowed: Iterable[str]) -> str:
    """A string that is one of `allowed`, which the error lists."""
    choices = tuple(allowed)
    if not isinstance(value, str) or value not in choices:
        shown = repr(str(value))[:80] if isinstance(value, str) else _kind(value)
        raise InvalidInput(field, f"is {shown}", allowed=", ".join(choices))
    return value


def _kind(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
