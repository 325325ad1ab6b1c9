"""
`rooms doctor DB`: what is wrong with the file, or may become so.

`verify` reads what was recorded; this reads the file around it.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from rooms.cli import progress
from rooms.rendering.showing import shown

__all__ = ["add_to"]

_UNUSABLE = {"missing", "unreadable", "foreign"}


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "doctor",
        help="say what is wrong with the file, or may become so",
        description="Looks at a lobby's file: whose it is, who may read it, whether"
        " SQLite finds its structure sound and is itself free of known faults. The file"
        " is not changed.",
        epilog="Exit code: 0 no error was found (warnings and notices are none),"
        " 1 an error was found, 2 the file cannot be used.",
    )
    command.add_argument("database", metavar="DB", help="the lobby's file")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    progress.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the findings, the worst first; 0 if none is an error."""
    from rooms.storage.doctor import diagnose  # noqa: PLC0415 - loads SQLite

    with progress.watched(arguments) as work:
        work.go_on()
        findings = diagnose(arguments.database, going_on=work.go_on)
    if arguments.json:
        every = [
            {"level": one.level, "code": one.code, "message": one.message}
            for one in findings
        ]
        print(json.dumps({"findings": every}, indent=2))
    else:
        for one in findings:
            print(f"{one.level}: {one.code}: {shown(one.message, at_most=1_000)}")
        worst = findings[0].level if findings else "nothing"
        print(f"{shown(arguments.database, at_most=4_096)}: worst found: {worst}")
    errors = {one.code for one in findings if one.level == "error"}
    if errors & _UNUSABLE:
        return 2
    return 1 if errors else 0
