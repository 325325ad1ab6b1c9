"""
The costs of a team: what it used as time goes on, beside what it may.

Law: a report of use raises a line by what it says; the limit is the one at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.simulation.pictures.canvas import LINE, Canvas
from rooms.simulation.pictures.scale import Scale
from rooms.simulation.pictures.windows import GUTTER, ROW, TOP, WIDTH, put_steps
from rooms.team.amounts import from_micros, micros_of

if TYPE_CHECKING:
    from rooms.simulation.chronicle import Chronicle
    from rooms.team import TeamLimits

__all__ = ["costs", "summed"]

Row = dict[str, Any]


def summed(rows: Sequence[Row]) -> list[tuple[datetime, int]]:
    """What was used in all from which instant on, in millionths."""
    spent, steps = 0, []
    for row in rows:
        spent += micros_of(row["cost"])
        steps.append((row["at"], spent))
    return steps


def costs(
    told: Chronicle, limits: Mapping[str, TeamLimits], first: datetime, last: datetime
) -> str:
    """The picture of what teams used between two instants, as SVG; limits by room."""
    canvas = Canvas(WIDTH, "What the teams cost")
    lanes: dict[str, tuple[list[Row], int]] = {}
    for room, limit in limits.items():
        own = [row for row in told.usage if row["room"] == room and row["cost"]]
        more = f" · {room}" if len(limits) > 1 else ""
        if own:
            lanes[f"team{more}"] = own, micros_of(limit.max_cost)
        for who in dict.fromkeys(row["who"] for row in own):
            used = [row for row in own if row["who"] == who]
            lanes[f"{who}{more}"] = used, micros_of(limit.max_member_cost)
    if not lanes:
        canvas.text(8, LINE, "nothing was paid", width=400, style="soft")
        return canvas.finished()
    scale = Scale(first, last, GUTTER, WIDTH - 32)
    scale.put(canvas, TOP, TOP + ROW * len(lanes), TOP - 8)
    words = "what turns cost, beside the limit of the team and of each member"
    canvas.text(8, 16, words, width=WIDTH - 16)
    for place, (name, (rows, most)) in enumerate(lanes.items()):
        y = TOP + ROW * (place + 1) - 8
        canvas.text(8, y, name, width=GUTTER - 16)
        limit_told = f"limit {from_micros(most).normalize():f}"
        put_steps(canvas, scale, y, summed(rows), most, told=limit_told)
    return canvas.finished()
