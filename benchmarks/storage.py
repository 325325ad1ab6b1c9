"""What a SQLite storage costs beside the same statements, bare and prepared."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Self

from benchmarks.paired import Row, compare
from rooms.log.records import Commit, Record, canonical
from rooms.storage import SQLiteStorage

ROOM = "room:r-1"
HEADER = canonical(
    {
        "by": "c-17",
        "seq": 123_456,
        "woken": [["c-2", "tagged"], ["c-3", "tagged"]],
        "to": ["agent:ben-web", "agent:Eve/acme-renewal"],
        "hops": 1,
    }
)
BODY = canonical({"text": "Leave the connector alone for an hour, please. " * 3})
SALT, DIGEST, CHAIN = b"s" * 16, b"d" * 32, b"c" * 32
TABLE = """
CREATE TABLE events (
  position INTEGER PRIMARY KEY, stream INTEGER, version INTEGER, type TEXT,
  schema INTEGER, critical INTEGER, at INTEGER, header BLOB, body BLOB, salt BLOB,
  digest BLOB, chain BLOB, seq INTEGER, UNIQUE (stream, version)
)
"""
INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
PAGE = """
SELECT version, type, schema, critical, at, header, body, salt, digest, chain, seq,
  position FROM events WHERE stream = 1 AND version > ? ORDER BY version LIMIT 50
"""


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    with Pair("relaxed") as pair:  # a process that has just begun is slower by half
        compare(pair.append, pair.insert)
    for durability, must, stretch in (("relaxed", 2.0, 1.6), ("full", 1.15, 1.08)):
        with Pair(durability) as pair:
            yield Row(
                f"append a record, {durability}",
                "a raw INSERT with commit",
                compare(pair.append, pair.insert),
                must,
                stretch,
            )
            yield Row(
                f"append a record with a key, {durability}",
                "a raw INSERT with commit",
                compare(pair.append_with_key, pair.insert),
                must,
                stretch,
            )
    for durability, must, stretch in (("relaxed", 2.0, 1.25), ("full", 1.3, 1.15)):
        with Pair(durability) as pair:
            yield Row(
                f"append 100 records, {durability}",
                "a raw executemany of 100",
                compare(partial(pair.append, 100), partial(pair.insert, 100)),
                must,
                stretch,
            )
    with Pair("relaxed") as pair:
        yield from _of_reading(pair)
    with Pair("relaxed") as pair:
        yield from _of_due(pair)
    with Pair("relaxed") as pair, Pair("relaxed") as other:
        other.append()
        other.storage.search("connector", [ROOM])
        yield Row(  # a post with search on costs what it costs without
            "append 100 times, then search them",
            "append 100 times",
            compare(pair.searched(100), other.appended(100)),
        )


def _of_reading(pair: Pair) -> Iterator[Row]:
    for _ in range(100):
        pair.append(100)
        pair.insert(100)
    at = 4_000
    yield Row(
        "a page of 50 messages",
        "a raw SELECT of the 50 rows",
        compare(
            lambda: pair.storage.messages(ROOM, after=at),
            lambda: pair.raw.execute(PAGE, (at,)).fetchall(),
        ),
        2.0,
        1.4,
    )
    yield Row(
        "the newest 50 of 10,000 messages",
        "a page of 50",
        compare(
            lambda: pair.storage.messages(ROOM, newest_first=True),
            lambda: pair.storage.messages(ROOM, after=at),
        ),
    )
    yield Row(
        "ask for the position",
        "read the head",
        compare(pair.storage.position, lambda: pair.storage.head(ROOM)),
    )


def _of_due(pair: Pair) -> Iterator[Row]:
    timers = 100_000
    due = {f"room:{number}": 10**15 + number for number in range(timers)}
    records = tuple(_record(name, 1, None) for name in due)
    pair.storage.append(Commit(records, due=due))

    def scan() -> list[str]:
        found = pair.raw_of_storage.execute("SELECT name, due FROM streams")
        return [name for name, instant in found if instant <= 5]

    yield Row(
        "due with 100,000 timers, none due",
        "a scan",
        compare(scan, lambda: pair.storage.due(5)),
        5_000,
        20_000,
        more_is_better=True,
    )


def _record(stream: str, version: int, seq: int | None) -> Record:
    return Record(
        stream,
        version,
        "message_posted",
        1,
        False,
        1_700_000_000_000_000 + version,
        HEADER,
        BODY if seq else None,
        SALT if seq else None,
        DIGEST,
        CHAIN,
        seq,
    )


class Pair:
    """A storage and a bare database side by side, on the same disk."""

    def __init__(self, durability: str) -> None:
        self._folder = TemporaryDirectory(dir=Path.cwd())
        folder = Path(self._folder.name)
        self.storage = SQLiteStorage(folder / "lobby.db", durability=durability)
        self.raw = sqlite3.connect(folder / "raw.db", isolation_level=None)
        self.raw.execute("PRAGMA journal_mode = WAL")
        synchronous = {"full": "FULL", "relaxed": "NORMAL"}[durability]
        self.raw.execute(f"PRAGMA synchronous = {synchronous}")
        self.raw.execute(TABLE)
        self.raw_of_storage = sqlite3.connect(folder / "lobby.db")
        self._versions, self._positions = count(1), count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.storage.close()
        with closing(self.raw), closing(self.raw_of_storage):
            pass
        self._folder.cleanup()

    def _commit(self, size: int, keys: dict[str, str]) -> Commit:
        versions = [next(self._versions) for _ in range(size)]
        records = tuple(_record(ROOM, version, version) for version in versions)
        return Commit(records, add=keys)

    def append(self, size: int = 1) -> None:
        self.storage.append(self._commit(size, {}))

    def append_with_key(self) -> None:
        commit = self._commit(1, {})
        key = f"post|c-17|r-{commit.records[0].version}"
        self.storage.append(Commit(commit.records, add={key: "room:r-1:7"}))

    def insert(self, size: int = 1) -> None:
        values = []
        for _ in range(size):
            at = next(self._positions)
            row = (at, 1, at, "message_posted", 1, 0, 1_700_000_000_000_000 + at)
            values.append((*row, HEADER, BODY, SALT, DIGEST, CHAIN, at))
        self.raw.execute("BEGIN IMMEDIATE")
        if size == 1:
            self.raw.execute(INSERT, values[0])
        else:
            self.raw.executemany(INSERT, values)
        self.raw.execute("COMMIT")

    def appended(self, times: int) -> Callable[[], Any]:
        """So many commits of one record."""

        def work() -> None:
            for _ in range(times):
                self.append()

        return work

    def searched(self, times: int) -> Callable[[], Any]:
        """The same, and a search that has to index them first."""
        append = self.appended(times)

        def work() -> None:
            append()
            self.storage.search("connector lunch", [ROOM])

        return work
