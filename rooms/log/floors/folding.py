"""
How activities and the floor change a room's state.

Law: folding applies no rule and refuses nothing; it does what the event says.
"""

from __future__ import annotations

from rooms.log.activities import Activity, Floor, HadTurn, Opener
from rooms.log.events import Fact
from rooms.log.floors.events import (
    ActivityEnded,
    ActivityOpened,
    FloorEnded,
    FloorGiven,
    FloorUnplanned,
    OpenerQueued,
)
from rooms.log.state import RoomState

__all__ = ["evolve"]


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    match fact.event:
        case ActivityOpened() as opened:
            room.openers = [one for one in room.openers if one.seq != opened.opener]
            room.activity = Activity(
                opened.opener, opened.cast, opened.cover, since=fact.at
            )
        case OpenerQueued() as queued:
            room.openers.append(Opener(queued.opener, queued.cast, queued.cover))
        case ActivityEnded() as ended:
            room.activity, room.ended = None, ended.reason
        case FloorGiven() as given:
            room.floor = Floor(
                given.conversation, given.activity, given.round, fact.at, given.may_pass
            )
            if room.activity is not None:
                room.activity.problem = ""
            room.schedule(room.seats[given.conversation])
        case FloorEnded() as ended:
            _end(room, ended, fact.at)
        case FloorUnplanned() as unplanned:
            if room.activity is not None:
                room.activity.problem = unplanned.reason
                room.activity.since = unplanned.again
        case _:
            return False
    return True


def _end(room: RoomState, ended: FloorEnded, at: int) -> None:
    if room.floor is not None and room.floor.conversation == ended.conversation:
        room.floor = None
        room.schedule(room.seats[ended.conversation])
    activity = room.activity
    if activity is None:
        return
    activity.since = at
    if activity.opener != ended.activity:
        activity.aside.extend(ended.seqs)
    elif ended.used:
        activity.tries.pop(ended.conversation, None)
        activity.turns.append(
            HadTurn(ended.conversation, ended.round, ended.outcome, ended.seqs)
        )
        if ended.outcome == "failed":
            activity.aside.extend(ended.seqs)
    else:
        tries = activity.tries.get(ended.conversation, 0)
        activity.tries[ended.conversation] = tries + 1
