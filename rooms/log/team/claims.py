"""
Claims: members say what they are going to change, and learn whom that concerns.

Three laws. Only what is active and somebody else's can overlap (S-CLAIM-03). Under
`block` one overlap refuses the whole request, and none of it is recorded (S-CLAIM-06);
in one tree that several edit, it is `block` whatever was approved (S-WORKSPACE-04). And
a claim that expired is over: it can be made anew as any other, and not renewed.

A pattern stands in the header, as a member's key does: it is what the rules compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rooms.errors import Conflict, NotFound, OverLimit
from rooms.log.claimed import ClaimState
from rooms.log.events import Event, Fact, recorded
from rooms.log.patterns import (
    LONGEST_REASON,
    MOST_CLAIMS,
    MOST_STEPS,
    too_many_claims,
)
from rooms.log.state import RoomState
from rooms.log.team.standing import check_living, team_of
from rooms.log.team_state import MemberState, TeamState
from rooms.team.workspaces import WorkspaceMode, mode_of

__all__ = [
    "ClaimsRenewed",
    "Overlapping",
    "PathsClaimed",
    "PathsReleased",
    "active_claims",
    "claim",
    "evolve",
    "overlaps",
    "release",
    "released_claims",
    "renew",
]


@recorded("paths_claimed", body=("reason",))
class PathsClaimed(Event):
    """A member claims patterns, `width` microseconds long; 0 is until it releases."""

    key: str
    patterns: tuple[str, ...]
    width: int = 0
    reason: str = ""


@recorded("paths_released")
class PathsReleased(Event):
    """A member claims these no more."""

    key: str
    patterns: tuple[str, ...]


@recorded("claims_renewed")
class ClaimsRenewed(Event):
    """Claims that expire hold for their whole width again, from here on."""

    key: str
    patterns: tuple[str, ...]


class Overlapping(NamedTuple):
    """A pattern that is wanted, and a claim that it overlaps."""

    pattern: str
    claim: ClaimState


def overlaps(
    room: RoomState, by: MemberState, patterns: Iterable[str], *, at: int
) -> list[Overlapping]:
    """What others claim of all that is wanted, own ones too (S-CLAIM-07)."""
    team = team_of(room)
    return [
        Overlapping(pattern, one)
        for pattern in patterns
        for one in team.claims.meeting(by.key, pattern, at)
        if _is_here(room, team, one.key)
    ]


def claim(
    room: RoomState,
    by: MemberState,
    patterns: Sequence[str],
    *,
    at: int,
    width: int = 0,
    reason: str = "",
) -> tuple[list[Event], list[Overlapping]]:
    """
    Claims patterns, and whom that concerns; what the member claims already stays as it
    is, and is recorded no more (S-CLAIM-04).

    Raises:
        OverLimit: `too_many` beyond 50 of one member, which is looked at first;
            `too_large` where the patterns are too long, and those that are claimed too
            many, to be compared in bounded time.
        Conflict: `blocked_by_claim`, with the members that hold what overlaps.
    """
    team = check_living(room)
    held = team.claims.of(by.key, at)
    new = tuple(one for one in patterns if one not in held)
    if len(held) + len(new) > MOST_CLAIMS:
        raise too_many_claims()
    if team.claims.cost(patterns) > MOST_STEPS:
        raise OverLimit(
            "too_large",
            "the patterns take too long to compare with what is claimed; name fewer,"
            " or shorter ones",
            field="patterns",
            limit=MOST_STEPS,
        )
    met = overlaps(room, by, patterns, at=at)
    blocking = [one for one in met if _blocks(team, by, team.members[one.claim.key])]
    if blocking:
        first = blocking[0]
        raise Conflict(
            "blocked_by_claim",
            f"{first.pattern[:80]!a} overlaps {first.claim.pattern[:80]!a}, which"
            f" {first.claim.key} claims",
            current=sorted({one.claim.key for one in blocking}),
            pattern=first.pattern,
        )
    made = PathsClaimed(by.key, new, width, reason[:LONGEST_REASON])
    return [made] if new else [], met


def _blocks(team: TeamState, by: MemberState, holder: MemberState) -> bool:
    if team.limits.claims == "block":
        return True
    shared = WorkspaceMode.SHARED_WORKING_TREE
    return all(_mode(team, one) is shared for one in (by, holder))


def _mode(team: TeamState, member: MemberState) -> WorkspaceMode:
    shared_tree = bool(team.envelope.get("shared_tree"))
    return mode_of(member.access, team.workspace, shared_tree=shared_tree)


def release(
    room: RoomState, by: MemberState, patterns: Sequence[str], *, at: int
) -> list[Event]:
    """Claims these no more, or nothing at all where none is named (S-CLAIM-13)."""
    held = check_living(room).claims.of(by.key, at)
    gone = tuple(one for one in held if not patterns or one in patterns)
    return [PathsReleased(by.key, gone)] if gone else []


def renew(
    room: RoomState, by: MemberState, patterns: Sequence[str], *, at: int
) -> list[Event]:
    """
    Claims hold for as long again as they were made for; all of the member's that expire
    where none is named. One that never expires stays as it is.

    Raises:
        NotFound: `unknown_claim` for one that it does not hold, or holds no more.
    """
    held = check_living(room).claims.of(by.key, at)
    for one in patterns:
        if one not in held:
            raise NotFound(
                "unknown_claim", f"{one[:80]!a} is claimed no more", pattern=one
            )
    renewed = tuple(one for one in patterns or held if held[one].until)
    return [ClaimsRenewed(by.key, renewed)] if renewed else []


def active_claims(room: RoomState, at: int) -> list[ClaimState]:
    """
    What is claimed: nothing of whoever is in the team no more, nor of a team that is
    over (S-CLAIM-14).
    """
    team = team_of(room)
    if team.final or room.archived or room.deleted:
        return []
    return [one for one in team.claims.active(at) if _is_here(room, team, one.key)]


def released_claims(room: RoomState, at: int) -> list[ClaimState]:
    """What was claimed and is no more, the oldest first, as far as it is kept."""
    return [one for one in team_of(room).claims.released if one.released <= at]


def _is_here(room: RoomState, team: TeamState, key: str) -> bool:
    member = team.members.get(key)
    if member is None or not member.present:
        return False
    seat = room.seats.get(member.conversation)
    return seat is not None and seat.place == "in"


# -- folding


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    event, team = fact.event, room.team
    if team is None or not isinstance(event, _EVENTS):
        return False
    team.claims.expire(fact.at)
    if isinstance(event, PathsClaimed):
        until = fact.at + event.width if event.width else 0
        for one in event.patterns:
            team.claims.hold(
                ClaimState(event.key, one, fact.version, fact.at, event.width, until)
            )
        team.note_progress(fact.at)  # S-CLAIM-16
        return True
    for one in event.patterns:
        if isinstance(event, PathsReleased):
            team.claims.release(event.key, one, fact.at)
        else:
            held = team.claims.held[event.key][one]
            held.until = fact.at + held.width
    return True


_EVENTS = (PathsClaimed, PathsReleased, ClaimsRenewed)
