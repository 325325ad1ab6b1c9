"""
What a handle has in hand: who takes wakes here, and what was taken and not told.

Law: only what one and the same holder took counts as told when it comes back for more
(ledger 7), so no thread, task or delivery is ever taken for another.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from threading import local
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from rooms.lobby.handles import Conversation

__all__ = ["InHand"]

_HOLDERS_KNOWN = 10_000


class InHand:
    """The holders of one handle, and what each took last."""

    def __init__(self, ids: Callable[[str], str]) -> None:
        self._holder = _Holder(ids)
        self._deliveries = count(1)
        self._taken: dict[tuple[str, str], tuple[Conversation, str]] = {}
        self._turning: dict[str, None] = {}
        self.untold: list[tuple[str, str, Conversation, str]] = []  # see `taking`

    @property
    def holder(self) -> str:
        """Who takes wakes in this thread, or task, where the caller names nobody."""
        return self._holder.id

    def new_holder(self) -> str:
        """
        A holder for one delivery. What an interrupted one had in hand was told nobody:
        the next one must not come back as the same, which would say that it was.
        """
        return f"{self.holder}.{next(self._deliveries)}"

    def taken_by(self, holder: str) -> list[tuple[str, Conversation]]:
        """Rooms and conversations whose wakes a holder of this handle took last."""
        taken = tuple(self._taken.items())  # at once: other threads go on taking
        return [(room, one) for (room, _), (one, taker) in taken if taker == holder]

    def note_taken(self, room: str, conversation: Conversation, holder: str) -> None:
        """Remembers a take, so that coming back for more tells that it was told."""
        self._taken[room, conversation.id] = conversation, holder

    def note_turn(self, holder: str) -> None:
        """Remembers that a holder opens turns; it tells in no other way."""
        if len(self._turning) >= _HOLDERS_KNOWN:
            self._turning.pop(next(iter(self._turning)))
        self._turning[holder] = None

    def opens_turns(self, holder: str) -> bool:
        """Whether a holder opened a turn in this handle."""
        return holder in self._turning

    def note_done(self, room: str, conversation: str) -> None:
        """Forgets a take that has ended."""
        self._taken.pop((room, conversation), None)


class _Holder(local):
    """
    Who takes: each thread by itself, and each task of asyncio, since whoever comes back
    for more says that what it took before was told (ledger 7), and none can say so of
    another's.
    """

    def __init__(self, ids: Callable[[str], str]) -> None:
        self._ids = ids
        self._thread = ids("holder")
        self._tasks = WeakKeyDictionary[Any, str]()

    @property
    def id(self) -> str:
        """The holder of the thread, or of the task, that asks."""
        task = _task()
        if task is None:
            return self._thread
        known = self._tasks.get(task)
        if known is None:
            known = self._tasks[task] = self._ids("holder")
        return known


def _task() -> object:
    """The task of asyncio that runs, or None; asyncio is not loaded for it."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return None
