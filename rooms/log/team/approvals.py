"""
Approvals: what only a person's own word lets happen.

Three laws. An approval is bound to its kind, its place and its exact text, and used
once (S-DELIVER-06). What it means is computed from the tables and never worded by who
asks (S-APPROVE-04). And nothing changes until the answer; on a yes, what waited is
decided again on the team as it is then (S-APPROVE-05).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from rooms.errors import Conflict, InvalidInput, NotFound, OverLimit
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team.events import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalUsed,
    ChangeSettled,
)
from rooms.log.team.standing import check_living
from rooms.log.team_state import ApprovalState, ChangeState
from rooms.team import Destination, binding
from rooms.team.blueprints import check_words

__all__ = [
    "ApprovalKind",
    "answer",
    "ask",
    "ask_for_delivery",
    "check_result",
    "used_for",
]

_MOST_PENDING = 50
_LONGEST_RESULT = 256 * 2**10


class ApprovalKind(StrEnum):
    """What an approval is about (S-APPROVE-03)."""

    AUTHORITY_EXPANSION = "authority_expansion"
    LIMIT_CHANGE = "limit_change"
    EXTERNAL_WRITE = "external_write"
    SHARED_TREE_WRITE = "shared_tree_write"


def ask(
    room: RoomState,
    kind: ApprovalKind,
    *,
    consequence: tuple[str, ...],
    bound: str = "",
    change: int = 0,
    text: str = "",
    params: dict[str, str] | None = None,
) -> list[Event]:
    """Asks for a person's yes; the team goes on meanwhile (S-APPROVE-08)."""
    team = check_living(room)
    if len(team.approvals) >= _MOST_PENDING:
        raise OverLimit(
            "too_many",
            f"{_MOST_PENDING} approvals are asked for already",
            limit=_MOST_PENDING,
        )
    return [ApprovalAsked(kind.value, bound, change, consequence, text, params)]


def check_result(text: str, *, name: str = "text") -> str:
    """The text of a result; an empty one is refused (S-DELIVER-07, S-DELIVER-11)."""
    check_words(name, text, most=_LONGEST_RESULT)
    if not text.strip():
        raise InvalidInput(name, "is empty", allowed="the final answer")
    return text


def ask_for_delivery(room: RoomState, delivery: Destination, text: str) -> list[Event]:
    """
    Asks whether this text may go to that destination; nothing where just that is asked
    for, or allowed, already.

    Raises:
        Conflict: `approval_pending` while another delivery waits for an answer.
    """
    team = check_living(room)
    bound = binding(delivery.name, delivery.params, text)
    for one in team.approvals.values():
        if one.kind != ApprovalKind.EXTERNAL_WRITE:
            continue
        if one.bound == bound:
            return []
        if not one.approved:
            raise Conflict(
                "approval_pending",
                "another delivery waits for a person's answer",
                current=one.version,
            )
    return ask(
        room,
        ApprovalKind.EXTERNAL_WRITE,
        bound=bound,
        consequence=(f"sends:{delivery.name}",),
        text=text,
        params=dict(delivery.params),
    )


def answer(
    room: RoomState,
    approval: int,
    *,
    approved: bool,
    text: str,
    known: bool,
    apply: Callable[[RoomState, ChangeState], tuple[str, list[Event]]],
) -> list[Event]:
    """
    A person's answer, and what it lets happen: `apply` decides a change that waited
    once more, and says why it cannot be (a word) or what it comes to. `known` tells
    whether that was ever asked.

    Raises:
        NotFound: `unknown_approval` for one that was never asked.
        Conflict: `approval_answered` for a second answer (S-APPROVE-06).
    """
    team = check_living(room)
    asked = team.approvals.get(approval)
    if asked is None or asked.approved:
        if known:
            raise Conflict("approval_answered", "it is answered already", current=None)
        raise NotFound("unknown_approval", "nothing of that id waits for an answer")
    said = "approved" if approved else "rejected"
    events: list[Event] = [ApprovalAnswered(approval, said, text)]
    change = team.changes.get(asked.change)
    if change is None:
        return events
    if not approved:
        return [*events, ChangeSettled(change.version, "rejected")]
    refused, effects = apply(room, change)
    outcome = "refused" if refused else "applied"
    return [*events, *effects, ChangeSettled(change.version, outcome, refused)]


def used_for(room: RoomState, bound: str) -> ApprovalState | None:
    """The yes to a delivery that is bound so, where there is one that is not used."""
    for one in check_living(room).approvals.values():
        sends = one.kind == ApprovalKind.EXTERNAL_WRITE
        if sends and one.approved and one.bound == bound:
            return one
    return None


def used(approval: ApprovalState | None) -> list[Event]:
    """That a yes is used up."""
    return [] if approval is None else [ApprovalUsed(approval.version)]
