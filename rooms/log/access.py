"""
Access: who knows of a room, and who watches it.

Three laws. Whoever may not know of a room is answered as if there were none: no error,
count or order tells it. An agent's right is its membership or an invitation; a person's
is computed at every look, from the agents and conversations that are in the room now,
and stored nowhere (G-ACCESS-07). And everything here answers in the time of one look-up
for each agent that a person owns.
"""

from __future__ import annotations

from collections.abc import Iterable

from rooms.addressing import name_key
from rooms.errors import NotFound
from rooms.log.actors import Actor
from rooms.log.state import RoomState

__all__ = [
    "ACCESS",
    "DIRECT",
    "HIVE",
    "INVITE_ONLY",
    "OPEN",
    "knows",
    "room_not_found",
    "subject_of",
]

OPEN = "open"
INVITE_ONLY = "invite_only"
ACCESS = (OPEN, INVITE_ONLY)
"""The two kinds of room (G-ACCESS-01)."""
DIRECT = "direct"
"""
The access of a room that messages without one made, which nobody chooses: its members'
own, and in no list.
"""
HIVE = "hive"
"""The access of a hive, which nobody chooses: one agent's own (G-HIVE-05)."""


def knows(room: RoomState, by: Actor, owned: Iterable[str] = ()) -> bool:
    """
    Whether an actor may know that a room is there, by a right of its own.

    For a person that is the right to watch, too; a conversation reads with a seat.

    Args:
        room: The room.
        by: Who asks.
        owned: The agents of a person, by their keys.

    Source: G-ACCESS-03, G-ACCESS-04, G-ACCESS-05.
    """
    if room.access == OPEN or by.kind == "system":
        return True
    if room.access == HIVE:
        return by.kind == "conversation" and name_key(by.agent) == name_key(room.hive)
    if by.kind == "conversation":
        agent = name_key(by.agent)
        return _member(room, agent) or agent in room.invited
    return (
        by.id == room.owner
        or by.id in room.acted_for
        or any(_member(room, agent) for agent in owned)
    )


def _member(room: RoomState, agent: str) -> bool:
    membership = room.members.get(agent)
    return membership is not None and membership.present


def subject_of(room: RoomState, text: str) -> str:
    """
    What a label may be made from: the text, or "" in an invite-only room.

    A label is an address in every room in which its conversation ever takes part, so no
    word of a room that others may not know of becomes one.
    """
    return text if room.access == OPEN else ""


def room_not_found(room: str) -> NotFound:
    """What is said of a room that is not there, or not for who asks."""
    return NotFound("room_not_found", f"no room {room[:80]!a} is known", room=room)
