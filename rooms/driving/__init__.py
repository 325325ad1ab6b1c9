"""
Driving: somebody has the floor, is asked, and what came of it is recorded, on and on.

`drive` is the loop over a callable that asks your agents, `drive_async` the same for a
coroutine; `rooms.driving.loop` shows all of it. `Thread` reads the names at a message's
start, and answers the operator as a group chat does.
"""

from rooms.driving.loop import drive, drive_async
from rooms.driving.outcomes import Driven, Quorum, Reply, Turned, TurnFailed, quorum
from rooms.driving.panel import by_name, open_panel
from rooms.driving.views import View

__all__ = [
    "Driven",
    "Quorum",
    "Reply",
    "TurnFailed",
    "Turned",
    "View",
    "by_name",
    "drive",
    "drive_async",
    "open_panel",
    "quorum",
]
