"""
One connection, its lock, and the boundary that no exception of the driver crosses.

Three laws. Whoever writes holds the writers' lock of the file from the first statement
on (BEGIN IMMEDIATE), so nothing that was read can move before it is written. What
raises leaves nothing behind, and the connection works again. And a database belongs to
the process that opened it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import RLock
from typing import Any

from rooms.errors import StorageBusy, StorageError
from rooms.storage.sqlite.faults import closed, translated

__all__ = ["Database", "Run"]

Run = Callable[..., sqlite3.Cursor]
"""How a statement is run: `run(sql, parameters)`."""


class Database:
    """
    A connection for any threads of one process.

    Attributes:
        reading: A context for statements that read; it gives `run`.
        writing: A context that commits what it ran, or nothing where it raises. Inside
            another one, or inside `holding`, it is a part of that.
        holding: A context in which nobody else can commit. It ends in a commit of all
            the parts that succeeded, also where it raises: each was whole.
        rollbacks: How often something was undone; what was cached before is void.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection: sqlite3.Connection | None = connection
        self.rollbacks = 0
        self.depth = 0
        self.reading = _Reading(self)
        self.writing = _Writing(self)
        self.holding = _Holding(self)
        self._lock = RLock()
        self._process = os.getpid()
        self._scrub = False

    def enter(self) -> sqlite3.Connection:
        """Take the lock; refuse what was closed, or a process that was forked."""
        if os.getpid() != self._process:  # before the lock: it may be held for ever
            raise closed("this storage belongs to another process")
        self._lock.acquire()
        if self.connection is None:
            self._lock.release()
            raise closed("this storage was closed")
        return self.connection

    def leave(self) -> None:
        """Let go of the lock."""
        self._lock.release()

    def run_for_each(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement once for each row; inside `writing`."""
        assert self.connection is not None  # noqa: S101 - for the type checker
        self.connection.executemany(sql, rows)

    def end(self, sql: str) -> None:
        """Commit or release, or undo it all where that fails."""
        assert self.connection is not None  # noqa: S101 - for the type checker
        try:
            self.connection.execute(sql)
        except sqlite3.Error as error:
            self.undo()
            raise translated(error) from error
        if self._scrub and not self.depth:
            self._empty_log()

    def undo(self) -> None:
        """Undo the part that is open; SQLite may have undone all of it by itself."""
        self.rollbacks += 1
        assert self.connection is not None  # noqa: S101 - for the type checker
        run = self.connection.execute
        with suppress(sqlite3.Error):
            if not self.connection.in_transaction:
                return
            if self.depth:
                run("ROLLBACK TO part")
                run("RELEASE part")
            else:
                run("ROLLBACK")

    def rewrite(self, statements: Iterable[str]) -> None:
        """Run statements in one commit, then write the whole file anew."""
        with self.reading as run:
            if self.depth:
                raise StorageError(
                    "storage_failed", "a file cannot be written anew inside writing()"
                )
            with self.writing:
                for statement in statements:
                    run(statement)
            run("VACUUM")
            self._empty_log()

    def scrub(self) -> None:
        """
        After the commit, overwrite the write-ahead log too: deleted words stand there.

        To be called inside `writing`.
        """
        self._scrub = True

    def _empty_log(self) -> None:
        assert self.connection is not None  # noqa: S101 - for the type checker
        try:
            checkpoint = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (busy, _, _) = checkpoint.fetchone()
        except sqlite3.Error as error:
            raise translated(error) from error
        if busy:
            raise StorageBusy(
                "storage_busy",
                "the words are gone, but not yet from the -wal file: another process"
                " is reading; call again",
            )
        self._scrub = False

    def close(self) -> None:
        """Close the connection; again, or in a process that was forked, do nothing."""
        if os.getpid() != self._process:
            return
        with self._lock:
            connection, self.connection = self.connection, None
            if connection is not None:
                try:
                    connection.close()
                except sqlite3.Error as error:
                    raise translated(error) from error


class _Reading:
    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Run:
        return self._database.enter().execute

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        self._database.leave()
        if isinstance(error, sqlite3.Error):
            raise translated(error) from error


class _Writing:
    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Run:
        database = self._database
        connection = database.enter()
        run = connection.execute
        if database.depth and not connection.in_transaction:
            database.rollbacks += 1  # nobody holds the writers' lock any more
            database.leave()
            raise _lost()
        try:
            run("SAVEPOINT part" if database.depth else "BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            database.leave()
            raise translated(error) from error
        database.depth += 1
        return run

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        database = self._database
        database.depth -= 1
        try:
            if error is None:
                database.end("RELEASE part" if database.depth else "COMMIT")
            else:
                database.undo()
                if isinstance(error, sqlite3.Error):
                    raise translated(error) from error
        finally:
            database.leave()


class _Holding:
    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        database = self._database
        run = database.enter().execute
        if not database.depth:
            try:
                run("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                database.leave()
                raise translated(error) from error
        database.depth += 1

    def __exit__(self, *exception: object) -> None:
        database = self._database
        database.depth -= 1
        try:
            if database.depth or database.connection is None:
                return
            if database.connection.in_transaction:
                database.end("COMMIT")
            elif exception[0] is None:
                raise _lost()
        finally:
            database.leave()


def _lost() -> StorageError:
    return StorageError(
        "storage_failed", "SQLite undid what was written in this context"
    )
