"""
`rooms import FILE DB`: a new lobby from what `rooms export` wrote.

Two laws. All of it or nothing; a lobby that holds anything is left as it is. And a new
lobby is made beside its place and put there whole, so that nobody ever finds a part of
it, and nothing that somebody else made there meanwhile is lost.
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from attrs import asdict

from rooms.cli import progress
from rooms.errors import Conflict, InvalidInput
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
    from rooms.storage.sqlite.opening import located  # noqa: PLC0415

    with (
        _opened(arguments.file) as file,
        progress.watched(arguments) as work,
        _placed(located(arguments.database)) as path,
    ):
        work.expect(lambda: _size(file))
        storage = SQLiteStorage(path)
        try:
            lines = work.passing(_lines_of(arguments.file, file), len)
            report = import_log(lines, storage)
        finally:
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


_BESIDE = ("", "-wal", "-shm", "-journal")


@contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """
    Where to import to: the lobby that is there, or a new file beside its place, which
    takes that when the block ends well.
    """
    from tempfile import mkstemp  # noqa: PLC0415 - seldom needed

    from rooms.storage.sqlite.faults import of_file  # noqa: PLC0415 - loads SQLite

    if path.exists():
        yield path
        return
    place = path.resolve()  # a link leads to where the lobby is to be
    _check_alone(place)
    try:
        handle, name = mkstemp(dir=place.parent, prefix=f".{place.name[:100]}.")
    except OSError as error:
        raise of_file(error, place) from error
    os.close(handle)
    made = Path(name)
    try:
        yield made
        try:
            _put(made, place)
        except OSError as error:
            raise of_file(error, place) from error
    finally:
        for one in _BESIDE:
            made.with_name(f"{made.name}{one}").unlink(missing_ok=True)


def _check_alone(place: Path) -> None:
    """What another file left there, SQLite would take for a part of the new one."""
    for one in ("-wal", "-journal"):
        if (left := place.with_name(f"{place.name}{one}")).exists():
            name = shown(str(left), at_most=4_096)
            raise InvalidInput("DB", f"is gone, and {name} is left of it")


def _put(made: Path, place: Path) -> None:
    """Puts a file where there is none; whoever was quicker stays."""
    try:
        try:
            os.link(made, place)
        except FileExistsError:
            raise
        except OSError:  # a file system without links; so the name is claimed first
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            made.replace(place)
    except FileExistsError:
        raise Conflict("not_empty", "somebody else made the lobby meanwhile") from None
    with suppress(OSError):  # a system that syncs no folders
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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
