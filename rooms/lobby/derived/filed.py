"""
Filed: which changes and contents a room's files have, kept from the log.

Two laws. The rows are made from the log and cost no truth; a room's own rows end with
it. And no row has words of people: a path is its key, see `rooms.log.path_keys`.

    ("change", room, version)           -> [[document, content]]
    ("document", room, key, version)    -> ""
    ("sent", room, version)             -> [[file, content], ...]
    ("attachment", room, key, version)  -> ""
    ("waiting", room, version)          -> [[file, content], ...]   till its time
    ("never", room, version)            -> [[file, content], ...]   it was cancelled
    ("again", agent, version)           -> [[file, content], ...]   a schedule's
    ("artifact", room, version)         -> [["", content]]
    ("held", content, room, version)    -> ""
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from rooms.errors import CorruptLog
from rooms.lobby.derived.feeding import AFTER_ALL, Projection, header_of
from rooms.log.contents import contents_of, may_name_contents
from rooms.log.documents import DocumentChanged
from rooms.log.events import Event, decoded
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import Record, canonical
from rooms.log.schedules import ScheduleCreated
from rooms.log.team import ArtifactPublished
from rooms.storage import Change, Key, Storage

__all__ = ["Filed"]

_NAME = "files.1"
_UNLISTED = "room_unlisted"
_ERASED = "message_erased"
_EXPIRED = "messages_expired"
_CANCELLED = "scheduled_cancelled"
_FORGOTTEN = "schedule_forgotten"
_OF_ROWS = {_UNLISTED, _ERASED, _EXPIRED, _CANCELLED, _FORGOTTEN}
_WAITED = b'"accepted":'
_NOTHING = b'""'
_KINDS = {
    "change": "document",
    "sent": "attachment",
    "waiting": "",
    "never": "",
    "again": "",
    "artifact": "",
}
"""What is listed for a room, and the kind of row that lists it for one path."""

_MESSAGES: dict[type[Event], str] = {
    MessagePosted: "sent",
    MessageScheduled: "waiting",
    ScheduleCreated: "again",
}


class Filed(Projection):
    """The changes of documents, and who holds which content."""

    def __init__(self, storage: Storage, waiting: Callable[[str], object]) -> None:
        super().__init__(storage, _NAME)
        self._waiting = waiting

    def changes(
        self, room: str, document: str | None, *, before: int | None, limit: int
    ) -> list[int]:
        """The versions of changes of a room, or of one document, the newest first."""
        low: Key = (
            ("change", room) if document is None else ("document", room, document)
        )
        high = (*low, AFTER_ALL if before is None else before)
        return self.asked(lambda: self._versions(low, high, limit))

    def every_change(self, room: str) -> list[int]:
        """The versions of all changes of a room, the oldest first."""
        low: Key = ("change", room)
        rows = self.asked(lambda: self.rows_between(low, (*low, AFTER_ALL)))
        return [_version(key) for key, _ in rows]

    def sent(self, room: str, *, before: int | None, limit: int) -> list[int]:
        """The versions of messages that carry files, the newest first."""
        high = ("sent", room, AFTER_ALL if before is None else before)
        return self.asked(lambda: self._versions(("sent", room), high, limit))

    def newest_sent(self, room: str, file: str) -> int | None:
        """The version of the newest message that carries a file of that path's key."""
        low: Key = ("attachment", room, file)
        found = self.asked(lambda: self._versions(low, (*low, AFTER_ALL), 1))
        return found[0] if found else None

    def forget(self, contents: Iterable[str]) -> None:
        """Removes those contents that no record names, and that wait for none."""
        for content in contents:
            held = self.asked(partial(self._is_held, content))
            if not held and not self._waiting(content):
                self.storage.remove_blob(content)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        changes: list[Change] = []
        for place, record in enumerate(records):
            if place and _asks_for_rows(record):  # it asks for the rows before it
                self.move(reached, records[place - 1].position, changes)
                reached, changes = records[place - 1].position, []
            changes += self._changes(record)
        self.move(reached, records[-1].position, changes)

    # -- reading rows

    def _versions(self, low: Key, high: Key, limit: int) -> list[int]:
        rows = self.storage.range(
            self.name, low=low, high=high, limit=limit, reverse=True
        )
        return [_version(row.key) for row in rows]

    def _is_held(self, content: str) -> bool:
        low: Key = ("held", content)
        return bool(
            self.storage.range(self.name, low=low, high=(*low, AFTER_ALL), limit=1)
        )

    # -- feeding

    def _changes(self, record: Record) -> Iterator[Change]:
        if record.type == _UNLISTED:
            header = header_of(record) or {}
            yield from self._unlisted(str(header.get("room")))
        elif record.type == _ERASED:
            header = header_of(record) or {}
            room = record.stream.partition(":")[2]
            for kind in ("sent", "never"):
                yield from self._erased(kind, room, header.get("record"))
        elif record.type == _EXPIRED:
            header = header_of(record) or {}
            room = record.stream.partition(":")[2]
            yield from self._expired(room, header.get("record"))
        elif record.type == _FORGOTTEN:
            header = header_of(record) or {}
            yield from self._forgotten(_room(record), header.get("record"))
        elif record.type == _CANCELLED:
            header = header_of(record) or {}
            yield from self._cancelled(record, header.get("accepted"))
        elif may_name_contents(record):
            yield from _filed(record)
        if _is_release(record):  # its words may be gone already
            header, room = header_of(record) or {}, _room(record)
            yield from self._erased("waiting", room, header.get("accepted"))

    def _unlisted(self, room: str) -> Iterator[Change]:
        for kind, each in _KINDS.items():
            low: Key = (kind, room)
            for key, value in self.rows_between(low, (*low, AFTER_ALL)):
                yield from _gone(key, value, each, room)

    def _erased(self, kind: str, room: str, version: Any) -> Iterator[Change]:
        """The files of one message; damaged, it names none."""
        if type(version) is int:
            low: Key = (kind, room, version)
            for key, value in self.rows_between(low, (*low, AFTER_ALL)):
                yield from _gone(key, value, _KINDS[kind], room)

    def _forgotten(self, agent: str, version: Any) -> Iterator[Change]:
        """What only a schedule carried; damaged, it names none."""
        yield from self._erased("again", agent, version)

    def _cancelled(self, record: Record, version: Any) -> Iterator[Change]:
        """What waited in vain is kept until the record that says so goes."""
        room = _room(record)
        if type(version) is int:
            low: Key = ("waiting", room, version)
            for key, value in self.rows_between(low, (*low, AFTER_ALL)):
                yield from _gone(key, value, "", room)
                yield Change(("never", room, record.version), value)
                for _, content in _names(value):
                    yield Change(("held", content, room, record.version), _NOTHING)

    def _expired(self, room: str, version: Any) -> Iterator[Change]:
        """The files of all messages up to one; damaged, it names none."""
        if type(version) is int:
            for kind in ("sent", "never"):
                low, high = (kind, room), (kind, room, version + 1)
                for key, value in self.rows_between(low, high):
                    yield from _gone(key, value, _KINDS[kind], room)


