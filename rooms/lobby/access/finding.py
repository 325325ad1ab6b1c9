"""
Finding: the room that an id or a name means, to whoever asks.

Law: a name means the open room that has it; else the one invite-only room of that name
that the asker may know of. Nothing tells a room that it may not know of from none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import Conflict
from rooms.lobby.access.creating import room_called
from rooms.lobby.access.gate import may_see
from rooms.lobby.handles import actor_of
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.views.viewing import knows, viewer_of
from rooms.log.access import room_not_found
from rooms.log.actors import Actor
from rooms.log.rooms import ROOM_ID_PREFIX, RoomCreated, room_name_key

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["find_room"]


def find_room(desk: Desk, name: str, *, by: Any = None) -> str:
    """As `Lobby.room`, which documents it; the room's id."""
    desk.check_usable()
    values.text("room", name)
    actor = None if by is None else actor_of(by, desk)
    with desk.lock:
        room = room_called(desk.storage, name)
        there = room in desk.directory().rooms
    if there and (actor is None or may_see(desk, room, actor)):
        return room
    own = [] if name.startswith(ROOM_ID_PREFIX) else _own_called(desk, name, actor)
    if len(own) > 1:
        raise Conflict(
            "ambiguous_name", f"{len(own)} rooms are called so; use an id", current=own
        )
    if not own:
        raise room_not_found(name)
    return own[0]


def _own_called(desk: Desk, name: str, by: Actor | None) -> list[str]:
    """
    The rooms of that name that are not open, and that somebody may know of; the host
    itself, which is None, means one that is invite-only.
    """
    key = room_name_key(name)
    known = None if by is None else sorted(viewer_of(desk, by).known)
    with desk.lock:
        if known is None:
            listed = desk.directory().rooms.items()
            known = [room for room, access in listed if access == "invite_only"]
        names = {room: _name_of(desk, room) for room in known}
        called = [room for room in names if room_name_key(names[room]) == key]
        return [room for room in called if by is None or knows(desk, room, by)]


def _name_of(desk: Desk, room: str) -> str:
    created = desk.fact(room_stream(room), 1)
    event = None if created is None else created.event
    return event.name if isinstance(event, RoomCreated) else ""
