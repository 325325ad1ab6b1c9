"""
Batches: what some records change in a projection's rows.

Two laws. A row is written once, however often the records of a batch change it. And a
row is an object of JSON; one that was never put there so is damage, and says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from rooms.errors import CorruptLog
from rooms.lobby.derived.feeding import Projection, header_of
from rooms.log.records import Record, canonical
from rooms.storage import Change, Key
from rooms.storage.ordering import packed

__all__ = ["Batch", "Feed", "Feeds", "content_at", "value_of"]

Feeds = Mapping[str, Callable[..., None]]


def content_at(projection: Projection, key: Key) -> bytes | None:
    """A row as it is stored, or None."""
    rows = projection.storage.range(projection.name, low=key, limit=1)
    return rows[0].value if rows and rows[0].key == key else None


def value_of(content: bytes) -> dict[str, Any]:
    """What a row says; `CorruptLog` for what was never put there."""
    try:
        value = json.loads(content)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise CorruptLog("corrupt_log", "a projection's row is damaged")
    return value


class Batch:
    """The rows of a projection that some records change."""

    def __init__(self, projection: Projection) -> None:
        self.projection = projection
        self.rows: dict[Key, dict[str, Any] | None] = {}
        self.stored: dict[Key, dict[str, Any] | None] = {}

    def get(self, *key: int | str) -> dict[str, Any] | None:
        """A row as it is now; what is changed in it is written."""
        if key not in self.rows:
            content = content_at(self.projection, key)
            if content is None:
                return None
            self.stored[key], self.rows[key] = value_of(content), value_of(content)
        return self.rows[key]

    def got(self, *key: int | str, **new: Any) -> dict[str, Any]:
        """A row, made if it is not there."""
        row = self.get(*key)
        if row is None:
            row = self.rows[key] = new
        return row

    def put(self, *key: int | str, **row: Any) -> None:
        """A row of this key; alone, it says by its key all that it says."""
        self.rows[key] = row

    def delete(self, *key: int | str) -> None:
        """No row of that key any more."""
        self.rows[key] = None

    def count(self, many: int, *key: int | str) -> None:
        """Counts on; a row that comes to nothing goes."""
        row = self.got(*key, n=0)
        row["n"] += many
        if row["n"] <= 0:
            self.delete(*key)

    def keys_between(self, prefix: Key, low: int | str, high: int | str) -> list[Key]:
        """The keys of a span behind a prefix, of stored rows and of those touched."""
        first, last = (*prefix, low), (*prefix, high)
        stored = self.projection.rows_between(first, last)
        begin, end = packed(first), packed(last)
        own = (key for key in self.rows if begin <= packed(key) < end)
        return list(dict.fromkeys([*(key for key, _ in stored), *own]))

    def changes(self) -> Iterator[Change]:
        """Every row that was touched, as it is now."""
        for key, row in self.rows.items():
            yield Change(key, None if row is None else canonical(row))


class Feed(Batch):
    """A batch to which one record after the other is added, each as its type says."""

    FEEDS: ClassVar[Feeds] = {}
    """By a record's type, what takes it in: its header, its room's id, and itself."""

    def add(self, record: Record) -> None:
        """Takes in one record; a damaged one says nothing, and stops no other."""
        feed = self.FEEDS.get(record.type)
        header = None if feed is None else header_of(record)
        if feed is not None and header is not None:
            with suppress(AttributeError, LookupError, TypeError, ValueError):
                feed(self, header, record.stream.partition(":")[2], record)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the projection over these records, which come next after `reached`."""
        for record in records:
            self.add(record)
        self.projection.move(reached, records[-1].position, list(self.changes()))
