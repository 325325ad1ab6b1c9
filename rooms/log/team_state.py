"""
What a room's team is, as a state: where it stands, who is in it, what is open.

Law: it holds no words. Mandates, reasons, texts and parameters are in the records whose
versions stand here; what is settled leaves the state, and the log keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from rooms.log.claimed import ClaimsState
from rooms.log.produced import ProducedState
from rooms.team import StopReason, TeamLimits
from rooms.team.amounts import micros_of
from rooms.team.statuses import FINAL

__all__ = [
    "ApprovalState",
    "ChangeState",
    "MemberState",
    "QuestionState",
    "TeamState",
]


@define
class MemberState:
    """
    A member of a team.

    Attributes:
        key: What the team calls it.
        agent: The agent that works as it.
        lead: Whether it is the conductor.
        access: Its permission level.
        tools: What it may use; nothing before the grant.
        skills: The skills that it has.
        network: Whether it reaches the network.
        conversation: The conversation that is seated for it; "" before it is placed.
        standing: `offline`, `active`, `suspended`, `blocked`, `retiring`, `retired`,
            `completed` or `failed`; whether it works or waits is the seat's to say.
        narrowing: What it may use from the end of its turn on; None for no change.
        mandate: The record with its newest mandate.
        placed: The record of its place; 0 for none.
        cost: What its turns cost, in millionths of the host's unit.
        tokens: How many tokens they used.
        turns: How many turns of it have ended.
        failures: How many of the last ones failed, in a row.
        retries: How many failed in all.
        resumed: When the wait ended of which it was not told yet; 0 for none.
        nudged: The state of the team in which it was nudged last: when something came
            of it last, and how many turns others have had.
    """

    key: str
    agent: str
    lead: bool = False
    access: str = "read_only"
    tools: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    network: bool = False
    conversation: str = ""
    standing: str = "offline"
    narrowing: tuple[str, ...] | None = None
    mandate: int = 0
    placed: int = 0
    cost: int = 0
    tokens: int = 0
    turns: int = 0
    failures: int = 0
    retries: int = 0
    resumed: int = 0
    nudged: tuple[int, int] = (-1, -1)

    @property
    def present(self) -> bool:
        """Whether it is in the team still."""
        return self.standing in {"active", "suspended", "blocked", "retiring"}


@define
class ChangeState:
    """
    A change that waits for a person.

    Attributes:
        version: The record that proposed it.
        kind: What it changes.
        member: The member that it is about, or "".
        approval: The record of the approval that it waits for.
        values: What it sets, by name.
    """

    version: int
    kind: str
    member: str
    approval: int
    values: dict[str, Any] = field(factory=dict)


@define
class ApprovalState:
    """
    A person's yes that is asked for, or given and not used.

    Attributes:
        version: The record that asked.
        kind: What it is about.
        bound: What it is bound to.
        change: The change that waits for it; 0 for none.
        approved: Whether the person said yes.
    """

    version: int
    kind: str
    bound: str = ""
    change: int = 0
    approved: bool = False


@define
class QuestionState:
    """
    A question that nobody has answered yet.

    Attributes:
        version: The record of its message.
        seq: That message's number.
        asker: The key of the member that asked.
        to: The keys of those whom it asked.
        reminded: Those who were reminded, each with how many turns it had had by then.
    """

    version: int
    seq: int
    asker: str
    to: tuple[str, ...]
    reminded: tuple[tuple[str, int], ...] = ()


@define
class TeamState:
    """
    A team.

    Attributes:
        status: Where it stands.
        reason: Why it does not run, or what somebody should look at; "" for nothing.
        moved: The record that brought it there; `since` is when.
        first: The record of its first draft; `draft` that of the newest.
        limits: Its ceilings, as approved and as lowered or raised since.
        envelope: What the person allows, as recorded.
        workspace: How far members share one tree.
        destination: Where its result goes.
        chat: Whether a chat started it.
        granted: The record of the grant that is held; 0 for none.
        started_at: When work could first start; 0 before.
        ended_at: When its end began; 0 before. It is stamped once.
        progressed_at: When something structural last came of it.
        members: Its members, by their keys, in the order of the blueprint.
        changes: The changes that wait for a person.
        approvals: The approvals that are asked for, or given and not used.
        finish: The record of the finish: the delivery that is claimed; 0 for none.
        delivered: `""`, `delivered`, `refused` or `failed`.
        roster_changes: How often members were retired.
        claims: What members say that they will change.
        produced: The work that there is, and what came of it.
        cost: What all turns cost, in millionths of the host's unit.
        tokens: How many tokens they used.
        turns: How many turns have ended.
        worked: For how long it ran, in microseconds, without the time that goes on.
        working_since: Since when it runs, or ends turns; 0 while it does neither.
        uncertain: How long it may have run before a crash, which counts for nothing.
        escalated: What the conductor was told should end: a stop reason, what it is
            about, and how many turns the conductor had had by then.
        questions: The questions that nobody has answered, by the records of their
            messages.
        waiting: The conversations of members that hold no turn until something ends
            their wait, each with the question that it waits on; 0 for the person.
    """

    status: str = "draft"
    reason: str = ""
    moved: int = 0
    since: int = 0
    first: int = 0
    draft: int = 0
    limits: TeamLimits = field(factory=TeamLimits)
    envelope: Mapping[str, Any] = field(factory=dict)
    workspace: str = ""
    destination: str = ""
    chat: bool = False
    granted: int = 0
    started_at: int = 0
    ended_at: int = 0
    progressed_at: int = 0
    finish: int = 0
    delivered: str = ""
    roster_changes: int = 0
    cost: int = 0
    tokens: int = 0
    turns: int = 0
    worked: int = 0
    working_since: int = 0
    uncertain: int = 0
    escalated: tuple[str, str, int] = ("", "", 0)
    waiting: dict[str, int] = field(factory=dict)
    questions: dict[int, QuestionState] = field(factory=dict)
    members: dict[str, MemberState] = field(factory=dict)
    changes: dict[int, ChangeState] = field(factory=dict)
    approvals: dict[int, ApprovalState] = field(factory=dict)
    claims: ClaimsState = field(factory=ClaimsState)
    produced: ProducedState = field(factory=ProducedState)

    @property
    def final(self) -> bool:
        """Whether it is over."""
        return self.status in FINAL

    @property
    def conductor(self) -> MemberState | None:
        """The member that leads, while it is in the team."""
        return next((one for one in self.members.values() if one.lead), None)

    def present(self) -> Iterator[MemberState]:
        """The members that are in the team."""
        return (one for one in self.members.values() if one.present)

    def member_of(self, conversation: str) -> MemberState | None:
        """The member for whom a conversation is seated, while it is in the team."""
        for one in self.members.values():
            if conversation and one.conversation == conversation and one.present:
                return one
        return None

    def worked_until(self, at: int) -> int:
        """For how long it worked by then; pauses are free (S-LIMIT-06)."""
        since = self.working_since
        return self.worked + (max(at - since, 0) if since else 0)

    def within_limits(self, member: MemberState) -> bool:
        """Whether a member's own limits let it have another turn (S-LIMIT-05)."""
        limits = self.limits
        return (
            member.cost < micros_of(limits.max_member_cost)
            and member.tokens < limits.max_member_tokens
            and member.turns < limits.max_member_turns
        )

    def note_progress(self, at: int) -> None:
        """
        Something structural came of it: work, an artifact, a decision, a claim, an
        accepted change. That alone clears what only progress clears (S-STATUS-09).
        """
        self.progressed_at = at
        self.escalated = ("", "", 0)
        if self.reason in _CLEARED_BY_PROGRESS and self.status == "running":
            self.reason = ""


_CLEARED_BY_PROGRESS = frozenset(one.value for one in StopReason if one.needs_progress)
