"""
A team's life in its room's log: drafted, granted, changed, approved, delivered.

Three laws. Every move is decided on the current state by the table of statuses, and
written in one commit (S-STATUS-04). Authority is the roster's and the person's, and
never a text's. And a result is claimed before it is sent (S-DELIVER-08).

On the way: `events` are what is recorded, `standing` says what a team may do now and
what follows from its turns, `lifecycle`, `changes`, `approvals` and `delivering`
decide, and `folding` makes it the state (`rooms.log.team_state`). A feature that brings
a state of its own stands in `_FEATURES`, with an `evolve` of its own.
"""

from rooms.log.events import Fact
from rooms.log.state import RoomState
from rooms.log.team import (
    approvals,
    changes,
    claims,
    delivering,
    folding,
    lifecycle,
    producing,
)
from rooms.log.team.claims import ClaimsRenewed, PathsClaimed, PathsReleased
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
from rooms.log.team.producing import ArtifactPublished, NotePublished, WorkUpdated
from rooms.log.team.standing import (
    check_living,
    following,
    in_flight,
    move,
    status_of,
    team_of,
)

__all__ = [
    "ApprovalAnswered",
    "ApprovalAsked",
    "ApprovalUsed",
    "ArtifactPublished",
    "ChangeProposed",
    "ChangeSettled",
    "ClaimsRenewed",
    "DeliverySettled",
    "GrantEnded",
    "LimitSet",
    "MandateGiven",
    "MemberMoved",
    "MemberPlaced",
    "NotePublished",
    "PathsClaimed",
    "PathsReleased",
    "TeamDrafted",
    "TeamFinished",
    "TeamGranted",
    "TeamMoved",
    "ToolsNarrowed",
    "WorkUpdated",
    "approvals",
    "changes",
    "check_living",
    "claims",
    "delivering",
    "evolve",
    "following",
    "in_flight",
    "lifecycle",
    "move",
    "producing",
    "status_of",
    "team_of",
]

_FEATURES = (folding, claims, producing)


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of a team's."""
    return any(feature.evolve(room, fact) for feature in _FEATURES)
