"""
`rooms plugins`: which installed plugins can be loaded, and what each implements.

Law: loading one runs its code, so nothing is loaded but on request.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from rooms.rendering.showing import shown

__all__ = ["add_to"]

_LONGEST_ERROR = 500


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "plugins",
        help="list the installed plugins, and the hooks of those that are loaded",
        description="Lists the plugins that installed packages announce in the entry"
        " point group `rooms`. With --load each is imported and registered, as a host"
        " does, and its hooks are told.",
        epilog="Exit code: 0 all is well, 1 a plugin cannot be loaded.",
    )
    command.add_argument(
        "--load", action="store_true", help="import them; this runs their code"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the plugins; 1 where one cannot be loaded, else 0."""
    told, failed = _loaded() if arguments.load else (_announced(), False)
    if arguments.json:
        print(json.dumps({"plugins": told}))
    else:
        for one in told:
            print(_line(one))
        if not told:
            print("no installed package announces a plugin")
    return 1 if failed else 0


def _announced() -> list[dict[str, Any]]:
    from rooms.plugins.entry_points import entries  # noqa: PLC0415 - loads pluggy

    return [
        {"name": entry.name, "distribution": entry.distribution}
        for entry in entries(None)
    ]


def _loaded() -> tuple[list[dict[str, Any]], bool]:
    from rooms.hooks import Plugins  # noqa: PLC0415 - loads pluggy
    from rooms.plugins.answers import HOOKS  # noqa: PLC0415

    plugins = Plugins()
    loaded = plugins.load()
    told: list[dict[str, Any]] = [
        {
            "name": name,
            "hooks": [hook for hook in HOOKS if name in plugins.asked(hook)],
        }
        for name in loaded.plugins
    ]
    told += [
        {
            "name": failure.plugin,
            "distribution": failure.distribution,
            "error": f"{type(failure.error).__name__}: {failure.error}",
        }
        for failure in loaded.failures
    ]
    return told, bool(loaded.failures)


def _line(one: dict[str, Any]) -> str:
    name = shown(one["name"] or "?")
    if "error" in one:
        return f"{name}  FAILED: {shown(one['error'], at_most=_LONGEST_ERROR)}"
    if "hooks" in one:
        return f"{name}  {', '.join(one['hooks']) or 'no hook'}"
    return f"{name}  of {shown(one['distribution'] or 'an unknown distribution')}"
