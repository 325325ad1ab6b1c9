"""
What is wrong, or may become so, with a database file.

One law: the file and its -wal are read and never written to.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from attrs import frozen

from rooms.errors import UnsupportedSchema
from rooms.storage.sqlite import schema
from rooms.storage.sqlite.faults import DRIVERS
from rooms.storage.sqlite.opening import OLDEST_SQLITE, located

__all__ = ["Finding", "diagnose"]

# From 3.7.0 on, a reset of the write-ahead log could lose commits where two
# connections used it (sqlite.org/releaselog/3_51_3.html).
_SAFE_SQLITE = (3, 51, 3)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_FREE_PAGES_WORTH_A_WORD = 1_000
_FREE_SHARE_WORTH_A_WORD = 4  # a quarter of the file
_STEPS = 10_000  # of SQLite's machine, between two calls


@frozen
class Finding:
    """
    One thing to know about a file.

    Attributes:
        level: `error`: it cannot be used, or data is lost; `warning`: it may come to
            that; `notice`: nothing to do.
        code: A stable word for it.
        message: The same for people.
    """

    level: str
    code: str
    message: str


def diagnose(
    path: str | os.PathLike[str], *, going_on: Callable[[], object] | None = None
) -> list[Finding]:
    """
    What is to be said about a database file, the worst first; nothing if all is well.
    Of a file that is `foreign` no more is said: the rest is for a lobby's.

    Reads the whole file. A process may have it open meanwhile. Where a -wal file was
    left behind, SQLite makes a -shm file beside it to read it.

    Args:
        path: The file.
        going_on: Called often while the file is read; how much is left nobody knows.

    Raises:
        InvalidInput: `invalid_request`, for what is no path.

    Codes: `sqlite_too_old`, `sqlite_wal_reset`, `missing`, `unreadable`, `foreign`,
    `damaged`, `readable_by_others`, `no_wal`, `wal_left`, `free_pages`.
    """
    place = located(path)
    order = ("error", "warning", "notice")
    found = [*_of_sqlite(sqlite3.sqlite_version_info), *_of_file(place, going_on)]
    return sorted(found, key=lambda finding: order.index(finding.level))


def _of_sqlite(version: tuple[int, ...]) -> Iterator[Finding]:
    shown = ".".join(map(str, version))
    if version < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        yield Finding(
            "error", "sqlite_too_old", f"SQLite {shown} is older than {oldest}"
        )
    elif version < _SAFE_SQLITE:
        yield Finding(
            "warning",
            "sqlite_wal_reset",
            f"SQLite {shown} has a rare fault that can damage a file which several"
            " connections use; 3.51.3 is free of it",
        )


def _of_file(path: Path, going_on: Callable[[], object] | None) -> Iterator[Finding]:
    if not path.is_file():
        there = "there is a folder" if path.is_dir() else "there is no such file"
        yield Finding("error", "missing", there)
        return
    log = path.with_name(f"{path.name}-wal")
    left = log.stat().st_size if log.exists() else 0
    around = [*_of_permissions(path), *_of_log(path, log, left)]
    inside = list(_of_database(path, going_on, in_use=left > 0))
    foreign = [finding for finding in inside if finding.code == "foreign"]
    yield from foreign or [*around, *inside]


def _of_log(path: Path, log: Path, left: int) -> Iterator[Finding]:
    if not log.exists() and not _is_write_ahead(path):
        yield Finding("notice", "no_wal", "the next opening turns the -wal file on")
    if left:
        yield Finding(
            "notice",
            "wal_left",
            f"{log.name} holds {left:,} bytes: the file is in use, or was not closed;"
            " copy both or neither",
        )


def _of_database(
    path: Path, going_on: Callable[[], object] | None, *, in_use: bool
) -> Iterator[Finding]:
    mode = "mode=ro" if in_use else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True)) as opened:
            if going_on is not None:
                opened.set_progress_handler(_going(going_on), _STEPS)
            yield from _of_content(opened)
    except UnsupportedSchema as error:
        yield Finding("error", "foreign", error.args[0])
    except DRIVERS as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            yield Finding("error", "foreign", "the file is no database")
        elif code == sqlite3.SQLITE_CORRUPT:
            yield Finding("error", "damaged", "SQLite cannot read the file's structure")
        else:
            yield Finding("error", "unreadable", f"SQLite cannot read it: {error}")


def _going(on: Callable[[], object]) -> Callable[[], int]:
    def step() -> int:
        on()
        return 0  # anything else would stop SQLite

    return step


def _of_permissions(path: Path) -> Iterator[Finding]:
    if os.name != "posix":
        return
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        beside = path.with_name(name)
        if beside.exists() and (open_to := beside.stat().st_mode & _OTHERS):
            yield Finding(
                "warning",
                "readable_by_others",
                f"{name} has mode {open_to:04o} for others than its owner; use 0600",
            )


def _is_write_ahead(path: Path) -> bool:
    """
    Whether the header says so. To be asked only where no -wal file is there: nobody in
    this process has the file open then, who would lose its locks with our closing it.
    """
    with path.open("rb") as file:
        header = file.read(20)
    return header[18:19] == b"\2"


def _of_content(opened: sqlite3.Connection) -> Iterator[Finding]:
    opened.execute("PRAGMA trusted_schema = OFF")
    opened.execute("PRAGMA cell_size_check = ON")
    if schema.is_behind(opened):
        yield Finding(
            "notice", "behind", "the next opening brings the tables up to date"
        )
    else:
        schema.check(opened)
    problems = [said for (said,) in opened.execute("PRAGMA integrity_check(10)")]
    if problems != ["ok"]:
        yield Finding("error", "damaged", "; ".join(problems))
    (free,) = opened.execute("PRAGMA freelist_count").fetchone()
    (pages,) = opened.execute("PRAGMA page_count").fetchone()
    if free > _FREE_PAGES_WORTH_A_WORD and free * _FREE_SHARE_WORTH_A_WORD > pages:
        yield Finding(
            "notice",
            "free_pages",
            f"{free:,} of {pages:,} pages are free; VACUUM gives them back",
        )
