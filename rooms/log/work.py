"""
Work: whether a conversation is in a turn, as whoever runs it reports.

Three laws. An older report never takes the place of a newer one, by the source's own
clock (L-ACT-02). It tells of turns and never of tasks: idle is not done (L-ACT-14). And
a report has no words: what it says are a few numbers (L-ACT-01).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from attrs import define, field, fields, frozen
from attrs import evolve as changed

from rooms import values
from rooms.errors import InvalidInput
from rooms.log.events import Event, Fact, recorded
from rooms.log.runtimes import RuntimeClaimed

__all__ = [
    "DROPPED_AFTER",
    "REPORTS",
    "TOLD_AFTER",
    "StopPutOff",
    "StopSettled",
    "StopsHeard",
    "Work",
    "WorkReported",
    "WorkState",
    "check_running",
    "evolve",
    "is_over",
    "put_off",
    "report",
    "settle",
]

REPORTS = ("start", "stop", "failed", "waiting")
"""What a report may say (L-ACT-01)."""

_MINUTE = 60_000_000
TOLD_AFTER = 5 * _MINUTE
"""How long after a turn stopped its leads are told (L-ACT-07)."""
DROPPED_AFTER = 10 * _MINUTE
"""How long after that somebody may still hear of it (L-ACT-09)."""
_LEAST = _MINUTE  # of work, for a turn that anybody is told of
_AGAIN = _MINUTE  # until it is tried again
_AHEAD = 5 * _MINUTE  # of a source whose clock is wrong
_MOST = 1_000
_KINDS = 8
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@recorded("work_reported", critical=False)
class WorkReported(Event):
    """
    Where a conversation stands, as whoever runs it reports.

    Attributes:
        conversation: Whose work.
        report: What was reported.
        reported_at: When it was so, by the source's clock.
        state: `working`, `idle`, `failed`, or "" where that is not known any more.
        since: Since when.
        began: When the stretch of work began, or 0 where nobody saw it.
        turn: Whether a turn runs.
        tasks: How many tasks go on beside it whose results come back to it.
        behind: Whether the turn came while such tasks went on.
        running: What else runs on by itself: kinds, each with how many.
        due: When leads are told that it stopped, or 0 for never.
    """

    conversation: str
    report: str
    reported_at: int
    state: str = ""
    since: int = 0
    began: int = 0
    turn: bool = False
    tasks: int = 0
    behind: bool = False
    running: tuple[tuple[str, int], ...] = ()
    due: int = 0


@recorded("stop_put_off", critical=False)
class StopPutOff(Event):
    """No lead could be told that a conversation stopped; it is tried again."""

    conversation: str
    due: int


@recorded("stop_settled", critical=False)
class StopSettled(Event):
    """
    Nobody is told any more that a conversation stopped: leads were `told`, it was
    `away`, or nobody could be told for so long that it is `dropped`.
    """

    conversation: str
    why: str


@recorded("stops_heard", critical=False)
class StopsHeard(Event):
    """
    A lead's conversation is told of stops: each one's agent, its conversation, and
    since when it stands. It is pushed, which counts, or hears `asked`, at its check-in.
    """

    conversation: str
    stops: tuple[tuple[str, str, int], ...]
    asked: bool = False


@frozen
class Work:
    """Where a conversation stands, as `WorkReported` says it."""

    report: str = ""
    reported_at: int = 0
    state: str = ""
    since: int = 0
    began: int = 0
    turn: bool = False
    tasks: int = 0
    behind: bool = False
    running: tuple[tuple[str, int], ...] = ()
    due: int = 0

    @property
    def worked(self) -> int | None:
        """How long the stretch was that ended, in whole minutes; None if not known."""
        return (self.since - self.began) // _MINUTE if self.began else None


@define
class WorkState:
    """Where the conversations of an agent stand, and when stops are due to be told."""

    known: dict[str, Work] = field(factory=dict)
    due: dict[str, int] = field(factory=dict)

    def put(self, conversation: str, work: Work) -> None:
        """Keeps where a conversation stands."""
        self.known[conversation] = work
        if work.due:
            self.due[conversation] = work.due
        else:
            self.due.pop(conversation, None)


_FIELDS = tuple(one.name for one in fields(Work))


def evolve(state: WorkState, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case RuntimeClaimed() as claimed:
            _forget(state, claimed.conversation)
        case WorkReported() as told:
            work = Work(**{name: getattr(told, name) for name in _FIELDS})
            state.put(told.conversation, work)
        case StopPutOff() as later:
            work = state.known[later.conversation]
            state.put(later.conversation, changed(work, due=later.due))
        case StopSettled() as settled:
            work = state.known[settled.conversation]
            state.put(settled.conversation, changed(work, due=0))
        case _:
            pass


def _forget(state: WorkState, conversation: str) -> None:
    """Nobody knows where a conversation stands: another process runs it (L-ACT-05)."""
    known = state.known.get(conversation)
    if known is not None:
        state.put(conversation, Work(reported_at=known.reported_at))


def check_running(given: Any) -> tuple[tuple[str, int], ...]:
    """
    What runs on by itself, by names of the host's own.

    Raises:
        InvalidInput: `invalid_request`.
    """
    if not isinstance(given, Mapping) or len(given) > _KINDS:
        raise InvalidInput(
            "running", "is no mapping of so few", allowed=f"up to {_KINDS}"
        )
    for name in given:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidInput("running", "has a wrong name", allowed=_NAME.pattern)
    counted = {
        name: values.whole_number(f"running[{name!r}]", many, at_least=0, at_most=_MOST)
        for name, many in given.items()
    }
    return tuple(sorted((name, many) for name, many in counted.items() if many))


def report(
    known: Work | None,
    conversation: str,
    said: Any,
    *,
    at: int,
    tasks: Any,
    running: Any,
    leads: bool,
    now: int,
) -> list[Event]:
    """
    What a report comes to; nothing where a newer one is there, or the same.

    Args:
        known: Where the conversation stands so far.
        conversation: Whose work.
        said: One of `REPORTS`.
        at: When it was so, by the source's clock.
        tasks: How many tasks go on whose results come back, on a stop.
        running: What else runs on by itself, on a stop or a failure; None for not said.
        leads: Whether there is anybody to be told of a stop.
        now: The instant of the command.

    Raises:
        InvalidInput: `invalid_request`.

    Source: L-ACT-01 to L-ACT-05, L-ACT-07.
    """
    values.member("event", said, REPORTS)
    many = values.whole_number("background_tasks", tasks, at_least=0, at_most=_MOST)
    if many and said != "stop":
        raise _only("background_tasks", "a stop")
    counted = None if running is None else check_running(running)
    if counted is not None and said not in {"stop", "failed"}:
        raise _only("running", "a stop or a failure")
    if at > now + _AHEAD:
        raise InvalidInput("at", "lies ahead", allowed="up to 5 minutes from now")
    before = known or Work()
    again = (said, at) == (before.report, before.reported_at)
    if again or at < before.reported_at:
        return []
    after = _after(before, said, at, many, counted)
    if leads and _tells(before, after):
        after = changed(after, due=after.since + TOLD_AFTER)
    given = {name: getattr(after, name) for name in _FIELDS}
    return [WorkReported(conversation, **given)]


def _only(field: str, when: str) -> InvalidInput:
    return InvalidInput(field, "is given", allowed=f"with {when} alone")


def _after(
    before: Work,
    said: Literal["start", "stop", "failed", "waiting"],
    at: int,
    tasks: int,
    running: tuple[tuple[str, int], ...] | None,
) -> Work:
    """Where a conversation stands after a report."""
    works = before.state == "working"
    same = changed(before, report=said, reported_at=at)
    if said == "start":
        stretch = same if works else changed(same, since=at, began=at)
        behind = works and not before.turn  # its tasks' result may have started it
        return changed(
            stretch,
            state="working",
            turn=True,
            behind=behind or (works and before.behind),
            tasks=0,
            due=0,
        )
    ended = changed(same, turn=False, behind=False, tasks=0, due=0, since=at)
    if not works:
        ended = changed(ended, began=0)
    if said == "stop":
        running = running or ()
    if running is not None:
        ended = changed(ended, running=running)
    if said == "failed":
        return changed(ended, state="failed")
    if said == "stop" and tasks:
        since = before.since if works else at
        return changed(ended, state="working", tasks=tasks, since=since)
    if said == "stop":
        return changed(ended, state="idle")
    return _waiting(before, same, ended)


def _waiting(before: Work, same: Work, ended: Work) -> Work:
    """
    The session waits at its prompt, a minute after the last answer: that ends a turn
    which was interrupted, and says nothing new of one that stopped (L-ACT-03).
    """
    if before.state in {"idle", "failed"}:
        return same
    if before.state == "working" and not before.turn:  # its tasks go on
        return same
    if before.behind:  # nothing says whether tasks still run (L-ACT-05)
        return Work(ended.report, ended.reported_at)
    return changed(ended, state="idle")


def _tells(before: Work, after: Work) -> bool:
    """Whether leads hear of it: a failure, or the end of a minute's work (L-ACT-07)."""
    if after.report == "failed":
        return True
    ended = before.state == "working" and after.state == "idle"
    return ended and after.began > 0 and after.since - after.began >= _LEAST


def put_off(work: Work, conversation: str, now: int, *, again: bool) -> list[Event]:
    """A stop that nobody could be told: it is tried again, or dropped (L-ACT-09)."""
    last = work.since + TOLD_AFTER + DROPPED_AFTER
    if now >= last:  # the last try
        return settle(conversation, "dropped")
    due = min(now + _AGAIN, last) if again else last
    return [StopPutOff(conversation, due)]


def is_over(work: Work, now: int) -> bool:
    """Whether nobody hears of a stop any more (L-ACT-09)."""
    return now > work.since + TOLD_AFTER + DROPPED_AFTER


def settle(conversation: str, why: str) -> list[Event]:
    """Nobody is told of a stop any more."""
    return [StopSettled(conversation, why)]
