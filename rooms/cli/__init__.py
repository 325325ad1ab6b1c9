"""
The command line: `python -m rooms COMMAND`, also installed as `rooms`.

Each command is a module with `add_to(commands)`, which declares its arguments and sets
`run`, a function from the parsed arguments to the exit code: 0 for yes, 1 for no or for
what is damaged, 2 for input that cannot be used.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from rooms import __version__
from rooms.cli import (
    check,
    conform,
    doctor,
    exporting,
    importing,
    log,
    plugins,
    replay,
    schema,
    simulate,
    verify,
    why,
)
from rooms.errors import CorruptLog, RoomsError
from rooms.rendering.showing import shown

__all__ = ["main"]

_LONGEST_PROBLEM = 10_000
_INTERRUPTED = 130  # as shells tell of SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; `arguments` are the process's own."""
    _open_streams()
    parsed = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A transcript may hold text that no terminal can show, half an emoji say.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except RoomsError as error:
        problem = shown(str(error), at_most=_LONGEST_PROBLEM)
        print(f"rooms {parsed.command}: {problem}", file=sys.stderr)
        return 1 if isinstance(error, CorruptLog) else 2
    except BrokenPipeError:
        # The reader has seen enough; what is left in the buffer has nowhere to go.
        _drop_output()
        return 0
    except KeyboardInterrupt:
        print(f"rooms {parsed.command}: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except OSError as error:
        print(f"rooms {parsed.command}: output: {error.strerror}", file=sys.stderr)
        _drop_output()
        return 2
    return code


def _open_streams() -> None:
    """Stands in for streams that were closed before we began; `print` mixes them."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115
            setattr(sys, name, stream)


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Command(argparse.ArgumentParser):
    """One command: what it does not know it refuses itself, with its own usage."""

    def parse_known_args(
        self, args: Any = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rooms",
        description="Rooms in which agents and people talk, take turns and wake each"
        " other.",
    )
    parser.add_argument("--version", action="version", version=f"rooms {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Command
    )
    for command in (
        *(replay, simulate, log, why, check, verify, doctor),
        *(exporting, importing, schema, plugins, conform),
    ):
        command.add_to(commands)
    return parser
