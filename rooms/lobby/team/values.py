"""What a team hands out: values that say how it was when they were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from rooms.lobby.handles import Conversation

__all__ = [
    "Approval",
    "Change",
    "MemberUsage",
    "Question",
    "Standing",
    "TeamMember",
    "TimelineEntry",
    "Usage",
]


@frozen
class Standing:
    """
    Where a team stands.

    Attributes:
        status: Its status, see `rooms.team.TeamStatus`.
        reason: Why it does not run, or what somebody should look at; "" for nothing.
        text: The same in words, as it was told.
        since: When it came there, UTC.
    """

    status: str
    reason: str = ""
    text: str = ""
    since: datetime | None = None

    def __str__(self) -> str:
        return f"{self.status} ({self.reason})" if self.reason else self.status


@frozen
class TeamMember:
    """
    A member of a team.

    Attributes:
        key: What the team calls it.
        agent: Its agent.
        lead: Whether it is the conductor.
        status: What it does, see `rooms.team.MemberStatus`.
        access: Its permission level.
        tools: What it may use; nothing before the grant.
        conversation: Who is seated for it; None before it is placed.
        responsibility: What it answers for.
        mandate: What it is told to do.
        workspace: Where it works, in the host's word; "" for nowhere in particular.
    """

    key: str
    agent: str
    lead: bool
    status: str
    access: str
    tools: tuple[str, ...] = ()
    conversation: Conversation | None = None
    responsibility: str = ""
    mandate: str = ""
    workspace: str = ""

    def allows(self, tool: str) -> bool:
        """Whether it may call a tool of that name (S-ACCESS-07)."""
        return tool in self.tools


@frozen
class Approval:
    """
    A person's yes that is asked for, or given and not used.

    Attributes:
        id: Its id.
        kind: What it is about, see `rooms.log.team.approvals.ApprovalKind`.
        consequence: What a yes means, in labels computed from the tables.
        text: What exactly it is a yes to, in the words of who asks.
        params: The parameters of a destination, where it is about a delivery.
        change: The change that waits for it, or None.
        approved: Whether the person said yes already.
        at: When it was asked, UTC.
    """

    id: str
    kind: str
    consequence: tuple[str, ...]
    text: str = ""
    params: Mapping[str, str] = field(factory=dict, hash=False)
    change: str | None = None
    approved: bool = False
    at: datetime | None = None


@frozen
class Change:
    """
    A change that was proposed, and what is said of it.

    Attributes:
        id: Its id.
        kind: What it changes, see `rooms.log.team.changes.ChangeKind`.
        verdict: `applied`, `awaiting_approval`, or `refused`.
        why: Why it is refused, in a word; "" otherwise.
        member: The member that it is about, or "".
        approval: The approval that it waits for, or None.
    """

    id: str
    kind: str
    verdict: str
    why: str = ""
    member: str = ""
    approval: str | None = None

    @property
    def applied(self) -> bool:
        """Whether it holds from here on."""
        return self.verdict == "applied"


@frozen
class Question:
    """
    A question of a member that nobody has answered yet.

    Attributes:
        id: The id of its message.
        asker: The key of who asked.
        to: The keys of those whom it asked.
        text: What was asked.
        waits: Whether who asked holds no turn until it is over.
        at: When it was asked, UTC.
    """

    id: str
    asker: str
    to: tuple[str, ...]
    text: str = ""
    waits: bool = False
    at: datetime | None = None


@frozen
class MemberUsage:
    """
    What the turns of one member used.

    Attributes:
        cost: In the host's unit.
        tokens: How many tokens.
        turns: How many turns have ended.
        failures: How many of the last ones failed, in a row.
        retries: How many failed in all.
    """

    cost: Decimal
    tokens: int = 0
    turns: int = 0
    failures: int = 0
    retries: int = 0


@frozen
class Usage:
    """
    What a team has used so far, beside its limits.

    Attributes:
        cost: What all turns cost, in the host's unit.
        tokens: How many tokens they used.
        turns: How many turns have ended.
        worked: For how long it worked; pauses are free.
        uncertain: For how long it may have worked before crashes; it counts for
            nothing.
        members: The same for each member, by its key.
    """

    cost: Decimal
    tokens: int = 0
    turns: int = 0
    worked: timedelta = timedelta(0)
    uncertain: timedelta = timedelta(0)
    members: Mapping[str, MemberUsage] = field(factory=dict, hash=False)


@frozen
class TimelineEntry:
    """
    Something that happened in a team.

    Attributes:
        id: The record's.
        at: When, UTC.
        by: Who did it: `person:ana`, a conversation's id, or `system`.
        what: The event, such as `team_moved`; the log's page lists them.
        told: What it says, by name.
    """

    id: str
    at: datetime | None
    by: str
    what: str
    told: Mapping[str, Any] = field(factory=dict, hash=False)
