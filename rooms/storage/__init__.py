"""
Storages: where streams of records are kept, and the contract that all meet.

`SQLiteStorage` is loaded when it is first used: who keeps all in memory needs no
SQLite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rooms.storage.memory import MemoryStorage
from rooms.storage.protocol import (
    Change,
    Head,
    Hit,
    Key,
    Row,
    Snapshot,
    Storage,
    WritersLock,
)

if TYPE_CHECKING:
    from rooms.storage.doctor import Finding as Finding
    from rooms.storage.doctor import diagnose as diagnose
    from rooms.storage.sqlite import SQLiteStorage as SQLiteStorage
    from rooms.storage.urls import open_storage as open_storage

__all__ = [
    "Change",
    "Finding",
    "Head",
    "Hit",
    "Key",
    "MemoryStorage",
    "Row",
    "SQLiteStorage",
    "Snapshot",
    "Storage",
    "WritersLock",
    "diagnose",
    "open_storage",
]

_HOME = {
    "Finding": "rooms.storage.doctor",
    "SQLiteStorage": "rooms.storage.sqlite",
    "diagnose": "rooms.storage.doctor",
    "open_storage": "rooms.storage.urls",
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'rooms.storage' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
