"""
Carried: which contents messages carry, how much that is, and who sent each.

Two laws. The rows are made from the log and cost no truth; what is erased, expired or
deleted is in none. And no row has a path: they name contents by their digests.

    ("content", content)                   -> how many records carry it, and its size
    ("carried", content, stream, version)  -> who sent it, and what it is
    ("sent", stream, version)              -> the same, and its files
    ("waiting", stream, version)           -> the same, of one that waits for its time
    ("again", stream, version)             -> the same, of a schedule that recurs
    ("of", who, content, stream, version)  -> size, and whether it is text
    ("used",)                              -> how many bytes all contents have

`who` is an agent, by the key of its name, or `person:<name>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import frozen

from rooms.addressing import name_key
from rooms.errors import CorruptLog
from rooms.lobby.derived.batches import Feed, content_at, value_of
from rooms.lobby.derived.feeding import AFTER_ALL, Projection, header_of
from rooms.log.actors import Actor
from rooms.log.contents import may_name_contents
from rooms.log.events import decoded
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import Record, record_id
from rooms.log.schedules import ScheduleCreated
from rooms.storage import Key, Storage

__all__ = ["Carried", "Carrying", "uploader_of"]

_NAME = "carried.2"
_WAITED = b'"accepted":'


@frozen
class Carrying:
    """
    A message that carries a content, or a schedule whose messages will, and who sent
    it; `schedule` is "" for a message, and `message` for a schedule.
    """

    message: str
    schedule: str
    who: str


def uploader_of(actor: Actor) -> str:
    """Whose a content is that somebody hands in (L-ATT-05)."""
    return name_key(actor.agent) if actor.agent else f"person:{actor.id}"


class Carried(Projection):
    """What messages carry, kept from the log."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def used(self) -> int:
        """How many bytes all contents have together, each counted once."""
        content = self.asked(lambda: content_at(self, ("used",)))
        return 0 if content is None else int(value_of(content)["n"])

    def size(self, content: str) -> int | None:
        """How large a content is that some message carries; None where none does."""
        found = self.asked(lambda: content_at(self, ("content", content)))
        return None if found is None else int(value_of(found)["size"])

    def sent_by(self, who: str, content: str) -> tuple[int, bool] | None:
        """Size of a content, and whether it is text, where somebody sent it."""
        low: Key = ("of", who, content)
        rows = self.asked(
            lambda: self.storage.range(
                self.name, low=low, high=(*low, AFTER_ALL), limit=1
            )
        )
        if not rows:
            return None
        told = value_of(rows[0].value)
        return int(told["size"]), bool(told["text"])

    def contents(self, after: str, limit: int) -> list[tuple[str, int]]:
        """Contents in the order of their digests, each with its size."""
        low, high = ("content", after, ""), ("content", AFTER_ALL)
        rows = self.asked(
            lambda: self.storage.range(self.name, low=low, high=high, limit=limit)
        )
        return [(str(row.key[1]), int(value_of(row.value)["size"])) for row in rows]

    def carrying(self, content: str) -> list[Carrying]:
        """The messages that carry a content, and the schedules."""
        low: Key = ("carried", content)
        rows = self.asked(lambda: self.rows_between(low, (*low, AFTER_ALL)))
        return [_carrying(value_of(told)) for _, told in rows]

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        _Batch(self).take_in(reached, records)


def _carrying(told: Mapping[str, Any]) -> Carrying:
    message, schedule = str(told.get("message", "")), str(told.get("schedule", ""))
    return Carrying(message, schedule, str(told["who"]))


