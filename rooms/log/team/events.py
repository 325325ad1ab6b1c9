"""
What is recorded of a team.

Two laws. An event says what was decided, so folding applies no rule. And whatever
people or models worded is body: mandates, reasons, answers, parameters, paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.log.events import Event, recorded

__all__ = [
    "ApprovalAnswered",
    "ApprovalAsked",
    "ApprovalUsed",
    "ChangeProposed",
    "ChangeSettled",
    "DeliverySettled",
    "GrantEnded",
    "LimitSet",
    "MandateGiven",
    "MemberMoved",
    "MemberPlaced",
    "TeamDrafted",
    "TeamFinished",
    "TeamGranted",
    "TeamMoved",
    "ToolsNarrowed",
]


@recorded("team_drafted", body=("problem", "instruction", "chat", "words", "clamps"))
class TeamDrafted(Event):
    """
    A team's draft: the plan that rules read, and within what; its words are body.

    `problem` and `chat` stand with the first draft of a team, `instruction` with those
    that adjust it. `clamps` are what was lowered or dropped: where, before, after.
    """

    plan: Mapping[str, Any]
    envelope: Mapping[str, Any]
    from_chat: bool = False
    problem: str = ""
    instruction: str = ""
    chat: str = ""
    words: Mapping[str, Any] | None = None
    clamps: tuple[tuple[str, str, str], ...] = ()


@recorded("team_moved", body=("text",))
class TeamMoved(Event):
    """A team stands elsewhere: by which action, why, and in which words."""

    status: str
    action: str
    reason: str = ""
    text: str = ""


@recorded("member_placed", body=("workspace",))
class MemberPlaced(Event):
    """A conversation is seated as a member; `workspace` is where it works, if known."""

    key: str
    conversation: str
    mode: str = ""
    workspace: str = ""


@recorded("team_granted")
class TeamGranted(Event):
    """What each member may use from here on: key, level, tools, network."""

    grants: tuple[tuple[str, str, tuple[str, ...], bool], ...]


@recorded("grant_ended")
class GrantEnded(Event):
    """The grant is given up: `not_started`, `adjusted`, or with the team's end."""

    why: str


@recorded("member_moved", body=("text",))
class MemberMoved(Event):
    """A member stands otherwise: suspended, blocked, active, retiring, retired, ..."""

    key: str
    standing: str
    why: str = ""
    text: str = ""


@recorded("mandate_given", body=("text",))
class MandateGiven(Event):
    """A member is told something else to do: instructions, and never authority."""

    key: str
    text: str = ""


@recorded("tools_narrowed")
class ToolsNarrowed(Event):
    """A member may use only these any more; `later` is from the end of its turn on."""

    key: str
    tools: tuple[str, ...]
    later: bool = False


@recorded("limit_set")
class LimitSet(Event):
    """A limit is another; the value is as `TeamLimits.recorded` writes it."""

    name: str
    value: int


@recorded("change_proposed", body=("text",))
class ChangeProposed(Event):
    """
    The conductor proposed a change, and what came of it: `applied`,
    `awaiting_approval`, or `refused` with `why`. What it sets stands in `values`.
    """

    kind: str
    verdict: str
    member: str = ""
    why: str = ""
    values: Mapping[str, Any] | None = None
    text: str = ""


@recorded("change_settled")
class ChangeSettled(Event):
    """
    What became of a change that waited: `applied`, `rejected`, `refused`, `withdrawn`.
    """

    change: int
    outcome: str
    why: str = ""


@recorded("approval_asked", body=("text", "params"))
class ApprovalAsked(Event):
    """
    A person's yes is asked for.

    `bound` is the digest of what it would be a yes to, `consequence` what it means, in
    labels computed from the tables; the exact text is body.
    """

    kind: str
    bound: str = ""
    change: int = 0
    consequence: tuple[str, ...] = ()
    text: str = ""
    params: Mapping[str, Any] | None = None


@recorded("approval_answered", body=("text",))
class ApprovalAnswered(Event):
    """A person said yes or no to what was asked; or nobody asks any more."""

    approval: int
    answer: str
    text: str = ""


@recorded("approval_used")
class ApprovalUsed(Event):
    """A yes is used up."""

    approval: int


@recorded("team_finished", body=("text", "params"))
class TeamFinished(Event):
    """
    The conductor says that it is done, and its result goes to a destination: claimed
    here, before anything is sent. `approval` is the yes that it stands on, or 0.
    """

    destination: str
    bound: str
    approval: int = 0
    text: str = ""
    params: Mapping[str, Any] | None = None


@recorded("delivery_settled", body=("reference", "problem"))
class DeliverySettled(Event):
    """
    What became of the delivery: `delivered`, `refused` by the destination, or `failed`.
    """

    outcome: str
    reference: str = ""
    problem: str = ""
