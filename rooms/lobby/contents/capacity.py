"""
Capacity: how many bytes of files a lobby has room for.

Law: a lobby that is full takes in no new content, and gives up none to make room
(L-ATT-14, L-LIMIT-07).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rooms.log.posting import check_left

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["check", "free_disk", "left", "used"]


def used(desk: Desk) -> int:
    """The bytes of all contents, each counted once; the lock is held."""
    waiting = desk.uploads.waiting()
    fresh = (
        size for content, size in waiting.items() if desk.carried.size(content) is None
    )
    return desk.carried.used() + sum(fresh)


def free_disk(desk: Desk) -> int | None:
    """The bytes that the storage's disk has left; None for one that has no disk."""
    path = getattr(desk.storage, "path", None)
    if path is None:
        return None
    try:
        return shutil.disk_usage(Path(path).parent).free
    except OSError:  # whoever writes there is told what is wrong with it
        return None


def left(desk: Desk) -> tuple[int, str] | None:
    """
    How many bytes of new content there is room for, and what says so; None where
    nothing does. The lock is held.
    """
    found: list[tuple[int, str]] = []
    if desk.max_file_bytes is not None:
        found.append((desk.max_file_bytes - used(desk), "max_file_bytes"))
    free = None if desk.disk_reserve is None else free_disk(desk)
    if free is not None and desk.disk_reserve is not None:
        found.append((free - desk.disk_reserve, "disk_reserve"))
    return min(found, default=None)


def check(desk: Desk, size: int) -> None:
    """Refuses a content for which there is no room: `storage_capacity`."""
    check_left(size, left(desk))