class _Batch(Feed):
    """What some records change of what is carried."""

    def add(self, record: Record) -> None:
        """Takes in one record; a damaged one says nothing, and stops no other."""
        with suppress(AttributeError, CorruptLog, LookupError, TypeError, ValueError):
            if record.type in _SENT:
                if may_name_contents(record):
                    self._sent(record)
                self._released(record)
            elif record.type in _ENDS:
                self._ended(record.type, header_of(record) or {}, record)

    def _sent(self, record: Record) -> None:
        event, stream, version = decoded(record).event, record.stream, record.version
        name = stream.partition(":")[2]
        if isinstance(event, ScheduleCreated):
            kind, said = "again", {"who": name_key(name), "schedule": event.schedule}
        elif isinstance(event, MessagePosted | MessageScheduled):
            who = name_key(event.author) if event.sender else f"person:{event.author}"
            waits = isinstance(event, MessageScheduled)
            accepted = 0 if isinstance(event, MessageScheduled) else event.accepted
            kind = "waiting" if waits else "sent"
            said = {"who": who, "message": record_id(name, accepted or version)}
        else:
            return
        files: dict[str, tuple[int, bool]] = {}
        for (_, size, text), (_, content) in zip(
            event.files, event.attachments, strict=False
        ):
            files[content] = size, text
        told = [[content, *each] for content, each in files.items()]
        self._carry(kind, stream, version, {**said, "files": told})

    def _released(self, record: Record) -> None:
        """It waits no more, as it is there; its words may be gone already."""
        if record.type == MessagePosted.TYPE and _WAITED in record.header:
            accepted = int((header_of(record) or {}).get("accepted", 0))
            self._take_away("waiting", record.stream, accepted, accepted + 1)

    def _carry(
        self, kind: str, stream: str, version: int, told: Mapping[str, Any]
    ) -> None:
        said = {name: value for name, value in told.items() if name != "files"}
        self.put(kind, stream, version, **told)
        for content, size, text in told["files"]:
            self.put("carried", content, stream, version, **said)
            self.put("of", said["who"], content, stream, version, size=size, text=text)
            row = self.got("content", content, n=0, size=size)
            if not row["n"]:
                self.count(size, "used")
            row["n"] += 1

    def _ended(self, kind: str, header: Mapping[str, Any], record: Record) -> None:
        stream, low, high = record.stream, 0, AFTER_ALL
        if kind == "room_unlisted":
            for each in ("sent", "waiting"):
                self._take_away(each, f"room:{header['room']}", low, high)
        elif kind in _ALONE:
            version = int(header["record"])
            self._take_away(_ALONE[kind], stream, version, version + 1)
        elif kind == "scheduled_cancelled":
            self._cancelled(stream, int(header["accepted"]), record.version)
        else:
            self._take_away("sent", stream, low, int(header["record"]) + 1)

    def _cancelled(self, stream: str, accepted: int, version: int) -> None:
        """What waited in vain is kept until the record that says so goes."""
        told = self.get("waiting", stream, accepted)
        if told is not None:
            self._carry("sent", stream, version, told)
            self._take_away("waiting", stream, accepted, accepted + 1)

    def _take_away(self, kind: str, stream: str, low: int, high: int | str) -> None:
        """The records of some versions carry nothing any more."""
        for key in self.keys_between((kind, stream), low, high):
            row = self.get(*key)
            if row is not None:
                self._gone(row, stream, int(key[2]))
                self.delete(*key)

    def _gone(self, sent: Mapping[str, Any], stream: str, version: int) -> None:
        for content, _, _ in sent["files"]:
            self.delete("carried", content, stream, version)
            self.delete("of", sent["who"], content, stream, version)
            row = self.got("content", content, n=1, size=0)
            row["n"] -= 1
            if not row["n"]:
                self.count(-row["size"], "used")
                self.delete("content", content)


_SENT = frozenset({MessagePosted.TYPE, MessageScheduled.TYPE, ScheduleCreated.TYPE})
_ALONE = {"message_erased": "sent", "schedule_forgotten": "again"}
"""What ends one record alone, and the kind of its row."""
_ENDS = frozenset({"room_unlisted", "messages_expired", "scheduled_cancelled", *_ALONE})
