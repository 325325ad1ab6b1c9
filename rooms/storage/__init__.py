"""Storages: where streams of records are kept, and the contract that all meet."""

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

__all__ = ["Change", "Head", "Hit", "Key", "Row", "Snapshot", "Storage", "WritersLock"]
