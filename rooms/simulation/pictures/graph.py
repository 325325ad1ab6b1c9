"""
Who woke whom: an arrow for each pair, as wide as it was often.

Law: an arrow counts wakes that were taken, by the senders of what they carried.
"""

from __future__ import annotations

from collections import Counter
from math import cos, hypot, inf, pi, sin
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.simulation.pictures.canvas import CHAR, LINE, Canvas, cut

if TYPE_CHECKING:
    from rooms.simulation.chronicle import Chronicle

__all__ = ["graph", "pairs"]

_NAME = 110.0  # how wide a name may be
_HIGH = 24.0


def pairs(told: Chronicle) -> Counter[tuple[str, str]]:
    """How often each woke each, in the order of the first time."""
    counted = Counter[tuple[str, str]]()
    for wake in told.wakes:
        for sender in wake["woken_by"]:
            counted[sender, wake["who"]] += 1
    return counted


def graph(told: Chronicle) -> str:
    """The picture of who woke whom, as SVG."""
    counted = pairs(told)
    names = list(dict.fromkeys(name for pair in counted for name in pair))
    radius = max(110.0, len(names) * 42 / (2 * pi) * 2)
    width = 2 * radius + _NAME + 60
    canvas = Canvas(max(width, 420.0), "Who woke whom, and how often")
    middle, down = canvas.width / 2, radius + 40
    if not names:
        canvas.text(8, LINE, "nobody was woken", width=400, style="soft")
        return canvas.finished()
    places = {
        name: (
            middle + radius * sin(2 * pi * place / len(names)),
            down - radius * cos(2 * pi * place / len(names)),
        )
        for place, name in enumerate(names)
    }
    most = max(counted.values())
    for (sender, who), often in counted.items():
        _arrow(
            canvas,
            _Box(*places[sender], _wide(sender)),
            _Box(*places[who], _wide(who)),
            1 + 4 * often / most,
            told=f"{sender} → {who}: {often}",
        )
    for name, (x, y) in places.items():
        wide = _wide(name)
        canvas.rect(x - wide / 2, y - _HIGH / 2, wide, _HIGH, "node", told=name)
        canvas.text(x, y + 4, name, width=_NAME - 12, anchor="middle")
    canvas.reach(down + radius + _HIGH)
    return canvas.finished()


def _wide(name: str) -> float:
    """How wide the box of a name is."""
    return max(CHAR * len(cut(name, _NAME - 12)) + 14, 36)


@frozen
class _Box:
    """Where a name stands, and how wide its box is."""

    x: float
    y: float
    wide: float

    def edge(self, ux: float, uy: float) -> tuple[float, float]:
        """Where a line in a direction leaves the box, and a little further."""
        across = self.wide / 2 / abs(ux) if ux else inf
        down = _HIGH / 2 / abs(uy) if uy else inf
        gone = min(across, down) + 5
        return self.x + ux * gone, self.y + uy * gone


def _arrow(canvas: Canvas, start: _Box, end: _Box, wide: float, *, told: str) -> None:
    """A bow from one to the other, so that both directions are seen."""
    if start == end:
        x, y = start.x, start.y - _HIGH / 2
        drawn = f"M{x - 10:.1f} {y:.1f}C{x - 26:.1f} {y - 30:.1f} "
        drawn += f"{x + 26:.1f} {y - 30:.1f} {x + 10:.1f} {y:.1f}"
        canvas.path(drawn, "edge", told=told, stroke_width=wide)
        return
    ux, uy, long = _way(start.x, start.y, end.x, end.y)
    bow = min(36.0, long / 5)
    cx = (start.x + end.x) / 2 - uy * bow
    cy = (start.y + end.y) / 2 + ux * bow
    outx, outy, _ = _way(start.x, start.y, cx, cy)
    inx, iny, _ = _way(end.x, end.y, cx, cy)
    x1, y1 = start.edge(outx, outy)
    x2, y2 = end.edge(inx, iny)
    size = 6 + wide
    bx, by = x2 + inx * size, y2 + iny * size  # where the tip begins
    canvas.path(
        f"M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {bx:.1f} {by:.1f}",
        "edge",
        told=told,
        stroke_width=wide,
    )
    tip = f"M{x2:.1f} {y2:.1f}"
    tip += f"L{bx - iny * size / 2:.1f} {by + inx * size / 2:.1f}"
    tip += f"L{bx + iny * size / 2:.1f} {by - inx * size / 2:.1f}Z"
    canvas.path(tip, "tip", told=told)


def _way(x1: float, y1: float, x2: float, y2: float) -> tuple[float, float, float]:
    """The direction from one place to another, and how far that is."""
    long = hypot(x2 - x1, y2 - y1) or 1.0
    return (x2 - x1) / long, (y2 - y1) / long, long
