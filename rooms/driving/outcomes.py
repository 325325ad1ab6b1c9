"""
Outcomes: what a speaker answers, what its turn came to, and why the driving stopped.

Two laws. An answer is a text, a pass that says so, or a failure; whatever else a
speaker returns is a failure that names what it was. And every turn has an outcome, the
silent ones too (a dead member makes a quorum harder, never easier).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.lobby import Conversation, Message
from rooms.planning import is_pass

__all__ = [
    "Answer",
    "Driven",
    "Quorum",
    "Reply",
    "TurnFailed",
    "Turned",
    "answered",
    "failed",
    "quorum",
]

_LONGEST_ERROR = 2_000


def _measured(words: str) -> str:
    return f"<{len(words)} characters>"


class TurnFailed(Exception):
    """
    What a speaker raises whose agent could not answer.

    Args:
        words: The failure in the adapter's own words; it is shown in the room.
        kind: Its class for callers, such as `unreachable` or `timeout`; never shown
            (R-FAIL-06).
        pending: What the answer may still be collected by, such as the id of a task
            that goes on working (R-LATE-01).
    """

    def __init__(self, words: str, *, kind: str = "error", pending: str = "") -> None:
        super().__init__(words)
        self.words = values.text("words", words)
        self.kind = values.text("kind", kind, empty=False)
        self.pending = values.text("pending", pending)


@frozen
class Reply:
    """
    What a speaker may return instead of a text.

    Attributes:
        text: What it says; words beside a pass are not recorded.
        passed: Whether it declines.
    """

    text: str = field(default="", repr=_measured)
    passed: bool = False

    def __attrs_post_init__(self) -> None:
        values.text("text", self.text)
        values.flag("passed", self.passed)


@frozen
class Answer:
    """An answer as the loop records it; `error` is what the speaker raised, if so."""

    outcome: str
    text: str = field(default="", repr=_measured)
    kind: str = ""
    error: Exception | None = None
    pending: str = ""


def answered(reply: Any, *, may_pass: bool) -> Answer:
    """What a reply comes to; silence is read from words only where it was offered."""
    if isinstance(reply, str):
        text, passed = str.__str__(reply), False
    elif isinstance(reply, Reply):
        text, passed = reply.text, reply.passed
    else:
        kind = type(reply).__name__
        words = f"the speaker returned {kind}, and no str or Reply"
        return failed(TurnFailed(words, kind="no_reply"))
    spoken = text.strip()
    if passed or (may_pass and spoken and is_pass(text)):
        return Answer("passed")
    return Answer("spoke", text) if spoken else Answer("empty")


def failed(error: Exception) -> Answer:
    """What a speaker that raised comes to."""
    if isinstance(error, TurnFailed):
        words, kind, pending = error.words, error.kind, error.pending
    else:
        # Its own words may hold what a room must not see, such as a key in an address.
        words, kind, pending = f"the agent failed: {type(error).__name__}", "error", ""
    outcome = "timed_out" if isinstance(error, TimeoutError) else "failed"
    kind = "timeout" if outcome == "timed_out" else kind
    words = words.encode("utf-8", "replace").decode()[:_LONGEST_ERROR]
    return Answer(outcome, words.strip() or kind, kind, error, pending)


@frozen
class Turned:
    """
    A turn that was run.

    Attributes:
        conversation: Whose.
        name: What it is called in the room.
        round: In which round, from 0.
        outcome: `spoke`, `passed`, `empty`, `failed`, `timed_out`; `late` where
            somebody else had gone on meanwhile, `unrecorded` where the storage failed.
        message: What it left in the room, or None.
        text: What it said, also where that could not be recorded.
        error: The failure in words, as the room shows it, or "".
        raised: What the speaker raised, or None.
        kind: The failure's class, or "".
        pending: What a late answer may be collected by, or "".
        clipped: Whether it was shown only a part of what it had missed.
        activity: The number of the message that opened its activity.
    """

    conversation: Conversation
    name: str
    round: int
    outcome: str
    message: Message | None = None
    text: str = field(default="", repr=_measured)
    error: str = field(default="", repr=_measured)
    raised: Exception | None = field(default=None, repr=False, eq=False)
    kind: str = ""
    pending: str = ""
    clipped: bool = False
    activity: int = 0


@frozen
class Driven:
    """
    What driving came to.

    Attributes:
        turns: The turns that were run, in their order.
        reason: Why it stopped. The activity ended: `settled`, `round_cap`,
            `message_cap`, `exhausted`, `stopped`, `empty_roster`, `policy_changed`.
            Nobody could be asked: `no_person`, `busy` (somebody else drives the room),
            `paused`, `away`, `unplanned`, `room_deleted`. Or the driver stopped:
            `turn_cap`, `unrecorded`.
        until: Where that is known, when to try again.
        problem: For `unplanned`, what is wrong with the planner, such as `no_planner`
            where the policy names none, or `unknown_planner`, whose word is logged.
        ends: Why each activity ended that did, by the number of its opener.
    """

    turns: tuple[Turned, ...]
    reason: str
    until: datetime | None = None
    problem: str = ""
    ends: Mapping[int, str] = field(factory=dict, repr=False)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the turns left in the room."""
        return tuple(one.message for one in self.turns if one.message is not None)

    def outcomes(self, turn_round: int = 0) -> dict[str, str]:
        """What came of each seat's turn in a round, by name."""
        return {one.name: one.outcome for one in self.turns if one.round == turn_round}


@frozen
class Quorum:
    """
    Whether enough answered; whoever was silent, failed or is missing still counts.

    Attributes:
        seats: How many were asked, or should have been.
        answered: Who answered, in order.
        needed: How many it takes.
    """

    seats: int
    answered: tuple[str, ...]
    needed: int

    @property
    def met(self) -> bool:
        """Whether enough of them answered."""
        return len(self.answered) >= self.needed


def quorum(
    cast: Sequence[str], turns: Iterable[Any], needed: int, *, turn_round: int = 0
) -> Quorum:
    """
    Counts the answers of a round against everybody who was asked.

    Args:
        cast: Everybody who should answer; silence takes nobody out of it.
        turns: What came of them: `Driven.turns`, or `outcomes_of` a message.
        needed: How many answers it takes, from 1 to the size of the cast.

    Raises:
        InvalidInput: `invalid_request` for wrong types, or more than there are seats.
    """
    names = tuple(dict.fromkeys(values.names("cast", cast)))
    values.whole_number("needed", needed, at_least=1, at_most=max(1, len(names)))
    spoke = {
        one.name for one in turns if one.round == turn_round and one.outcome == "spoke"
    }
    return Quorum(len(names), tuple(name for name in names if name in spoke), needed)
