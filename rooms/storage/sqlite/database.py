"""
One connection, its lock, and the boundary that no exception of the driver crosses.

Three laws. Whoever writes holds the writers' lock of the file from the first statement
on (BEGIN IMMEDIATE), so nothing that was read can move before it is written. What
raises leaves nothing behind, and the connection works again. And a database belongs to
the process that opened it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import RLock
from time import monotonic, sleep
from typing import Any, NoReturn

from rooms.errors import StorageBusy, StorageError
from rooms.storage.forking import in_child
from rooms.storage.sqlite.faults import DRIVERS, closed, translated

__all__ = ["Database", "Run"]

Run = Callable[..., sqlite3.Cursor]
"""How a statement is run: `run(sql, parameters)`."""

_BEGIN = "BEGIN IMMEDIATE"
_MOST_ADDED = 1_000  # rows that wait to be inserted
_PAUSE = 0.001  # s; about what a commit takes
_IS_OWNED, _RELEASE_ALL = "_is_owned", "_release_save"  # as `Condition` has them


class Database:
    """
    A connection for any threads of one process.

    Args:
        connection: One in autocommit mode, whose own busy timeout is 0.
        patience: How long to wait for another process, in seconds. SQLite would wait by
            itself, in steps of up to 100 ms: with eight processes that write, one got
            no turn for five seconds (test_contention).
        look: Called with `run` where `holding` begins, to look at what others have
            committed; from there on none of them can.
        insert: The statement of which `add` takes the rows.

    Attributes:
        reading: A context for statements that read; it gives `run`.
        writing: A context that commits what it ran, or nothing where it raises. Inside
            another one, or inside `holding`, it is a part of that.
        holding: A context in which nobody else can commit. It ends in a commit of all
            the parts that succeeded, also where it raises: each was whole.
        rollbacks: How often something was undone; what was cached before is void.
        looked: Whether whoever is inside has looked at what others committed, and
            nothing was undone since: what was found is still so.
        leave: Lets go of the lock that `enter` took.
        is_inside: Says whether this thread is inside one of the contexts.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        patience: float,
        look: Callable[[Run], None],
        insert: str,
    ) -> None:
        self.connection: sqlite3.Connection | None = connection
        self.patience = patience
        self.look = look
        self.insert = insert
        self.rollbacks = 0
        self.looked = False
        self.depth = 0
        self.reading = _Reading(self)
        self.writing = _Writing(self)
        self.holding = _Holding(self)
        self._lock = RLock()
        self._take: Callable[[], object] = self._lock.acquire
        self.leave = self._lock.release
        self.is_inside: Callable[[], bool] = getattr(self._lock, _IS_OWNED)
        self.added: list[tuple[Any, ...]] = []  # rows to be inserted before all else
        self._inherited: sqlite3.Connection | None = None  # in a child, never closed
        self._scrub = False  # deleted words stand in the write-ahead log
        self._asked = False  # and whoever deleted them has not been told
        in_child(self._disown)

    def _disown(self) -> None:
        self._inherited, self.connection = self.connection, None
        self._take, self.looked, self.added = _refuse, False, []

    def enter(self) -> sqlite3.Connection:
        """Take the lock; refuse what was closed, or a process that was forked."""
        self._take()
        connection = self.connection
        if connection is None:
            self.leave()
            raise closed("this storage was closed")
        if connection.in_transaction and not self.depth:
            self._abandon()
        return connection

    def _abandon(self) -> None:
        """Undo what a context left open that was interrupted at its edge."""
        try:
            self.undo()
        except BaseException:  # an interrupt too: the lock is let go
            self._lock.release()
            raise

    def run(self, sql: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Run a statement, and wait for whoever holds what it needs."""
        assert self.connection is not None  # noqa: S101 - for the type checker
        until = None
        while True:
            try:
                return self.connection.execute(sql, parameters)
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                now = monotonic()
                until = now + self.patience if until is None else until
                if now >= until:
                    raise
                sleep(_PAUSE)

    def run_for_each(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement once for each row; inside `writing`."""
        assert self.connection is not None  # noqa: S101 - for the type checker
        self.connection.executemany(sql, rows)

    def add(self, row: tuple[Any, ...]) -> None:
        """
        Insert a row inside `holding` or `writing`: before anything else is run or read
        there, and at the latest at its end. So the rows of a batch are one statement,
        and nothing comes between the decisions that led to them.
        """
        connection = self.connection
        if connection is None:
            raise closed("this storage was closed")
        if not connection.in_transaction:
            self.check_held()
        self.added.append(row)
        if len(self.added) >= _MOST_ADDED:
            self.flush()

    def add_all(
        self, rows: list[tuple[Any, ...]], sql: str, parameters: tuple[Any, ...]
    ) -> bool:
        """
        As `add`, of several rows, behind a statement that is run at once where there is
        one. Where that fails, SQLite undoes all of it, and no row was added; nor was
        one where it changed nothing, and the answer is False.
        """
        connection = self.connection
        if connection is None:
            raise closed("this storage was closed")
        if not connection.in_transaction:
            self.check_held()
        before = connection.total_changes
        try:
            if sql and not connection.execute(sql, parameters).rowcount:
                return False
            self.added += rows
        except BaseException as error:  # an interrupt too
            if connection.total_changes != before or not connection.in_transaction:
                self.undo_all()  # it was run, and its call was interrupted
            if isinstance(error, DRIVERS):
                raise translated(error) from error
            raise
        if len(self.added) >= _MOST_ADDED:
            self.flush()
        return True

    def flush(self) -> None:
        """Insert what was added; where that fails, undo all that is open."""
        rows, self.added = self.added, []
        connection = self.connection
        assert connection is not None  # noqa: S101 - for the type checker
        if not connection.in_transaction:  # they would be stored one by one
            self.note_undone()
            raise _lost()
        try:
            if len(rows) == 1:
                connection.execute(self.insert, rows[0])
            else:
                connection.executemany(self.insert, rows)
        except BaseException as error:  # an interrupt too
            self.undo_all()
            if isinstance(error, DRIVERS):
                raise translated(error) from error
            raise

    def note_undone(self) -> None:
        """Note that something was undone, and nothing is known any more."""
        self.rollbacks += 1
        self.looked = False
        self.added.clear()  # of the part that was undone: a part begins with none

    def check_held(self) -> None:
        """
        Refuse to go on where SQLite undid what the context outside had written: until
        that ends, since all of it is stored or nothing.
        """
        connection = self.connection
        if self.depth and connection is not None and not connection.in_transaction:
            self.note_undone()  # nobody holds the writers' lock any more
            raise _lost()

    def ascend(self) -> int:
        """One context fewer is open; how many are left."""
        depth = self.depth - 1
        if depth > 0:
            self.depth = depth
            return depth
        self.depth, self.looked = 0, False  # soon others may commit again
        return 0

    def end(self, sql: str) -> None:
        """Commit or release, or undo it all where that fails."""
        connection = self.connection
        if connection is None:
            raise closed("closed before its commit")
        try:
            if self.added:
                self.flush()
            connection.execute(sql)
        except BaseException as error:  # an interrupt too: nobody knows how far it came
            self.undo()
            if isinstance(error, DRIVERS):
                raise translated(error) from error
            raise
        if self._scrub and not self.depth:
            asked, self._asked = self._asked, False
            if asked:
                self._empty_log()
            else:  # what an earlier commit asked for, and was told of
                with suppress(StorageError):
                    self._scrub = self._is_log_in_use()

    def undo(self) -> None:
        """Undo the part that is open; SQLite may have undone all of it by itself."""
        self.note_undone()
        connection = self.connection
        if connection is None:
            return
        run = connection.execute
        with suppress(*DRIVERS):
            if not connection.in_transaction:
                return
            if self.depth:
                run("ROLLBACK TO part")
                run("RELEASE part")
            else:
                run("ROLLBACK")

    def undo_all(self) -> None:
        """Undo all that is open, the contexts outside included."""
        self.note_undone()
        assert self.connection is not None  # noqa: S101 - for the type checker
        with suppress(*DRIVERS):
            self.connection.execute("ROLLBACK")

    def abandon(self) -> bool:
        """
        Leave what this thread left open where it was interrupted at a context's edge,
        and undo it; whether there was anything. Nobody may be inside any more.
        """
        self.depth, self.looked, connection = 0, False, self.connection
        self.added.clear()
        undone = connection is not None and connection.in_transaction
        if undone:
            self.undo()
        getattr(self._lock, _RELEASE_ALL)()
        return undone

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

        To be called inside `writing`. Where another process is reading for too long,
        or the disk fails, that commit alone says so, in an error that is `recorded`;
        each one after it tries again, waits for nobody, and says nothing.
        """
        self._scrub = self._asked = True

    def _empty_log(self) -> None:
        until = monotonic() + self.patience
        while self._is_log_in_use():
            if monotonic() >= until:
                raise StorageBusy(
                    "storage_busy",
                    "the words are gone, but not yet from the -wal file: another"
                    " process is reading; call again",
                    recorded=True,
                )
            sleep(_PAUSE)
        self._scrub = False

    def _is_log_in_use(self) -> bool:
        """Move all of the log into the file, and say whether that was not possible."""
        try:
            (busy, _, _) = self.run("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except DRIVERS as error:
            raise translated(error, recorded=True) from error
        return bool(busy)

    def close(self) -> None:
        """Close the connection; again, or in a process that was forked, do nothing."""
        if self.connection is None:  # before the lock: in a child it may be held
            return
        with self._lock:
            connection, self.connection = self.connection, None
            if connection is not None:
                try:
                    connection.close()
                except DRIVERS as error:
                    raise translated(error) from error


class _Reading:
    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Run:
        database = self._database
        connection = database.enter()
        if database.added:
            try:
                database.flush()
            except BaseException:  # an interrupt too: no `__exit__` is called
                database.leave()
                raise
        return connection.execute if database.depth else database.run

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        self._database.leave()
        if error is not None and isinstance(error, DRIVERS):
            raise translated(error) from error


class _Writing:
    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Run:
        database = self._database
        connection = database.enter()
        try:
            if database.depth:
                database.check_held()
                if database.added:
                    database.flush()
                connection.execute("SAVEPOINT part")  # with the lock, it waits for none
            else:
                database.run(_BEGIN)
        except BaseException as error:  # an interrupt too: no `__exit__` is called
            if not database.depth:
                database.undo()
            database.leave()
            if isinstance(error, DRIVERS):
                raise translated(error) from error
            raise
        database.depth += 1
        return connection.execute

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        database = self._database
        database.ascend()
        try:
            if error is None:
                database.end("RELEASE part" if database.depth else "COMMIT")
            else:
                database.undo()
                if isinstance(error, DRIVERS):
                    raise translated(error) from error
        finally:
            database.leave()


class _Holding:
    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        database = self._database
        connection = database.enter()
        try:
            if not database.depth:
                database.run(_BEGIN)
            if not database.looked:
                database.check_held()
                if database.added:  # by a call that was interrupted behind it
                    database.flush()
                database.look(connection.execute)
                database.looked = True
        except BaseException as error:  # an interrupt too: no `__exit__` is called
            if not database.depth:
                database.undo()
            database.leave()
            if isinstance(error, DRIVERS):
                raise translated(error) from error
            raise
        database.depth += 1

    def __exit__(self, *exception: object) -> None:
        database = self._database
        left = database.ascend()
        try:
            if left:
                return
            connection = database.connection
            if connection is not None and connection.in_transaction:
                database.end("COMMIT")
            elif exception[0] is None:
                raise _lost() if connection else closed("closed before its commit")
        finally:
            database.leave()


def _refuse() -> NoReturn:
    raise closed("this storage belongs to another process")


def _lost() -> StorageError:
    return StorageError(
        "storage_failed", "SQLite undid what was written in this context"
    )
