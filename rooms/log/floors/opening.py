"""
Opening: a person's message sets an activity going, queues, or starts it anew.

Three laws. Persons open activities, and of the agents a lead alone (P-RUN-07). The cast
is fixed here, before the first turn (R-ROUND-01). And of two messages of persons none
is lost: the second is the next opener, or the activity starts anew with it (ledger 16).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rooms.addressing import name_key
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.floors.ending import withdrawn
from rooms.log.floors.events import (
    ActivityEnded,
    ActivityOpened,
    OpenerQueued,
)
from rooms.log.state import RoomState

__all__ = [
    "STOPPED",
    "Casting",
    "casting_by",
    "next_activity",
    "opened_by",
    "opened_with",
    "stopped",
]


def opened_by(
    room: RoomState, by: Actor, direct: Iterable[str], group: Iterable[str]
) -> list[Event]:
    """What a message that comes next means for the floor, with whom it addresses."""
    casting = casting_by(room, by, direct, group)
    return [] if casting is None else opened_with(room, casting)


class Casting(NamedTuple):
    """Whom a message sets talking, whatever else goes on: `cast` and `cover`."""

    cast: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()


def casting_by(
    room: RoomState, by: Actor, direct: Iterable[str], group: Iterable[str]
) -> Casting | None:
    """Whom a message sets talking; None where it opens nothing."""
    if not room.policy.gives_floor or not _opens(room, by):
        return None
    return _casting(room, tuple(direct), tuple(group))


def opened_with(room: RoomState, casting: Casting) -> list[Event]:
    """What it means for the floor that a message that comes next sets these talking."""
    seq, activity = room.seq + 1, room.activity
    if activity is None:
        return [ActivityOpened(seq, *casting)]
    if room.policy.interrupt == "queue" and not activity.problem:
        return [OpenerQueued(seq, *casting)]
    ended = stopped(room, "unplanned" if activity.problem else "interrupted")
    return [*ended, ActivityOpened(seq, *casting, "interrupted")]


def _opens(room: RoomState, by: Actor) -> bool:
    """Whether this is a person, or the room's lead, who delegates (R-ROUND-03)."""
    lead = name_key(room.policy.lead)
    return by.kind == "person" or (lead != "" and lead == name_key(by.agent))


def _casting(
    room: RoomState, direct: Sequence[str], group: Sequence[str]
) -> Casting | None:
    roster = room.rostered()
    if room.policy.planner == "roster":
        return Casting(tuple(roster.values())) if roster else None
    if room.policy.planner != "addressed":
        return Casting()
    named = tuple(dict.fromkeys((*direct, *group)))
    if named:
        return Casting(named)
    responder = roster.get(room.policy.default_responder)
    if responder is None:  # whoever leads the room reads it (R-ADDR-10)
        return None
    cover = tuple(one for one in roster.values() if one != responder)
    return Casting((responder,), cover)


STOPPED = frozenset({"unplanned", "interrupted", "archived", "policy_changed"})
"""Why an activity ends of which no planner said so."""


def stopped(room: RoomState, reason: str) -> list[Event]:
    """The end of the activity that goes on; a floor that nobody took is withdrawn."""
    activity, floor = room.activity, room.floor
    if activity is None:
        return []
    events: list[Event] = []
    if floor is not None and not floor.wake:
        events += withdrawn(floor)
    return [*events, ActivityEnded(activity.opener, reason, activity.round)]


def next_activity(room: RoomState) -> list[Event]:
    """The activity of the opener that waits longest, if one does."""
    if not room.openers:
        return []
    opener = room.openers[0]
    return [ActivityOpened(opener.seq, opener.cast, opener.cover, "queued")]
