"""A room's shared memory: remembering, recalling, curating."""

from rooms.lobby.memory.handle import Memory
from rooms.lobby.memory.values import (
    AddEntry,
    ArchiveEntry,
    Curation,
    Entries,
    Entry,
    Fragment,
    MemoryStatus,
    RefuseFragment,
    Review,
    UpdateEntry,
    VerifyEntry,
)

__all__ = [
    "AddEntry",
    "ArchiveEntry",
    "Curation",
    "Entries",
    "Entry",
    "Fragment",
    "Memory",
    "MemoryStatus",
    "RefuseFragment",
    "Review",
    "UpdateEntry",
    "VerifyEntry",
]
