"""
A scale of time: from an instant to a place, and where its ticks stand.

Law: ticks stand at round instants of UTC, so far apart that their words do not touch.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from rooms.simulation.pictures.canvas import Canvas

__all__ = ["Scale"]

_STEPS = (
    *(timedelta(seconds=n) for n in (1, 2, 5, 10, 15, 30)),
    *(timedelta(minutes=n) for n in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=n) for n in (1, 2, 3, 6, 12)),
    *(timedelta(days=n) for n in (1, 2, 5, 10, 30, 100, 365)),
)
_APART = 90.0  # a tick's words take some 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@frozen
class Scale:
    """
    From `first` at `left` to `last` at `right`.

    Attributes:
        first, last: Instants; what lies outside stands at the edge.
        left, right: Places.
    """

    first: datetime
    last: datetime
    left: float
    right: float

    def at(self, instant: datetime) -> float:
        """Where an instant stands."""
        whole = (self.last - self.first) / timedelta(microseconds=1)
        if not whole:
            return self.left
        passed = (instant - self.first) / timedelta(microseconds=1)
        share = min(max(passed / whole, 0.0), 1.0)
        return self.left + share * (self.right - self.left)

    def ticks(self) -> list[datetime]:
        """Round instants, far enough apart."""
        whole = self.last - self.first
        most = max(int((self.right - self.left) / _APART), 1)
        step = next((one for one in _STEPS if whole <= one * most), _STEPS[-1])
        tick = _EPOCH + -(-(self.first - _EPOCH) // step) * step
        found = []
        while tick <= self.last:
            found.append(tick)
            tick += step
        return found

    def words(self, tick: datetime) -> str:
        """What stands at a tick: a date where the scale is long, else a time."""
        if self.last - self.first > timedelta(days=2):
            return f"{tick:%b %d}" if tick.hour == 0 else f"{tick:%d %H:%M}"
        return f"{tick:%H:%M:%S}" if tick.second else f"{tick:%H:%M}"

    def put(self, canvas: Canvas, top: float, bottom: float, line: float) -> None:
        """Puts the ticks on a canvas: rules from top to bottom, their words above."""
        for tick in self.ticks():
            x = self.at(tick)
            canvas.line(x, top, x, bottom, "rule")
            room = min(x, canvas.width - x) * 2
            canvas.text(
                x,
                line,
                self.words(tick),
                width=min(room, _APART - 8),
                style="soft",
                anchor="middle",
            )
