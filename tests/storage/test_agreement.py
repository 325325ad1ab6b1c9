"""One machine drives memory and SQLite side by side; they agree after every step."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import evolve
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from effort import sized
from rooms.errors import RoomsError
from rooms.log.records import GENESIS, Commit, Record
from rooms.log.verification import verify_stream
from rooms.storage import MemoryStorage, SQLiteStorage, Storage
from rooms.storage.protocol import Change, Snapshot
from rooms.testing.conformance import record_of

STREAMS = ("room:a", "room:b", "agent:é")
KEYS = ("k-1", "k-2", "k\0", "")
WORDS = ("hello", "Wörld", "multi-agent", "会議", 'a_b" ß')
ODD = ("\ud83d", "x\0y", "議", "agent", "WORLD", "SS", "*")
VALUES = st.integers(-3, 3) | st.sampled_from(["", "a", "a\0", "b"])
STREAM = st.sampled_from(STREAMS)
PLAIN = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
QUERY = st.lists(st.sampled_from(WORDS + ODD), min_size=1, max_size=2).map(" ".join)
ROW_KEY = st.lists(VALUES, max_size=3).map(tuple)
ANYHOW = st.integers(0, 12)


class Agreement(RuleBasedStateMachine):
    """Whatever is called, the two answer the same, or refuse with the same error."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.memory: Storage = MemoryStorage()
        self.handles: list[SQLiteStorage] = []
        self.turn = 0

    @initialize()
    def open(self) -> None:
        self.handles = [self.opened(), self.opened()]

    def opened(self) -> SQLiteStorage:
        return SQLiteStorage(self.folder / "lobby.db", durability="relaxed")

    @property
    def sqlite(self) -> SQLiteStorage:
        """One handle after the other, so that neither may trust what it knows."""
        self.turn += 1
        return self.handles[self.turn * 7 // 3 % 2]

    def both(self, call: Callable[[Storage], Any]) -> Any:
        """Call both and compare what they answer, or how they refuse."""
        answers = [_outcome(call, storage) for storage in (self.memory, self.sqlite)]

        assert answers[0] == answers[1]
        return answers[0]

    @rule(
        texts=st.lists(st.tuples(STREAM, st.none() | PLAIN), min_size=1, max_size=4),
        due=st.none() | ANYHOW,
    )
    def append(self, texts: list[tuple[str, str | None]], due: int | None) -> None:
        """What a shell does: all fits, and the streams of the commit may be due."""
        records = self.records(texts, 0)
        dues = {stream: due for stream, _ in texts[:1]}
        commit = Commit(records, due=dues)

        refused, _ = self.both(lambda storage: storage.append(commit))

        assert refused is None

    @rule(
        texts=st.lists(st.tuples(STREAM, st.none() | PLAIN), max_size=3),
        skip=st.sampled_from([0, 0, 1, -1]),
        add=st.dictionaries(st.sampled_from(KEYS), st.sampled_from("xyz"), max_size=2),
        release=st.lists(st.sampled_from(KEYS), max_size=2),
        guards=st.dictionaries(STREAM, st.integers(-1, 0), max_size=1),
    )
    def append_anyhow(
        self,
        *,
        texts: list[tuple[str, str | None]],
        skip: int,
        add: dict[str, str],
        release: list[str],
        guards: dict[str, int],
    ) -> None:
        """What may be refused, for one reason or several."""
        read = {
            stream: max(0, self.memory.head(stream).version + off)
            for stream, off in guards.items()
        }
        commit = Commit(
            self.records(texts, skip), guards=read, add=add, release=tuple(release)
        )
        self.both(lambda storage: storage.append(commit))

    @rule(dues=st.dictionaries(STREAM, st.none() | ANYHOW, max_size=2))
    def set_due(self, dues: dict[str, int | None]) -> None:
        self.both(lambda storage: storage.append(Commit((), due=dues)))

    def records(
        self, texts: list[tuple[str, str | None]], skip: int
    ) -> tuple[Record, ...]:
        """Records of these streams, each after the last, or `skip` beside it."""
        stands: dict[str, tuple[int, bytes, int]] = {}
        for stream in STREAMS:
            head = self.memory.head(stream)
            count = len(self.memory.messages(stream, limit=10_000))
            stands[stream] = (max(0, head.version + skip), head.chain, count)
        records = []
        for stream, text in texts:
            version, before, seq = stands[stream]
            seq += text is not None
            number = None if text is None else seq
            record = record_of(stream, version + 1, text, seq=number, before=before)
            stands[stream] = (version + 1, record.chain, seq)
            records.append(record)
        return tuple(records)

    @rule(stream=STREAM, versions=st.lists(ANYHOW, max_size=3))
    def erase(self, stream: str, versions: list[int]) -> None:
        self.both(lambda storage: storage.erase(stream, versions))

    @rule(stream=STREAM, sure=st.integers(0, 3))
    def remove(self, stream: str, sure: int) -> None:
        if sure == 0:  # rarely, or nothing would grow
            self.both(lambda storage: storage.remove(stream))

    @rule(stream=STREAM, state=st.binary(max_size=4), torn=st.booleans())
    def snapshot(self, stream: str, state: bytes, torn: bool) -> None:
        sealed = Snapshot.sealed(stream, 1, chain=GENESIS, schema=1, state=state)
        kept = evolve(sealed, state=state + b"!") if torn else sealed
        self.both(lambda storage: storage.save_snapshot(kept))

    @rule(
        name=st.sampled_from(["p", "q"]),
        off=st.sampled_from([0, 0, 0, 1]),
        rows=st.lists(
            st.tuples(ROW_KEY, st.none() | st.binary(max_size=2)), max_size=4
        ),
    )
    def project(
        self, name: str, off: int, rows: list[tuple[Any, bytes | None]]
    ) -> None:
        expected = self.memory.projected_to(name) + off
        changes = [Change(key, value) for key, value in rows]
        self.both(
            lambda storage: storage.project(
                name, expected=expected, position=expected + 1, changes=changes
            )
        )

    @rule(name=st.sampled_from(["p", "q"]), sure=st.integers(0, 3))
    def forget(self, name: str, sure: int) -> None:
        if sure == 0:
            self.both(lambda storage: storage.forget_projection(name))

    @rule(
        content=st.lists(st.binary(max_size=3), max_size=3),
        drop=st.booleans(),
        start=ANYHOW | st.integers(0, 9),
    )
    def blob(self, content: list[bytes], drop: bool, start: int) -> None:
        _, digest = self.both(lambda storage: storage.put_blob(content))
        if drop:
            self.both(lambda storage: storage.remove_blob(digest))
        self.both(lambda storage: b"".join(storage.blob(digest)))
        self.both(lambda storage: b"".join(storage.blob(digest, start=start)))

    @rule(
        query=QUERY,
        streams=st.lists(STREAM, max_size=3) | st.just(list(STREAMS)),
        before=st.just(0) | ANYHOW,
        limit=st.integers(1, 9),
    )
    def search(self, query: str, streams: list[str], before: int, limit: int) -> None:
        self.both(
            lambda storage: storage.search(query, streams, before=before, limit=limit)
        )

    @rule(low=ROW_KEY, high=st.none() | ROW_KEY, limit=ANYHOW, reverse=st.booleans())
    def range(self, low: Any, high: Any, limit: int, reverse: bool) -> None:
        self.both(
            lambda storage: storage.range(
                "p", low=low, high=high, limit=limit, reverse=reverse
            )
        )

    @rule(stream=STREAM, after=ANYHOW, limit=ANYHOW, back=st.booleans())
    def page(self, stream: str, after: int, limit: int, back: bool) -> None:
        self.both(lambda storage: storage.read(stream, after=after, limit=limit))
        self.both(lambda storage: storage.scan(after=after, limit=limit))
        self.both(lambda storage: storage.due(after, limit=limit))
        self.both(
            lambda storage: storage.messages(
                stream, after=after, limit=limit, newest_first=back
            )
        )

    @rule(which=st.integers(0, 1))
    def reopen(self, which: int) -> None:
        self.handles[which].close()
        self.handles[which] = self.opened()

    @invariant()
    def they_hold_the_same(self) -> None:
        if not self.handles:
            return
        self.both(lambda storage: storage.scan(limit=10_000))
        self.both(lambda storage: storage.streams())
        self.both(lambda storage: storage.streams("room:"))
        self.both(lambda storage: [storage.find(key) for key in KEYS])
        self.both(lambda storage: storage.due(99))
        self.both(lambda storage: storage.next_due())
        for stream in STREAMS:
            self.they_agree_on(stream)
        for name in ("p", "q"):
            self.they_agree_on_rows(name)

    def they_agree_on(self, stream: str) -> None:
        _, records = self.both(lambda storage: storage.read(stream))
        assert verify_stream(records).damages == ()
        self.both(lambda storage: storage.head(stream))
        self.both(lambda storage: storage.messages(stream, limit=10_000))
        self.both(lambda storage: storage.load_snapshot(stream))

    def they_agree_on_rows(self, name: str) -> None:
        self.both(lambda storage: storage.projected_to(name))
        self.both(lambda storage: storage.range(name))

    def teardown(self) -> None:
        for handle in self.handles:
            handle.close()
        shutil.rmtree(self.folder)


def _outcome(call: Callable[[Storage], Any], storage: Storage) -> tuple[Any, Any]:
    """What a call answers, or the kind, code and details of its error."""
    try:
        return None, call(storage)
    except RoomsError as error:
        return (type(error), error.code), dict(error.details)


TestAgreement = Agreement.TestCase
TestAgreement.settings = settings(
    max_examples=sized(40, 100),
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
