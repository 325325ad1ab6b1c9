"""
Undelivered: messages that were accepted and wait for their time, and the id by which
each that waited is known, kept from the log.

Law: who wrote a message finds it where it was accepted, until it is delivered; from
then on it stands among the mail of all whom it concerns, where it was delivered. And no
row holds a word of people.

    ("room", room, version)     -> place, author, over   accepted, and not delivered
    ("of", author, place)       -> room, version
    ("every", place)            -> room, version
    ("released", room, version) -> place, seq            by the record that accepted it
    ("as", room, seq)           -> version

A place is a record's position in the log. An author is a conversation by its id, or
`person:<name>`. `over` is the record that cancelled it, or 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from rooms.errors import CorruptLog
from rooms.lobby.derived.batches import Feed, Feeds, value_of
from rooms.lobby.derived.deliveries import Letter
from rooms.lobby.derived.feeding import AFTER_ALL, Projection
from rooms.log.records import Record
from rooms.storage import Key, Storage

__all__ = ["Undelivered"]

T = TypeVar("T")

_NAME = "undelivered.1"
_POSTED, _WAITED = "message_posted", b'"accepted"'


class Undelivered(Projection):
    """The messages that wait, or were cancelled while they did, in the log's order."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        batch = _Batch(self)
        for record in records:
            if record.type != _POSTED or _WAITED in record.header:  # as few are
                batch.add(record)
        self.move(reached, records[-1].position, list(batch.changes()))

    def of(self, author: str, *, after: int, limit: int) -> list[Letter]:
        """What somebody wrote that is not delivered, behind a place."""
        return self._letters("of", author, after=after, limit=limit)

    def every(self, *, after: int, limit: int) -> list[Letter]:
        """All that is not delivered, behind a place."""
        return self._letters("every", after=after, limit=limit)

    def waiting(self, room: str, low: int, high: int) -> list[tuple[Letter, str]]:
        """Of these versions of a room, what is not delivered, each with its author."""
        found = self._between("room", room, low, high)
        return [
            (Letter(row["place"], room, 0, version), str(row["author"]))
            for version, row in found
        ]

    def released(self, room: str, low: int, high: int) -> list[Letter]:
        """Of these versions of a room, what was delivered after it had waited."""
        found = self._between("released", room, low, high)
        return [Letter(row["place"], room, row["seq"]) for _, row in found]

    def _letters(self, *kind: str, after: int, limit: int) -> list[Letter]:
        low: Key = (*kind, after + 1)
        high: Key = (*kind, AFTER_ALL)

        def ask() -> list[Letter]:
            rows = self.storage.range(self.name, low=low, high=high, limit=limit)
            told = [(int(row.key[-1]), value_of(row.value)) for row in rows]
            return [
                Letter(place, str(row["room"]), 0, int(row["version"]))
                for place, row in told
            ]

        return self._asked(ask)

    def _between(
        self, kind: str, room: str, low: int, high: int
    ) -> list[tuple[int, dict[str, Any]]]:
        def ask() -> list[tuple[int, dict[str, Any]]]:
            rows = self.rows_between((kind, room, low), (kind, room, high))
            found = [(int(key[2]), value_of(content)) for key, content in rows]
            for _, row in found:
                row["place"] += 0  # a number, or it is damaged
            return found

        return self._asked(ask)

    def _asked(self, ask: Callable[[], list[T]]) -> list[T]:
        def told() -> list[T]:
            try:
                return ask()
            except (LookupError, TypeError, ValueError):
                raise CorruptLog(
                    "corrupt_log", "a projection's row is damaged"
                ) from None

        return self.asked(told)


class _Batch(Feed):
    """What some records change of what is not delivered."""

    def _scheduled(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        version, place = record.version, record.position
        author = header["sender"] or f"person:{header['author']}"
        self.put("room", room, version, place=place, author=author, over=0)
        self.put("of", author, place, room=room, version=version)
        self.put("every", place, room=room, version=version)

    def _released(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        version, seq = header["accepted"], header["seq"]
        self._forget(room, version)
        self.put("released", room, version, place=record.position, seq=seq)
        self.put("as", room, seq, version=version)

    def _cancelled(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        row = self.get("room", room, header["accepted"])
        if row is not None:
            row["over"] = record.version

    def _expired(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        """Some are gone by age: those of some numbers, and cancelled ones of a time."""
        for key, row in self._among("as", room, header["first"], header["last"] + 1):
            self.delete("released", room, row["version"])
            self.delete(*key)
        for key, row in self._among("room", room, 0, AFTER_ALL):
            if 0 < row["over"] <= header["record"]:
                self._forget(room, int(key[2]))

    def _gone(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        """A room is deleted: nothing of it stays."""
        room = header["room"]
        for key, _row in self._among("room", room, 0, AFTER_ALL):
            self._forget(room, int(key[2]))
        for kind in ("released", "as"):
            for key, _row in self._among(kind, room, 0, AFTER_ALL):
                self.delete(*key)

    def _forget(self, room: str, version: int) -> None:
        row = self.get("room", room, version)
        if row is not None:
            self.delete("of", row["author"], row["place"])
            self.delete("every", row["place"])
            self.delete("room", room, version)

    def _among(
        self, kind: str, room: str, low: int, high: int | str
    ) -> Iterator[tuple[Key, dict[str, Any]]]:
        """The rows of a span, of stored ones and of those touched."""
        for key in self.keys_between((kind, room), low, high):
            row = self.get(*key)
            if row is not None:
                yield key, row

    FEEDS: ClassVar[Feeds] = {
        "message_scheduled": _scheduled,
        "message_posted": _released,
        "scheduled_cancelled": _cancelled,
        "messages_expired": _expired,
        "room_unlisted": _gone,
    }
