"""
Listing: which contents are kept, for whom, and how much that is.

Law: a page costs what is on it, and the messages that carry that.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rooms import values
from rooms.lobby.contents import capacity
from rooms.lobby.contents.values import KeptContent, KeptContents, Uploaded, Usage

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["listed", "usage"]

_MOST = 100


def usage(desk: Desk) -> Usage:
    """As `Contents.usage`, which documents it."""
    desk.check_usable()
    with desk.lock:
        return Usage(
            capacity.used(desk),
            desk.max_file_bytes,
            len(desk.uploads.waiting()),
            capacity.free_disk(desk),
            desk.disk_reserve,
        )


def listed(desk: Desk, *, after: str | None, limit: int) -> KeptContents:
    """As `Contents.listed`, which documents it."""
    behind = "" if after is None else Uploaded(after).sha256
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    desk.check_usable()
    with desk.lock:
        found = dict(desk.carried.contents(behind, limit + 1))
        waiting = desk.uploads.waiting()
        found |= {one: size for one, size in waiting.items() if one > behind}
        page = list(islice(sorted(found.items()), limit))
        items = tuple(_kept(desk, content, size) for content, size in page)
    more = len(found) > limit
    return KeptContents(items, items[-1].sha256 if more else None)


def _kept(desk: Desk, content: str, size: int) -> KeptContent:
    carrying = desk.carried.carrying(content)
    who = [*(one.who for one in carrying), *desk.uploads.waiting_for(content)]
    messages = tuple(one.message for one in carrying if one.message)
    schedules = tuple(one.schedule for one in carrying if one.schedule)
    return KeptContent(content, size, tuple(sorted(set(who))), messages, schedules)
