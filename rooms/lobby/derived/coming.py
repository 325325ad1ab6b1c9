"""
Coming: whose messages wait for their time, over all rooms, kept from the log.

Law: no row holds a word that anybody wrote, and a sender's rows stand by their time, so
a list of what waits costs what it returns.

    ("of", participant, due, room, version) -> ""
    ("in", room, version)                   -> sender, due
    ("for", room, agent, schedule)          -> ""   a schedule that recurs there
    ("schedule", agent, schedule)           -> room

A participant is an agent, by the key of its name, or `person:<name>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rooms.addressing import name_key
from rooms.errors import CorruptLog
from rooms.lobby.derived.batches import Batch
from rooms.lobby.derived.feeding import AFTER_ALL, Projection, header_of
from rooms.log.actors import Actor
from rooms.log.posting import MOST_WAITING
from rooms.log.records import Record
from rooms.storage import Key, Storage

__all__ = ["ComingRows", "sender_of"]

_NAME = "coming.1"
_POSTED, _WAITED = "message_posted", b'"accepted"'
_PARTS = 5  # of a key of a sender's row


def sender_of(actor: Actor) -> str:
    """A sender's name in the rows: its agent's key, or a person's."""
    return name_key(actor.agent) if actor.agent else f"person:{actor.id}"


class ComingRows(Projection):
    """The messages that wait, by sender."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def count(self, sender: Actor) -> int:
        """How many messages of a sender wait; none is counted behind the most."""
        return len(self.of(sender_of(sender), limit=MOST_WAITING))

    def of(self, sender: str, *, limit: int) -> list[tuple[str, int]]:
        """A sender's messages that wait, each by room and record, soonest first."""
        low: Key = ("of", sender)
        return self.asked(lambda: self._rows(low, limit))

    def schedules_for(self, room: str) -> list[tuple[str, str]]:
        """The active schedules that target a room, each by its agent and id."""
        low: Key = ("for", room)
        rows = self.asked(lambda: self.rows_between(low, (*low, AFTER_ALL)))
        return [(str(key[2]), str(key[3])) for key, _ in rows]

    def _rows(self, low: Key, limit: int) -> list[tuple[str, int]]:
        rows = self.storage.range(
            self.name, low=low, high=(*low, AFTER_ALL), limit=limit
        )
        found = []
        for row in rows:
            version = row.key[-1]
            if len(row.key) != _PARTS or not isinstance(version, int):
                raise CorruptLog("corrupt_log", "a projection's key is damaged")
            found.append((str(row.key[3]), version))
        return found

    # -- feeding

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        batch = _Batch(self)
        for record in records:
            feed = _FEEDS.get(record.type)
            if record.type == _POSTED and _WAITED not in record.header:
                continue  # nearly every message
            header = None if feed is None else header_of(record)
            if feed is None or header is None:
                continue
            with suppress(AttributeError, LookupError, TypeError, ValueError):
                feed(batch, header, record)
        self.move(reached, records[-1].position, list(batch.changes()))


class _Batch(Batch):
    """What some records change of what waits."""

    def scheduled(self, header: Mapping[str, Any], record: Record) -> None:
        """A message waits."""
        author = header["author"]
        sender = name_key(author) if header["sender"] else f"person:{author}"
        self._wait(_room(record), record.version, sender, header["due"])

    def changed(self, header: Mapping[str, Any], record: Record) -> None:
        """It waits for another time."""
        room, version = _room(record), header["accepted"]
        self._wait(room, version, self._end(room, version), header["due"])

    def ended(self, header: Mapping[str, Any], record: Record) -> None:
        """It waits no more."""
        self._end(_room(record), header["accepted"])

    def created(self, header: Mapping[str, Any], record: Record) -> None:
        """A schedule recurs, in a room that it names."""
        agent, schedule = _room(record), header["schedule"]
        if header.get("room"):
            self.put("for", header["room"], agent, schedule)
            self.put("schedule", agent, schedule, room=header["room"])

    def over(self, header: Mapping[str, Any], record: Record) -> None:
        """It was cancelled."""
        agent, schedule = _room(record), header["schedule"]
        row = self.get("schedule", agent, schedule)
        if row is not None:
            self.delete("for", row["room"], agent, schedule)
            self.delete("schedule", agent, schedule)

    def unlisted(self, header: Mapping[str, Any], _: Record) -> None:
        """A room is deleted, and what waited in it."""
        low: Key = ("in", header["room"])
        for key, _value in self.projection.rows_between(low, (*low, AFTER_ALL)):
            self.get(*key)
        for key in [key for key in self.rows if key[:2] == low and self.rows[key]]:
            self._end(str(key[1]), int(key[2]))

    def _wait(self, room: str, version: int, sender: str, due: int) -> None:
        self.put("in", room, version, sender=sender, due=due)
        self.put("of", sender, due, room, version)

    def _end(self, room: str, version: int) -> str:
        """Takes a message's rows away; whose it was."""
        row = self.get("in", room, version) or {}
        self.delete("in", room, version)
        self.delete("of", row["sender"], row["due"], room, version)
        return str(row["sender"])


def _room(record: Record) -> str:
    return record.stream.partition(":")[2]


_FEEDS = {
    "message_scheduled": _Batch.scheduled,
    "scheduled_changed": _Batch.changed,
    "scheduled_cancelled": _Batch.ended,
    _POSTED: _Batch.ended,
    "room_unlisted": _Batch.unlisted,
    "schedule_created": _Batch.created,
    "schedule_cancelled": _Batch.over,
}
