"""Folding: what a room's team is after each fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve as changed

from rooms.log.events import Event, Fact
from rooms.log.state import RoomState
from rooms.log.team.events import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalUsed,
    ChangeProposed,
    ChangeSettled,
    DeliverySettled,
    GrantEnded,
    LimitSet,
    MandateGiven,
    MemberMoved,
    MemberPlaced,
    TeamDrafted,
    TeamFinished,
    TeamGranted,
    TeamMoved,
    ToolsNarrowed,
)
from rooms.log.team_state import ApprovalState, ChangeState, MemberState, TeamState
from rooms.team import FINAL, TeamLimits

__all__ = ["evolve"]


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    fold = _FOLDS.get(type(fact.event))
    if fold is None:
        return False
    if room.team is None:
        room.team = TeamState()
    fold(room.team, fact.event, fact)
    return True


def _draft(team: TeamState, event: TeamDrafted, fact: Fact) -> None:
    plan = event.plan
    team.first, team.draft = team.first or fact.version, fact.version
    team.since, team.moved = team.since or fact.at, team.moved or fact.version
    team.limits = TeamLimits.from_record(plan["limits"])
    team.envelope = event.envelope
    team.workspace, team.destination = plan["workspace"], plan["destination"]
    team.chat = event.from_chat
    team.members = {
        one["key"]: MemberState(
            key=one["key"],
            agent=one["agent"],
            lead=one["lead"],
            access=one["access"],
            skills=tuple(one["skills"]),
            network=one["network"],
            mandate=fact.version,
        )
        for one in plan["members"]
    }


def _move(team: TeamState, event: TeamMoved, fact: Fact) -> None:
    _run_clock(team, event.status, fact.at)
    team.status, team.reason = event.status, event.reason
    team.moved, team.since = fact.version, fact.at
    if event.status == "ready" and not team.started_at:
        team.started_at = team.progressed_at = fact.at
    if event.action in _ENDS and not team.ended_at:
        team.ended_at = fact.at  # once, as the end begins (S-STATUS-12)


def _run_clock(team: TeamState, status: str, at: int) -> None:
    """Counts the time in which it works, and nothing else (S-LIMIT-06)."""
    worked, works = (one in {"running", "pausing"} for one in (team.status, status))
    if works and not worked:
        team.working_since = at
        team.escalated = ("", "", 0)
        for member in team.members.values():
            member.nudged = (-1, -1)
    elif worked and not works:
        team.worked, team.working_since = team.worked_until(at), 0
    if status in FINAL:
        team.questions.clear()
        team.waiting.clear()


_ENDS = {"finish", "cancel", "fail"}


def _place(team: TeamState, event: MemberPlaced, fact: Fact) -> None:
    member = team.members[event.key]
    member.conversation, member.standing = event.conversation, "active"
    member.placed = fact.version


def _grant(team: TeamState, event: TeamGranted, fact: Fact) -> None:
    team.granted = fact.version
    for key, access, tools, network in event.grants:
        member = team.members[key]
        member.access, member.tools, member.network = access, tools, network


def _end_grant(team: TeamState, _: GrantEnded, __: Fact) -> None:
    team.granted = 0
    for member in team.members.values():
        member.tools, member.narrowing = (), None


def _move_member(team: TeamState, event: MemberMoved, fact: Fact) -> None:
    member = team.members[event.key]
    member.standing = event.standing
    if not member.present:
        team.claims.release_all(event.key, fact.at)
        team.waiting.pop(member.conversation, None)
    if event.standing == "offline":
        member.conversation, member.placed = "", 0
    if event.standing in {"retiring", "retired"} and event.why != "retiring":
        team.roster_changes += 1


def _mandate(team: TeamState, event: MandateGiven, fact: Fact) -> None:
    team.members[event.key].mandate = fact.version


def _narrow(team: TeamState, event: ToolsNarrowed, _: Fact) -> None:
    member = team.members[event.key]
    if event.later:
        member.narrowing = event.tools
    else:
        member.tools, member.narrowing = event.tools, None


def _limit(team: TeamState, event: LimitSet, _: Fact) -> None:
    recorded = {**team.limits.recorded(), event.name: event.value}
    team.limits = TeamLimits.from_record(recorded)


def _propose(team: TeamState, event: ChangeProposed, fact: Fact) -> None:
    if event.verdict == "awaiting_approval":
        team.changes[fact.version] = ChangeState(
            fact.version, event.kind, event.member, 0, dict(event.values or {})
        )
    elif event.verdict == "applied":
        team.note_progress(fact.at)


def _settle(team: TeamState, event: ChangeSettled, fact: Fact) -> None:
    team.changes.pop(event.change, None)
    if event.outcome == "applied":
        team.note_progress(fact.at)


def _ask(team: TeamState, event: ApprovalAsked, fact: Fact) -> None:
    team.approvals[fact.version] = ApprovalState(
        fact.version, event.kind, event.bound, event.change
    )
    if event.change in team.changes:
        change = team.changes[event.change]
        team.changes[event.change] = changed(change, approval=fact.version)


def _answer(team: TeamState, event: ApprovalAnswered, _: Fact) -> None:
    asked = team.approvals[event.approval]
    if event.answer == "approved" and not asked.change:
        asked.approved = True
    else:  # a change is settled in the same commit
        del team.approvals[event.approval]


def _use(team: TeamState, event: ApprovalUsed, _: Fact) -> None:
    team.approvals.pop(event.approval, None)


def _finish(team: TeamState, _: TeamFinished, fact: Fact) -> None:
    team.finish = fact.version


def _deliver(team: TeamState, event: DeliverySettled, _: Fact) -> None:
    team.delivered = event.outcome


_FOLDS: Mapping[type[Event], Callable[[TeamState, Any, Fact], None]] = {
    TeamDrafted: _draft,
    TeamMoved: _move,
    MemberPlaced: _place,
    TeamGranted: _grant,
    GrantEnded: _end_grant,
    MemberMoved: _move_member,
    MandateGiven: _mandate,
    ToolsNarrowed: _narrow,
    LimitSet: _limit,
    ChangeProposed: _propose,
    ChangeSettled: _settle,
    ApprovalAsked: _ask,
    ApprovalAnswered: _answer,
    ApprovalUsed: _use,
    TeamFinished: _finish,
    DeliverySettled: _deliver,
}
