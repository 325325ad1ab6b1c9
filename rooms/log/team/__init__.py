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
    looking,
    producing,
    questions,
    usage,
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
from rooms.log.team.looking import ConductorTold, MemberNudged, look_now
from rooms.log.team.outcomes import following
from rooms.log.team.producing import ArtifactPublished, NotePublished, WorkUpdated
from rooms.log.team.questions import (
    QuestionAsked,
    QuestionSettled,
    WaitBegun,
    WaitEnded,
)
from rooms.log.team.selecting import may_start, selected
from rooms.log.team.standing import (
    check_living,
    in_flight,
    move,
    status_of,
    team_of,
)
from rooms.log.team.usage import ClockCut, TurnCounted, UsageReported

__all__ = [
    "ApprovalAnswered",
    "ApprovalAsked",
    "ApprovalUsed",
    "ArtifactPublished",
    "ChangeProposed",
    "ChangeSettled",
    "ClaimsRenewed",
    "ClockCut",
    "ConductorTold",
    "DeliverySettled",
    "GrantEnded",
    "LimitSet",
    "MandateGiven",
    "MemberMoved",
    "MemberNudged",
    "MemberPlaced",
    "NotePublished",
    "PathsClaimed",
    "PathsReleased",
    "QuestionAsked",
    "QuestionSettled",
    "TeamDrafted",
    "TeamFinished",
    "TeamGranted",
    "TeamMoved",
    "ToolsNarrowed",
    "TurnCounted",
    "UsageReported",
    "WaitBegun",
    "WaitEnded",
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
    "look_now",
    "may_start",
    "move",
    "producing",
    "questions",
    "selected",
    "status_of",
    "team_of",
    "usage",
]

_FEATURES = (folding, usage, questions, looking, claims, producing)


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of a team's."""
    return any(feature.evolve(room, fact) for feature in _FEATURES)
