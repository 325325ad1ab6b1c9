"""
Checking: a log is walked once, and each decision in it is made again just before it is
folded in.

Law: a decision is the run of events that one actor recorded at one instant; where two
of them stand behind one another, each is tried where it may begin.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from rooms.errors import InvalidInput, RoomsError
from rooms.log.events import Event, Fact, Unknown
from rooms.log.floors import (
    STOPPED,
    ActivityEnded,
    ActivityOpened,
    FloorEnded,
    FloorGiven,
    OpenerQueued,
)
from rooms.log.ledger import Granted, Noticed, Superseded, WakeTaken
from rooms.log.posting import MessagePosted
from rooms.log.seats import SeatJoined, Subscribed
from rooms.log.state import RoomState
from rooms.storage import MemoryStorage, Storage
from rooms.testing.redeciding.history import History, Run, events
from rooms.testing.redeciding.posts import decide_post, is_decidable
from rooms.testing.redeciding.report import (
    Divergence,
    ReplayReport,
    differences,
    told,
)
from rooms.testing.redeciding.seating import decide_seat, of_seat
from rooms.testing.redeciding.wakes import (
    AFTER_END,
    BEFORE_TAKE,
    decide_due,
    decide_end,
    decide_take,
    of_due,
    of_end,
)

__all__ = ["check_replay"]

_SQLITE = b"SQLite format 3\x00"


def check_replay(
    log: str | os.PathLike[str] | Storage,
    *,
    progress: Callable[[float], object] | None = None,
) -> ReplayReport:
    """
    Decides an old log again with today's rules.

    Args:
        log: A file that `Lobby.export` wrote, a lobby's own file, which is not changed,
            or a storage.
        progress: Called with how much of the work is done, from 0 to 1, often.

    Returns:
        How many decisions were made again, and each that would be another one today,
        with both, and where they part. Posts (who is owed them, by which rule, now or
        later), takes and notices (what a wake carries), ends of wakes (what is settled
        or owed again), what fell due, seats, and the floors of the library's own
        planners are decided again; whatever else a log holds is taken as it stands, and
        counted.

    Raises:
        CorruptLog: `corrupt_log` for a log that is not what was written.
        InvalidInput, UnsupportedSchema: For a file that is no log.
    """
    tell = progress or (lambda _: None)
    with _opened(log, lambda share: tell(share / 2)) as (storage, begins):
        records = sum(storage.head(stream).version for stream in storage.streams())
        check, walked = _Check(History(storage)), 0
        for run in check.history.runs():
            check.run(run)
            walked += len(run.facts)
            tell(begins + (1 - begins) * min(1, walked / records))
        decided = dict(sorted(check.decided.items()))
        passed = dict(sorted(check.passed_over.items()))
        return ReplayReport(decided, passed, tuple(check.divergences))


@contextmanager
def _opened(
    log: Any, tell: Callable[[float], object]
) -> Iterator[tuple[Storage, float]]:
    """A log's storage, and how much of the work is done when it is open."""
    if not isinstance(log, str | os.PathLike):
        if not callable(getattr(log, "streams", None)):
            problem = f"is of type {type(log).__name__}"
            raise InvalidInput(
                "log",
                problem,
                allowed="a path or a storage; Lobby.export gives the lines of a file",
            )
        yield log, 0
        return
    path = Path(log)
    memory = MemoryStorage()
    try:
        in_database = _is_database(path, memory, tell)
    except (OSError, ValueError) as error:
        if isinstance(error, RoomsError):
            raise
        problem = getattr(error, "strerror", None) or "no path"
        raise InvalidInput("log", f"{path} cannot be read: {problem}") from error
    if in_database:
        from rooms.storage.sqlite.reading import reading  # noqa: PLC0415 - SQLite

        with reading(path) as found:
            yield found, 0
        return
    yield memory, 0.5


def _is_database(path: Path, memory: Storage, tell: Callable[[float], object]) -> bool:
    """
    Whether a file is a lobby's own; what it holds otherwise is read into memory, at
    once, since a pipe gives it only once.
    """
    from rooms.lobby.transfer.log import import_log  # noqa: PLC0415 - for exports
    from rooms.log.lines import read_lines  # noqa: PLC0415

    with path.open("rb") as file:
        if file.peek(len(_SQLITE))[: len(_SQLITE)] == _SQLITE:
            return True
        import_log(
            _read(read_lines(file), os.fstat(file.fileno()).st_size, tell), memory
        )
    return False


def _read(
    lines: Iterable[str], size: int, tell: Callable[[float], object]
) -> Iterator[str]:
    passed = 0
    for line in lines:
        yield line
        passed += len(line)
        tell(min(1, passed / max(1, size)))


Decide = Callable[[], list[Event]]

_BEFORE_POST = (
    *(Subscribed, Granted, SeatJoined, Superseded),
    *(ActivityOpened, OpenerQueued, ActivityEnded, FloorEnded),
)
"""What a post may record before its message."""


