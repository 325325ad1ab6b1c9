"""
A storage for rooms, to be copied: what it has to do, and how it is found by its URL.

It keeps everything in memory, by handing each call on. Replace one call after the other
by your own; the test says at each step whether the contract still holds. What the calls
promise stands in `docs/reference/storage.md`, numbered, each with the test that proves
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rooms import MemoryStorage
from rooms.hooks import hookimpl
from rooms.log.records import Commit, Record
from rooms.storage import Head

__all__ = ["KeptStorage"]


class KeptStorage:
    """
    A storage.

    Args:
        name: Which one; what is in memory is a new one each time, whatever its name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._inner = MemoryStorage()

    # -- what has to be yours first: the log itself

    def append(self, commit: Commit) -> int:
        """All of a commit or nothing; the position of its last record (S1 to S4)."""
        return self._inner.append(commit)

    def read(
        self, stream: str, *, after: int = 0, limit: int = 1_000, words: bool = True
    ) -> list[Record]:
        """The records of a stream behind a version, in order; bodies only if asked."""
        return self._inner.read(stream, after=after, limit=limit, words=words)

    def head(self, stream: str) -> Head:
        """The last version of a stream, and its chain."""
        return self._inner.head(stream)

    # -- everything else, handed on

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@hookimpl
def rooms_storages() -> Mapping[str, Callable[[str], Any]]:
    """`Lobby.open("kept:team", plugins="entrypoints")` opens one."""
    return {"kept": lambda url: KeptStorage(url.partition(":")[2])}
