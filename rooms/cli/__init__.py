"""
The command line: `python -m rooms COMMAND`, also installed as `rooms`.

Each command is a module with `add_to(commands)`, which declares its arguments and sets
`run`, a function from the parsed arguments to the exit code: 0 for yes, 1 for no, 2 for
input that cannot be used.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from rooms import __version__
from rooms.cli import replay
from rooms.errors import RoomsError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; `arguments` are the process's own."""
    parsed = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A transcript may hold text that no terminal can show, half an emoji say.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except RoomsError as error:
        print(f"rooms {parsed.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has seen enough; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rooms",
        description="Rooms in which agents and people talk, take turns and wake each"
        " other.",
    )
    parser.add_argument("--version", action="version", version=f"rooms {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    replay.add_to(commands)
    return parser
