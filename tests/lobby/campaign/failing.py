"""A storage that fails when a test says so, and otherwise is the one that it wraps."""

from __future__ import annotations

from rooms import MemoryStorage
from rooms.errors import StorageBusy
from rooms.log.records import Commit

__all__ = ["FailingStorage"]


class FailingStorage(MemoryStorage):
    """
    Memory whose commits raise once a countdown has run out.

    Attributes:
        left: How many more commits succeed; None for all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.left: int | None = None

    def append(self, commit: Commit) -> int:
        """As memory does it, or `storage_busy`."""
        if self.left is not None:
            if self.left <= 0:
                raise StorageBusy("storage_busy", "another process holds it")
            self.left -= 1
        return super().append(commit)
