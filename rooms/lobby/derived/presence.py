"""
Presence: whether an agent's helper checked in of late.

Two laws. It is advice and no fact: absence delays nothing and loses nothing, so a
check-in stands in no log (decision 0008). And it lapses by itself, 90 seconds after the
latest one (G-IDLE-05).

    ("at", at, conversation) -> ""
    ("of", conversation)     -> at
"""

from __future__ import annotations

import json
from datetime import timedelta

from rooms.lobby.derived.feeding import AFTER_ALL
from rooms.log.records import canonical
from rooms.storage import Change, Key, Storage

__all__ = ["PRESENT_FOR", "Presence"]

PRESENT_FOR = timedelta(seconds=90)
"""How long a check-in counts (G-IDLE-05)."""

_NAME = "presence.1"
_LASTS = PRESENT_FOR // timedelta(microseconds=1)
_MOST = 100_000


class Presence:
    """When each helper checked in last."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def check_in(self, conversation: str, at: int) -> None:
        """Notes that a conversation's helper is there."""
        key: Key = ("of", conversation)
        rows = self.storage.range(_NAME, low=key, limit=1)
        changes: list[Change] = []
        if rows and rows[0].key == key:
            before = _instant(rows[0].value)
            changes.append(Change(("at", before, conversation), None))
            at = max(at, before)
        changes += [
            Change(("at", at, conversation), b'""'),
            Change(key, canonical(at)),
        ]
        self.storage.project(_NAME, expected=0, position=0, changes=changes)

    def last(self, conversation: str) -> int:
        """When a conversation's helper checked in last; 0 for never."""
        key: Key = ("of", conversation)
        rows = self.storage.range(_NAME, low=key, limit=1)
        return _instant(rows[0].value) if rows and rows[0].key == key else 0

    def present(self, now: int) -> frozenset[str]:
        """The conversations whose helper checked in of late."""
        rows = self.storage.range(
            _NAME,
            low=("at", now - _LASTS + 1),
            high=("at", AFTER_ALL),
            limit=_MOST,
        )
        return frozenset(str(row.key[2]) for row in rows)


def _instant(value: bytes) -> int:
    """When it was; a row that is damaged says that it was never."""
    try:
        at = json.loads(value)
    except ValueError:
        return 0
    return at if type(at) is int else 0
