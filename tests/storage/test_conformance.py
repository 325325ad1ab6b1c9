"""Every storage of ours passes the suite that others are given."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from effort import LONG
from rooms.storage import MemoryStorage, SQLiteStorage, Storage
from rooms.testing.conformance import StorageConformance


class TestMemory(StorageConformance):
    persistent = False
    shared = False

    def make_storage(self, folder: Path) -> Storage:
        return MemoryStorage()


class TestSQLite(StorageConformance):
    def make_storage(self, folder: Path) -> Storage:
        return SQLiteStorage(folder / "lobby.db")


class TestSQLiteRelaxed(StorageConformance):
    def make_storage(self, folder: Path) -> Storage:
        return SQLiteStorage(folder / "lobby.db", durability="relaxed")


class TestSQLiteReopened(StorageConformance):
    """Opened once before by another handle, with content that was removed."""

    def make_storage(self, folder: Path) -> Storage:
        if not (folder / "lobby.db").exists():
            SQLiteStorage(folder / "lobby.db").close()
        return SQLiteStorage(folder / "lobby.db")


if LONG and find_spec("apsw") is not None:

    class TestThroughApsw(StorageConformance):
        """On the SQLite of another driver, the newest there is; alone on its file."""

        shared = False

        def make_storage(self, folder: Path) -> Storage:
            from storage.faulty import Faults, FaultyStorage  # noqa: PLC0415

            return FaultyStorage(folder / "lobby.db", Faults())
