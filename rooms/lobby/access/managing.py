"""
Managing, as the shell does it: a lead lets agents in, and takes them out.

Law: a lead of a managed room is an agent that may `manage_rooms`, or the room's owner,
or whom the host lets; it is no member by that, and reads and posts only as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.access.authority import person_behind
from rooms.lobby.access.gate import check, enter
from rooms.lobby.handles import Conversation, actor_of, agent_meant
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.log import managing
from rooms.log.access import DIRECT
from rooms.log.actors import Actor
from rooms.log.directory import AgentEntry
from rooms.log.events import Event
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "change_members",
    "check_membership_open",
    "check_not_fixed",
    "entry_named",
    "leads",
    "no_lead",
    "set_members",
    "several",
]


def change_members(
    desk: Desk, room: str, *, add: Any, remove: Any, by: Any, now: datetime | None
) -> None:
    """As `Room.change_members`, which documents it."""
    coming, going = several("add", add), several("remove", remove)
    if not coming and not going:
        raise InvalidInput(
            "add", "is empty, like `remove`", allowed="one of them is not"
        )

    def decide(state: RoomState) -> list[Event]:
        added = [entry_named(desk, "add", one) for one in coming]
        removed = [entry_named(desk, "remove", one) for one in going]
        names = {one.agent for one in added}
        for place, one in enumerate(removed):
            if one.agent in names:
                raise InvalidInput(
                    f"remove[{place}]", "is in `add` too", allowed="one of the two"
                )
        return managing.change_members(state, added, removed)

    _as_lead(desk, room, decide, by=by, now=now)


def set_members(
    desk: Desk, room: str, members: Any, *, by: Any, now: datetime | None
) -> None:
    """As `Room.set_members`, which documents it."""
    wanted = several("members", members)

    def decide(state: RoomState) -> list[Event]:
        entries = [entry_named(desk, "members", one) for one in wanted]
        return managing.set_members(state, entries)

    _as_lead(desk, room, decide, by=by, now=now)


def check_several(field: str, given: Any) -> None:
    """Refuses what is not several agents, as one text alone."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InvalidInput(
            field, f"is of type {kind}", allowed="several agents, such as ['coder']"
        )


def several(field: str, given: Any) -> list[Any]:
    """Several agents as they were given, each once."""
    check_several(field, given)
    return list(dict.fromkeys(given))


def entry_named(desk: Desk, field: str, given: Any) -> AgentEntry:
    """The agent that one of several means, or whose conversation it is."""
    agent = given.agent if isinstance(given, Conversation) else given
    return agent_meant(desk, agent, field=field)


def _as_lead(
    desk: Desk,
    room: str,
    decide_in: Callable[[RoomState], Sequence[Event]],
    *,
    by: Any,
    now: datetime | None,
) -> None:
    actor = actor_of(by, desk)
    state = enter(desk, room, actor)
    consents = _consents(desk, state, actor)

    def decide(_: int) -> Decision:
        state = check(desk, room, actor)
        if state.policy.membership != "managed" or state.access == DIRECT:
            raise NotAllowed(
                "room_management_forbidden", "nobody says who is in this room"
            )
        if not consents and not leads(desk, state, actor):
            raise no_lead()
        return Decision(
            {room_stream(room): decide_in(state)}, guards=(LOBBY,), consents=consents
        )

    desk.record(decide, room_stream(room), by=actor, now=now)


def _consents(desk: Desk, room: RoomState, by: Actor) -> Consents:
    """What the host says where nobody leads by a right of its own; no lock is held."""
    if leads(desk, room, by):
        return ()
    return desk.may(by, "manage_members", room.id)


def leads(desk: Desk, room: RoomState, by: Actor) -> bool:
    """Whether somebody is a lead of a managed room."""
    with desk.lock:
        if by.agent and desk.agent(by.agent).may.manage_rooms:
            return True
        person = person_behind(desk, by)
    return person is not None and person.id == room.owner != ""


def check_membership_open(desk: Desk, room: RoomState, by: Actor) -> None:
    """
    Refuses a conversation that takes or gives up a seat where a lead says who is in.

    Raises:
        NotAllowed: `room_management_forbidden`.
    """
    if room.policy.membership == "managed" and not leads(desk, room, by):
        raise no_lead()
    check_not_fixed(room)


def check_not_fixed(room: RoomState) -> None:
    """
    Refuses to change who is in a room where nobody says it.

    Raises:
        NotAllowed: `room_management_forbidden`.
    """
    if room.policy.membership == "fixed":
        raise NotAllowed(
            "room_management_forbidden",
            "who is in this room came with what made it, and is fixed",
        )


def no_lead() -> NotAllowed:
    """What is said to whoever is none."""
    return NotAllowed(
        "room_management_forbidden",
        "only an agent that may manage rooms, or the room's owner, may do this",
    )
