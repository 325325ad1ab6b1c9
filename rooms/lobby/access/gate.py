"""
The gate: who may list, join, read, watch, search and count a room, in one place.

Three laws. Every call that names an actor passes here before it looks at anything of
the room, so whoever may not know of a room is answered, byte for byte, as if there were
none. Reading every room is the host's to give (`rooms_may`, with `read_every_room`): it
opens all rooms to a person's eyes, and nothing to its hands (G-ACCESS-06). And the host
is asked with no lock held, and asked alike whether there is such a room or not.

A call that reads begins with `watch`, one that changes something with `enter`; what is
looked up later, on a state that moved on, holds to `still`, and what is decided then to
`check`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.addressing import name_key
from rooms.errors import NotAllowed, NotFound
from rooms.lobby.recording.decisions import Consents
from rooms.lobby.recording.fence import check_fence
from rooms.log import seats
from rooms.log.access import INVITE_ONLY, OPEN, knows, room_not_found
from rooms.log.actors import Actor
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "Sight",
    "check",
    "enter",
    "known_to",
    "may_see",
    "sees_every_room",
    "still",
    "watch",
]


@frozen
class Sight:
    """
    A room, as far as somebody may see it.

    Attributes:
        state: The room's state; it is current while the lock is held.
        oversight: Whether it is seen only by the right to read every room: such a look
            is audited, and changes nothing (G-AUDIT-02, G-VIEW-14).
        consents: What the host said then; it is recorded with the look.
    """

    state: RoomState
    oversight: bool = False
    consents: Consents = ()


def watch(desk: Desk, room: str, by: Actor) -> Sight:
    """
    A room for whoever may read it: messages, members, files, figures.

    Nobody holds the lock when it is called: the host may be asked.

    Raises:
        NotFound: `room_not_found` for whoever may not know of it.
        NotAllowed: `not_a_member` for a conversation without a seat.
    """
    try:
        with desk.lock:
            state = check(desk, room, by)
            check_fence(desk, by)  # what is read is settled, so it is no mere look
    except NotFound as unknown:
        consents = sees_every_room(desk, by)
        if not consents:
            raise
        with desk.lock:
            if room not in desk.directory().rooms:
                raise unknown from None
            return Sight(desk.room(room), oversight=True, consents=consents)
    _check_seat(state, by)
    return Sight(state)


def still(desk: Desk, sight: Sight, by: Actor) -> RoomState:
    """
    The room that `watch` let somebody see, as it is by now, while the lock is held.

    What is shown is looked up on this state: another process may have moved it on.

    Raises:
        NotFound: `room_not_found`.
        NotAllowed: `not_a_member`; both for whoever may see it no more.
    """
    if sight.oversight:
        return desk.room(sight.state.id)
    state = check(desk, sight.state.id, by)
    _check_seat(state, by)
    return state


def _check_seat(state: RoomState, by: Actor) -> None:
    """A conversation reads with a seat, but in a hive: its own read it all there."""
    if by.kind == "conversation" and not state.hive:  # G-HIVE-04
        seats.member_seat(state, by.id, action="read")


def enter(desk: Desk, room: str, by: Actor) -> RoomState:
    """
    A room for whoever may do something in it; what exactly, its rules decide.

    Nobody holds the lock when it is called: the host may be asked.

    Raises:
        NotFound: `room_not_found` for whoever may not know of it.
        NotAllowed: `read_only_access` for a person that may only read every room.
    """
    try:
        with desk.lock:
            state = check(desk, room, by)
            check_fence(desk, by)
            return state
    except NotFound:
        if not sees_every_room(desk, by):
            raise
        with desk.lock:
            if room not in desk.directory().rooms:
                raise
        raise NotAllowed(
            "read_only_access", "who may read every room changes nothing in them"
        ) from None


def check(desk: Desk, room: str, by: Actor) -> RoomState:
    """
    A room for whoever may know of it by a right of its own; asks no host.

    Raises:
        NotFound: `room_not_found` for anybody else.
    """
    state = desk.room(room)
    if state.access == OPEN or knows(state, by, _owned(desk, by)):
        return state
    if _leads(desk, state, by):
        return state
    raise room_not_found(room)


def _leads(desk: Desk, room: RoomState, by: Actor) -> bool:
    """Whether an agent knows of the room as it may say who is in it (L-ROOM-02)."""
    if room.access != INVITE_ONLY or room.policy.membership != "managed":
        return False
    entry = desk.directory().agents.get(name_key(by.agent)) if by.agent else None
    return entry is not None and entry.may.manage_rooms


def known_to(desk: Desk, room: str, *actors: Actor | None) -> RoomState:
    """A room that one of these knows of, such as an agent or the person behind it."""
    for actor in actors:
        if actor is not None:
            with suppress(NotFound):
                return check(desk, room, actor)
    raise room_not_found(room)


def may_see(desk: Desk, room: str, by: Actor) -> bool:
    """Whether somebody may know that a room is there; the host may be asked."""
    try:
        with desk.lock:
            check(desk, room, by)
    except NotFound:
        if not sees_every_room(desk, by):
            return False
        with desk.lock:
            return room in desk.directory().rooms
    return True


def sees_every_room(desk: Desk, by: Actor) -> Consents:
    """
    The host's consents to a person reading every room, or none; nobody holds the lock.
    """
    return desk.may(by, "read_every_room", None) if by.kind == "person" else ()


def _owned(desk: Desk, by: Actor) -> tuple[str, ...]:
    """The keys of a person's agents."""
    if by.kind != "person":
        return ()
    return tuple(desk.directory().owned.get(by.id, ()))
