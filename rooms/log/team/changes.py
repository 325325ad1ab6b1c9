"""
Changes: what the conductor may do to a running team, and what needs a person.

Three laws. A proposed change has one of three verdicts, decided and written on one
record: applied, as it lies within the approval; awaiting approval, as it widens it; or
refused, with a reason (S-CONDUCTOR-09). Nothing here raises anybody's access, and who
is in the team after its start is fixed (S-CONDUCTOR-03). And who leads is read from the
roster, never from a text (S-CONDUCTOR-05).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.log import seats
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team.approvals import ApprovalKind, ask
from rooms.log.team.events import (
    ApprovalAnswered,
    ChangeProposed,
    ChangeSettled,
    LimitSet,
    MandateGiven,
    MemberMoved,
    ToolsNarrowed,
)
from rooms.log.team.standing import check_living, move, unknown_member, unseated
from rooms.log.team_state import ChangeState, MemberState, TeamState
from rooms.team import StopReason, TeamLimits, TeamStatus
from rooms.team.limits import LARGEST_LIMIT
from rooms.team.statuses import OPEN_FOR_TURNS

__all__ = [
    "DECIDED",
    "ChangeKind",
    "Verdict",
    "applied_now",
    "propose",
    "verdict",
    "withdraw",
]


class ChangeKind(StrEnum):
    """What a change is of (S-CONDUCTOR-11)."""

    ADD_MEMBER = "add_member"
    UPDATE_MANDATE = "update_mandate"
    ASSIGN_WORK = "assign_work"
    CHANGE_STRATEGY = "change_strategy"
    CHANGE_CONFIGURATION = "change_configuration"
    SUSPEND_MEMBER = "suspend_member"
    RESUME_MEMBER = "resume_member"
    RETIRE_MEMBER = "retire_member"
    REPLACE_MEMBER = "replace_member"
    LOWER_SOFT_LIMIT = "lower_soft_limit"
    REQUEST_EXPANSION = "request_expansion"


LIMITS = ("max_cost", "max_time", "max_tokens")
"""The limits that a person may raise while a team runs (S-APPROVE-02)."""


class Verdict(NamedTuple):
    """
    What is said of a proposed change.

    Attributes:
        verdict: `applied`, `awaiting_approval`, or `refused`.
        why: Why it is refused, in a word; "" otherwise.
        events: What it comes to; nothing unless it is applied.
        kind: What a person is asked for where it waits.
        consequence: What a yes would mean, in labels.
    """

    verdict: str
    why: str = ""
    events: tuple[Event, ...] = ()
    kind: ApprovalKind = ApprovalKind.AUTHORITY_EXPANSION
    consequence: tuple[str, ...] = ()


def propose(
    room: RoomState,
    by: MemberState,
    kind: ChangeKind,
    *,
    member: str = "",
    values: Mapping[str, Any] | None = None,
    text: str = "",
) -> list[Event]:
    """
    A change that the conductor proposes, its verdict, and what that comes to.

    Raises:
        NotAllowed: `lead_only` for anybody else.
        Conflict: `invalid_transition` where the team does not run.
        NotFound: `unknown_member`.
    """
    team = check_living(room)
    if not by.lead:
        raise lead_only(kind.value)
    if team.status not in {*OPEN_FOR_TURNS, TeamStatus.PAUSING, TeamStatus.PAUSED}:
        move(room, "pause")  # which refuses, and says where it stands
    given = dict(values or {})
    if member and member not in team.members:
        raise unknown_member(member)
    found = verdict(room, kind, member, given, text=text)
    proposed = ChangeProposed(kind.value, found.verdict, member, found.why, given, text)
    if found.verdict != "awaiting_approval":
        return [proposed, *found.events]
    asked = ask(
        room,
        found.kind,
        consequence=found.consequence,
        change=room.version + 1,  # the record of the proposal
        text=text,
    )
    return [proposed, *asked]


def lead_only(action: str) -> NotAllowed:
    """What is said to a member that is not the conductor (S-CONDUCTOR-07)."""
    return NotAllowed("lead_only", "only the conductor may do this", action=action)


def verdict(
    room: RoomState, kind: ChangeKind, key: str, given: Mapping[str, Any], *, text: str
) -> Verdict:
    """What is said of a change, on the team as it is now."""
    decide = _VERDICTS.get(kind)
    if decide is None:  # who is in the team is fixed by its grant
        return Verdict("refused", "members_fixed")
    return decide(room, check_living(room), key, given, text)


def applied_now(
    room: RoomState, change: ChangeState, *, text: str = ""
) -> tuple[str, list[Event]]:
    """
    A change that a person approved, on the team as it is now: why it cannot be, or what
    it comes to (S-APPROVE-05).
    """
    kind = ChangeKind(change.kind)
    team = check_living(room)
    if kind is ChangeKind.REQUEST_EXPANSION:
        name, value = change.values["limit"], change.values["value"]
        if value <= team.limits.recorded()[name]:
            return "not_higher", []
        return "", [LimitSet(name, value)]
    if kind is ChangeKind.RETIRE_MEMBER:
        member = team.members[change.member]
        if not member.present:
            return "member_gone", []
        return "", [*_retired(room, member), *_without_conductor(room, team)]
    found = verdict(room, kind, change.member, change.values, text=text)
    if found.verdict != "applied":
        return found.why or "not_possible", []
    return "", list(found.events)


def withdraw(room: RoomState, by: MemberState, change: int) -> list[Event]:
    """
    Takes a change back that waits for a person.

    Raises:
        NotAllowed: `lead_only`.
        NotFound: `unknown_change` for one that does not wait.
    """
    team = check_living(room)
    if not by.lead:
        raise lead_only("withdraw")
    waiting = team.changes.get(change)
    if waiting is None:
        raise NotFound("unknown_change", "no change of that id waits")
    answered = ApprovalAnswered(waiting.approval, "withdrawn")
    return [answered, ChangeSettled(change, "withdrawn")]


# -- the verdicts


def _mandate(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del room
    if given:  # instructions only: it carries no model, tool, place (S-ACCESS-11)
        raise InvalidInput("values", "stand in a mandate", allowed="words alone")
    if not text.strip():
        raise InvalidInput("text", "is empty", allowed="the mandate")
    if not _member(team, key).present:
        return Verdict("refused", "member_gone")
    return Verdict("applied", events=(MandateGiven(key, text),))


def _strategy(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del room, team, key, given
    if not text.strip():
        raise InvalidInput("text", "is empty", allowed="the strategy")
    return Verdict("applied")


def _configuration(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    """Fewer tools are its own to take; more are nobody's while it runs."""
    del text
    member = _member(team, key)
    tools = given.get("tools")
    if set(given) != {"tools"} or not isinstance(tools, list | tuple):
        return Verdict("refused", "authority_fixed")
    if not member.present:
        return Verdict("refused", "member_gone")
    if member.narrowing is not None:
        return Verdict("refused", "change_open")  # one at a time
    if not set(tools) <= set(member.tools):
        return Verdict("refused", "authority_fixed")
    left = tuple(one for one in member.tools if one in set(tools) or one == "room")
    if left == member.tools:
        return Verdict("refused", "no_change")
    narrowed = ToolsNarrowed(key, left, _works(room, member))
    return Verdict("applied", events=(narrowed,))


