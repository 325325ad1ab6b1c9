"""
Opening: a person's message sets an activity going, queues, or starts it anew.

Three laws. Persons open activities, and of the agents a lead alone (P-RUN-07). The cast
is fixed here, before the first turn (R-ROUND-01). And of two messages of persons none
is lost: the second is the next opener, or the activity starts anew with it (ledger 16).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rooms.addressing import name_key
from rooms.log.activities import Opener
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.floors.ending import withdrawn
from rooms.log.floors.events import (
    ActivityEnded,
    ActivityOpened,
    OpenerQueued,
)
from rooms.log.state import RoomState

__all__ = ["STOPPED", "next_activity", "opened_by", "stopped"]


def opened_by(
    room: RoomState, by: Actor, direct: Iterable[str], group: Iterable[str]
) -> list[Event]:
    """What a message that comes next means for the floor, with whom it addresses."""
    if not room.policy.gives_floor or not _opens(room, by):
        return []
    opener = _opener(room, tuple(direct), tuple(group))
    if opener is None:
        return []
    activity = room.activity
    if activity is None:
        return [_opened(opener, "posted")]
    if room.policy.interrupt == "queue" and not activity.problem:
        return [OpenerQueued(opener.seq, opener.cast, opener.cover)]
    ended = stopped(room, "unplanned" if activity.problem else "interrupted")
    return [*ended, _opened(opener, "interrupted")]


def _opens(room: RoomState, by: Actor) -> bool:
    """Whether this is a person, or the room's lead, who delegates (R-ROUND-03)."""
    lead = name_key(room.policy.lead)
    return by.kind == "person" or (lead != "" and lead == name_key(by.agent))


def _opener(
    room: RoomState, direct: Sequence[str], group: Sequence[str]
) -> Opener | None:
    """Whom the message sets talking; None where it opens nothing."""
    seq, roster = room.seq + 1, room.rostered()
    if room.policy.planner == "roster":
        return Opener(seq, tuple(roster.values())) if roster else None
    if room.policy.planner != "addressed":
        return Opener(seq)
    named = tuple(dict.fromkeys((*direct, *group)))
    if named:
        return Opener(seq, named)
    responder = roster.get(room.policy.default_responder)
    if responder is None:  # whoever leads the room reads it (R-ADDR-10)
        return None
    cover = tuple(one for one in roster.values() if one != responder)
    return Opener(seq, (responder,), cover)


def _opened(opener: Opener, why: str) -> ActivityOpened:
    return ActivityOpened(opener.seq, opener.cast, opener.cover, why)


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
    return [_opened(room.openers[0], "queued")]
