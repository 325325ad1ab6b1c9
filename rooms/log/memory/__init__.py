"""
A room's shared memory: fragments that members give, entries that a curator makes.

Three laws. Nobody but the curator that the owner named changes what the room remembers,
and from the revision that it looked at, all or nothing (L-MEM-10). Words stand in
bodies, so what is erased is gone from everywhere. And what looks like a credential is
never stored (L-MEM-03).
"""

from rooms.log.memory.curating import Contents, Operation, curate, fail
from rooms.log.memory.events import (
    CuratorNamed,
    EntryChanged,
    FragmentKept,
    FragmentSettled,
    MemoryForgotten,
    MemoryRun,
)
from rooms.log.memory.folding import evolve
from rooms.log.memory.forgetting import erase, expired, words_of
from rooms.log.memory.keeping import (
    KINDS,
    appoint,
    check_kept,
    memory_of,
    remember,
)

__all__ = [
    "KINDS",
    "Contents",
    "CuratorNamed",
    "EntryChanged",
    "FragmentKept",
    "FragmentSettled",
    "MemoryForgotten",
    "MemoryRun",
    "Operation",
    "appoint",
    "check_kept",
    "curate",
    "erase",
    "evolve",
    "expired",
    "fail",
    "memory_of",
    "remember",
    "words_of",
]
