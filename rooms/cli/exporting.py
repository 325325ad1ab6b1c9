"""
`rooms export DB [FILE]`: a lobby's whole log as checked lines of text.

Law: a file that is there is replaced by a whole export or left as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from rooms.cli import progress
from rooms.errors import InvalidInput
from rooms.rendering.showing import shown

__all__ = ["add_to"]

_STANDARD_OUTPUT = "-"


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "export",
        help="write the whole log as checked lines of text",
        description="Writes every record of a lobby as JSON Lines with checksums, which"
        " `rooms import` reads. The file holds what people worded. The lobby's file is"
        " not changed.",
        epilog="Exit code: 0 all was written, 1 a record is damaged and nothing behind"
        " it was written, 2 a file cannot be used.",
    )
    command.add_argument("database", metavar="DB", help="the lobby's file")
    command.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default=_STANDARD_OUTPUT,
        help="where to; '-', the standard output, unless said",
    )
    command.add_argument("--json", action="store_true", help="sum up as a JSON object")
    progress.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes the log, and sums it up where the log itself does not go."""
    from rooms.lobby.transfer.log import export_log  # noqa: PLC0415 - loads SQLite
    from rooms.storage.sqlite.reading import reading  # noqa: PLC0415

    to_output = arguments.file == _STANDARD_OUTPUT
    if to_output and arguments.json and arguments.progress:
        raise InvalidInput("--progress", "goes where the sum goes", allowed="a FILE")
    # Lines on a terminal tell how far they are; so they and we do not meet there.
    is_seen = to_output and sys.stdout.isatty()
    with (
        reading(arguments.database) as storage,
        progress.watched(arguments, shown=False if is_seen else None) as work,
    ):
        work.expect(lambda: progress.records_in(storage))
        lines = work.passing(export_log(storage))
        if to_output:
            last = _written(lines, sys.stdout)
        else:
            with _replaced(Path(arguments.file), arguments.database) as file:
                last = _written(lines, file)
    counted = json.loads(last)
    channel = sys.stderr if to_output else sys.stdout
    if arguments.json:
        print(json.dumps(counted), file=channel)
    else:
        name = shown(arguments.database, at_most=4_096)
        records, streams = counted["records"], counted["streams"]
        print(f"{name}: {records} records in {streams} streams", file=channel)
    return 0


def _written(lines: Iterable[str], file: TextIO) -> str:
    """Writes all lines; the last one."""
    last = ""
    for line in lines:
        file.write(line)
        last = line
    file.flush()
    return last


def _check_other(target: Path, database: str) -> None:
    if target.exists() and target.samefile(database):
        raise InvalidInput("FILE", "is the lobby itself", allowed="another file")


@contextmanager
def _replaced(path: Path, database: str) -> Iterator[TextIO]:
    """A file for its owner alone, which takes the path's place when all is written."""
    from tempfile import mkstemp  # noqa: PLC0415 - seldom needed

    try:
        target = path.resolve()
        _check_other(target, database)
        if target.exists() and not target.is_file():  # a pipe or a device
            with target.open("w", encoding="ascii", newline="\n") as file:
                yield file
            return
        handle, name = mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        try:
            with open(handle, "w", encoding="ascii", newline="\n") as file:  # noqa: PTH123
                yield file
                os.fsync(handle)
            os.replace(name, target)  # noqa: PTH105
        except BaseException:  # an interrupt too: nothing stays beside the file
            with suppress(OSError):
                os.unlink(name)  # noqa: PTH108
            raise
    except (InvalidInput, BrokenPipeError):
        raise
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "no path"
        raise InvalidInput("FILE", f"cannot be written: {problem}") from error