def _suspend(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del given
    member = _member(team, key)
    if member.lead:
        return Verdict("refused", "conductor_stays")  # S-CONDUCTOR-06
    if member.standing not in {"active", "blocked"}:
        return Verdict("refused", f"member_{member.standing}")
    moved = MemberMoved(key, "suspended", "conductor", text)
    return Verdict("applied", events=(moved, *_rested(room, member, resting=True)))


def _resume(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del given
    member = _member(team, key)
    if member.standing != "suspended":
        return Verdict("refused", f"member_{member.standing}")
    moved = MemberMoved(key, "active", "conductor", text)
    return Verdict("applied", events=(moved, *_rested(room, member, resting=False)))


def _retire(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del given, text
    member = _member(team, key)
    if not member.present or member.standing == "retiring":
        return Verdict("refused", "member_gone")
    if member.lead:  # which is the user's to say (S-CONDUCTOR-06)
        return Verdict("awaiting_approval", consequence=("retires:conductor",))
    if team.roster_changes >= team.limits.max_roster_changes:
        return Verdict("refused", "roster_change_limit")
    return Verdict("applied", events=tuple(_retired(room, member)))


def _lower(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del room, key, text
    name, value = _limit(team, given)
    if value > team.limits.recorded()[name]:
        return Verdict("refused", "not_lower")
    return Verdict("applied", events=(LimitSet(name, value),))


def _expand(
    room: RoomState, team: TeamState, key: str, given: Mapping[str, Any], text: str
) -> Verdict:
    del room, key, text
    name, value = _limit(team, given)
    if name not in LIMITS:
        return Verdict("refused", "authority_fixed")
    if value <= team.limits.recorded()[name]:
        return Verdict("refused", "not_higher")
    return Verdict(
        "awaiting_approval",
        kind=ApprovalKind.LIMIT_CHANGE,
        consequence=(f"raises:{name}",),
    )


_Decide = Callable[[RoomState, TeamState, str, Mapping[str, Any], str], Verdict]
_VERDICTS: Mapping[ChangeKind, _Decide] = {
    ChangeKind.UPDATE_MANDATE: _mandate,
    ChangeKind.CHANGE_STRATEGY: _strategy,
    ChangeKind.CHANGE_CONFIGURATION: _configuration,
    ChangeKind.SUSPEND_MEMBER: _suspend,
    ChangeKind.RESUME_MEMBER: _resume,
    ChangeKind.RETIRE_MEMBER: _retire,
    ChangeKind.LOWER_SOFT_LIMIT: _lower,
    ChangeKind.REQUEST_EXPANSION: _expand,
}

DECIDED = tuple(_VERDICTS)
"""The kinds of which something may come; all others are refused, `members_fixed`."""


def _member(team: TeamState, key: str) -> MemberState:
    member = team.members.get(key)
    if member is None:
        raise unknown_member(key)
    return member


def _limit(team: TeamState, given: Mapping[str, Any]) -> tuple[str, int]:
    name, value = given.get("limit"), given.get("value")
    recorded = team.limits.recorded()
    numbers = [one for one, number in recorded.items() if type(number) is int]
    if name not in numbers or type(value) is not int or value < 0:
        raise InvalidInput("limit", "is none", allowed=", ".join(numbers))
    if value > LARGEST_LIMIT:
        raise InvalidInput(
            "value", "is beyond all limits", allowed=f"at most {LARGEST_LIMIT}"
        )
    TeamLimits.from_record({**recorded, name: value})  # what can be none is refused
    return str(name), value


def _works(room: RoomState, member: MemberState) -> bool:
    seat = room.seats.get(member.conversation)
    return seat is not None and seat.wake is not None and seat.wake.running


def _rested(room: RoomState, member: MemberState, *, resting: bool) -> list[Event]:
    return seats.rest(room.seats[member.conversation], resting=resting)


def _retired(room: RoomState, member: MemberState) -> list[Event]:
    """It retires at the end of its turn, or now; its history stays."""
    if _works(room, member):
        return [MemberMoved(member.key, "retiring")]
    left = unseated(room, room.seats[member.conversation], "retired")
    return [MemberMoved(member.key, "retired"), left]


def _without_conductor(room: RoomState, team: TeamState) -> list[Event]:
    """A team without a conductor stops: there is no substitute (S-CONDUCTOR-13)."""
    if team.status not in OPEN_FOR_TURNS:
        return []
    return move(room, "pause", reason=StopReason.CONDUCTOR_FAILED.value)
