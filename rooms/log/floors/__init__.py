"""
The floor of a planned room: one seat at a time, by the planner's word (ledger 16).

    post --opened--> activity --planned--> floor --taken--> turn --ended--> ...

Three laws. There is at most one activity, and one floor, at a time. A turn that is
stored is never run again, and none is lost. And every end has its reason.

On the way: `events` are what is recorded, `opening`, `planning` and `ending` decide it,
and `folding` makes it the state, which `rooms.log.activities` describes.
"""

from __future__ import annotations

from rooms.log.floors.ending import TOLD, TurnEnd, TurnOutcome, absent, floor_ended
from rooms.log.floors.events import (
    ActivityEnded,
    ActivityOpened,
    FloorEnded,
    FloorGiven,
    FloorUnplanned,
    OpenerQueued,
)
from rooms.log.floors.folding import FOLDS
from rooms.log.floors.opening import (
    STOPPED,
    Casting,
    casting_by,
    next_activity,
    opened_by,
    opened_with,
    stopped,
)
from rooms.log.floors.planning import given, to_plan, unplanned

__all__ = [
    "FOLDS",
    "STOPPED",
    "TOLD",
    "ActivityEnded",
    "ActivityOpened",
    "Casting",
    "FloorEnded",
    "FloorGiven",
    "FloorUnplanned",
    "OpenerQueued",
    "TurnEnd",
    "TurnOutcome",
    "absent",
    "casting_by",
    "floor_ended",
    "given",
    "next_activity",
    "opened_by",
    "opened_with",
    "stopped",
    "to_plan",
    "unplanned",
]
