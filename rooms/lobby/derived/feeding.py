"""
Feeding: how a projection is brought up to the end of the log before a question.

Three laws. A projection is fed from the log before a question, never in the way of a
post. Its rows and the position that they have reached move together. And it is
disposable: rows that are damaged are made anew, and cost a look and no truth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rooms.errors import CorruptLog
from rooms.log.records import Record, parsed
from rooms.storage import Change, Key, Storage

__all__ = ["AFTER_ALL", "BATCH", "Projection", "header_of"]

T = TypeVar("T")

AFTER_ALL = "\U0010ffff"
"""Behind every text that a key holds."""

BATCH = 1_000
"""How many records, or rows, are looked at in one step."""


class Projection(ABC):
    """Rows of one name in a storage, and how records change them."""

    def __init__(self, storage: Storage, name: str) -> None:
        self.storage = storage
        self.name = name

    @abstractmethod
    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records, which come next after `reached`."""

    def start_anew(self) -> None:
        """Drops all rows, so that they are made from the whole log."""
        self.storage.forget_projection(self.name)

    def asked(self, ask: Callable[[], T]) -> T:
        """What the rows say at the end of the log; damaged ones are made anew."""

        def ask_behind_all() -> T:
            self.feed()
            return ask()

        return self.mended(ask_behind_all)

    def mended(self, ask: Callable[[], T]) -> T:
        """What the rows say as they stand; damaged ones are made anew."""
        try:
            return ask()
        except CorruptLog:
            self.start_anew()
            self.feed()
            return ask()

    def feed(self) -> None:
        """Brings the rows up to the end of the log."""
        while True:
            reached, end = self.storage.projected_to(self.name), self.storage.position()
            if reached > end:  # where the log never was
                raise CorruptLog("corrupt_log", "rows are ahead of the log")
            if reached == end:
                return
            records = self.storage.scan(after=reached, limit=BATCH)
            if not records:
                return
            self.take_in(reached, records)

    def move(self, reached: int, position: int, changes: Sequence[Change]) -> None:
        """Applies changes and moves on, unless another handle did so already."""
        self.storage.project(
            self.name, expected=reached, position=position, changes=changes
        )

    def patch(self, changes: Sequence[Change]) -> None:
        """Applies changes where the rows stand."""
        reached = self.storage.projected_to(self.name)
        self.move(reached, reached, changes)

    def rows_between(self, low: Key, high: Key) -> list[tuple[Key, bytes]]:
        """Every row of a span, in the keys' order."""
        found: list[tuple[Key, bytes]] = []
        while True:
            rows = self.storage.range(self.name, low=low, high=high, limit=BATCH)
            found += [(row.key, row.value) for row in rows]
            if len(rows) < BATCH:
                return found
            low = (*rows[-1].key, "")


def header_of(record: Record) -> Mapping[str, Any] | None:
    """A record's header, or None for a damaged one: it says nothing, and stops none."""
    try:
        return parsed(record.header, where=f"{record.stream} {record.version}")
    except CorruptLog:
        return None
