"""
A database file that is read and never written to, not even by its opening.

Two laws. The file and its -wal are, byte for byte, what they were. And what is read is
what somebody committed: where no -wal file is there, SQLite reads without locks, so a
file that another process changed meanwhile is reported as busy.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rooms.errors import (
    CorruptLog,
    InvalidInput,
    StorageBusy,
    StorageError,
    UnsupportedSchema,
)
from rooms.storage.sqlite import schema
from rooms.storage.sqlite.faults import of_file, translated
from rooms.storage.sqlite.opening import located, peeked
from rooms.storage.sqlite.store import SQLiteStorage

__all__ = ["reading"]


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[SQLiteStorage]:
    """
    A context with a storage from which everything can be read, and nothing changed.

    Where a -wal file is there, SQLite makes a -shm file beside it to read it.

    Raises:
        InvalidInput: `invalid_request` where there is no such file.
        UnsupportedSchema: `unsupported_schema` for a file that is no lobby.
        StorageBusy: `storage_busy`, at the end, where what was read may be torn.
        StorageError: as `SQLiteStorage`; and for a call that would write.
    """
    place = located(path)
    try:
        before = _alone(place)
    except OSError as error:
        problem = f"{str(place)!r} cannot be read: {error.strerror}"
        raise InvalidInput("path", problem) from error
    if place.is_dir():
        problem = f"{str(place)!r} is a folder"
        raise InvalidInput("path", problem, allowed="a lobby's file")
    storage = _Reader(place)
    try:
        yield storage
    except CorruptLog as error:
        _check_unchanged(place, before, error)
        raise
    else:
        _check_unchanged(place, before)
    finally:
        storage.close()


class _Reader(SQLiteStorage):
    def _connect(self, *, durability: str, busy_timeout: int) -> sqlite3.Connection:
        del durability  # nothing is written
        mode = "mode=ro" if _log_of(self.path).exists() else "mode=ro&immutable=1"
        connection = None
        try:
            peeked(self.path)
            connection = sqlite3.connect(
                f"{self.path.as_uri()}?{mode}",
                uri=True,
                timeout=busy_timeout,
                isolation_level=None,
                check_same_thread=False,  # one lock guards it
            )
            _prepare(connection)
        except BaseException as error:  # an interrupt too: nobody else closes it
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.Error):
                raise translated(error) from error
            if isinstance(error, OSError) and not isinstance(error, StorageError):
                raise of_file(error, self.path) from error
            raise
        return connection


def _prepare(connection: sqlite3.Connection) -> None:
    run = connection.execute
    run("PRAGMA query_only = ON")
    run("PRAGMA trusted_schema = OFF")
    run("PRAGMA cell_size_check = ON")
    run("PRAGMA mmap_size = 0")
    if schema.is_behind(connection):
        raise UnsupportedSchema(
            "unsupported_schema", "the file holds no lobby yet, or one of old tables"
        )
    schema.check(connection)


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _alone(path: Path) -> tuple[int, int] | None:
    """What changes with a file that is read without locks; None where locks hold it."""
    if _log_of(path).exists():
        return None
    now = path.stat()
    return now.st_mtime_ns, now.st_size


def _check_unchanged(
    path: Path, before: tuple[int, int] | None, cause: CorruptLog | None = None
) -> None:
    if before is None:
        return
    now = path.stat()
    if before != (now.st_mtime_ns, now.st_size):
        raise StorageBusy(
            "storage_busy", "another process changed the file meanwhile; read it again"
        ) from cause
