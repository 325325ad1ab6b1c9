"""
The lock of a handle: one thread at a time decides and records.

Two laws. Whoever takes it from free has every state proven current, but for whoever may
decide on states as they are cached. And whoever lets it go leaves no context of the
storage open: where an interrupt hit one at its edge, what comes later would never be
committed.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from rooms.errors import StorageError
from rooms.lobby.recording.streams import Streams
from rooms.storage import Storage
from rooms.storage.protocol import Abandoning

__all__ = ["Cached", "Lock"]


class Lock:
    """Held by one thread at a time, and by it again; every state is proven current."""

    def __init__(self, streams: Streams, cached: Cached) -> None:
        self._streams = streams
        self.cached = cached

    def __enter__(self) -> None:
        cached = self.cached
        cached.__enter__()
        if cached.depth == 1:
            try:
                self._streams.prove()
            except BaseException:  # an interrupt too: the lock is let go
                cached.__exit__(StorageError)
                raise

    def __exit__(self, kind: object = None, *_: object) -> None:
        self.cached.__exit__(kind)


class Cached:
    """
    The same lock, for whoever decides on states as they are cached (foundation 4).

    Args:
        storage: Where nothing may be left open.
        check: Refuses a handle that cannot be used.
        forget: Lets go of all that was to be told and all states.
    """

    def __init__(
        self,
        storage: Storage,
        check: Callable[[], None],
        forget: Callable[[], None],
    ) -> None:
        self._storage = storage if isinstance(storage, Abandoning) else None
        self._check = check
        self._forget = forget
        self._lock = RLock()
        self._was_inside = False
        self.depth = 0

    def __enter__(self) -> None:
        self._check()  # first: in a process that was forked it may be held for ever
        self._lock.acquire()
        self.depth += 1
        if self._storage is not None and self.depth == 1:
            self._was_inside = self._storage.is_inside()

    def __exit__(self, kind: object = None, *_: object) -> None:
        storage = self._storage
        try:
            if storage is not None and self.depth == 1 and storage.is_inside():
                self._abandon(storage, kind)
        finally:
            self.depth -= 1
            self._lock.release()

    def _abandon(self, storage: Abandoning, kind: object) -> None:
        if self._was_inside or not storage.abandon():
            return
        self._forget()
        if kind is None:
            raise StorageError(
                "storage_failed", "a call was interrupted: nothing here is stored"
            )
