"""
What a fork brings into another process: everything that was open, and is not its own.

One law: in the child it refuses before it waits for anything (S14). Another thread may
have held its lock, and is not there to let it go. It is told once, when the child
begins, so no call has to ask which process it is in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from weakref import WeakMethod

__all__ = ["in_child"]

_TOLD: set[WeakMethod[Callable[[], None]]] = set()


def in_child(method: Callable[[], None]) -> None:
    """Has a method called in the child of each fork, as long as its object lives."""
    _listen()
    _TOLD.add(WeakMethod(method, _TOLD.discard))


@cache
def _listen() -> None:
    if hasattr(os, "register_at_fork"):  # there is none where nothing forks
        os.register_at_fork(after_in_child=_tell)


def _tell() -> None:
    for one in tuple(_TOLD):
        method = one()
        if method is not None:
            method()
