"""
Owning: what only a room's owner does to it, or whom the host lets.

Law: the owner is a person, and acts by itself or by a conversation on its word; anybody
else is refused unless a plugin says that it may.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.lobby.access.authority import person_behind
from rooms.lobby.access.gate import check, known_to, sees_every_room
from rooms.lobby.access.hives import check_no_hive
from rooms.lobby.access.managing import check_not_fixed
from rooms.lobby.handles import actor_of, agent_meant
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.streams import LOBBY, proven, room_stream
from rooms.lobby.schedules.ending import cancelled_with, schedules_in
from rooms.log import rooms, seats
from rooms.log.actors import Actor
from rooms.log.contents import contents_of
from rooms.log.directory import RoomShelved, RoomUnlisted
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.policy import RoomPolicy
from rooms.storage.walking import records_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "DeletedRoom",
    "change_policy",
    "check_owner",
    "delete_room",
    "remove",
    "set_archived",
    "set_paused",
]


def set_paused(
    desk: Desk, room: str, *, paused: bool, by: Any, now: datetime | None
) -> None:
    """Holds every wake in the room, or lets them go on."""
    actor = actor_of(by, desk)
    consents = check_owner(desk, room, actor, "pause_room")
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        state = desk.room(room)
        check_no_team(state)  # where it stands says whether turns start
        events = rooms.pause(state, paused=paused)
        return Decision({stream: events}, consents=consents)

    desk.record(decide, stream, by=actor, now=now)


def change_policy(
    desk: Desk, room: str, policy: Any, *, by: Any, now: datetime | None
) -> None:
    """Sets other options, from here on."""
    actor = actor_of(by, desk)
    if not isinstance(policy, RoomPolicy):
        kind = type(policy).__name__
        raise InvalidInput("policy", f"is of type {kind}", allowed="a RoomPolicy")
    consents = check_owner(desk, room, actor, "change_policy")
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        events = rooms.change_policy(desk.room(room), policy)
        return Decision({stream: events}, consents=consents)

    desk.record(decide, stream, by=actor, now=now)


def remove(desk: Desk, room: str, agent: Any, *, by: Any, now: datetime | None) -> None:
    """As `Room.remove`, which documents it."""
    actor = actor_of(by, desk)
    consents = check_owner(desk, room, actor, "remove_agent")
    named = agent_meant(desk, agent).agent
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        state = desk.room(room)
        check_no_hive(state)
        check_not_fixed(state)
        return Decision({stream: seats.remove(state, named)}, consents=consents)

    desk.record(decide, stream, by=actor, now=now)


def set_archived(
    desk: Desk, room: str, *, archived: bool, by: Any, now: datetime | None
) -> None:
    """Archives the room, or brings it back."""
    actor = actor_of(by, desk)
    consents = check_owner(desk, room, actor, "archive_room")
    stream = room_stream(room)

    def decide(at: int) -> Decision:
        state = desk.room(room)
        over = state.team is not None and state.team.final
        if not (over and archived):  # what is over is kept as any other room
            check_no_team(state)
        events = rooms.archive(state) if archived else rooms.restore(state)
        shelved: list[Event] = [RoomShelved(room, archived)] if events else []
        ended = cancelled_with(desk, room, "room_archived", now=at) if events else {}
        runs = {stream: events, LOBBY: shelved, **(ended if archived else {})}
        return Decision(runs, consents=consents)

    desk.record(decide, stream, LOBBY, by=actor, now=now)


@frozen
class DeletedRoom:
    """
    What went with a room.

    Attributes:
        id: Its id, which means nothing any more.
        former_members: The ids of the agents that were members.
        ended: How many entries its members were still owed.
        cancelled_schedules: The schedules that recurred there, each with the agent
            whose it was; nobody else is told.
    """

    id: str
    former_members: tuple[str, ...]
    ended: int
    cancelled_schedules: tuple[tuple[str, str], ...] = ()


def delete_room(
    desk: Desk, room: str, *, by: Any, now: datetime | None, team: bool = False
) -> DeletedRoom:
    """
    Ends the room: its log goes, and its name and all its keys are free; `team` says
    that the work of its members is safe.
    """
    told: list[DeletedRoom] = []
    actor = actor_of(by, desk)
    consents = _check_deleter(desk, room, actor)
    name = room_stream(room)

    def decide(at: int) -> Decision:
        state = desk.room(room)  # it is there still
        if not team:
            check_no_team(state)
        owed = sum(len(seat.entries()) for seat in state.seats.values())
        ended = cancelled_with(desk, room, "room_deleted", now=at)
        told[:] = [DeletedRoom(room, tuple(state.roster()), owed, schedules_in(ended))]
        stream = desk.streams.current(name)
        gone = RoomUnlisted(room, stream.version, stream.chain.hex())
        # A key ends with its record (foundation 5), or its id is held for ever.
        # So does a content (foundation 8).
        held, contents = list[str](), dict[str, None]()
        for fact, _chain in proven(records_of(desk.storage, name)):
            holder = f"{name} {fact.version}"
            held += [key for key, _ in fact.keys if desk.storage.find(key) == holder]
            contents |= dict.fromkeys(contents_of(fact.event))
        listed = desk.directory().listed[room]

        def forget() -> None:
            desk.storage.erase(LOBBY, [listed])  # the name stands there
            desk.filed.forget(contents)

        return Decision(
            {LOBBY: [gone], **ended},
            guards=(name,),
            release=tuple(held),
            remove=(name,),
            consents=consents,
            forget=forget,
        )

    desk.record(decide, LOBBY, by=actor, now=now)
    return told[0]


def check_no_team(room: RoomState) -> None:
    """
    Refuses to do to a team's room what is done to the team.

    Raises:
        NotAllowed: `room_management_forbidden`.
    """
    if room.team is not None:
        raise NotAllowed(
            "room_management_forbidden",
            "a team works in the room: it is paused, ended and deleted by `Team`",
        )


def check_owner(desk: Desk, room: str, by: Actor, action: str) -> Consents:
    """
    Refuses anybody but the owner, or whom the host lets: by these consents, then.

    Raises:
        NotAllowed: `not_owner`; `NotFound` for whoever may not know of the room.
    """
    return _check(desk, room, by, action, person_behind(desk, by), asked=by)


def _check_deleter(desk: Desk, room: str, by: Actor) -> Consents:
    """
    Refuses anybody but the owner, or an administrator, each by its own word.

    A single agent's owner is asked about as its owner only: to be an administrator is
    not enough on that path (G-DELETE-04).
    """
    if _deletes_as_lead(desk, room, by):
        return ()
    person = person_behind(desk, by)
    asked = person if by.person else None
    return _check(desk, room, by, "delete_room", person, asked=asked)


def _deletes_as_lead(desk: Desk, room: str, by: Actor) -> bool:
    """Whether an agent that may manage rooms deletes one where leads may."""
    if not by.agent:
        return False
    with desk.lock:
        check_fence(desk, by)
        try:
            policy = check(desk, room, by).policy
        except NotFound:
            return False
        may = desk.agent(by.agent).may.manage_rooms
    return may and policy.lead_may_delete and policy.membership == "managed"


def _check(
    desk: Desk,
    room: str,
    by: Actor,
    action: str,
    person: Actor | None,
    *,
    asked: Actor | None,
) -> Consents:
    """Whoever may not know of the room is answered as if there were none."""
    unknown: NotFound | None = None
    with desk.lock:
        check_fence(desk, by)
        try:
            owner = known_to(desk, room, by, person).owner
        except NotFound as error:
            unknown, owner = error, ""
    if owner and person is not None and person.id == owner:
        return ()
    consents = () if asked is None else desk.may(asked, action, room)
    if unknown is not None:
        seen = consents or (person is not None and sees_every_room(desk, person))
        with desk.lock:
            if not seen or room not in desk.directory().rooms:
                raise unknown
    if not consents:
        raise NotAllowed(
            "not_owner", "only the room's owner may do this", action=action
        )
    return consents
