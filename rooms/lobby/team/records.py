"""
What a team's records say in words: its problem, its blueprint, what is asked for.

Law: words stand in bodies and are read from the log when they are asked for; what was
erased reads as nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from attrs import evolve

from rooms.errors import CorruptLog
from rooms.lobby.recording.streams import room_stream
from rooms.log.events import Event, Fact
from rooms.log.records import record_id
from rooms.log.state import RoomState
from rooms.log.team import TeamDrafted, team_of
from rooms.team import Blueprint, Catalogue, Clamp, Envelope, Proposal, proposed

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "blueprint_of",
    "draft_of",
    "envelope_of",
    "event_at",
    "fact_at",
    "problem_of",
    "proposal_of",
]

Kind = TypeVar("Kind", bound=Event)


def fact_at(desk: Desk, room: str, version: int) -> Fact:
    """A record of a team's room that its state names."""
    fact = desk.fact(room_stream(room), version)
    if fact is None:
        where = f"{room_stream(room)} {version}"
        raise CorruptLog("corrupt_log", f"{where} is missing", where=where)
    return fact


def event_at(desk: Desk, room: str, version: int, kind: type[Kind]) -> Kind:
    """The event of such a record, which has to be of this kind."""
    event = fact_at(desk, room, version).event
    if not isinstance(event, kind):
        where = f"{room_stream(room)} {version}"
        raise CorruptLog("corrupt_log", f"{where} is no {kind.__name__}", where=where)
    return event


def draft_of(desk: Desk, state: RoomState) -> TeamDrafted:
    """A team's newest draft."""
    return event_at(desk, state.id, team_of(state).draft, TeamDrafted)


def problem_of(desk: Desk, state: RoomState) -> str:
    """The problem, word for word (S-PROPOSAL-01)."""
    return event_at(desk, state.id, team_of(state).first, TeamDrafted).problem


def blueprint_of(desk: Desk, state: RoomState) -> Blueprint:
    """A team's blueprint as it was drafted last."""
    draft = draft_of(desk, state)
    return Blueprint.from_record(draft.plan, draft.words)


def envelope_of(desk: Desk, state: RoomState) -> Envelope:
    """What the person allows."""
    team = team_of(state)
    first = event_at(desk, state.id, team.first, TeamDrafted)
    return Envelope.from_record(team.envelope, chat=first.chat)


def proposal_of(desk: Desk, state: RoomState, catalogue: Catalogue) -> Proposal:
    """A team's proposal, computed from what was drafted (S-PROPOSAL-02)."""
    draft = draft_of(desk, state)
    revision = record_id(state.id, team_of(state).draft)
    return evolve(
        proposed(
            Blueprint.from_record(draft.plan, draft.words),
            envelope_of(desk, state),
            catalogue,
            revision=revision,
        ),
        clamps=tuple(Clamp(*one) for one in draft.clamps),
    )
