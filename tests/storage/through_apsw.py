"""
apsw's connection with the face of `sqlite3`'s, so that the library's own statements run
on a file system of a test.

A checkpoint that follows a commit by itself is made here, as SQLite makes it: what goes
wrong in it is nobody's. Left to apsw, an error of a test's file system would be raised
by a commit that stands.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import apsw
from attrs import define, field

from rooms.storage.sqlite.opening import prepare

__all__ = ["opened"]


def opened(
    path: str, *, vfs: str, durability: str, busy_timeout: int, pages: int
) -> sqlite3.Connection:
    """
    A prepared connection to a file on the file system of that name, which alone uses
    it: then no -shm file is needed, which apsw's file systems do not have.

    Args:
        path: Where the file is.
        vfs: The name under which the file system is known to apsw.
        durability: As for `SQLiteStorage`.
        busy_timeout: Likewise.
        pages: After how many the write-ahead log is copied into the file.
    """
    real = _translated(apsw.Connection, path, vfs=vfs)
    connection = cast("sqlite3.Connection", _Connection(real))
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        prepare(connection, durability=durability, busy_timeout=busy_timeout)
    except BaseException:
        with suppress(sqlite3.Error):
            connection.close()
        raise

    def checkpoint(used: apsw.Connection, name: str, written: int) -> int:
        if written >= pages:
            with suppress(apsw.Error):
                used.wal_checkpoint(name)
        return apsw.SQLITE_OK

    real.set_wal_hook(checkpoint)
    return connection


@define
class _Cursor:
    """The few things of a driver's cursor that the storage uses."""

    rows: list[Any]
    rowcount: int
    lastrowid: int
    description: Any

    def fetchall(self) -> list[Any]:
        return self.rows

    def fetchone(self) -> Any:
        return self.rows[0] if self.rows else None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)


@define
class _Connection:
    real: apsw.Connection
    text_factory: type = field(default=str)

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> _Cursor:
        description: list[Any] = []

        def trace(cursor: apsw.Cursor, *_: Any) -> bool:
            description[:] = cursor.get_description()
            return True

        cursor = self.real.cursor()
        cursor.exec_trace = trace
        rows = _translated(lambda: list(cursor.execute(sql, parameters)))
        changed, last = self.real.changes(), self.real.last_insert_rowid()
        return _Cursor(rows, changed, last, description)

    def executemany(self, sql: str, rows: Any) -> None:
        for row in rows:
            self.execute(sql, row)

    def cursor(self) -> _Connection:
        """Itself: each statement has a cursor of its own."""
        return self

    @property
    def in_transaction(self) -> bool:
        return self.real.in_transaction

    @property
    def total_changes(self) -> int:
        return self.real.total_changes()

    def close(self) -> None:
        _translated(self.real.close)


def _translated(call: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return call(*arguments, **options)
    except apsw.Error as error:
        raised = sqlite3.OperationalError(str(error))
        raised.sqlite_errorcode = getattr(error, "extendedresult", sqlite3.SQLITE_ERROR)
        raise raised from error
