"""
Inviting: a member asks an agent in, and the agent answers.

Two laws. Any member may invite, with no ranks among them (G-ACCESS-10); a person may
where people post, and by a right of its own, never by reading every room (G-INVITE-06).
And who is invited decides: `join` accepts, `decline` does not.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import NotAllowed
from rooms.lobby.access.gate import check, enter
from rooms.lobby.access.hives import check_no_hive
from rooms.lobby.answers import Invitation
from rooms.lobby.handles import (
    Conversation,
    Person,
    actor_of,
    agent_meant,
    conversation_of,
)
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.views.viewing import invited_to
from rooms.log import invitations as asking
from rooms.log import seats
from rooms.log.access import DIRECT
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.invitations import Invited
from rooms.log.state import RoomState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "check_host",
    "decline",
    "invitations",
    "invite",
    "invitee",
    "uninvite",
]


def invite(
    desk: Desk, room: str, agent: Any, *, by: Any, reason: str, now: datetime | None
) -> None:
    """As `Room.invite`, which documents it."""
    said = values.storable("reason", reason)
    actor = actor_of(by, desk)
    enter(desk, room, actor)
    asked = invitee(desk, agent)

    def decide_invitation(state: RoomState) -> list[Event]:
        return asking.invite(state, asked, said)

    _as_host(desk, room, actor, decide_invitation, now)


def uninvite(
    desk: Desk, room: str, agent: Any, *, by: Any, now: datetime | None
) -> None:
    """As `Room.uninvite`, which documents it."""
    actor = actor_of(by, desk)
    enter(desk, room, actor)
    asked = invitee(desk, agent)

    def decide_withdrawal(state: RoomState) -> list[Event]:
        return asking.withdraw(state, asked)

    _as_host(desk, room, actor, decide_withdrawal, now)


def decline(desk: Desk, room: str, *, by: Any, now: datetime | None) -> None:
    """As `Room.decline`, which documents it."""
    conversation, actor = conversation_of(by), actor_of(by, desk)

    def decide(_: int) -> Decision:
        state = check(desk, room, actor)
        ended = asking.decline(state, conversation.agent)
        return Decision({room_stream(room): ended})

    desk.record(decide, room_stream(room), by=actor, now=now)


def invitations(desk: Desk, *, by: Any) -> tuple[Invitation, ...]:
    """As `Lobby.invitations`, which documents it."""
    conversation, actor = conversation_of(by), actor_of(by, desk)
    desk.check_usable()
    with desk.lock:
        agent = desk.agent(conversation.agent).agent
        listed = desk.directory().rooms
        asked = [room for room in invited_to(desk, actor) if room in listed]
        found = [_invitation(desk, room, agent) for room in asked]
    return tuple(sorted(filter(None, found), key=lambda one: (one.at, one.room.id)))


def _invitation(desk: Desk, room: str, agent: str) -> Invitation | None:
    from rooms.lobby.room import Room  # noqa: PLC0415 - rooms invite

    state = desk.room(room)
    version = state.invited.get(name_key(agent))
    fact = None if version is None else desk.fact(room_stream(room), version)
    if fact is None or not isinstance(fact.event, Invited):
        return None
    handle = Room(room, desk)
    seat = state.seats.get(fact.by)
    host: Conversation | Person = (
        Person(fact.by.removeprefix("person:"), desk)
        if seat is None
        else Conversation(fact.by, seat.agent, desk)
    )
    at = moment(fact.at) or datetime.max.replace(tzinfo=UTC)
    return Invitation(handle, handle.name, agent, host, at, fact.event.reason)


def _as_host(
    desk: Desk,
    room: str,
    actor: Actor,
    decide_in: Callable[[RoomState], list[Event]],
    now: datetime | None,
) -> None:
    """Records what a member decides about who else may come."""

    def decide(_: int) -> Decision:
        state = check(desk, room, actor)
        check_host(state, actor)
        return Decision({room_stream(room): decide_in(state)})

    desk.record(decide, room_stream(room), by=actor, now=now)


def invitee(desk: Desk, given: Any, *, field: str = "agent") -> str:
    """The id of the agent that is meant; a conversation stands for its agent."""
    agent = given.agent if isinstance(given, Conversation) else given
    return agent_meant(desk, agent, field=field).agent


def check_host(room: RoomState, by: Actor) -> None:
    """
    Refuses whoever may bring nobody in.

    Raises:
        NotAllowed: `not_a_member` for a conversation without a seat, `read_only_access`
            for a person where people only watch, `hive_closed` in a hive,
            `room_management_forbidden` where a lead says who is in the room.
    """
    check_no_hive(room)
    if room.policy.membership != "open" or room.access == DIRECT:
        raise NotAllowed(
            "room_management_forbidden",
            "a lead lets agents in here: `change_members`",
            action="invite",
        )
    if by.kind == "conversation":
        seats.member_seat(room, by.id, action="invite")
    elif room.policy.people != "post":
        raise NotAllowed(
            "read_only_access", "people watch in this room", action="invite"
        )
