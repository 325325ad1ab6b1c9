"""
How a database file is opened: whose it is first, who may read it, then its settings.

Two laws: a file that is not ours is left as it is, byte for byte, and nothing appears
beside it; and there is no moment in which somebody else could read a file of ours.

SQLite alone opens the files that are there. Opening and closing one beside it would let
go of all its locks in this process (sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from threading import Lock
from time import monotonic, sleep

from rooms.errors import InvalidInput, StorageError, UnsupportedSchema
from rooms.storage.arguments import text
from rooms.storage.sqlite import schema
from rooms.storage.sqlite.faults import DRIVERS, of_file, translated

__all__ = ["OLDEST_SQLITE", "connect", "located", "peeked", "prepare"]

OLDEST_SQLITE = (3, 37, 0)
"""The first with STRICT tables."""

_OWNER_ONLY = 0o600
_PAUSE = 0.005  # s
# A commit of one message changes four pages; half the usual size costs a tenth less.
_PAGE = 2_048  # bytes, of a new file
_LOG_PAGES = 2_000  # 4 MiB of -wal before it is copied into the file
_creating = Lock()


def located(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a database file; `:memory:` and URIs are none."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidInput("path", "is no path", allowed="a path of a file")
    given = text("path", os.fspath(path))
    if given in {"", ":memory:"} or given.startswith("file:"):
        raise InvalidInput(
            "path", f"is {given!r}", allowed="a path; MemoryStorage() for memory"
        )
    try:
        os.fsencode(given)
    except UnicodeEncodeError:
        raise InvalidInput("path", "holds a lone surrogate") from None
    if "\0" in given:
        raise InvalidInput("path", "holds a NUL", allowed="a path of a file")
    return Path(given).absolute()


def peeked(path: Path) -> None:
    """
    Refuse a file that is not ours without a trace: read without locks, as one that
    nobody writes. What is odd only in the middle of a commit passes here.
    """
    told = path.stat()  # first: somebody else may be making it
    if not stat.S_ISREG(told.st_mode):  # SQLite would wait for who writes into a pipe
        raise UnsupportedSchema(
            "unsupported_schema", "it is a pipe or a device, and no file"
        )
    is_empty = told.st_size == 0
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        schema.refuse(version, application, is_empty=is_empty)
    except DRIVERS as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
            raise UnsupportedSchema(
                "unsupported_schema",
                "the file is no database; `rooms import` reads an export,"
                " `rooms replay` a transcript",
            ) from error
    finally:
        connection.close()


def connect(path: Path, *, durability: str, busy_timeout: int) -> sqlite3.Connection:
    """
    A connection to a database of ours, which is made where there is none.

    Raises:
        UnsupportedSchema: `unsupported_schema`, for what is not ours.
        StorageError: as `faults` has it.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StorageError(
            "storage_failed",
            f"SQLite {sqlite3.sqlite_version} is too old",
            at_least=".".join(map(str, OLDEST_SQLITE)),
        )
    if path.is_dir():
        raise StorageError("storage_failed", f"{str(path)!r} is a folder")
    connection = None
    try:
        _make_private(path)
        peeked(path)
        connection = sqlite3.connect(
            path,
            timeout=busy_timeout,
            isolation_level=None,  # no transaction but our own
            check_same_thread=False,  # one lock guards it
            cached_statements=256,
        )
        prepare(connection, durability=durability, busy_timeout=busy_timeout)
        connection.execute("PRAGMA busy_timeout = 0")  # `Database` waits from here on
    except BaseException as error:  # an interrupt too: nobody else closes it
        if connection is not None:
            connection.close()
        if isinstance(error, DRIVERS):
            raise translated(error) from error
        if isinstance(error, OSError) and not isinstance(error, StorageError):
            raise of_file(error, path) from error
        raise
    return connection


def _make_private(path: Path) -> None:
    """Make a new file its owner's alone; SQLite gives -wal and -shm the same mode."""
    with _creating:  # nobody in this process has it open before it is closed here
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY))
        except FileExistsError:
            if path.stat().st_size == 0 and path.is_file():
                path.chmod(_OWNER_ONLY)


def prepare(
    connection: sqlite3.Connection, *, durability: str, busy_timeout: int
) -> None:
    """Give a connection its settings, and the database its tables."""
    run = connection.execute
    run("PRAGMA trusted_schema = OFF")
    run("PRAGMA cell_size_check = ON")
    run("PRAGMA mmap_size = 0")  # a stray write would reach the file
    run("PRAGMA secure_delete = ON")
    run("PRAGMA synchronous = FULL")
    run(f"PRAGMA page_size = {_PAGE:d}")
    run(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES:d}")
    if schema.is_behind(connection):
        run("BEGIN IMMEDIATE")
        try:
            if schema.is_behind(connection):  # nobody was quicker
                schema.migrate(connection)
            run("COMMIT")
        except BaseException:  # an interrupt too: all tables or none
            if connection.in_transaction:
                run("ROLLBACK")
            raise
    _write_ahead(connection, monotonic() + busy_timeout)
    schema.check(connection)
    if durability == "relaxed":
        run("PRAGMA synchronous = NORMAL")


def _write_ahead(connection: sqlite3.Connection, deadline: float) -> None:
    """
    Turn the write-ahead log on. It needs the file for itself once, and SQLite does not
    wait for that: several processes may be opening a new file.
    """
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or monotonic() >= deadline:
                raise
            sleep(_PAUSE)
        else:
            if mode != "wal":
                raise StorageError(
                    "storage_failed",
                    "the file system offers no write-ahead log",
                    journal_mode=mode,
                )
            return
