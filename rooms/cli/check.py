"""
`rooms check LOG`: decide an old log again with today's rules.

Law: "agrees" is said only where at least one decision was made again.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from attrs import asdict

from rooms.cli import progress
from rooms.rendering.showing import shown

__all__ = ["add_to"]

_LONGEST_LINE = 2_000


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "check",
        help="decide an old log again with today's rules",
        description="Walks a lobby's file, or what `rooms export` wrote, makes each"
        " decision in it again with the rules of this version, and names those that"
        " would be others today, with both. The file is not changed.",
        epilog="Exit code: 0 every decision that was made again is the recorded one, 1"
        " one is not or a record is damaged, 2 the file cannot be used or there was"
        " nothing to decide.",
    )
    command.add_argument("log", metavar="LOG", help="a lobby's file, or an export")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    progress.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints what was found; 0 where all agrees, 1 where not, 2 for nothing."""
    from rooms.testing.redeciding import check_replay  # noqa: PLC0415 - loads the lobby

    with progress.watched(arguments) as work:
        report = check_replay(arguments.log, progress=work.show)
    if arguments.json:
        print(json.dumps(asdict(report) | {"agrees": report.agrees}))
    else:
        for line in str(report).splitlines():
            print(shown(line, at_most=_LONGEST_LINE))
    if report.divergences:
        return 1
    return 0 if report.agrees else 2
