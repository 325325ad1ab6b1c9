"""
Creating rooms, and what a name stands for.

Two laws. A name belongs to one open room, and a request to one outcome; both are keys,
so whoever comes second is refused or answered by the storage. And a conversation that
creates a room has a seat in it at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import presets, values
from rooms.errors import Conflict, InvalidInput, OverLimit
from rooms.lobby.access.inviting import invitee
from rooms.lobby.access.managing import check_several, no_lead
from rooms.lobby.handles import acted_for, actor_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.log import invitations, rooms, seats
from rooms.log.access import ACCESS, OPEN
from rooms.log.actors import Actor
from rooms.log.directory import RoomListed
from rooms.log.events import Event, Fact
from rooms.log.rooms import ROOM_ID_PREFIX, RoomCreated, room_name_key
from rooms.log.state import RoomState
from rooms.policy import RoomPolicy
from rooms.storage import Storage

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["create_room", "policy_of", "room_called"]


def create_room(
    desk: Desk,
    name: str,
    *,
    by: Any,
    access: str | None,
    policy: RoomPolicy | str | None,
    invite: Iterable[Any],
    request_id: str | None,
    now: datetime | None,
) -> str:
    """As `Lobby.create_room`, which documents it; the room's id."""
    actor = actor_of(by, desk)
    chosen = policy_of(policy)
    if chosen.lifecycle == "managed":
        raise InvalidInput(
            "policy.lifecycle",
            "is managed",
            allowed="simple; a team's room is made by `Lobby.teams(by=...).prepare`",
        )
    chosen_access = desk.default_access if access is None else access
    opened = values.member("access", chosen_access, ACCESS)
    key = _name_key(rooms.check_room_name(name))
    named = {key: ""} if opened == OPEN else {}  # others take no name (G-ROOM-07)
    invited = _invited(desk, invite)
    asked = fingerprint("room", name, opened, chosen.recorded(), *invited)
    request = Request.of(actor, "create_room", request_id, asked)
    room = desk.ids(ROOM_ID_PREFIX.rstrip("_"))
    answered: list[Fact] = []

    def decide(_: int) -> Decision:
        answered[:] = request.answered(desk)
        if answered:
            return Decision()
        if named and desk.storage.find(key) is not None:
            kept = _room_named(desk, key)
            if kept is not None and kept.archived:
                raise Conflict(
                    "room_archived", "the name is an archived room's", current=kept.id
                )
            words = "a room of that name is open already: lobby.room(name) is it"
            raise Conflict("room_exists", words, current=name)
        _check_capacity(desk)
        owner, seated = _first(desk, room, policy=chosen, by=actor)
        created = rooms.create(
            room, name, access=opened, policy=chosen, owner=owner, by=actor
        )
        asked_in = invitations.invite_all(invited, but=actor.agent)
        listed: list[Event] = [RoomListed(room, opened, name)]
        return Decision(
            {room_stream(room): [*created, *seated, *asked_in], LOBBY: listed},
            add={**request.keys, **named},
        )

    desk.record(decide, LOBBY, by=actor, now=now)
    event = answered[0].event if answered else None
    return event.room if isinstance(event, RoomCreated) else room


def _room_named(desk: Desk, key: str) -> RoomState | None:
    """The room that a name is kept for."""
    stream, _, _ = (desk.storage.find(key) or "").partition(" ")
    room = stream.removeprefix("room:")
    return desk.room(room) if room in desk.directory().rooms else None


def _check_capacity(desk: Desk) -> None:
    """Counts the rooms that somebody created: no hive, and none of a direct message."""
    most = desk.max_rooms
    if most is None:
        return
    count = sum(access in ACCESS for access in desk.directory().rooms.values())
    if count >= most:
        raise OverLimit(
            "room_capacity", f"the lobby holds {count} rooms already", limit=most
        )


def _invited(desk: Desk, agents: Any) -> list[str]:
    """The ids of the agents that are invited at once, each once."""
    check_several("invite", agents)
    meant = [invitee(desk, one, field="invite") for one in agents]
    return list(dict.fromkeys(meant))


def _first(
    desk: Desk, room: str, *, policy: RoomPolicy, by: Actor
) -> tuple[str, list[Event]]:
    """Whose the room is, and the seat of the conversation that creates it."""
    owner = by.person or ""
    if by.kind != "conversation":
        return owner, []
    entry = desk.agent(by.agent)
    managed = policy.membership == "managed"
    if managed and not entry.may.manage_rooms:
        raise no_lead()
    if not entry.threaded:  # it acts with its person's permissions (G-ROOM-04)
        owner = owner or entry.owner
    if managed:  # a lead is no member by being one (L-ROOM-01, L-ROOM-03)
        return owner, []
    state = RoomState(id=room, policy=policy)
    return owner, seats.join(
        state,
        by.id,
        agent=entry.agent,
        threaded=entry.threaded,
        why="created",
        acts_for=acted_for(desk, entry.agent, by.id),
    )


def room_called(storage: Storage, name: str) -> str:
    """What an id or a name stands for, there or not: the id, or "" for no such name."""
    if name.startswith(ROOM_ID_PREFIX) or not name.isprintable():
        return name
    stream, _, _ = (storage.find(_name_key(name)) or "").partition(" ")
    return stream.removeprefix("room:")


def _name_key(name: str) -> str:
    return f"name:{room_name_key(name)}"


def policy_of(policy: Any) -> RoomPolicy:
    """A policy, or the preset that is named."""
    if policy is None:
        return RoomPolicy()
    if isinstance(policy, str):
        return presets.named(policy)
    if not isinstance(policy, RoomPolicy):
        kind = type(policy).__name__
        raise InvalidInput(
            "policy", f"is of type {kind}", allowed="a RoomPolicy or a preset's name"
        )
    return policy
