"""
The life of a team: drafted, started, paused, resumed, ended, recovered.

Two laws. Each step names the record of the step that it goes on from, so one that was
overtaken changes nothing (S-STATUS-04). And whatever a failed start did is undone, in
the commit that says so (S-PROPOSAL-12).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rooms.errors import Conflict, InvalidInput
from rooms.log import seats
from rooms.log.events import Event
from rooms.log.ledger.ending import wake_returned
from rooms.log.rooms import RoomPaused
from rooms.log.state import RoomState
from rooms.log.team.events import (
    GrantEnded,
    MemberMoved,
    MemberPlaced,
    TeamDrafted,
    TeamGranted,
    TeamMoved,
)
from rooms.log.team.standing import (
    check_living,
    move,
    team_of,
    unseated,
)
from rooms.log.team.usage import check_resumable, cut_clock
from rooms.log.team_state import TeamState
from rooms.team import Envelope, Proposal, StopReason, TeamStatus
from rooms.team.blueprints import check_words

__all__ = [
    "REVIEW",
    "Placed",
    "adjust",
    "adjusted",
    "cancel",
    "check_problem",
    "fail",
    "give_up_grant",
    "grant",
    "not_started",
    "opened",
    "pause_team",
    "place",
    "prepare",
    "recover",
    "resume",
    "start",
]

REVIEW = "review"
"""Why a team that completes waits: somebody has to see whether it was delivered."""

_LONGEST_PROBLEM = 100_000
_LONGEST_TEXT = 2_000


class Placed(NamedTuple):
    """
    Where a member is placed.

    Attributes:
        key: The member's.
        conversation: The conversation that works as it.
        agent: Its agent.
        threaded: Whether that is threaded.
        acts_for: The person for whom it acts, or "".
        mode: How it shares the tree: `read_only_shared`, `worktree_per_member`,
            `shared_working_tree`.
        workspace: Where it works, in the host's word; "" for nowhere in particular.
        held: Why nothing is delivered to its agent anywhere, or "".
    """

    key: str
    conversation: str
    agent: str
    threaded: bool
    acts_for: str = ""
    mode: str = ""
    workspace: str = ""
    held: str = ""


def check_problem(problem: str) -> str:
    """A problem's text, word for word; an empty one is refused (S-PROPOSAL-01)."""
    check_words("problem", problem, most=_LONGEST_PROBLEM)
    if not problem.strip():
        raise InvalidInput("problem", "is empty", allowed="what is to be done")
    return problem


def check_text(name: str, text: str, *, empty: bool = True) -> str:
    """A reason or an instruction in words."""
    check_words(name, text, most=_LONGEST_TEXT)
    if not empty and not text.strip():
        raise InvalidInput(name, "is empty", allowed="some words")
    return text


def prepare(proposal: Proposal, envelope: Envelope, problem: str) -> list[Event]:
    """A new team's draft; nothing goes on in its room yet."""
    return [_drafted(proposal, envelope, problem=problem), RoomPaused(paused=True)]


def _drafted(
    proposal: Proposal, envelope: Envelope, *, problem: str = "", instruction: str = ""
) -> TeamDrafted:
    blueprint = proposal.blueprint
    plan = {**blueprint.plan(), "destination": proposal.delivery.name}
    return TeamDrafted(
        plan,
        envelope.recorded(),
        bool(envelope.chat),
        problem,
        instruction,
        envelope.chat if problem else "",
        blueprint.words(),
        tuple(
            (one.where, str(one.before), "" if one.after is None else str(one.after))
            for one in proposal.clamps
        ),
    )


def adjust(room: RoomState) -> list[Event]:
    """The draft is being revised; a team that was started is not (S-PROPOSAL-03)."""
    return move(room, "adjust")


def adjusted(
    room: RoomState,
    since: int,
    proposal: Proposal | None,
    envelope: Envelope,
    *,
    instruction: str = "",
    text: str = "",
) -> list[Event]:
    """
    The draft as it is now, or as it was where `proposal` is None.

    A team that was ready is none any more: its grant and its places go.

    Raises:
        Conflict: `invalid_transition` where something else came in between.
    """
    team = _going_on(room, since, "adjusted")
    events = move(room, "adjusted", text=text)
    if proposal is None:
        return [*events, *_undone(room, team)]
    drafted = _drafted(proposal, envelope, instruction=instruction)
    return [*events, *_undone(room, team), drafted]


def start(room: RoomState) -> list[Event]:
    """Claims the start: of two that race, one does it."""
    return [*move(room, "start"), *_undone(room, team_of(room))]


def place(room: RoomState, since: int, members: Sequence[Placed]) -> list[Event]:
    """Seats the members, and says where each works."""
    _going_on(room, since, "place")
    events: list[Event] = []
    for one in members:
        events += seats.join(
            room,
            one.conversation,
            agent=one.agent,
            threaded=one.threaded,
            why="placed",
            acts_for=one.acts_for,
            held=one.held,
        )
        events.append(MemberPlaced(one.key, one.conversation, one.mode, one.workspace))
    return events


