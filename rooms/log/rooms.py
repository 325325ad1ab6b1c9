"""
The room itself: how it comes to be, its policy, its pauses and its end.

Law: what is recorded is the resolved policy, never a preset's name; a change acts from
its event on (foundation 22).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import Conflict, InvalidInput, NotAllowed
from rooms.log import floors, seats
from rooms.log.access import ACCESS, DIRECT, HIVE
from rooms.log.actors import Actor
from rooms.log.events import Event, Fact, recorded
from rooms.log.state import Lane, RoomState
from rooms.policy import RoomPolicy

__all__ = [
    "PolicyChanged",
    "RoomArchived",
    "RoomCreated",
    "RoomPaused",
    "archive",
    "change_policy",
    "check_open",
    "check_room_name",
    "create",
    "create_hive",
    "evolve",
    "hive_name",
    "pause",
    "restore",
    "room_name_key",
]

_NAME_LENGTH = 120
ROOM_ID_PREFIX = "room_"


@recorded("room_created", body=("name",))
class RoomCreated(Event):
    """
    A room with its resolved policy; the owner is a person, or nobody.

    `hive` is the agent whose hive it is, or "".
    """

    room: str
    access: str
    policy: Mapping[str, Any]
    owner: str = ""
    hive: str = ""
    name: str = ""


@recorded("policy_changed")
class PolicyChanged(Event):
    """The options that hold from here on."""

    policy: Mapping[str, Any]


@recorded("room_paused")
class RoomPaused(Event):
    """
    Nothing is granted or taken in the room while it is paused.

    `ready` are the conversations that have something to take as it goes on.
    """

    paused: bool
    ready: tuple[str, ...] = ()


@recorded("room_archived")
class RoomArchived(Event):
    """Nobody posts or joins any more, and the name is kept; or that is over."""

    archived: bool


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    match fact.event:
        case RoomCreated() as created:
            room.id, room.access, room.owner = (
                created.room,
                created.access,
                created.owner,
            )
            room.hive = created.hive
            room.policy = RoomPolicy.from_record(created.policy)
        case PolicyChanged() as changed:
            room.policy = RoomPolicy.from_record(changed.policy)
            room.released = fact.at  # it acts from here on, and on nothing before
            if not room.policy.gives_floor:
                room.openers.clear()
            for seat in room.seats.values():
                if room.policy.pushes is not None and seat.account.fresh:
                    seat.arm(fact.at, seat.entries(Lane.READY))
                room.schedule(seat)
        case RoomPaused() as paused:
            room.paused = paused.paused
            room.released = fact.at
            for seat in room.seats.values():
                room.schedule(seat)
        case RoomArchived() as archived:
            room.archived = archived.archived
        case _:
            return False
    return True


def archive(room: RoomState) -> list[Event]:
    """
    Closes the room to everything new. What was accepted is still told (L-ROOM-15).
    """
    stopped = floors.stopped(room, "archived") if room.activity else []
    return [] if room.archived else [*stopped, RoomArchived(archived=True)]


def restore(room: RoomState) -> list[Event]:
    """Opens an archived room again, without any members (L-ROOM-17)."""
    if not room.archived:
        return []
    gone = [event for agent in room.roster() for event in seats.remove(room, agent)]
    return [*gone, RoomArchived(archived=False)]


def create(
    room_id: str, name: str, *, access: str, policy: RoomPolicy, owner: str, by: Actor
) -> list[Event]:
    """
    A new room.

    Raises:
        InvalidInput: For a name that is none (G-ROOM-06).
        NotAllowed: `read_only_access` for a person where people only watch (G-ROOM-02).
    """
    check_room_name(name)
    values.member("access", access, (*ACCESS, DIRECT))
    if by.kind == "person" and policy.people == "watch":
        raise NotAllowed(
            "read_only_access",
            "people watch in such a room; an agent creates it",
            action="create_room",
        )
    return [RoomCreated(room_id, access, policy.recorded(), owner, name=name)]


def create_hive(room_id: str, agent: str, *, policy: RoomPolicy) -> list[Event]:
    """The room that an agent's own conversations share (G-HIVE-01)."""
    name = hive_name(agent)
    return [RoomCreated(room_id, HIVE, policy.recorded(), hive=agent, name=name)]


def hive_name(agent: str) -> str:
    """What an agent's hive is called."""
    return f"{agent}-hive"


def change_policy(room: RoomState, policy: RoomPolicy) -> list[Event]:
    """Other options; nothing where they are the same."""
    if policy == room.policy:
        return []
    if policy.lifecycle != room.policy.lifecycle:
        raise InvalidInput(
            "policy.lifecycle", "is another", allowed=f"{room.policy.lifecycle}, as is"
        )
    if room.team is not None and policy.membership != room.policy.membership:
        raise InvalidInput(
            "policy.membership", "is another", allowed="fixed, in the room of a team"
        )
    if policy.planner == room.policy.planner:
        return [PolicyChanged(policy.recorded())]
    ended = floors.stopped(room, "policy_changed")
    waiting = floors.next_activity(room) if policy.gives_floor else []
    return [*ended, PolicyChanged(policy.recorded()), *waiting]


def pause(room: RoomState, *, paused: bool) -> list[Event]:
    """Holds every wake in the room, or lets them go on."""
    if room.paused == paused:
        return []
    return [RoomPaused(paused, () if paused else tuple(room.takeable))]


def check_room_name(name: Any, *, field: str = "name") -> str:
    """
    A room's name: one line of at most 120 characters that is no room's id.

    Source: G-ROOM-06, G-LIMIT-02.
    """
    written = values.text(field, name)
    if not written.strip():
        raise InvalidInput(field, "is empty", allowed="1 to 120 characters in one line")
    if len(written) > _NAME_LENGTH or not written.isprintable():
        raise InvalidInput(
            field, "is no name", allowed="1 to 120 printable characters in one line"
        )
    if written.startswith(ROOM_ID_PREFIX):
        raise InvalidInput(
            field,
            f"begins like a room's id, with {ROOM_ID_PREFIX}",
            allowed="any other",
        )
    return written


def room_name_key(name: str) -> str:
    """What two spellings of a name have in common: no case, no spacing (G-ROOM-07)."""
    return "".join(name_key(name).split())


def check_open(room: RoomState) -> None:
    """Refuses what only an existing room can do."""
    if room.deleted or not room.version:
        raise NotAllowed("room_deleted", "the room is deleted", room=room.id)
    if room.archived:
        raise Conflict("room_archived", "the room is archived", current=room.id)
    if room.team is not None and room.team.final:
        status = room.team.status
        raise Conflict("room_finished", f"the team is {status}", current=status)
