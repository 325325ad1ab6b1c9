"""
The loop of the shell: load, decide, append, fold.

Three laws. A command may be decided on cached states, but a refusal or an answer is
final only on states proven current; where somebody was faster, it is decided again
while nobody else can write (foundation 4). A commit is all of a command or nothing,
and of what follows from it by rule. And its time is the clock's, but never before the
last time of a stream that it appends to (foundation 10).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from rooms.errors import InvalidInput, NotAllowed, Refused, RoomsError, StorageError
from rooms.lobby.recording.decisions import Committed, Decision
from rooms.lobby.recording.streams import Stream, Streams
from rooms.log.actors import SYSTEM
from rooms.log.events import RULES_VERSION, Event, Fact, encoded
from rooms.log.records import Commit, Record, written
from rooms.storage import Storage

__all__ = ["Commits"]

_LOG = logging.getLogger("rooms")

_NO_KEYS: Mapping[str, str] = MappingProxyType({})

E = TypeVar("E", bound=Event)

Write = Callable[[E, str, Mapping[str, str]], tuple[bytes, bytes | None]]
"""Encodes an event, by whoever records it, with keys, as `encoded` does."""

_Run = tuple[Stream, Sequence[Record], Sequence[Fact]]
"""What is appended to one stream."""

Follow = Callable[[Stream, Sequence[Fact]], Sequence[Event]]
"""What follows in a stream from facts that were just folded; by nobody's word."""


class _Plan(NamedTuple):
    """A command's outcome, recorded nowhere yet: records and facts by stream."""

    decision: Decision
    at: int
    by: str
    runs: Sequence[_Run]
    guards: Mapping[str, int]


