"""
How far long work is, told on the standard error.

Two laws. It is told where somebody watches a terminal, or on request, and else not at
all; what a command prints is the same bytes either way. And it costs nothing beside the
work: a look at the clock for what passes, ten tellings a second at most.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from rooms.errors import RoomsError

if TYPE_CHECKING:
    from rooms.storage import Storage

__all__ = ["Work", "add_option", "records_in", "watched"]

_T = TypeVar("_T")
_ON_TERMINAL, _IN_LINES = 0.1, 1.0
"""How many seconds stand between two tellings."""


def add_option(command: Any) -> None:
    """Declares `--progress`, as every command of long work has it."""
    command.add_argument(
        "--progress",
        action="store_true",
        help="tell on the standard error how far it is, also where that is no terminal",
    )


@contextmanager
def watched(
    arguments: argparse.Namespace, what: str | None = None, *, shown: bool | None = None
) -> Iterator[Work]:
    """
    Work that is watched while the block runs; no trace is left on a terminal then.

    Args:
        arguments: The command's own, with `--progress`.
        what: What the work is called; the command, unless said.
        shown: Whether it is told, where something else than the law above decides.
    """
    # A stream that was closed before we began is None, whatever its type says.
    on_terminal = bool(sys.stderr) and sys.stderr.isatty()
    if shown is None:
        shown = bool(sys.stderr) and (on_terminal or arguments.progress)
    work = Work(what or arguments.command, shown=shown, on_terminal=on_terminal)
    try:
        yield work
        work.finish()
    finally:
        work.clear()


def records_in(storage: Storage) -> int:
    """How many records a storage has; 0 where it is too damaged to say."""
    with suppress(RoomsError):
        return sum(storage.head(stream).version for stream in storage.streams())
    return 0


class Work:
    """
    Some work, and how far it is.

    Attributes:
        shown: Whether anybody is told.
    """

    def __init__(self, what: str, *, shown: bool, on_terminal: bool) -> None:
        self.shown = shown
        self._what = what
        self._on_terminal = on_terminal
        self._pause = _ON_TERMINAL if on_terminal else _IN_LINES
        self._began = monotonic()
        self._next = 0.0
        self._width = 0
        self._done = self._total = 0

    def expect(self, total: Callable[[], int]) -> None:
        """How much is to pass from now on; asked for only where anybody is told."""
        if self.shown:
            self._done, self._total = 0, total()

    def passing(
        self, items: Iterable[_T], size: Callable[[_T], int] = lambda _: 1
    ) -> Iterator[_T]:
        """The items as they are, counted as they pass."""
        if not self.shown:
            yield from items
            return
        for item in items:
            if self._total:
                self.show(self._done / self._total)
            elif self._is_time():
                self._tell(f"{self._done:,}")
            yield item
            self._done += size(item)

    def show(self, share: float) -> None:
        """Tells that so much is done, from 0 to 1."""
        if self._is_time():
            self._tell(f"{min(int(100 * share), 100)} %")

    def go_on(self) -> None:
        """Tells since when it goes on, where nobody knows how far it is."""
        if self._is_time():
            self._tell(f"{monotonic() - self._began:.0f} s")

    def finish(self) -> None:
        """Tells those who read lines that nothing is left."""
        if self.shown and not self._on_terminal:
            self._tell("done")

    def clear(self) -> None:
        """Takes what stands on the terminal away."""
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _is_time(self) -> bool:
        if not self.shown or (now := monotonic()) < self._next:
            return False
        self._next = now + self._pause
        return True

    def _tell(self, far: str) -> None:
        line = f"{self._what}: {far}"
        if self._on_terminal:
            self._write(f"\r{line:<{self._width}}")
            self._width = max(self._width, len(line))
        else:
            self._write(f"{line}\n")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads any more; the work goes on
            self.shown, self._width = False, 0
