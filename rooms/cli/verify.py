"""
`rooms verify DB`: is every record what was written?

Words that were erased are no damage; the chain says so and still fits.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rooms.cli import progress
from rooms.errors import CorruptLog
from rooms.rendering.showing import shown

if TYPE_CHECKING:
    from rooms.log.verification import Verification

__all__ = ["add_to"]

_MEANINGS = {
    "gap": "records are missing or doubled",
    "fields": "a field has another type",
    "chain": "its header or a fixed field was changed",
    "body": "its words were changed",
    "seq": "its number is not the transcript's next",
    "time": "its time falls",
    "order": "its position does not rise",
    "content": "a file that it names is missing or was changed",
}


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "verify",
        help="check every record against its chain",
        description="Reads every record of a lobby and compares it with the chain of"
        " its stream. The file is not changed.",
        epilog="Exit code: 0 all is as it was written, 1 something is not, 2 the file"
        " cannot be used.",
    )
    command.add_argument("database", metavar="DB", help="the lobby's file")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    progress.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints what is damaged; 0 if nothing is, else 1."""
    from rooms.lobby.transfer.proving import Contents  # noqa: PLC0415
    from rooms.log.verification import verify_stream  # noqa: PLC0415
    from rooms.storage.sqlite.reading import reading  # noqa: PLC0415 - loads SQLite
    from rooms.storage.walking import records_of  # noqa: PLC0415

    found: dict[str, Verification] = {}
    unreadable: dict[str, str] = {}
    with reading(arguments.database) as storage, progress.watched(arguments) as work:
        work.expect(lambda: progress.records_in(storage))
        contents = Contents(storage)
        for stream in storage.streams():
            try:
                passing = work.passing(records_of(storage, stream))
                records = contents.noting(passing)
                found[stream] = contents.proven(stream, verify_stream(records))
            except CorruptLog as error:
                unreadable[stream] = str(error.args[0])
    intact = not unreadable and not any(one.damages for one in found.values())
    if arguments.json:
        print(json.dumps(_report(found, unreadable, intact=intact), indent=2))
    else:
        print("\n".join(_lines(arguments.database, found, unreadable, intact=intact)))
    return 0 if intact else 1


def _lines(
    path: str,
    found: dict[str, Verification],
    unreadable: dict[str, str],
    *,
    intact: bool,
) -> Iterator[str]:
    for stream, one in found.items():
        for damage in one.damages:
            meaning = _MEANINGS[damage.problem]
            yield f"{shown(stream)} {damage.version}: {damage.problem}: {meaning}"
    for stream, problem in unreadable.items():
        yield f"{shown(stream)}: cannot be read: {shown(problem, at_most=200)}"
    records = sum(one.records for one in found.values())
    erased = sum(len(one.erased) for one in found.values())
    words = f", {erased} of them without their words" if erased else ""
    verdict = "all as they were written" if intact else "DAMAGED"
    yield (
        f"{shown(path, at_most=4_096)}: {records} records in"
        f" {len(found) + len(unreadable)} streams{words}: {verdict}"
    )


def _report(
    found: dict[str, Verification], unreadable: dict[str, str], *, intact: bool
) -> dict[str, Any]:
    streams: dict[str, Any] = {
        stream: {
            "records": one.records,
            "chain": one.chain.hex(),
            "erased": list(one.erased),
            "damages": [
                {"version": damage.version, "problem": damage.problem}
                for damage in one.damages
            ],
        }
        for stream, one in found.items()
    }
    return {"intact": intact, "streams": streams, "unreadable": unreadable}
