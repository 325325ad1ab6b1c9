"""
Outcomes: what follows for a team from what happened in its room, in the same commit.

Law: whoever ends a turn, says something or leaves knows nothing of teams; what it means
for one is added here, once for all that do it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rooms.log.events import Event
from rooms.log.ledger.events import WakeClosed, WakeReturned
from rooms.log.state import RoomState
from rooms.log.team import questions, standing
from rooms.log.team.events import MemberMoved, TeamMoved
from rooms.log.team.producing import WorkUpdated
from rooms.log.team.standing import ENDINGS, ends_turn, move, unseated
from rooms.log.team.usage import TurnCounted
from rooms.log.team_state import MemberState, TeamState
from rooms.team import StopReason
from rooms.team.statuses import OPEN_FOR_TURNS

__all__ = ["following"]


def following(room: RoomState, events: Sequence[Event]) -> list[Event]:
    """What follows for the room's team from these events."""
    team = room.team
    if team is None or not team.granted or team.final:
        return standing.following(room, events)
    counted = _counted(room, team, events)
    failed = _failed(room, team, counted, events)
    moved = [] if failed else standing.following(room, events)
    said = questions.following(room, [*events, *failed])
    return [*counted, *failed, *moved, *said, *_assigned(room, team, events)]


def _assigned(room: RoomState, team: TeamState, events: Sequence[Event]) -> list[Event]:
    """Whom the conductor puts work on is told, and woken (S-SCHED-06)."""
    told: list[Event] = []
    for event in events:
        if not isinstance(event, WorkUpdated) or event.owner in {"", event.key}:
            continue
        before = team.produced.work.get(event.work)
        member = team.members.get(event.owner)
        if member is None or not member.present:
            continue
        if before is None or before.owner != event.owner:
            text = f"{event.key} gave you work: {event.title}"
            told.append(
                questions.tell(
                    room, member.conversation, "assigned", text, after=len(told)
                )
            )
    return told


def _counted(
    room: RoomState, team: TeamState, events: Sequence[Event]
) -> list[TurnCounted]:
    """The turns that end by these events, each once."""
    counted: dict[str, TurnCounted] = {}
    for one in events:
        if isinstance(one, ENDINGS) and ends_turn(room, one):
            member = team.member_of(one.conversation)
            if member is not None:
                counted.setdefault(member.key, TurnCounted(member.key, _how(one)))
    return list(counted.values())


def _how(event: Event) -> str:
    """An error is a failure, and an abort is none (S-LIMIT-12)."""
    if isinstance(event, WakeClosed):
        return "good"
    if isinstance(event, WakeReturned) and event.why == "raised":
        return "failed"
    return "aborted"


def _failed(
    room: RoomState,
    team: TeamState,
    counted: Sequence[TurnCounted],
    events: Sequence[Event],
) -> list[Event]:
    """Members that failed too often in a row are no longer in the team (S-LIMIT-12)."""
    most = team.limits.max_failures
    gone = [
        member
        for one in counted
        if one.how == "failed"
        if (member := team.members[one.key]).failures + 1 >= most
        if member.standing != "retiring"
    ]
    follows: list[Event] = []
    for member in gone:
        seat = room.seats[member.conversation]
        follows += [MemberMoved(member.key, "failed", "failures")]
        follows += [unseated(room, seat, "failed", before=[*events, *follows])]
    if not gone:
        return []
    ended = {member.conversation for member in gone}
    if any(isinstance(one, TeamMoved) for one in events):
        return follows
    return [*follows, *_stopped(room, team, gone, ended)]


def _stopped(
    room: RoomState, team: TeamState, gone: Sequence[MemberState], ended: set[str]
) -> list[Event]:
    """A team whose conductor failed stops (S-CONDUCTOR-13)."""
    if team.status in OPEN_FOR_TURNS and any(one.lead for one in gone):
        reason = StopReason.CONDUCTOR_FAILED.value
        text = "The conductor failed too often in a row."
        return move(room, "pause", reason=reason, text=text, ended=ended)
    going_on = {seat.conversation for seat in standing.in_flight(room)} - ended
    if team.status == "pausing" and not going_on:
        return [TeamMoved("paused", "settled", team.reason)]
    return []
