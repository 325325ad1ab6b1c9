"""
Looking at a team: its standing, members, approvals and timeline, as values.

Law: everything is computed from the state and the log when it is asked for, and a
timeline explains and never rebuilds (S-SURFACE-07).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rooms import values
from rooms.lobby.handles import Conversation
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.team.records import blueprint_of, event_at, fact_at
from rooms.lobby.team.values import (
    Approval,
    Change,
    Standing,
    TeamMember,
    TimelineEntry,
)
from rooms.log import team as teams
from rooms.log.events import Event, Fact, decoded
from rooms.log.records import record_id
from rooms.log.state import RoomState
from rooms.log.team import (
    ApprovalAsked,
    ChangeProposed,
    MandateGiven,
    MemberPlaced,
    TeamMoved,
    status_of,
    team_of,
)
from rooms.log.team_state import MemberState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "approvals_of",
    "change_of",
    "member_of",
    "members_of",
    "standing_of",
    "timeline_of",
]

_MOST_ENTRIES = 100
_CHUNK = 200


def standing_of(desk: Desk, state: RoomState) -> Standing:
    """Where a team stands."""
    team = team_of(state)
    moved = fact_at(desk, state.id, team.moved).event
    text = moved.text if isinstance(moved, TeamMoved) else ""
    return Standing(team.status, team.reason, text, moment(team.since))


def members_of(desk: Desk, state: RoomState) -> tuple[TeamMember, ...]:
    """A team's members, in the order of its blueprint."""
    return tuple(member_of(desk, state, one) for one in team_of(state).members.values())


def member_of(desk: Desk, state: RoomState, member: MemberState) -> TeamMember:
    """One member, with its words."""
    planned = blueprint_of(desk, state).member(member.key)
    mandate = "" if planned is None else planned.mandate
    if member.mandate > team_of(state).draft:
        mandate = event_at(desk, state.id, member.mandate, MandateGiven).text
    one = member.conversation
    return TeamMember(
        member.key,
        member.agent,
        member.lead,
        status_of(state, member).value,
        str(member.access),
        member.tools,
        Conversation(one, member.agent, desk) if one else None,
        "" if planned is None else planned.responsibility,
        mandate,
        _workspace(desk, state, member),
    )


def _workspace(desk: Desk, state: RoomState, member: MemberState) -> str:
    if not member.placed:
        return ""
    return event_at(desk, state.id, member.placed, MemberPlaced).workspace


def approvals_of(desk: Desk, state: RoomState) -> tuple[Approval, ...]:
    """What waits for a person, and what it said yes to and nobody used."""
    found = []
    for one in team_of(state).approvals.values():
        fact = fact_at(desk, state.id, one.version)
        asked = event_at(desk, state.id, one.version, ApprovalAsked)
        found.append(
            Approval(
                record_id(state.id, one.version),
                one.kind,
                asked.consequence,
                asked.text,
                dict(asked.params or {}),
                record_id(state.id, one.change) if one.change else None,
                one.approved,
                moment(fact.at),
            )
        )
    return tuple(found)


def change_of(state: RoomState, fact: Fact) -> Change:
    """A change as it was proposed; what it waits for comes with the team's state."""
    event = fact.event
    assert isinstance(event, ChangeProposed)  # noqa: S101 - as the caller recorded
    waiting = team_of(state).changes.get(fact.version)
    return Change(
        record_id(state.id, fact.version),
        event.kind,
        event.verdict,
        event.why,
        event.member,
        record_id(state.id, waiting.approval) if waiting is not None else None,
    )


def timeline_of(
    desk: Desk, room: str, *, limit: int, before: int
) -> tuple[TimelineEntry, ...]:
    """What happened in a team, the newest first."""
    values.whole_number("limit", limit, at_least=1, at_most=_MOST_ENTRIES)
    entries: list[TimelineEntry] = []
    for fact in _backwards(desk, room, before):
        if isinstance(fact.event, _TOLD):
            entries.append(_entry(room, fact))
        if len(entries) == limit:
            break
    return tuple(entries)


_TOLD = tuple(
    one
    for one in vars(teams).values()
    if isinstance(one, type) and issubclass(one, Event)
)


def _backwards(desk: Desk, room: str, before: int) -> Iterator[Fact]:
    stream = room_stream(room)
    while before > 1:
        first = max(before - _CHUNK, 1)
        records = desk.storage.read(stream, after=first - 1, limit=before - first)
        yield from map(decoded, reversed(records))
        before = first


def _entry(room: str, fact: Fact) -> TimelineEntry:
    header, body = fact.event.fields()
    told = {name: getattr(fact.event, name) for name in (*header, *body)}
    return TimelineEntry(
        record_id(room, fact.version),
        moment(fact.at),
        fact.by,
        fact.event.TYPE,
        {name: value for name, value in told.items() if value not in ("", None, ())},
    )
