"""
The rate windows: how many places of a wake window are taken, as time goes on.

Law: a charge takes a place for the window's period, half open, and frees it then.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms.simulation.pictures.canvas import LINE, Canvas
from rooms.simulation.pictures.scale import Scale

if TYPE_CHECKING:
    from rooms.pacing import RateWindow
    from rooms.simulation.chronicle import Chronicle

__all__ = ["GUTTER", "ROW", "TOP", "WIDTH", "put_steps", "taken", "windows"]

WIDTH, GUTTER, ROW, TOP = 960.0, 150.0, 56.0, 44.0
"""How wide a picture of lines is, its names, how high a line, and where they begin."""


def taken(
    instants: list[datetime], window: RateWindow, last: datetime
) -> list[tuple[datetime, int]]:
    """How many places are taken from which instant on."""
    changes: dict[datetime, int] = {}
    for instant in instants:
        changes[instant] = changes.get(instant, 0) + 1
        over = instant + window.period
        if over <= last:
            changes[over] = changes.get(over, 0) - 1
    count, steps = 0, []
    for instant in sorted(changes):
        count += changes[instant]
        steps.append((instant, count))
    return steps


def windows(
    told: Chronicle, window: RateWindow | None, first: datetime, last: datetime
) -> str:
    """The picture of the windows between two instants, as SVG."""
    canvas = Canvas(WIDTH, "How full the wake windows are")
    charges: dict[tuple[str, str], list[datetime]] = {}
    for row in told.charges:
        charges.setdefault((row["room"], row["who"]), []).append(row["at"])
    if window is None or not charges:
        words = "no wake window" if window is None else "no place was taken"
        canvas.text(8, LINE, words, width=400, style="soft")
        return canvas.finished()
    several = len({room for room, _ in charges}) > 1
    scale = Scale(first, last, GUTTER, WIDTH - 32)
    bottom = TOP + ROW * len(charges)
    scale.put(canvas, TOP, bottom, TOP - 8)
    canvas.text(8, 16, f"at most {window.limit} in {window.period}", width=WIDTH - 16)
    for place, ((room, who), instants) in enumerate(charges.items()):
        y = TOP + ROW * (place + 1) - 8
        name = f"{who} · {room}" if several else who
        canvas.text(8, y, name, width=GUTTER - 16)
        steps = taken(instants, window, last)
        put_steps(canvas, scale, y, steps, window.limit, told=f"limit {window.limit}")
    return canvas.finished()


def put_steps(
    canvas: Canvas,
    scale: Scale,
    y: float,
    steps: list[tuple[datetime, int]],
    limit: int,
    *,
    told: str,
) -> None:
    """Puts a line that steps to each number at its instant, below or at a limit."""
    high = ROW - 16
    most = max(limit, *(count for _, count in steps), 1)
    full = y - high * limit / most
    canvas.line(scale.left, full, scale.right, full, "limit", told=told)
    canvas.line(scale.left, y, scale.right, y, "rule")
    drawn = f"M{scale.left:.2f} {y:.2f}"
    for instant, count in steps:
        drawn += f"H{scale.at(instant):.2f}V{y - high * count / most:.2f}"
    canvas.path(f"{drawn}H{scale.right:.2f}", "step")
