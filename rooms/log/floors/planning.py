"""
Planning: what a planner's answer means for the room.

Two laws. The planner is asked only while an activity goes on and nobody has the floor
(ledger 16). And an answer counts for the activity that it was asked about, as it stands
still; else it is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping

from rooms.log.events import Event
from rooms.log.floors.ending import absence
from rooms.log.floors.events import ActivityEnded, FloorGiven, FloorUnplanned
from rooms.log.floors.opening import next_activity
from rooms.log.state import RoomState
from rooms.planning.floors import FloorPlan

__all__ = ["given", "to_plan", "unplanned"]


def to_plan(room: RoomState) -> tuple[int, int, int] | None:
    """What an answer has to be about; None where there is nothing to ask."""
    activity = room.activity
    if activity is None or room.floor is not None:
        return None
    return activity.opener, len(activity.turns), room.seq


def given(room: RoomState, plan: FloorPlan, roster: Mapping[str, str]) -> list[Event]:
    """
    The floor for the seat that was named, as `RoomState.rostered` has it now, or the
    end of the activity.
    """
    activity = room.activity
    if activity is None:
        return []
    if plan.speaker is None:
        ended = ActivityEnded(activity.opener, plan.reason, plan.round)
        return [ended, *next_activity(room)]
    conversation = roster.get(plan.speaker, plan.speaker)
    seat = room.seats.get(conversation)
    if seat is None or seat.place != "in" or seat.resting or seat.held:
        return absence(conversation, activity.opener, plan.round)
    may_pass = plan.may_pass
    return [FloorGiven(conversation, activity.opener, plan.round, may_pass)]


def unplanned(room: RoomState, reason: str, *, again: int) -> list[Event]:
    """Nobody is named, since the planner failed; `again` is when to ask it next."""
    activity = room.activity
    return [] if activity is None else [FloorUnplanned(activity.opener, reason, again)]
