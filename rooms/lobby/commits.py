"""
The loop of the shell: load, decide, append, fold.

Three laws. A command is decided on states that are proven current, and decided again
when somebody was faster; after three lost races it decides while nobody else can write
(foundation 4). A commit is all of a command or nothing. And its time is the clock's,
but never before the last time of a stream that it appends to (foundation 10).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from attrs import evolve, field, frozen

from rooms.errors import KeyHeld, NotAllowed, VersionConflict
from rooms.lobby.streams import Stream, Streams
from rooms.log.events import RULES_VERSION, Event, Fact, encoded
from rooms.log.records import Commit, Record, body_digest, chain_of
from rooms.storage import Storage

__all__ = ["Commits", "Committed", "Decision"]

_LOG = logging.getLogger("rooms")
_RACES = 3


@frozen
class Decision:
    """
    What a command comes to.

    Attributes:
        appends: Events by stream, in the order of their appending.
        guards: Streams that the decision read and does not write.
        add: Keys to add, each with a fingerprint of what they stand for; they are held
            by the commit's first record, and stand in it.
        release: Keys to let go.
        remove: Streams that are gone with this commit, records and words.
        keep: Stores the contents that a record names, in the commit's transaction.
        forget: Removes those that no record names any more, likewise, at its end.
    """

    appends: Mapping[str, Sequence[Event]] = field(factory=dict)
    guards: tuple[str, ...] = ()
    add: Mapping[str, str] = field(factory=dict)
    release: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    keep: Callable[[], object] | None = None
    forget: Callable[[], object] | None = None


@frozen
class Committed:
    """What was recorded: the facts by stream, when, by whom, and the last position."""

    facts: Mapping[str, Sequence[Fact]]
    at: int
    by: str
    position: int


class Commits:
    """Decides and records, against one storage."""

    def __init__(
        self, storage: Storage, streams: Streams, *, salt: Callable[[], bytes]
    ) -> None:
        self.storage = storage
        self.streams = streams
        self.salt = salt

    def record(
        self, decide: Callable[[int], Decision], *names: str, by: str, now: int
    ) -> Committed | None:
        """
        Decides a command and records what it comes to; None where that is nothing.

        Args:
            decide: The command; called with its time, once for each try, it reads the
                current streams and may refuse.
            names: The streams that it may append to; they bound its time from below.
            by: Who acts, as a record names it.
            now: The clock's time, in microseconds.
        """
        for _ in range(_RACES):
            try:
                return self._once(decide, names, by=by, now=now)
            except (VersionConflict, KeyHeld):
                self.streams.prove()
        with self.storage.writing():
            self.streams.prove()
            return self._once(decide, names, by=by, now=now)

    def _once(
        self,
        decide: Callable[[int], Decision],
        names: Sequence[str],
        *,
        by: str,
        now: int,
    ) -> Committed | None:
        at, decision, appends = self._decided(decide, max(now, self._latest(names)))
        if not appends:
            return None
        streams = {name: self._writable(name) for name in appends}
        runs = {
            name: self._run(
                stream,
                appends[name],
                by=by,
                at=at,
                keys=decision.add if place == 0 else {},
            )
            for place, (name, stream) in enumerate(streams.items())
        }
        records = tuple(record for run in runs.values() for record, _ in run)
        holder = f"{records[0].stream} {records[0].version}"
        guards = {name: self.streams.current(name).version for name in decision.guards}
        commit = Commit(
            records, guards, dict.fromkeys(decision.add, holder), decision.release
        )
        facts = {name: tuple(fact for _, fact in run) for name, run in runs.items()}
        position = self._append(commit, streams, runs, decision)
        # Observers are handed it before the command's answer is read from it.
        return Committed(MappingProxyType(facts), at, by, position)

    def _decided(
        self, decide: Callable[[int], Decision], at: int
    ) -> tuple[int, Decision, Mapping[str, Sequence[Event]]]:
        """
        The time of a decision, the decision, and what it appends; no stream that it
        appends to is past that time.
        """
        while True:
            decision = decide(at)
            appends = {name: run for name, run in decision.appends.items() if run}
            latest = max(at, self._latest(appends))
            if latest == at:
                return at, decision, appends
            at = latest  # nobody said that it might append there: decided for then

    def _latest(self, names: Iterable[str]) -> int:
        """The last time of these streams."""
        return max((self.streams.current(name).at for name in names), default=0)

    def _append(
        self,
        commit: Commit,
        streams: Mapping[str, Stream],
        runs: Mapping[str, Sequence[tuple[Record, Fact]]],
        decision: Decision,
    ) -> int:
        """
        Folds, appends with each stream's next instant, and removes what is gone, while
        nobody else can write.

        A lost race is found before anything is folded; where the storage fails later,
        the states are not what is stored and are loaded anew. The instants stand in the
        commit itself: one that lacked them would never be looked at again.
        """
        folded = False
        try:
            with self.storage.writing():
                self._check_race(commit, streams)
                folded = True
                for name, run in runs.items():
                    for record, fact in run:
                        streams[name].fold(fact, record.chain)
                due = {
                    name: at
                    for name, stream in streams.items()
                    if (at := stream.deadline()) != stream.due
                }
                if decision.keep is not None:
                    decision.keep()
                position = self.storage.append(evolve(commit, due=due))
                for name in decision.remove:
                    self.storage.remove(name)
                    self.streams.drop(name)
                if decision.forget is not None:
                    decision.forget()
        except BaseException:
            for name in streams if folded else ():
                self.streams.drop(name)
            raise
        for name, at in due.items():
            streams[name].due = at
        self.streams.committed(position, len(commit.records))
        self._save_snapshots(streams)
        return position

    def _save_snapshots(self, names: Iterable[str]) -> None:
        """Where a stream grew long; what is committed stands, whatever comes of it."""
        try:
            self.streams.save_snapshots(names)
        except Exception as error:  # noqa: BLE001 - a snapshot is a cache
            _LOG.warning("no snapshot is kept: %s", error)

    def _check_race(self, commit: Commit, streams: Mapping[str, Stream]) -> None:
        """Whether what was decided on still stands, while nobody else can write."""
        if self.storage.position() == self.streams.position:
            return
        expected = {name: stream.version for name, stream in streams.items()}
        for name, version in {**commit.guards, **expected}.items():
            if self.storage.head(name).version != version:
                raise VersionConflict("version_conflict", f"{name} moved on")
        for key in commit.add:
            if key not in commit.release and self.storage.find(key) is not None:
                raise VersionConflict("version_conflict", f"{key} was added")

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
        *,
        by: str,
        at: int,
        keys: Mapping[str, str],
    ) -> list[tuple[Record, Fact]]:
        """The records of some events at a stream's end, each with its fact."""
        run: list[tuple[Record, Fact]] = []
        version, chain = stream.version, stream.chain
        for event in events:
            version += 1
            header, body = encoded(event, by=by, rules=RULES_VERSION, keys=keys)
            salt = None if body is None else self.salt()
            digest = body_digest(body, salt)
            seq = getattr(event, "seq", None)
            form = (event.TYPE, event.SCHEMA, event.CRITICAL)
            chain = chain_of(chain, (stream.name, version, at), form, header, digest)
            record = Record(
                stream.name, version, *form, at, header, body, salt, digest, chain, seq
            )
            noted = tuple(keys.items())
            fact = Fact(version, at, by, RULES_VERSION, event, keys=noted)
            run.append((record, fact))
            keys = {}
        return run