def grant(room: RoomState, since: int, proposal: Proposal) -> list[Event]:
    """What each member may use from here on; it is the person's yes (S-ACCESS-09)."""
    _going_on(room, since, "grant")
    return [
        TeamGranted(
            tuple(
                (one.key, one.access.value, one.tools, one.network)
                for one in proposal.grants
            )
        )
    ]


def opened(room: RoomState, since: int, *, problem: str = "") -> list[Event]:
    """
    The conductor's session is open and work can start; with a `problem`, it is not,
    and the team is paused, as there is no substitute (S-CONDUCTOR-13).
    """
    _going_on(room, since, "opened")
    if problem:
        reason = StopReason.CONDUCTOR_FAILED.value
        return move(room, "conductor_failed", reason=reason, text=problem)
    return move(room, "opened")


def not_started(room: RoomState, since: int, *, reason: str, text: str) -> list[Event]:
    """A start that failed: a draft as before, with all that was done undone."""
    team = _going_on(room, since, "not_started")
    return [*move(room, "not_started", reason=reason, text=text), *_undone(room, team)]


def _undone(room: RoomState, team: TeamState) -> list[Event]:
    """The end of every place and of the grant."""
    events: list[Event] = []
    for one in team.present():
        events.append(MemberMoved(one.key, "offline", "not_started"))
        seat = room.seats[one.conversation]
        events.append(unseated(room, seat, "unplaced", before=events))
    if team.granted:
        events.append(GrantEnded("not_started"))
    return events


def _going_on(room: RoomState, since: int, action: str) -> TeamState:
    team = check_living(room)
    if team.moved != since:
        raise Conflict(
            "invalid_transition",
            f"the team is {team.status} by now",
            current=team.status,
            action=action,
        )
    return team


def pause_team(room: RoomState, *, reason: str, text: str) -> list[Event]:
    """No new turn starts; those that run end (S-STATUS-06)."""
    return move(room, "pause", reason=StopReason(reason).value, text=text)


def resume(room: RoomState, *, text: str = "") -> list[Event]:
    """
    Goes on, while the grant is held (S-STATUS-07); what only progress clears stays to
    be seen (S-STATUS-09).

    Raises:
        Conflict: `invalid_transition`, also where its conductor is gone, for which
            there is no substitute (S-CONDUCTOR-13); `grant_lost` where it has to be
            started anew; `limit_reached` where it would stop at once.
    """
    team = check_living(room)
    kept = team.reason if team.reason in _STAYS else ""
    events = move(room, "resume", reason=kept, text=text)
    check_resumable(room)
    if not team.granted:
        raise Conflict(
            "grant_lost", "the grant was given up; start the team anew", current=""
        )
    lead = team.conductor
    if lead is None or not lead.present:
        raise Conflict(
            "invalid_transition",
            "the team has no conductor any more, and nobody else can finish",
            current=team.status,
            action="resume",
        )
    return events


_STAYS = frozenset(one.value for one in StopReason if one.needs_progress)


def cancel(room: RoomState, *, text: str = "") -> list[Event]:
    """The end by the person's word: turns are aborted (S-STATUS-11)."""
    return move(room, "cancel", reason=StopReason.USER_CANCELLED.value, text=text)


def fail(room: RoomState, *, reason: str, text: str) -> list[Event]:
    """The end of a team that cannot recover."""
    return move(room, "fail", reason=StopReason(reason).value, text=text)


def give_up_grant(room: RoomState) -> list[Event]:
    """
    The end of the grant of a team that is over, once its work was saved (S-ACCESS-09,
    S-RECOVER-05).
    """
    team = team_of(room)
    return [GrantEnded(team.status)] if team.final and team.granted else []


def recover(room: RoomState, now: int | None = None) -> list[Event]:
    """
    What a team is after a restart (S-RECOVER-04).

    Turns that ran are released: what they carried is owed again, and handed out as what
    a turn never accepted (S-RECOVER-02, S-RECOVER-03). A team that was pausing is
    paused by that, one that was starting or adjusting a draft; one that was completing
    waits for a person, and nothing is sent again.
    """
    team = room.team
    if team is None or room.deleted or room.archived or not room.version:
        return []
    match team.status:
        case TeamStatus.STARTING:
            return not_started(room, team.moved, reason="restart", text="")
        case TeamStatus.ADJUSTING:
            return [*move(room, "adjusted", reason="restart"), *_undone(room, team)]
        case TeamStatus.COMPLETING if team.reason != REVIEW:
            review = TeamMoved(TeamStatus.COMPLETING.value, "review", REVIEW)
            return [*_released(room), review]
        case _:
            cut = cut_clock(room, room.at if now is None else now)
            return [*cut, *_released(room), *give_up_grant(room)]


def _released(room: RoomState) -> list[Event]:
    """What no host holds any more."""
    return [
        wake_returned(seat, seat.wake, "restart")
        for seat in room.seats.values()
        if seat.wake is not None
    ]
