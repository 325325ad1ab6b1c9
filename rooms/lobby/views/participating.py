"""
Participating: who is in a room, when each was last active, and who owes a reply.

Law: it is told from the room's state and one row a seat, so it costs the seats of the
room and none of its messages (G-VIEW-05, G-VIEW-10).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.lobby.access.auditing import looked
from rooms.lobby.access.gate import still, watch
from rooms.lobby.derived.batches import value_of
from rooms.lobby.derived.feeding import AFTER_ALL
from rooms.lobby.handles import Agent, Conversation, Person, actor_of
from rooms.log.owed import FAILED
from rooms.log.state import Membership, RoomState, Seat
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "PREVIOUS_AFTER",
    "AgentInRoom",
    "Participants",
    "SeatInRoom",
    "participants",
]

PREVIOUS_AFTER = timedelta(days=7)
"""Who was not active for so long is shown as previous (G-IDLE-02)."""

_MOMENT = timedelta(microseconds=1)


@frozen
class SeatInRoom:
    """
    A conversation's place in a room, as people see it.

    Attributes:
        conversation: Whose place it is; `str()` of it is its address.
        mode: How it listens, or None for a subscription that ended.
        place: `in`, `left` by its own choice, or `removed`.
        last_active: When it last posted, read or was woken there, or joined, UTC.
        waits: Whether a message that addresses it waits on its reply.
        waiting_since: When the oldest of those was posted, UTC, or None.
        previous: Whether it was not active for long, or is not in the room any more.
        present: For a single agent, whether its helper checked in of late (G-IDLE-05);
            None for a conversation of a threaded one.
        failed: The numbers of the messages whose turns failed so often that they only
            ride along: a person should look (ledger 9).
    """

    conversation: Conversation
    mode: str | None
    place: str
    last_active: datetime
    waits: bool
    waiting_since: datetime | None
    previous: bool
    present: bool | None
    failed: tuple[int, ...] = ()


@frozen
class AgentInRoom:
    """
    An agent with its seats in a room, in the order of their joining.

    Attributes:
        agent: The agent.
        owner: The person behind it, if one was named.
        member: Whether it is a member now.
        seats: Its conversations there.
        previous: Whether all of them are.
    """

    agent: Agent
    owner: str | None
    member: bool
    seats: tuple[SeatInRoom, ...]
    previous: bool


@frozen
class Participants:
    """
    Who is in a room.

    Attributes:
        agents: The agents that are members and active, with their seats.
        watching: The persons behind somebody in it, by name (G-ROOM-12).
        previous: Members that were not active for long, and former members.
        read_only: Whether the viewer sees it only by the right to read every room.
        audited: Whether this look is recorded.
    """

    agents: tuple[AgentInRoom, ...]
    watching: tuple[Person, ...]
    previous: tuple[AgentInRoom, ...]
    read_only: bool = False
    audited: bool = False


@frozen
class _Seen:
    """What is known of seats beside their state: rows, since when one is quiet, who is
    present.
    """

    rows: Mapping[str, Mapping[str, Any]]
    quiet: int
    present: frozenset[str]


def participants(
    desk: Desk, room: str, *, by: Any, previous_after: timedelta, now: datetime | None
) -> Participants:
    """As `Room.participants`, which documents it."""
    actor = actor_of(by, desk)
    values.duration("previous_after", previous_after, at_least=_MOMENT)
    desk.check_usable()
    at = desk.time(now)
    sight = watch(desk, room, actor)
    with desk.lock:
        state = still(desk, sight, actor)
        rows = desk.views.asked(lambda: _rows(desk, room))
        present = desk.presence.present(at)
        seen = _Seen(rows, at - previous_after // _MOMENT, present)
        every = [_agent(desk, state, one, seen) for one in state.members.values()]
        watching = _watching(desk, state)
    looked(desk, sight, actor, "members", now=now)
    return Participants(
        tuple(one for one in every if not one.previous),
        tuple(Person(name, desk) for name in watching),
        tuple(one for one in every if one.previous),
        read_only=sight.oversight,
        audited=sight.oversight,
    )


def _rows(desk: Desk, room: str) -> Mapping[str, Mapping[str, Any]]:
    prefix = ("room", room, "seat")
    rows = desk.views.rows_between(prefix, (*prefix, AFTER_ALL))
    return {str(key[3]): value_of(content) for key, content in rows}


def _agent(
    desk: Desk,
    state: RoomState,
    member: Membership | Seat,
    seen: _Seen,
) -> AgentInRoom:
    seats = tuple(_seat(desk, state.seats[one], seen) for one in member.conversations)
    return AgentInRoom(
        Agent(member.agent, desk),
        desk.agent(member.agent).owner or None,
        member.present,
        seats,
        not member.present or all(seat.previous for seat in seats),
    )


def _seat(desk: Desk, seat: Seat, seen: _Seen) -> SeatInRoom:
    row = seen.rows.get(seat.conversation, {})
    waits = sorted(since for _, since, _ in row.get("waits", {}).values())
    return SeatInRoom(
        Conversation(seat.conversation, seat.agent, desk),
        seat.mode,
        seat.place,
        _instant(seat.seen_at),
        bool(waits),
        _instant(waits[0]) if waits else None,
        seat.place != "in" or seat.seen_at <= seen.quiet,
        None if seat.threaded else seat.conversation in seen.present,
        tuple(entry.seq for entry in seat.entries() if entry.why == FAILED),
    )


def _watching(desk: Desk, state: RoomState) -> list[str]:
    """The persons behind a room: its owner, and those of whoever is in it now."""
    owners = [
        desk.agent(member.agent).owner
        for member in state.members.values()
        if member.present
    ]
    return sorted({state.owner, *owners, *state.acted_for} - {""})


def _instant(at: int) -> datetime:
    return moment(at) or values.LAST