def _gone(key: Key, value: bytes, each: str, room: str) -> Iterator[Change]:
    """No row of a record any more that had these."""
    version = _version(key)
    yield Change(key, None)
    for file, content in _names(value):
        if each:
            yield Change((each, room, file, version), None)
        yield Change(("held", content, room, version), None)


def _filed(record: Record) -> Iterator[Change]:
    """The rows of one record; a damaged one has none, and stops no other."""
    try:
        event = decoded(record).event
    except CorruptLog:
        return
    room, version = record.stream.partition(":")[2], record.version
    kind, files = "sent", list[str]()
    if isinstance(event, DocumentChanged):
        kind, files = "change", [event.document]
    elif isinstance(event, ArtifactPublished):
        kind, files = "artifact", [""]
    elif isinstance(event, MessagePosted | MessageScheduled | ScheduleCreated):
        files = [file for file, _, _ in event.files]
        kind = _MESSAGES[type(event)]
    contents = contents_of(event) or ("",) * len(files)  # erased, or removed
    named = list(zip(files, contents, strict=False))
    yield Change((kind, room, version), canonical(named))
    for file, content in named:
        if _KINDS[kind]:
            yield Change((_KINDS[kind], room, file, version), _NOTHING)
        if content:
            yield Change(("held", content, room, version), _NOTHING)


def _asks_for_rows(record: Record) -> bool:
    return record.type in _OF_ROWS or _is_release(record)


def _is_release(record: Record) -> bool:
    """Whether a message waits no more, as it is there."""
    return record.type == MessagePosted.TYPE and _WAITED in record.header


def _room(record: Record) -> str:
    return record.stream.partition(":")[2]


def _version(key: Key) -> int:
    if not isinstance(key[-1], int):
        raise CorruptLog("corrupt_log", "a projection's key is damaged")
    return key[-1]


def _names(value: bytes) -> list[tuple[str, str]]:
    try:
        return [(str(file), str(content)) for file, content in json.loads(value)]
    except (TypeError, ValueError):
        raise CorruptLog("corrupt_log", "a projection's row is damaged") from None
