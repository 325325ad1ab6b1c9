"""
`rooms conform MODULE:FUNCTION`: a storage by the contract, requirement by requirement.

Law: the storage's own code is imported and run, and nothing of it is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import asdict

from rooms.errors import InvalidInput
from rooms.rendering.showing import shown

__all__ = ["add_to"]

_MISSING = (ImportError, AttributeError, ValueError)


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "conform",
        help="try a storage by the contract of storages",
        description="Imports MODULE and calls its FUNCTION with a folder, several times"
        " with the same one: it opens the storage that lives there. Runs the contract's"
        " tests on it and tells which requirements are met.",
        epilog="Exit code: 0 all are met, 1 one is not, 2 there is no such function.",
    )
    command.add_argument("storage", metavar="MODULE:FUNCTION")
    command.add_argument(
        "--volatile",
        action="store_true",
        help="a storage that is opened again is a new one",
    )
    command.add_argument(
        "--unshared",
        action="store_true",
        help="two handles of the storage do not see each other's commits",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the report; 0 if the storage conforms, else 1."""
    from rooms.testing.conformance import check_storage  # noqa: PLC0415 - pytest

    make = _function(arguments.storage)
    try:
        report = check_storage(
            make,
            persistent=not arguments.volatile,
            shared=not (arguments.unshared or arguments.volatile),
        )
    except InvalidInput as error:
        if error.field != "make":
            raise
        problem, allowed = error.details["problem"], error.details["allowed"]
        allowed = f"MODULE:FUNCTION of {allowed}"
        raise InvalidInput("storage", problem, allowed=allowed) from error
    if arguments.json:
        told = asdict(report) | {"conforms": report.conforms}
        print(json.dumps(told, indent=2))
    else:
        for line in str(report).splitlines():
            print(shown(line, at_most=400))
    return 0 if report.conforms else 1


def _function(named: str) -> Any:
    module, _, function = named.partition(":")
    allowed = "MODULE:FUNCTION, such as my_storage:open_in"
    if not module or not function:
        raise InvalidInput("storage", f"is {named[:80]!a}", allowed=allowed)
    folder = str(Path.cwd())
    sys.path.insert(0, folder)  # as `python -m` does
    try:
        found: Any = import_module(module)
        for name in function.split("."):
            found = getattr(found, name)
    except Exception as missing:  # whatever its own code raises
        kind = "" if isinstance(missing, _MISSING) else f"{type(missing).__name__}: "
        problem = f"cannot be found: {kind}{missing}"
        raise InvalidInput("storage", problem, allowed=allowed) from missing
    finally:
        with suppress(ValueError):  # it may have changed the path itself
            sys.path.remove(folder)
    return found