@define
class _Check:
    """A walk through a log, and what it found so far."""

    history: History
    decided: Counter[str] = field(factory=Counter)
    passed_over: Counter[str] = field(factory=Counter)
    divergences: list[Divergence] = field(factory=list)

    def run(self, run: Run) -> None:
        """Decides a run again, as far as it can be, and folds it in."""
        room = self.history.room(run.stream)
        facts = run.facts
        start = 0
        while start < len(facts):
            left = facts[start:]
            length = 0 if room is None else self._again(run.stream, room, left)
            if not length:
                length = _added(left) or 1
                self.passed_over.update(map(_name, left[:length]))
            for fact in facts[start : start + length]:
                self.history.fold(run.stream, fact)
            start += length

    def _again(self, stream: str, room: RoomState, facts: list[Fact]) -> int:
        """Decides again what begins here; how many events it was, or 0."""
        for kind, end, decide in self._candidates(room, facts):
            recorded = facts[:end]
            decided, refused = _decided(decide)
            if decided == events(recorded):
                self.decided[kind] += 1
                return end
            if kind in {"post", "take"} and _begins_later(facts, end):
                continue
            self.decided[kind] += 1
            self._diverges(stream, kind, recorded, decided, refused)
            return end
        return 0

    def _candidates(
        self, room: RoomState, facts: list[Fact]
    ) -> Iterator[tuple[str, int, Decide]]:
        history, first = self.history, facts[0]
        end = _reach(facts, _BEFORE_POST, MessagePosted)
        if end and is_decidable(facts[end - 1]) and not _added(facts):
            yield "post", end, lambda: decide_post(history, room, facts[end - 1])
        taken = _reach(facts, BEFORE_TAKE, (WakeTaken, Noticed))
        if taken:
            yield "take", taken, lambda: decide_take(history, room, facts[:taken])
        if of_end(first.event):
            over = 1
            while over < len(facts) and isinstance(facts[over].event, AFTER_END):
                over += 1
            yield "end", over, lambda: decide_end(room, facts[:over])
        if of_due(first.event) and not isinstance(first.event, FloorEnded):
            due = 1
            while due < len(facts) and of_due(facts[due].event):
                due += 1
            most = len(decide_due(room, facts))
            if most or not end:  # else a message that is not decided let them go
                most = most or due
                yield "due", min(due, most), lambda: decide_due(room, facts)
        if of_seat(first.event):
            yield "seat", 1, lambda: decide_seat(room, first)
        yield from self._floors(room, facts)

    def _floors(
        self, room: RoomState, facts: list[Fact]
    ) -> Iterator[tuple[str, int, Decide]]:
        """Answers of the library's own planners; a plugin's are not asked for again."""
        from rooms.lobby.floors.asking import answered, asked  # noqa: PLC0415

        first = facts[0].event
        if not isinstance(first, FloorGiven | ActivityEnded):
            return
        if isinstance(first, ActivityEnded) and first.reason in STOPPED:
            return  # a person said so, or whoever spoke
        question = asked(self.history.storage, room)
        if question is None or not question.is_ours:
            return
        from rooms.log import floors  # noqa: PLC0415 - beside its question

        end = 1
        while end < len(facts) and isinstance(facts[end].event, ActivityOpened):
            end += 1

        def decide() -> list[Event]:
            return list(floors.given(room, answered(question), question.roster))

        # What stands behind it may be of the next message, at the same instant.
        most = len(_decided(decide)[0]) or end
        yield "floor", min(end, most), decide

    def _diverges(
        self,
        stream: str,
        kind: str,
        recorded: Sequence[Fact],
        decided: list[Event],
        refused: str,
    ) -> None:
        last = recorded[-1]
        old = events(list(recorded))
        reasons = (
            (f"today it is refused: {refused}",)
            if refused
            else differences(old, decided)
        )
        self.divergences.append(
            Divergence(
                stream,
                last.version,
                last.at,
                kind,
                tuple(map(told, old)),
                tuple(map(told, decided)),
                refused,
                reasons,
            )
        )


def _name(fact: Fact) -> str:
    event = fact.event
    return event.type if isinstance(event, Unknown) else event.TYPE


def _decided(decide: Decide) -> tuple[list[Event], str]:
    try:
        return decide(), ""
    except RoomsError as error:
        return [], error.code


def _reach(facts: Sequence[Fact], before: Any, last: Any) -> int:
    """How many facts reach from here to one of the last kind; 0 where others stand."""
    for place, fact in enumerate(facts):
        if isinstance(fact.event, last):
            return place + 1
        if not isinstance(fact.event, before):
            return 0
    return 0


def _begins_later(facts: Sequence[Fact], end: int) -> bool:
    """Whether the decision may begin at one of the next events instead."""
    return end > 1 and not isinstance(
        facts[0].event, MessagePosted | WakeTaken | Noticed
    )


def _added(facts: Sequence[Fact]) -> int:
    """
    How many facts from here add an agent with a message, which is another decision
    than a post; 0 where none does.
    """
    end = _reach(facts, _BEFORE_POST, MessagePosted)
    joined = (fact.event for fact in facts[:end] if isinstance(fact.event, SeatJoined))
    return end if any(one.why == "added" for one in joined) else 0
