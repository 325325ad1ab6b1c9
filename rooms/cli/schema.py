"""
`rooms schema`: the events that a log may hold, as JSON Schemas or as a table.

Law: it is made from the declarations that write and read the log.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from rooms import values

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "schema",
        help="list the events that a log may hold, with their fields",
        description="Prints every type of event: the version of its form, whether a"
        " reader may ignore it, the fields of its header, and those of its body, which"
        " hold what people worded and are blanked when it is erased.",
        epilog="Exit code: 0 it was printed, 2 there is no such event.",
    )
    command.add_argument("event", metavar="EVENT", nargs="?", help="only this type")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the events; 0."""
    from rooms.log import agents, directory, folding  # noqa: PLC0415 - loads the log
    from rooms.log.events import registered  # noqa: PLC0415

    assert all((agents, directory, folding))  # noqa: S101 - they declare all events
    known = dict(sorted(registered().items()))
    if arguments.event is not None:
        name = values.member("EVENT", arguments.event, known)
        known = {name: known[name]}
    told: dict[str, dict[str, Any]] = {}
    for name, kind in known.items():
        header, body = kind.fields()
        told[name] = {
            "schema": kind.SCHEMA,
            "critical": kind.CRITICAL,
            "header": list(header),
            "body": list(body),
            "about": (kind.__doc__ or "").strip().partition("\n")[0],
        }
    if arguments.json:
        print(json.dumps(told))
        return 0
    for name, one in told.items():
        ignorable = "" if one["critical"] else ", may be ignored"
        print(f"{name}  (schema {one['schema']}{ignorable})  {one['about']}")
        print(f"  header: {', '.join(one['header']) or '-'}")
        if one["body"]:
            print(f"  body: {', '.join(one['body'])}")
    return 0
