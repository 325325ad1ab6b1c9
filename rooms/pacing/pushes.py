"""
Pushes: how often what is owed is handed over until it is known to have come, and when a
person should look.

Law: tries go on by the clock of the last one, so whoever comes late hands over once for
all that was missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from attrs import field, frozen

from rooms.errors import InvalidInput
from rooms.pacing.window import RateWindow
from rooms.values import duration, whole_number

__all__ = ["Pushes"]

_MOMENT = timedelta(microseconds=1)
_KIB = 2**10
_MOST_TRIES = 20


def _spans(given: Any) -> tuple[timedelta, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        kind = type(given).__name__
        raise InvalidInput("again", f"is of type {kind}", allowed="several durations")
    if len(given) > _MOST_TRIES:
        raise InvalidInput("again", f"has {len(given)}", allowed=f"up to {_MOST_TRIES}")
    return tuple(
        duration(f"again[{place}]", one, at_least=_MOMENT)
        for place, one in enumerate(given)
    )


def _batching(given: Any) -> timedelta:
    return duration("batching", given, at_least=timedelta(0))


def _attention(given: Any) -> timedelta:
    return duration("attention", given, at_least=_MOMENT)


def _window(given: Any) -> RateWindow:
    if not isinstance(given, RateWindow) or given.limit < 1:
        raise InvalidInput("window", "is none", allowed="a RateWindow with a place")
    return given


def _bytes(given: Any) -> int:
    return whole_number("max_bytes", given, at_least=8 * _KIB, at_most=64 * _KIB)


def _messages(given: Any) -> int:
    return whole_number("max_messages", given, at_least=1, at_most=100)


@frozen(kw_only=True)
class Pushes:
    """
    How what a conversation is owed in a room is pushed to whoever runs it.

    Attributes:
        batching: How long what is not urgent waits for company.
        again: How long after each try the next one is due, but for the last.
        attention: How long after the last try a person should look.
        window: How many pushes one agent is sent in how long, over all rooms.
        max_messages: How many messages a push carries whole, and how many headers a
            hint has.
        max_bytes: How large a push is at most, 8 to 64 KiB of JSON; what would be
            larger is a hint.

    Raises:
        InvalidInput: `invalid_request`, naming what is wrong.

    Source: L-NOTIFY-02, L-NOTIFY-03, L-NOTIFY-05, L-NOTIFY-10, L-NOTIFY-14.
    """

    batching: timedelta = field(default=timedelta(seconds=1), converter=_batching)
    again: tuple[timedelta, ...] = field(
        default=(timedelta(seconds=30), timedelta(seconds=120)), converter=_spans
    )
    attention: timedelta = field(default=timedelta(seconds=300), converter=_attention)
    window: RateWindow = field(
        default=RateWindow(30, timedelta(minutes=1)), converter=_window
    )
    max_messages: int = field(default=20, converter=_messages)
    max_bytes: int = field(default=32 * _KIB, converter=_bytes)

    @property
    def tries(self) -> int:
        """How many tries there are."""
        return len(self.again) + 1

    def after(self, tries: int) -> int:
        """How long after so many tries something is due, in microseconds."""
        waits = (*self.again, self.attention)
        return waits[min(tries, len(waits)) - 1] // _MOMENT

    @property
    def wait(self) -> int:
        """How long what is not urgent waits, in microseconds."""
        return self.batching // _MOMENT

    def recorded(self) -> list[Any]:
        """As a record holds it: durations in microseconds."""
        return [
            self.wait,
            [one // _MOMENT for one in self.again],
            self.attention // _MOMENT,
            [self.window.limit, self.window.micros],
            self.max_messages,
            self.max_bytes,
        ]

    @classmethod
    def from_record(cls, given: Sequence[Any]) -> Pushes:
        """The pushes of a record; what a later version adds behind is left."""
        batching, again, attention, (limit, period), messages, size = given[:6]
        return cls(
            batching=_MOMENT * batching,
            again=tuple(_MOMENT * one for one in again),
            attention=_MOMENT * attention,
            window=RateWindow(limit, _MOMENT * period),
            max_messages=messages,
            max_bytes=size,
        )
