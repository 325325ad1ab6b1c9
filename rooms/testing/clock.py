"""
A clock that stands still until a test moves it.

Law: the time is what the test said, and nothing else.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rooms import values
from rooms.errors import InvalidInput

__all__ = ["START", "FakeClock"]

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""A Monday morning, at which a fake clock starts unless it is told another time."""


class FakeClock:
    """
    A clock for `Lobby(clock=...)`, at `start` until it is moved.

    Raises:
        InvalidInput: `naive_time` for a start without a time zone; `invalid_request`
            for what is no datetime.

    >>> clock = FakeClock()
    >>> clock.advance(minutes=5) - START
    datetime.timedelta(seconds=300)
    >>> clock() == clock.now
    True
    """

    def __init__(self, start: datetime = START) -> None:
        self.now = values.instant("start", start)

    def __call__(self) -> datetime:
        """The time."""
        return self.now

    def __repr__(self) -> str:
        return f"FakeClock({self.now.isoformat()})"

    def set(self, instant: datetime) -> datetime:
        """
        Goes to an instant, before or after, and returns it; a log's time never falls.

        Raises:
            InvalidInput: As the class.
        """
        self.now = values.instant("instant", instant)
        return self.now

    def advance(
        self,
        by: timedelta = timedelta(0),
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        microseconds: float = 0,
    ) -> datetime:
        """
        Goes on by a duration, by units of it, or by both; returns the new time.

        Raises:
            InvalidInput: `invalid_request` for what is no duration, for one that runs
                backwards (that is what `set` is for), and beyond the year 9999.
        """
        if not isinstance(by, timedelta):
            raise InvalidInput(
                "by",
                f"is of type {type(by).__name__}",
                allowed="a timedelta, or days=, hours=, minutes=, seconds=",
            )
        try:
            units = timedelta(
                days=days,
                hours=hours,
                minutes=minutes,
                seconds=seconds,
                microseconds=microseconds,
            )
            step = by + units
            if step >= timedelta(0):
                return self.set(self.now + step)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(
                "by", "leads to no time", allowed="a duration up to the year 9999"
            ) from None
        raise InvalidInput(
            "by", f"goes back by {-step}", allowed="forward; set(...) goes back"
        )
