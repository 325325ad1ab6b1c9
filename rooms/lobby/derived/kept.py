"""
Kept: which room's oldest message is past its time, found without a look at the others.

Law: the rows are made from the log and cost no truth; a sweep that finds a room here
asks the room itself what is due.

    ("room", room)         -> retention, first
    ("due", instant, room) -> ""
    ("any",)               -> ""   some room had a retention
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rooms.errors import CorruptLog
from rooms.lobby.derived.feeding import Projection, header_of
from rooms.log.records import Record, canonical
from rooms.storage import Change, Key, Storage

__all__ = ["Kept"]

_NAME = "kept.1"
_ANY: Key = ("any",)
_NOTHING = b'""'
_Told = tuple[int, int]  # how long a room keeps, or 0; when its oldest was posted, or 0


class Kept(Projection):
    """When each room's oldest message expires, kept from the log."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def due(self, now: int) -> list[str]:
        """The rooms whose oldest message is past its time, the earliest first."""
        low, high = ("due",), ("due", now + 1)
        rows = self.asked(lambda: self.rows_between(low, high))
        return list(dict.fromkeys(str(key[2]) for key, _ in rows))

    def keeps_any(self) -> bool:
        """Whether any room's messages ever had an end."""
        key = _ANY
        return self.asked(
            lambda: bool(
                self.storage.range(self.name, low=key, high=(*key, ""), limit=1)
            )
        )

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        before: dict[str, _Told | None] = {}
        after: dict[str, _Told | None] = {}
        for record in records:
            feed = _FEEDS.get(record.type)
            header = None if feed is None else header_of(record)
            if feed is None or header is None:
                continue
            with suppress(AttributeError, LookupError, TypeError, ValueError):
                room = str(header.get("room") or record.stream.partition(":")[2])
                if room not in before:
                    before[room] = after[room] = self._told(room)
                after[room] = feed(after[room] or (0, 0), header, record)
        changes = [
            change
            for room, told in after.items()
            if told != before[room]
            for change in _changes(room, before[room], told)
        ]
        self.move(reached, records[-1].position, changes)

    def _told(self, room: str) -> _Told | None:
        key: Key = ("room", room)
        rows = self.storage.range(self.name, low=key, high=(*key, ""), limit=1)
        if not rows:
            return None
        try:
            retention, first = map(int, json.loads(rows[0].value))
        except (TypeError, ValueError):
            raise CorruptLog("corrupt_log", "a projection's row is damaged") from None
        return retention, first


def _changes(room: str, before: _Told | None, after: _Told | None) -> Iterator[Change]:
    for told, row in ((before, None), (after, _NOTHING)):
        if told is not None and all(told):
            yield Change(("due", sum(told), room), row)
    if after is not None and after[0]:
        yield Change(_ANY, _NOTHING)
    yield Change(("room", room), None if after is None else canonical(list(after)))


def _ruled(told: _Told, header: Mapping[str, Any], _: Record) -> _Told:
    return int(header["policy"].get("retention") or 0), told[1]


def _posted(told: _Told, _: Mapping[str, Any], record: Record) -> _Told:
    return told[0], told[1] or record.at


def _expired(told: _Told, header: Mapping[str, Any], _: Record) -> _Told:
    return told[0], int(header.get("next", 0))


def _unlisted(_: _Told, __: Mapping[str, Any], ___: Record) -> None:
    return None


_FEEDS: Mapping[str, Callable[[_Told, Mapping[str, Any], Record], _Told | None]] = {
    "room_created": _ruled,
    "policy_changed": _ruled,
    "message_posted": _posted,
    "scheduled_cancelled": _posted,
    "messages_expired": _expired,
    "room_unlisted": _unlisted,
}
