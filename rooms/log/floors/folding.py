"""
How activities and the floor change a room's state.

Law: folding applies no rule and refuses nothing; it does what the event says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.log.activities import Activity, Floor, HadTurn, Opener
from rooms.log.events import Event, Fact
from rooms.log.floors.events import (
    ActivityEnded,
    ActivityOpened,
    FloorEnded,
    FloorGiven,
    FloorUnplanned,
    OpenerQueued,
)
from rooms.log.state import Fold, Lane, RoomState

__all__ = ["FOLDS"]


def _open(room: RoomState, fact: Fact) -> None:
    opened: Any = fact.event
    room.openers = [one for one in room.openers if one.seq != opened.opener]
    room.activity = Activity(opened.opener, opened.cast, opened.cover, since=fact.at)


def _queue(room: RoomState, fact: Fact) -> None:
    queued: Any = fact.event
    room.openers.append(Opener(queued.opener, queued.cast, queued.cover))


def _stop(room: RoomState, fact: Fact) -> None:
    stopped: Any = fact.event
    room.activity, room.ended = None, stopped.reason


def _give(room: RoomState, fact: Fact) -> None:
    given: Any = fact.event
    name, activity = given.conversation, room.activity
    room.floor = Floor(name, given.activity, given.round, fact.at, given.may_pass)
    if activity is not None:
        activity.problem = ""
    if room.seats[name].standing.place == "in":
        room.takeable[name] = None  # it waits for what it waited for


def _end(room: RoomState, fact: Fact) -> None:
    ended: Any = fact.event
    name, activity, floor = ended.conversation, room.activity, room.floor
    if floor is not None and floor.conversation == name:
        room.floor = None
        if not room.seats[name].has(Lane.READY):
            room.takeable.pop(name, None)  # it waits for what it waited for
    if activity is None:
        return
    activity.since = fact.at
    if activity.opener != ended.activity:
        activity.aside.extend(ended.seqs)
    elif ended.used:
        activity.tries.pop(name, None)
        activity.turns.append(HadTurn(name, ended.round, ended.outcome, ended.seqs))
        if ended.outcome == "failed":
            activity.aside.extend(ended.seqs)
    else:
        activity.tries[name] = activity.tries.get(name, 0) + 1


def _unplan(room: RoomState, fact: Fact) -> None:
    unplanned: Any = fact.event
    if room.activity is not None:
        room.activity.problem = unplanned.reason
        room.activity.since = unplanned.again


FOLDS: Mapping[type[Event], Fold] = {
    ActivityOpened: _open,
    OpenerQueued: _queue,
    ActivityEnded: _stop,
    FloorGiven: _give,
    FloorEnded: _end,
    FloorUnplanned: _unplan,
}
