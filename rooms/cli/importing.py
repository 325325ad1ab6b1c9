"""
`rooms import FILE DB`: a new lobby from what `rooms export` wrote.

Law: all of it or nothing; a lobby that holds anything is left as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from attrs import asdict

from rooms.cli import progress
from rooms.errors import InvalidInput
from rooms.rendering.showing import listed, shown

if TYPE_CHECKING:
    from rooms.lobby.transfer.log import ImportReport

__all__ = ["add_to"]

_STANDARD_INPUT = "-"


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "import",
        help="make a new lobby from an export",
        description="Reads what `rooms export` wrote, checks every line, and fills a"
        " new lobby with it, or one that holds nothing.",
        epilog="Exit code: 0 all was imported, 1 the file is damaged or was cut, and"
        " nothing was imported, 2 a file cannot be used.",
    )
    command.add_argument("file", metavar="FILE", help="the export; '-' is the input")
    command.add_argument("database", metavar="DB", help="the new lobby's file")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    progress.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Imports the file and prints what it held."""
    from rooms.lobby.transfer.log import import_log  # noqa: PLC0415 - loads SQLite
    from rooms.storage.sqlite import SQLiteStorage  # noqa: PLC0415

    with _opened(arguments.file) as file, progress.watched(arguments) as work:
        work.expect(lambda: _size(file))
        path = Path(arguments.database)
        is_new = not path.exists()
        storage = SQLiteStorage(path)
        try:
            lines = work.passing(_lines_of(arguments.file, file), len)
            report = import_log(lines, storage)
        except BaseException:  # an interrupt too: a new file does not stay
            storage.close()
            if is_new:
                _remove(path)
            raise
        storage.close()
    if arguments.json:
        print(json.dumps(asdict(report)))
    else:
        print("\n".join(_told(arguments.database, report)))
    return 0


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    if path == _STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _size(file: BinaryIO) -> int:
    """How many bytes there are to read; 0 where only the end will tell."""
    told = os.fstat(file.fileno())
    return told.st_size if stat.S_ISREG(told.st_mode) else 0


def _lines_of(path: str, file: BinaryIO) -> Iterator[str]:
    from rooms.log.lines import read_lines  # noqa: PLC0415 - seldom needed

    try:
        yield from read_lines(file)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> InvalidInput:
    problem = getattr(error, "strerror", None) or "no path"
    name = shown(path, at_most=4_096)
    return InvalidInput("FILE", f"{name} cannot be read: {problem}")


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def _told(path: str, report: ImportReport) -> Iterator[str]:
    words = f", {report.erased} of them without their words" if report.erased else ""
    yield (
        f"{shown(path, at_most=4_096)}: {report.records} records in"
        f" {report.streams} streams{words}"
    )
    if report.unknown:
        yield f"types that this version does not know, kept: {listed(report.unknown)}"
    if report.read_only:
        yield f"read only because of them: {listed(report.read_only)}"
