"""A storage in one SQLite file, for several threads and processes."""

from rooms.storage.sqlite.store import SQLiteStorage

__all__ = ["SQLiteStorage"]
