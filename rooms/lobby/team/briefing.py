"""
The brief: what a team is about, where it stands and what is open, in a page.

Two laws. It is computed from the records when it is asked for, and no message is one
of them (S-BRIEF-02). And what concerns a member goes by its key, and never by a name in
a text (S-BRIEF-06).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from attrs import frozen

from rooms.lobby.team.asking import questions_of
from rooms.lobby.team.producing import (
    Artifact,
    WorkItem,
    artifact_told,
    work_told,
)
from rooms.lobby.team.records import blueprint_of, event_at
from rooms.lobby.team.using import usage_of
from rooms.lobby.team.values import Question, Usage
from rooms.lobby.team.viewing import member_of
from rooms.log.produced import ArtifactState
from rooms.log.state import RoomState
from rooms.log.team import NotePublished, status_of, team_of
from rooms.log.team_state import MemberState
from rooms.team import MemberStatus
from rooms.team.artifacts import DECISION

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Blocker", "Brief", "Result", "brief_of", "result_of"]

MOST = 8
"""Entries of each list (S-BRIEF-03)."""

_BLOCKED = "blocked"

Some = TypeVar("Some")


@frozen
class Blocker:
    """
    What keeps a member from its work.

    Attributes:
        member: Its key; None where nobody has the work.
        work: The work that is `blocked`; None where the member is.
    """

    member: str | None
    work: WorkItem | None = None


@frozen
class Brief:
    """
    What a team is about, and where it stands; at most eight entries in each list.

    Attributes:
        objective: What it is for.
        criteria: How it is seen that it is done.
        mandate: What the member is told to do; "" for the person.
        decisions: The newest that were made.
        work: The newest that is to be done still.
        blockers: What keeps somebody from it, the oldest first.
        questions: Those that nobody has answered, the oldest first; a member that does
            not lead has none.
        artifacts: The newest that came of it; likewise.
        note: The conductor's; "" for none.
    """

    objective: str
    criteria: tuple[str, ...]
    mandate: str = ""
    decisions: tuple[Artifact, ...] = ()
    work: tuple[WorkItem, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    questions: tuple[Question, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    note: str = ""


def brief_of(desk: Desk, state: RoomState, member: MemberState | None) -> Brief:
    """The brief as a member sees it; None, and the conductor, see all (S-BRIEF-05)."""
    team = team_of(state)
    blueprint = blueprint_of(desk, state)
    only = "" if member is None or member.lead else member.key
    made = team.produced.artifacts.values()

    def concerns(one: ArtifactState) -> bool:
        return not only or not one.about or only in one.about

    decisions = [one for one in made if one.kind == DECISION and concerns(one)]
    work = [
        one
        for one in team.produced.work.values()
        if one.active and only in {"", one.owner}
    ]
    tell = _artifact_of(desk, state)
    told = [work_told(desk, state.id, one, made) for one in work]
    note = team.produced.note
    return Brief(
        blueprint.objective,
        tuple(blueprint.success_criteria),
        "" if member is None else member_of(desk, state, member).mandate,
        _newest(decisions, tell),
        tuple(told[-MOST:]),
        _blockers(state, told, only)[:MOST],
        () if only else questions_of(desk, state)[:MOST],
        () if only else _newest(list(made), tell),
        event_at(desk, state.id, note, NotePublished).text if note else "",
    )


def _artifact_of(desk: Desk, state: RoomState) -> Callable[[ArtifactState], Artifact]:
    return lambda one: artifact_told(desk, state.id, one)


def _newest(
    found: Sequence[ArtifactState], tell: Callable[[ArtifactState], Some]
) -> tuple[Some, ...]:
    return tuple(tell(one) for one in found[-MOST:])


def _blockers(
    state: RoomState, work: Sequence[WorkItem], only: str
) -> tuple[Blocker, ...]:
    """The members that are blocked, and the work that is."""
    members = [
        Blocker(one.key)
        for one in team_of(state).members.values()
        if status_of(state, one) is MemberStatus.BLOCKED and only in {"", one.key}
    ]
    stuck = [Blocker(one.owner, one) for one in work if one.status == _BLOCKED]
    return (*members, *stuck)


@frozen
class Result:
    """
    What a team comes to, beside its final answer, computed from its records.

    Attributes:
        artifacts: The newest eight that came of it.
        unresolved: What is open still, eight in all: work, then questions.
        usage: The time that it worked, its turns, and what they cost.
    """

    artifacts: tuple[Artifact, ...]
    unresolved: tuple[WorkItem | Question, ...]
    usage: Usage


def result_of(desk: Desk, state: RoomState, *, now: int) -> Result:
    """What a team comes to by an instant (S-DELIVER-10)."""
    produced = team_of(state).produced
    made = list(produced.artifacts.values())
    still = [
        work_told(desk, state.id, one, made)
        for one in produced.work.values()
        if one.active
    ]
    unresolved: list[WorkItem | Question] = [*still, *questions_of(desk, state)]
    newest = _newest(made, _artifact_of(desk, state))
    return Result(newest, tuple(unresolved[:MOST]), usage_of(state, now))