class Commits:
    """Decides and records, against one storage."""

    def __init__(
        self,
        storage: Storage,
        streams: Streams,
        *,
        salt: Callable[[], bytes],
        follow: Follow,
    ) -> None:
        self.storage = storage
        self.streams = streams
        self.salt = salt
        self.follow = follow

    def record(
        self, decide: Callable[[int], Decision], *names: str, by: str, now: int
    ) -> tuple[Committed | None, StorageError | None]:
        """
        Decides a command and records what it comes to; None where that is nothing. And
        what the storage has to say of a commit that stands (`StorageError.recorded`):
        whoever asked is told, when all that follows from a commit is done.

        Args:
            decide: The command; called with its time, once for each try, it reads the
                current streams and may refuse.
            names: The streams that it may append to; they bound its time from below.
            by: Who acts, as a record names it.
            now: The clock's time, in microseconds.
        """
        plan: _Plan | None = None
        committed, late = None, None
        try:
            self.streams.keeping = True
            plan = self._answered(decide, names, by, now)
            if plan is None:
                return None, None
            with self.storage.writing():
                if not self._stands(plan):
                    self.streams.prove()
                    plan = self._planned(decide, names, by, now)
                    if plan is None:
                        return None, None
                committed = self._carry_out(plan)
        except BaseException as error:  # an interrupt too: it may be stored
            if plan is None or committed is None:
                raise
            if not (isinstance(error, StorageError) and error.recorded):
                self._drop(plan)  # it was folded, and is not stored after all
                raise
            late = error
        finally:
            self.streams.keeping = False
        for one in committed.each:
            self.streams.committed(one.position, one.length)
        self.save_snapshots([stream for stream, _, _ in plan.runs])
        return committed, late

    def record_one(
        self,
        stream: Stream,
        decide: Callable[[int], E | None],
        *,
        by: str,
        now: int,
        keys: Mapping[str, str] = _NO_KEYS,
        write: Write[E] | None = None,
    ) -> tuple[Fact | None, int, StorageError | None]:
        """
        As `record`, for the one event that a command comes to, on a stream of which
        nothing is asked but that it stands still; decided while nobody else can write,
        so that its refusal is final. Its fact and position, or None, and nothing done,
        where anybody else has written since, or where the command leaves it to
        `record`. `keys` are added; `write` encodes it, if that was prepared.
        """
        streams, storage = self.streams, self.storage
        fact, position, late = None, 0, None
        try:
            streams.keeping = True
            with storage.writing():
                if storage.position() != streams.position or stream.closed_by:
                    return None, 0, None
                at = max(stream.at, now)
                event = decide(at)
                if event is None:
                    return None, 0, None
                if write is None:
                    words = encoded(event, by=by, rules=RULES_VERSION, keys=keys)
                else:
                    words = write(event, by, keys)
                version, held = stream.version + 1, tuple(keys.items()) if keys else ()
                record = written(
                    stream.chain,
                    stream.name,
                    version,
                    at,
                    event.FORM,
                    words=words,
                    salt=self.salt,
                    seq=getattr(event, "seq", None),
                )
                fact = Fact(version, at, by, RULES_VERSION, event, False, held)
                stream.fold(fact, record.chain)
                deadline: int | None = stream.state.deadline()
                if keys or deadline != stream.due:
                    commit = _one(record, keys, stream, deadline)
                else:
                    commit = Commit((record,))
                position = storage.append(commit)
                stream.due = deadline
        except BaseException as error:  # an interrupt too: it may be stored
            if fact is None:
                raise
            if not (position and isinstance(error, StorageError) and error.recorded):
                streams.drop(stream.name)  # it may be folded, and is not stored
                raise
            late = error
        finally:
            streams.keeping = False
        if streams.position == position - 1:
            streams.position = position
        if stream.version - stream.snapshot >= stream.spacing:
            self.save_snapshots((stream,))
        return fact, position, late

    def record_run(
        self,
        name: str,
        decide: Callable[[int], Sequence[Event] | None],
        *,
        by: str,
        now: int,
        keys: Mapping[str, str] = _NO_KEYS,
    ) -> tuple[Committed | None, StorageError | None]:
        """
        As `record`, for what a command appends to one stream alone; decided once, while
        nobody else can write, so that all that it reads is proven. `keys` are added.
        """
        streams, committed, late = self.streams, None, None
        try:
            streams.keeping = True
            with self.storage.writing():
                streams.prove()
                stream = streams.current(name)
                at = max(now, stream.at)
                events = decide(at)
                if not events:
                    return None, None
                if stream.closed_by:
                    self._writable(name)
                committed = self._carry_out_run(stream, events, by, at, keys)
        except BaseException as error:  # an interrupt too: it may be stored
            if committed is None:
                raise
            if not (isinstance(error, StorageError) and error.recorded):
                streams.drop(name)  # folded, and not stored after all
                raise
            late = error
        finally:
            streams.keeping = False
        streams.position = (committed.then or committed).position
        if stream.version - stream.snapshot >= stream.spacing:
            self.save_snapshots((stream,))
        return committed, late

    def _answered(
        self,
        decide: Callable[[int], Decision],
        names: Sequence[str],
        by: str,
        now: int,
    ) -> _Plan | None:
        """
        As `_planned`; a refusal and an answer of nothing are on a proven state, and so
        is whatever a record was read for that names what a cached one has not.
        """
        try:
            plan = self._planned(decide, names, by, now)
        except (Refused, InvalidInput, LookupError):
            if not self.streams.prove():
                raise
        else:
            if plan is not None or not self.streams.prove():
                return plan
        return self._planned(decide, names, by, now)

    def _planned(
        self,
        decide: Callable[[int], Decision],
        names: Sequence[str],
        by: str,
        now: int,
    ) -> _Plan | None:
        at = max(now, self._latest(names))
        while True:
            decision = decide(at)
            appends = [(self._writable(name), run) for name, run in decision.runs()]
            if not appends:
                return None
            latest = max([stream.at for stream, _ in appends])
            if latest <= at:
                break
            at = latest  # nobody said that it might append there: decided for then
        runs, noted = [], decision
        for stream, events in appends:
            runs.append((stream, *self._run(stream, events, by, at, noted)))
            noted = _NOTHING  # with the commit's first records
        guards = {name: self.streams.current(name).version for name in decision.guards}
        return _Plan(decision, at, by, runs, guards)

    def _latest(self, names: Iterable[str]) -> int:
        """The last time of these streams."""
        return max([self.streams.current(name).at for name in names], default=0)

    def _stands(self, plan: _Plan) -> bool:
        """Whether what was decided on is still so, while nobody else can write."""
        if self.storage.position() == self.streams.position:
            return True
        if plan.decision.counts:
            return False
        expected = {stream.name: stream.version for stream, _, _ in plan.runs}
        head = self.storage.head
        if any(
            head(name).version != version
            for name, version in {**plan.guards, **expected}.items()
        ):
            return False
        add = {**plan.decision.add, **plan.decision.passing}
        release = plan.decision.release
        return all(key in release or self.storage.find(key) is None for key in add)

    def _carry_out(self, plan: _Plan) -> Committed:
        """
        Folds, appends with each stream's next instant, and removes what is gone, while
        nobody else can write.

        Where the storage fails, the states are not what is stored and are loaded anew.
        The instants stand in the commit itself: one that lacked them would never be
        looked at again.
        """
        decision, runs = plan.decision, plan.runs
        due: dict[str, int | None] = {}
        try:
            follows = list[_Run]()
            for run in runs:
                stream, _, facts = run
                _fold(run)
                events = self.follow(stream, facts)
                if events and stream.name not in decision.remove:
                    follows.append(self._followed(run, events, plan.at))
                deadline = stream.deadline()
                if deadline != stream.due:
                    due[stream.name] = deadline
            every = tuple([one for run in (*runs, *follows) for one in run[1]])
            passing = dict.fromkeys(decision.passing, _place(runs[0][1][-1]))
            commit = Commit(
                every,
                plan.guards,
                {**dict.fromkeys(decision.add, _place(every[0])), **passing},
                decision.release,
                due,
            )
            position = self._store(decision, commit)
        except BaseException:  # an interrupt too: it may be folded, and is not stored
            self._drop(plan)
            raise
        for stream, _, _ in runs:
            stream.due = due.get(stream.name, stream.due)
        then = None
        if follows:
            then = Committed(_told(follows), plan.at, SYSTEM.recorded, position)
            position -= sum(len(records) for _, records, _ in follows)
        return Committed(_told(runs), plan.at, plan.by, position, then)

    def _carry_out_run(
        self,
        stream: Stream,
        events: Sequence[Event],
        by: str,
        at: int,
        keys: Mapping[str, str],
    ) -> Committed:
        """As `_carry_out`, for one stream alone."""
        name, then = stream.name, None
        follows: list[Fact] = []
        try:
            records, facts = self._written(stream, events, by, at, keys)
            add = dict.fromkeys(keys, _place(records[0])) if keys else _NO_KEYS
            more = self.follow(stream, facts)
            while more:
                also, told = self._written(stream, more, SYSTEM.recorded, at, _NO_KEYS)
                records += also
                follows += told
                more = self.follow(stream, (*facts, *follows))
            deadline = stream.deadline()
            due = {} if deadline == stream.due else {name: deadline}
            position = self.storage.append(Commit(tuple(records), add=add, due=due))
        except BaseException:  # an interrupt too: it may be folded, and is not stored
            self.streams.drop(name)
            raise
        stream.due = deadline
        if follows:
            then = Committed(_facts(name, follows), at, SYSTEM.recorded, position)
            position -= len(follows)
        return Committed(_facts(name, facts), at, by, position, then)

    def _written(
        self,
        stream: Stream,
        events: Sequence[Event],
        by: str,
        at: int,
        keys: Mapping[str, str],
    ) -> tuple[list[Record], list[Fact]]:
        """
        The records of some events at a stream's end, and their facts, each of which is
        folded; with the keys of a command, where they are its first.
        """
        records: list[Record] = []
        facts: list[Fact] = []
        name, version, salt = stream.name, stream.version, self.salt
        held = tuple(keys.items()) if keys else ()
        for event in events:
            version += 1
            words = encoded(event, by=by, rules=RULES_VERSION, keys=keys)
            record = written(
                stream.chain,
                name,
                version,
                at,
                event.FORM,
                words=words,
                salt=salt,
                seq=getattr(event, "seq", None),
            )
            fact = _fact(Fact, (version, at, by, RULES_VERSION, event, False, held, ()))
            stream.fold(fact, record.chain)
            records.append(record)
            facts.append(fact)
            keys, held = _NO_KEYS, ()
        return records, facts

    def _followed(self, run: _Run, events: Sequence[Event], at: int) -> _Run:
        """What follows by rule from a run that was folded, and from that again."""
        stream, _, facts = run
        said, records, by = list(facts), list[Record](), SYSTEM.recorded
        while events:
            more = (stream, *self._run(stream, events, by, at, _NOTHING))
            _fold(more)
            records += more[1]
            said += more[2]
            events = self.follow(stream, said)
        return stream, records, said[len(facts) :]

    def _drop(self, plan: _Plan) -> None:
        """Has what a plan changed loaded anew: it is not what is stored."""
        for stream, _, _ in plan.runs:
            self.streams.drop(stream.name)

    def _store(self, decision: Decision, commit: Commit) -> int:
        """Appends, and with it keeps, removes and forgets; all of it or nothing."""
        keep, forget = decision.keep, decision.forget
        if not (keep or forget or decision.remove):
            return self.storage.append(commit)
        with self.storage.writing(whole=True):
            if keep is not None:
                keep()
            position = self.storage.append(commit)
            for name in decision.remove:
                self.streams.drop(name)
                self.storage.remove(name)
            if forget is not None:
                forget()
        return position

    def save_snapshots(
        self,
        streams: Iterable[Stream] | None = None,
        *,
        every: int | None = None,
    ) -> None:
        """Where a stream grew long; what is committed stands, whatever comes of it."""
        try:
            self.streams.save_snapshots(streams, every=every)
        except Exception as error:  # noqa: BLE001 - a snapshot is a cache
            # A driver's own words may quote what it was handed, so they are not logged.
            told = error.code if isinstance(error, RoomsError) else type(error).__name__
            _LOG.warning("no snapshot is kept: %s", told)

    def _writable(self, name: str) -> Stream:
        stream = self.streams.current(name)
        if stream.closed_by:
            raise NotAllowed(
                "unsupported_event",
                f"{name} holds {stream.closed_by}, which this version does not know;"
                " it can be read only",
                stream=name,
                type=stream.closed_by,
            )
        return stream

    def _run(
        self,
        stream: Stream,
        events: Sequence[Event],
        by: str,
        at: int,
        noted: Decision,
    ) -> tuple[list[Record], list[Fact]]:
        """
        The records of some events at a stream's end, and their facts; with the keys and
        consents of a decision, where they are its first.
        """
        keys, consents, passing = noted.add, noted.consents, noted.passing
        records: list[Record] = []
        facts: list[Fact] = []
        name, chain, salt = stream.name, stream.chain, self.salt
        last = stream.version + len(events)
        for version, event in enumerate(events, stream.version + 1):
            ending = passing if not passing or version == last else _NO_KEYS
            words = encoded(
                event,
                by=by,
                rules=RULES_VERSION,
                keys=keys,
                consents=consents,
                passing=ending,
            )
            record = written(
                chain,
                name,
                version,
                at,
                event.FORM,
                words=words,
                salt=salt,
                seq=getattr(event, "seq", None),
            )
            chain = record.chain
            records.append(record)
            held = (*keys.items(), *ending.items()) if keys or ending else ()
            said = (version, at, by, RULES_VERSION, event, False, held, consents)
            facts.append(_fact(Fact, said))
            keys, consents = _NO_KEYS, ()
        return records, facts


_fact: Callable[[type[Fact], tuple[Any, ...]], Fact] = tuple.__new__


def _fold(run: _Run) -> None:
    stream, records, facts = run
    for record, fact in zip(records, facts, strict=True):
        stream.fold(fact, record.chain)


def _told(runs: Iterable[_Run]) -> Mapping[str, Sequence[Fact]]:
    """The facts by stream; observers see them before the command's answer is read."""
    return MappingProxyType({stream.name: tuple(facts) for stream, _, facts in runs})


def _one(
    record: Record, keys: Mapping[str, str], stream: Stream, deadline: int | None
) -> Commit:
    """The commit of one record, with its keys and the stream's next instant."""
    due = {} if deadline == stream.due else {stream.name: deadline}
    return Commit((record,), add=dict.fromkeys(keys, _place(record)), due=due)


def _facts(name: str, facts: Sequence[Fact]) -> Mapping[str, Sequence[Fact]]:
    """As `_told`, of one stream."""
    return MappingProxyType({name: tuple(facts)})


def _place(record: Record) -> str:
    """How a key names the record that holds it."""
    return f"{record.stream} {record.version}"


_NOTHING = Decision()
