"""
Told: who is to be told that messages of its own were acknowledged, kept from the log.

Law: the rows cost no truth and hold no word; with a message go those about it.

    ("told", conversation, place)  -> message, by, at   in the log's order
    ("about", room, version, place) -> conversation

A place is that of the record in the log, and of the message in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import frozen

from rooms.errors import CorruptLog
from rooms.lobby.derived.batches import Feed, Feeds, value_of
from rooms.lobby.derived.feeding import AFTER_ALL, Projection
from rooms.lobby.schedules.fates import ended_key
from rooms.log.records import Record, room_of_record
from rooms.storage import Key, Storage

__all__ = ["Seen", "Told"]

_NAME = "told.1"
_IN_A_RECORD = 128  # more than are acknowledged at once


@frozen
class Seen:
    """
    That a message was acknowledged.

    Attributes:
        place: Where it stands among what its sender is told.
        message: The message's id.
        by, agent: The conversation that did so, and its agent.
        at: When, in microseconds.
    """

    place: int
    message: str
    by: str
    agent: str
    at: int


class Told(Projection):
    """What senders are to be told of acknowledgements."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        _Batch(self).take_in(reached, records)

    def of(self, conversation: str, *, after: int, limit: int) -> list[Seen]:
        """What a conversation is told, in the log's order, behind a place."""
        low, high = ("told", conversation, after + 1), ("told", conversation, AFTER_ALL)

        def ask() -> list[Seen]:
            rows = self.storage.range(self.name, low=low, high=high, limit=limit)
            return [_seen(row.key, value_of(row.value)) for row in rows]

        return self.asked(ask)


def _seen(key: Key, row: Mapping[str, Any]) -> Seen:
    try:
        message, by, agent = (str(row[name]) for name in ("message", "by", "agent"))
        return Seen(int(key[2]), message, by, agent, int(row["at"]))
    except (LookupError, TypeError, ValueError):
        raise CorruptLog("corrupt_log", "a projection's row is damaged") from None


class _Batch(Feed):
    """What some records change of what senders are told."""

    def _owed(self, header: Mapping[str, Any], _: str, record: Record) -> None:
        to, by, agent = header["conversation"], header["seen_by"], header["agent"]
        for number, message in enumerate(header["messages"]):
            place = record.position * _IN_A_RECORD + number
            version = self._version(message)
            if version is None:
                continue
            self.put(
                "told", to, place, message=message, by=by, agent=agent, at=record.at
            )
            self.put("about", room_of_record(message), version, place, to=to)

    def _version(self, message: str) -> int | None:
        """The record that brought a message, or its release; None where it is gone."""
        storage, version = self.projection.storage, int(message.rpartition(".")[2])
        stream = f"room:{room_of_record(message)}"
        records = storage.read(stream, after=version - 1, limit=1, words=False)
        if records and records[0].type == "message_scheduled":
            released = storage.find(ended_key(message)) or ""
            return int(released.rpartition(" ")[2]) if released else None
        return version if records else None

    def _expired(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        self._drop(room, header["record"])

    def _gone(self, header: Mapping[str, Any], *_: object) -> None:
        self._drop(header["room"], None)

    def _drop(self, room: str, last: int | None) -> None:
        """Nothing about the messages of a room any more, up to a record of it."""
        prefix: Key = ("about", room)
        high = (*prefix, AFTER_ALL if last is None else last, AFTER_ALL)
        stored = [key for key, _ in self.projection.rows_between(prefix, high)]
        own = [key for key in self.rows if key[:2] == prefix]
        fresh = [key for key in own if last is None or int(key[2]) <= last]
        for key in dict.fromkeys([*stored, *fresh]):
            row = self.get(*key)
            if row is not None:
                self.delete("told", row["to"], key[3])
                self.delete(*key)

    FEEDS: ClassVar[Feeds] = {
        "receipts_owed": _owed,
        "messages_expired": _expired,
        "room_unlisted": _gone,
    }
