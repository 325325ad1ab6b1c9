"""
Standing: whether a team may do something now, and what it comes to where it does.

Three laws. Every move goes by the table of `rooms.team.statuses`, on the current state,
and what it refuses is told with the status that it met (S-STATUS-04). A room whose team
may take no turns is paused by the same commit, so nothing is granted or taken there.
And what ends a turn that a pause waits for ends the pause in the same commit: a team
is never left in `pausing` with nothing to end it (S-STATUS-06).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rooms.errors import Conflict, NotFound
from rooms.log.events import Event
from rooms.log.ledger.ending import wake_returned
from rooms.log.ledger.events import Ended, TurnOpened, WakeClosed, WakeReturned
from rooms.log.rooms import check_open, pause
from rooms.log.seats import SeatLeft
from rooms.log.state import RoomState, Seat
from rooms.log.team.events import (
    GrantEnded,
    MemberMoved,
    TeamMoved,
    ToolsNarrowed,
)
from rooms.log.team_state import MemberState, TeamState
from rooms.team import MemberStatus, TeamStatus, target_of
from rooms.team.statuses import FINAL, OPEN_FOR_TURNS

__all__ = [
    "check_living",
    "following",
    "in_flight",
    "move",
    "not_finished",
    "status_of",
    "team_of",
    "unknown_member",
    "unseated",
]


def team_of(room: RoomState) -> TeamState:
    """
    The team of a room.

    Raises:
        NotFound: `team_not_found` for a room without one.
    """
    if room.team is None:
        raise NotFound("team_not_found", "the room has no team", room=room.id)
    return room.team


def check_living(room: RoomState) -> TeamState:
    """
    The team of a room that is not over.

    Raises:
        Conflict: `room_finished` with the status, `room_archived`.
        NotAllowed: `room_deleted`.
    """
    team = team_of(room)
    check_open(room)
    if team.final:
        raise not_finished(team)
    return team


def not_finished(team: TeamState) -> Conflict:
    """What is said of anything that a team which is over can do no more."""
    return Conflict("room_finished", f"the team is {team.status}", current=team.status)


def unknown_member(key: str) -> NotFound:
    """What is said of a member that there is none of."""
    return NotFound("unknown_member", f"no member {key[:80]!a} is in the team")


def in_flight(room: RoomState) -> list[Seat]:
    """The seats whose turns run."""
    return [
        seat
        for seat in room.seats.values()
        if seat.wake is not None and seat.wake.running
    ]


def status_of(room: RoomState, member: MemberState) -> MemberStatus:
    """What a member does (S-STATUS-10)."""
    team, seat = team_of(room), room.seats.get(member.conversation)
    if member.standing != "active":
        return MemberStatus(member.standing)
    if team.status == TeamStatus.STARTING:
        return MemberStatus.STARTING if member.lead else MemberStatus.OFFLINE
    if member.conversation in team.waiting:
        waits = team.waiting[member.conversation]
        return MemberStatus.WAITING if waits else MemberStatus.BLOCKED
    if seat is not None and seat.wake is not None:
        return MemberStatus.WORKING
    return MemberStatus.IDLE


def move(
    room: RoomState,
    action: str,
    *,
    reason: str = "",
    text: str = "",
    ended: Collection[str] = (),
) -> list[Event]:
    """
    What an action comes to: where the team stands then, and what follows from that.
    `ended` are conversations whose turns end by the same commit.

    Raises:
        Conflict: `invalid_transition`, with the status that was met; `room_finished`
            for a team that is over.
    """
    team = check_living(room)
    running = [one for one in in_flight(room) if one.conversation not in ended]
    target = target_of(TeamStatus(team.status), action, in_flight=bool(running))
    if target is None:
        raise Conflict(
            "invalid_transition",
            f"a team that is {team.status} cannot {action.replace('_', ' ')}",
            current=team.status,
            action=action,
        )
    events: list[Event] = [TeamMoved(target.value, action, reason, text)]
    was_open, is_open = (one in OPEN_FOR_TURNS for one in (team.status, target))
    if is_open != was_open or room.paused is is_open:
        events += pause(room, paused=not is_open)
    if was_open and not is_open:
        events += _given_back(room)
    if target in FINAL:
        events += _over(room, team, target)
    return events


def _given_back(room: RoomState) -> list[Event]:
    """What was taken and has no turn yet: a pause in between wins (S-STATUS-02)."""
    return [
        wake_returned(seat, seat.wake, "given_back")
        for seat in room.seats.values()
        if seat.wake is not None and not seat.wake.running
    ]


def _over(room: RoomState, team: TeamState, status: TeamStatus) -> list[Event]:
    """
    The end of all that is owed and of every turn that runs, which is aborted
    (S-STATUS-11): its late end finds a wake that is not its own any more.
    """
    events: list[Event] = []
    for seat in room.seats.values():
        seqs = tuple(entry.seq for entry in seat.entries())
        wake = "" if seat.wake is None else seat.wake.id
        if seqs or wake:
            events.append(Ended(seat.conversation, status.value, seqs, wake))
    events += [
        MemberMoved(one.key, "completed", status.value) for one in team.present()
    ]
    if status is TeamStatus.COMPLETED and team.granted:
        events.append(GrantEnded(status.value))
    return events


ENDINGS = (WakeClosed, WakeReturned, SeatLeft, Ended)


def following(room: RoomState, events: Sequence[Event]) -> list[Event]:
    """
    What follows for the team from what happened to its seats, in the same commit: the
    first turn makes a ready team run, the last one's end a pausing team paused, and the
    end of a member's turn is where it retires or loses tools.
    """
    team = room.team
    if team is None or any(isinstance(one, TeamMoved) for one in events):
        return []
    if team.status == TeamStatus.READY and any(
        isinstance(one, TurnOpened) for one in events
    ):
        return [TeamMoved(TeamStatus.RUNNING.value, "turn")]
    ended = [
        one.conversation
        for one in events
        if isinstance(one, ENDINGS) and ends_turn(room, one)
    ]
    if not ended:
        return []
    settled = {
        (one.conversation, seq)
        for one in events
        if isinstance(one, WakeClosed)
        for seq in one.settled
    }
    follows: list[Event] = []
    for one in ended:
        done = [seq for who, seq in settled if who == one]
        follows += _at_boundary(room, team, one, done, [*events, *follows])
    going_on = {seat.conversation for seat in in_flight(room)} - set(ended)
    if team.status == TeamStatus.PAUSING and not going_on:
        paused = TeamStatus.PAUSED.value
        follows.append(TeamMoved(paused, "settled", team.reason))
    return follows


def ends_turn(
    room: RoomState, event: WakeClosed | WakeReturned | SeatLeft | Ended
) -> bool:
    """Whether an event ends a turn that runs."""
    seat = room.seats.get(event.conversation)
    if seat is None or seat.wake is None or not seat.wake.running:
        return False
    return isinstance(event, SeatLeft) or event.wake == seat.wake.id


def _at_boundary(
    room: RoomState,
    team: TeamState,
    conversation: str,
    settled: Sequence[int],
    before: Sequence[Event],
) -> list[Event]:
    member = team.member_of(conversation)
    if member is None:
        return []
    events: list[Event] = []
    if member.narrowing is not None:
        events.append(ToolsNarrowed(member.key, member.narrowing))
    if member.standing == "retiring":
        events.append(MemberMoved(member.key, "retired", "retiring"))
        seat = room.seats[conversation]
        left = unseated(room, seat, "retired", settled=settled, before=before)
        events.append(left)
    return events


def unseated(
    room: RoomState,
    seat: Seat,
    why: str,
    *,
    settled: Sequence[int] = (),
    before: Sequence[Event] = (),
) -> SeatLeft:
    """
    The end of a member's seat, and of its agent's membership where no other member is
    the same agent; `settled` is what the same commit settles before, and `before` what
    it records before.
    """
    ended = tuple(one.seq for one in seat.entries() if one.seq not in settled)
    gone = {one.conversation for one in before if isinstance(one, SeatLeft)}
    others = any(
        one.agent == seat.agent and one.place == "in" and one is not seat
        for one in room.seats.values()
        if one.conversation not in gone
    )
    return SeatLeft(seat.conversation, why, not others, ended)
