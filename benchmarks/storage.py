"""What a SQLite storage costs beside the same statements, bare and prepared."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Self

from benchmarks.floor import Floor, record
from benchmarks.paired import Row, compare
from rooms.log.records import Commit
from rooms.storage import SQLiteStorage

ROOM = "room:r-1"
TIMERS = 100_000
PAGES = 100


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
    for _ in range(PAGES):
        pair.append(100)
        pair.insert(100)
    at = 40 * PAGES
    yield Row(
        "a page of 50 messages",
        "a raw SELECT of the 50 rows",
        compare(
            lambda: pair.storage.messages(ROOM, after=at),
            partial(pair.floor.page, at),
        ),
        2.0,
        1.4,
    )
    yield Row(
        f"the newest 50 of {100 * PAGES:,} messages",
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
    due = {f"room:{number}": 10**15 + number for number in range(TIMERS)}
    records = tuple(record(name, 1, None) for name in due)
    pair.storage.append(Commit(records, due=due))

    def scan() -> list[str]:
        found = pair.raw_of_storage.execute("SELECT name, due FROM streams")
        return [name for name, instant in found if instant <= 5]

    yield Row(
        f"due with {TIMERS:,} timers, none due",
        "a scan",
        compare(scan, lambda: pair.storage.due(5)),
        5_000,
        20_000,
        more_is_better=True,
    )


class Pair:
    """A storage and a bare database side by side, on the same disk."""

    def __init__(self, durability: str) -> None:
        self._folder = TemporaryDirectory(dir=Path.cwd())
        folder = Path(self._folder.name)
        self.storage = SQLiteStorage(folder / "lobby.db", durability=durability)
        self.floor = Floor(folder / "raw.db", durability)
        self.insert = self.floor.insert
        self.raw_of_storage = sqlite3.connect(folder / "lobby.db")
        self._versions = count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.storage.close()
        self.floor.close()
        self.raw_of_storage.close()
        self._folder.cleanup()

    def _commit(self, size: int, keys: dict[str, str]) -> Commit:
        versions = [next(self._versions) for _ in range(size)]
        records = tuple(record(ROOM, version, version) for version in versions)
        return Commit(records, add=keys)

    def append(self, size: int = 1) -> None:
        self.storage.append(self._commit(size, {}))

    def append_with_key(self) -> None:
        commit = self._commit(1, {})
        key = f"post|c-17|r-{commit.records[0].version}"
        self.storage.append(Commit(commit.records, add={key: "room:r-1:7"}))

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
