"""
Looking: what somebody who looks at a team does about what it finds.

Three laws. A look does one thing, and nothing where nothing is due (S-SCHED-08). Who is
nudged is nudged once, until something came of it or others had turns (S-SCHED-11). And
before a team is stopped as it stands still, its conductor is told (S-LIMIT-09).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve as changed

from rooms.log.events import Event, Fact, recorded
from rooms.log.state import RoomState
from rooms.log.team.limits import reached, stopped_at_limit
from rooms.log.team.questions import end_wait, settled, tell
from rooms.log.team.standing import move
from rooms.log.team_looks import Look, look
from rooms.log.team_state import TeamState
from rooms.team import StopReason

__all__ = ["ConductorTold", "MemberNudged", "evolve", "look_now"]


@recorded("member_nudged")
class MemberNudged(Event):
    """
    A member of a quiet team is woken, as it `owes_answer` to a question, has something
    `unread`, or leads and is `idle`.
    """

    key: str
    why: str
    question: int = 0


@recorded("conductor_told")
class ConductorTold(Event):
    """The conductor is told why the team would be stopped next time."""

    why: str
    about: str


def look_now(room: RoomState, now: int) -> list[Event]:
    """What is due about a room's team by now."""
    team, found = room.team, look(room)
    if team is None or found is None or found.at > now:
        return []
    return _DOES[found.what](room, team, found, now)


def _stop(room: RoomState, team: TeamState, _: Look, now: int) -> list[Event]:
    return stopped_at_limit(room, reached(team, worked=team.worked_until(now)))


def _tell(room: RoomState, team: TeamState, found: Look, _: int) -> list[Event]:
    lead = team.conductor
    assert lead is not None  # noqa: S101 - else it is paused at once
    text = _TOLD[found.why].format(about=found.about)
    told = tell(room, lead.conversation, found.why, text)
    ended = end_wait(team, lead, found.why)
    return [ConductorTold(found.why, found.about), *ended, told]


def _pause(room: RoomState, _: TeamState, found: Look, __: int) -> list[Event]:
    text = _PAUSED[found.why].format(about=found.about)
    return move(room, "pause", reason=found.why, text=text)


def _nudge(room: RoomState, team: TeamState, found: Look, _: int) -> list[Event]:
    member = team.members[found.member]
    seq = 0 if not found.question else team.questions[found.question].seq
    text = _NUDGES[found.why].format(seq=seq)
    nudged = MemberNudged(member.key, found.why, found.question)
    return [nudged, tell(room, member.conversation, found.why, text)]


def _release(room: RoomState, team: TeamState, found: Look, _: int) -> list[Event]:
    question = team.questions[found.question]
    asked = ", ".join(question.to)
    text = f"No answer to the question {question.seq} came from {asked}. Go on without."
    return settled(room, question, "unanswered", text)


_DOES = {
    "stop": _stop,
    "tell": _tell,
    "pause": _pause,
    "nudge": _nudge,
    "release": _release,
}

_TOLD = {
    StopReason.DEADLOCK.value: "These wait for each other: {about}. Answer, withdraw a"
    " question or do without; else the team is paused.",
    StopReason.NO_PROGRESS.value: "Nothing has come of the work for long. Change"
    " something or finish; else the team is paused.",
}
_PAUSED = {
    StopReason.DEADLOCK.value: "These wait for each other still: {about}.",
    StopReason.NO_PROGRESS.value: "Nothing came of the work, and the conductor changed"
    " nothing.",
    StopReason.AWAITING_USER.value: "These wait for you: {about}.",
}
_NUDGES = {
    "owes_answer": "The question {seq} waits for your answer.",
    "unread": "Messages wait for you.",
    "idle": "Nobody in the team works. Go on, or finish.",
}


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    fold = _FOLDS.get(type(fact.event))
    if fold is None or room.team is None:
        return False
    fold(room.team, fact.event)
    return True


def _nudged(team: TeamState, event: MemberNudged) -> None:
    member = team.members[event.key]
    question = team.questions.get(event.question)
    if question is None:
        member.nudged = (team.progressed_at, team.turns - member.turns)
        return
    reminded = (*question.reminded, (event.key, member.turns))
    team.questions[event.question] = changed(question, reminded=reminded)


def _told(team: TeamState, event: ConductorTold) -> None:
    lead = team.conductor
    team.escalated = (event.why, event.about, 0 if lead is None else lead.turns)


_FOLDS: Mapping[type[Event], Any] = {MemberNudged: _nudged, ConductorTold: _told}
