"""
Uploads: contents that were handed in and wait for the message that carries them.

Two laws. They are no facts of the log: one that is lost is handed in again, as its
sender is told. And they lapse: what no message took within an hour goes with a sweep
(L-ATT-13).

    ("of", who, content)        -> at, size, text
    ("by", content, who)        -> ""
    ("until", at, who, content) -> ""
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from rooms.errors import CorruptLog
from rooms.lobby.derived.batches import value_of
from rooms.lobby.derived.feeding import AFTER_ALL
from rooms.log.records import canonical
from rooms.storage import Change, Key, Storage

__all__ = ["WAITS_FOR", "Uploads"]

WAITS_FOR = timedelta(hours=1)
"""How long a content waits for a message (L-ATT-13)."""

_NAME = "uploads.1"
_LASTS = WAITS_FOR // timedelta(microseconds=1)
_NOTHING = b'""'
_MOST = 1_000


class Uploads:
    """What was handed in, by whom and when."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def add(self, who: str, content: str, *, at: int, size: int, text: bool) -> None:
        """Notes a content; handed in again, it waits anew."""
        told = canonical({"at": at, "size": size, "text": text})
        self._change(
            *self._without(who, content),
            Change(("of", who, content), told),
            Change(("by", content, who), _NOTHING),
            Change(("until", at + _LASTS, who, content), _NOTHING),
        )

    def remove(self, who: str, content: str) -> None:
        """Notes that a content waits no more."""
        self._change(*self._without(who, content))

    def of(self, who: str, content: str) -> tuple[int, bool] | None:
        """Size of a content that somebody handed in, and whether it is text."""
        told = self._told(who, content)
        return None if told is None else (int(told["size"]), bool(told["text"]))

    def waiting_for(self, content: str) -> list[str]:
        """Who handed a content in, and has sent no message with it since."""
        low: Key = ("by", content)
        return [str(key[2]) for key, _ in self._rows(low, (*low, AFTER_ALL))]

    def due(self, now: int) -> list[tuple[str, str]]:
        """Who handed in which content that has waited for too long."""
        rows = self._rows(("until",), ("until", now + 1))
        return [(str(key[2]), str(key[3])) for key, _ in rows]

    def waiting(self) -> dict[str, int]:
        """All contents that wait, each with its size."""
        found = {}
        for key, told in self._rows(("of",), ("of", AFTER_ALL)):
            with suppress(CorruptLog, LookupError, TypeError, ValueError):
                found[str(key[2])] = int(value_of(told)["size"])
        return found

    def _told(self, who: str, content: str) -> Mapping[str, Any] | None:
        key: Key = ("of", who, content)
        rows = self._storage.range(_NAME, low=key, limit=1)
        if not rows or rows[0].key != key:
            return None
        try:
            return value_of(rows[0].value)
        except CorruptLog:  # it is handed in again
            return None

    def _without(self, who: str, content: str) -> list[Change]:
        told = self._told(who, content)
        if told is None:
            return []
        keys: list[Key] = [
            ("of", who, content),
            ("by", content, who),
            ("until", int(told["at"]) + _LASTS, who, content),
        ]
        return [Change(key, None) for key in keys]

    def _change(self, *changes: Change) -> None:
        if changes:
            self._storage.project(_NAME, expected=0, position=0, changes=changes)

    def _rows(self, low: Key, high: Key) -> list[tuple[Key, bytes]]:
        found: list[tuple[Key, bytes]] = []
        while True:
            rows = self._storage.range(_NAME, low=low, high=high, limit=_MOST)
            found += [(row.key, row.value) for row in rows]
            if len(rows) < _MOST:
                return found
            low = (*rows[-1].key, "")
