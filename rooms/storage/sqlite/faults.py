"""
What SQLite's failures are called outside: the one table that translates them.

Two laws: no exception of the driver leaves the library (S13), and the words of the
driver's message never do either, since they may quote what people wrote.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from errno import EDQUOT, ENOSPC
from pathlib import Path
from types import MappingProxyType

from rooms.errors import CorruptLog, StorageBusy, StorageError, StorageFull

__all__ = ["DRIVERS", "FAULTS", "closed", "not_text", "of_file", "translated"]

DRIVERS = (sqlite3.Error, UnicodeDecodeError)
"""All that the driver raises: a damaged name in one of its messages is no UTF-8."""

FAULTS: Mapping[int, tuple[type[StorageError], str, str]] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: (
            StorageBusy,
            "storage_busy",
            "another process holds the database",
        ),
        sqlite3.SQLITE_LOCKED: (
            StorageBusy,
            "storage_busy",
            "another connection holds a table",
        ),
        sqlite3.SQLITE_FULL: (StorageFull, "storage_full", "there is no room left"),
        sqlite3.SQLITE_IOERR_SHMSIZE: (
            StorageFull,
            "storage_full",
            "there is no room left for the -shm file",
        ),
        sqlite3.SQLITE_CORRUPT: (
            CorruptLog,
            "corrupt_log",
            "the database file is damaged",
        ),
        sqlite3.SQLITE_NOTADB: (
            CorruptLog,
            "corrupt_log",
            "the database file is damaged",
        ),
    }
)
"""By SQLite's result code, an extended one before its primary."""

_PRIMARY = 0xFF


def translated(
    error: sqlite3.Error | UnicodeDecodeError, **details: object
) -> StorageError:
    """The error of ours that stands for one of the driver's, with more details."""
    if isinstance(error, UnicodeDecodeError):
        return CorruptLog("corrupt_log", "the database file is damaged", **details)
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        if not_text(error):
            return CorruptLog("corrupt_log", "a stored text is damaged", **details)
        kind = type(error).__name__
        return StorageError("storage_failed", "the driver failed", kind=kind, **details)
    found = FAULTS.get(code) or FAULTS.get(code & _PRIMARY)
    name = getattr(error, "sqlite_errorname", str(code))
    details["sqlite"] = name
    if found is None:
        return StorageError("storage_failed", f"SQLite said {name}", **details)
    raised, ours, words = found
    return raised(ours, words, **details)


def not_text(error: sqlite3.Error) -> bool:
    """Whether a column's text was no UTF-8; the driver has no code for it."""
    return isinstance(error, sqlite3.OperationalError) and str(error).startswith(
        "Could not decode to UTF-8"
    )


def of_file(error: OSError, path: Path | None = None) -> StorageError:
    """The error of ours for one of the file system's, met with the file at a path."""
    words = f"the file system said {type(error).__name__}"
    if path is not None:
        words += f" of {str(path)!r}"
        if isinstance(error, FileNotFoundError) and not path.parent.exists():
            words = f"there is no folder {str(path.parent)!r}"
    if error.errno in {ENOSPC, EDQUOT}:
        return StorageFull("storage_full", words, errno=error.errno)
    return StorageError("storage_failed", words, errno=error.errno)


def closed(words: str) -> StorageError:
    """The error for a call on what was closed, or belongs to another process."""
    return StorageError("closed", words)
