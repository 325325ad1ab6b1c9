"""
Owning: what only a room's owner does to it, or whom the host lets.

Law: the owner is a person, and acts by itself or by a conversation on its word; anybody
else is refused unless a plugin says that it may.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.commits import Decision
from rooms.lobby.handles import actor_of
from rooms.lobby.streams import LOBBY, proven, room_stream
from rooms.log import rooms
from rooms.log.actors import Actor
from rooms.log.directory import RoomUnlisted
from rooms.policy import RoomPolicy
from rooms.storage.walking import records_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["change_policy", "delete_room", "set_paused"]


def set_paused(
    desk: Desk, room: str, *, paused: bool, by: Any, now: datetime | None
) -> None:
    """Holds every wake in the room, or lets them go on."""
    actor = actor_of(by, desk)
    _check_owner(desk, room, actor, "pause_room")
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        return Decision({stream: rooms.pause(desk.room(room), paused=paused)})

    desk.record(decide, stream, by=actor, now=now)


def change_policy(
    desk: Desk, room: str, policy: Any, *, by: Any, now: datetime | None
) -> None:
    """Sets other options, from here on."""
    actor = actor_of(by, desk)
    if not isinstance(policy, RoomPolicy):
        kind = type(policy).__name__
        raise InvalidInput("policy", f"is of type {kind}", allowed="a RoomPolicy")
    _check_owner(desk, room, actor, "change_policy")
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        return Decision({stream: rooms.change_policy(desk.room(room), policy)})

    desk.record(decide, stream, by=actor, now=now)


def delete_room(desk: Desk, room: str, *, by: Any, now: datetime | None) -> None:
    """Ends the room: its log goes, and its name and all its keys are free."""
    actor = actor_of(by, desk)
    _check_owner(desk, room, actor, "delete_room")
    name = room_stream(room)

    def decide(_: int) -> Decision:
        desk.room(room)  # it is there still
        stream = desk.streams.current(name)
        gone = RoomUnlisted(room, stream.version, stream.chain.hex())
        # A key ends with its record (foundation 5), or its id is held for ever.
        facts = proven(records_of(desk.storage, name))
        held = tuple(key for fact, _ in facts for key, _ in fact.keys)
        return Decision({LOBBY: [gone]}, guards=(name,), release=held, remove=(name,))

    desk.record(decide, LOBBY, by=actor, now=now)


def _check_owner(desk: Desk, room: str, actor: Actor, action: str) -> None:
    with desk.lock:
        owner = desk.room(room).owner
    if owner and actor.person == owner:
        return
    if not desk.may(actor, action, room):
        raise NotAllowed(
            "not_owner", "only the room's owner may do this", action=action
        )
