"""
Looks: what somebody who looks at a team finds, and from when on.

Two laws. A look finds one thing, the first of an order that is the same everywhere
(S-LIMIT-04, S-LIMIT-09, S-SCHED-11); and what it finds is found by the state alone, so
a host is told when to look, and a look that nobody needs is none.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.log.owed import FAILED, Lane
from rooms.team import StopReason

if TYPE_CHECKING:
    from rooms.log.state import RoomState
    from rooms.log.team_state import MemberState, QuestionState, TeamState

__all__ = ["Look", "deadlocked", "is_startable", "look", "look_at"]

_MICROSECOND = timedelta(microseconds=1)


@frozen
class Look:
    """
    What is to be done about a team.

    Attributes:
        at: From when on.
        what: `stop`, as a limit is reached; `tell` the conductor first, or `pause`, for
            the same; `nudge` a member; `release` one that waits in vain.
        why: The reason: a `StopReason`, or why somebody is nudged.
        about: The members or the moment that it is about, as one text.
        member: The key of the member to be nudged.
        question: The question that it is about; 0 for none.
    """

    at: int
    what: str
    why: str
    about: str = ""
    member: str = ""
    question: int = 0


def is_startable(room: RoomState, member: MemberState) -> bool:
    """
    Whether a turn of a member may start: it is idle, and within its limits
    (S-SCHED-05, S-LIMIT-05).
    """
    seat, team = room.seats.get(member.conversation), room.team
    return (
        team is not None
        and seat is not None
        and member.standing == "active"
        and not room.on_hold(seat)
        and team.within_limits(member)
    )


def look_at(room: RoomState) -> int | None:
    """When somebody has to look at the room's team; None for never."""
    found = look(room)
    return None if found is None else found.at


def look(room: RoomState) -> Look | None:
    """What is to be done next about a room's team, and from when on."""
    team = room.team
    if team is None or room.deleted or room.archived:
        return None
    if team.status == "ready" and room.policy.planner == "signals":
        return _deadlock(room, team)  # members ask on their own initiative, too
    if team.status != "running":
        return None
    time_up = team.working_since + team.limits.max_time // _MICROSECOND - team.worked
    stop = Look(time_up, "stop", StopReason.LIMIT_REACHED.value)
    if room.policy.planner != "signals":
        return stop
    found = _deadlock(room, team) or _quiet(room, team)
    return stop if found is None or stop.at <= found.at else found


def _deadlock(room: RoomState, team: TeamState) -> Look | None:
    """Members that wait for each other alone (S-QUESTION-09)."""
    stuck = deadlocked(team)
    if not stuck:
        return None
    return _escalated(room, team, StopReason.DEADLOCK.value, ", ".join(stuck), room.at)


def deadlocked(team: TeamState) -> list[str]:
    """The keys of the members that wait, and whom none may answer that does not."""
    asks: dict[str, list[str]] = {}
    for question in team.questions.values():
        member = team.members[question.asker]
        if team.waiting.get(member.conversation) == question.version:
            asks[member.key] = [one for one in question.to if team.members[one].present]
    while True:
        free = [key for key, to in asks.items() if not all(one in asks for one in to)]
        if not free:
            return sorted(asks)
        for key in free:
            del asks[key]


def _quiet(room: RoomState, team: TeamState) -> Look | None:
    """What is to be done where nobody works and nobody is about to."""
    if _is_busy(room, team):
        return None
    idle_since = max(team.progressed_at, team.since)
    late = idle_since + team.limits.max_idle // _MICROSECOND
    stalled = _escalated(
        room, team, StopReason.NO_PROGRESS.value, str(team.progressed_at), late
    )
    if stalled is not None and stalled.at <= room.at:
        return stalled
    found = _in_vain(room, team) or _nudge(room, team)
    if found is not None:
        return found
    blocked = [
        one.key for one in team.present() if team.waiting.get(one.conversation) == 0
    ]
    if blocked:
        why = StopReason.AWAITING_USER.value
        return Look(room.at, "pause", why, ", ".join(blocked))
    return stalled


def _is_busy(room: RoomState, team: TeamState) -> bool:
    for member in team.present():
        seat = room.seats.get(member.conversation)
        if seat is None:
            continue
        if seat.wake is not None:
            return True
        ready = seat.has(Lane.READY) or seat.has(Lane.HELD)
        if ready and is_startable(room, member):
            return True
    return False


def _escalated(
    room: RoomState, team: TeamState, why: str, about: str, at: int
) -> Look | None:
    """First the conductor is told; only the same again stops the team (S-LIMIT-09)."""
    told = team.escalated[:2] == (why, about)
    lead = team.conductor
    helps = lead is not None and lead.present and team.within_limits(lead)
    if not told and helps:
        return Look(at, "tell", why, about)
    if lead is not None and helps and lead.turns <= team.escalated[2]:
        return None  # it has not had its turn
    return Look(room.at if told else at, "pause", why, about)


def _in_vain(room: RoomState, team: TeamState) -> Look | None:
    """A question to whom was reminded of it, had a turn, and did not answer it."""
    for question in team.questions.values():
        reminded = dict(question.reminded)
        if all(
            one in reminded and team.members[one].turns > reminded[one]
            for one in question.to
            if team.members[one].present
        ):
            return Look(room.at, "release", "unanswered", question=question.version)
    return None


def _nudge(room: RoomState, team: TeamState) -> Look | None:
    """Whom to nudge, if anybody (S-SCHED-11)."""
    idle = [one for one in team.present() if is_startable(room, one)]
    for member in idle:
        question = _owed_by(team, member)
        if question is not None:
            return Look(
                *(room.at, "nudge", "owes_answer", "", member.key, question.version)
            )
    fresh = [one for one in idle if one.nudged != _mark(team, one)]
    for member in fresh:
        unread = room.seats[member.conversation].entries(Lane.RIDER)
        if any(entry.why != FAILED for entry in unread):
            return Look(room.at, "nudge", "unread", "", member.key)
    for member in fresh:
        if member.lead:
            return Look(room.at, "nudge", "idle", "", member.key)
    return None


def _owed_by(team: TeamState, member: MemberState) -> QuestionState | None:
    for question in team.questions.values():
        if member.key in question.to and member.key not in dict(question.reminded):
            return question
    return None


def _mark(team: TeamState, member: MemberState) -> tuple[int, int]:
    """The state in which a member is nudged once (S-SCHED-11)."""
    return (team.progressed_at, team.turns - member.turns)
