"""
The exchange of one seat: what it said, what addressed it, and the replies that it got.

Law: a page costs the messages on it, wherever they stand in the transcript (G-VIEW-06).
It is a view: it settles nothing for whoever looks.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.access.auditing import looked
from rooms.lobby.access.gate import still, watch
from rooms.lobby.answers import Page
from rooms.lobby.handles import Conversation, Person, actor_of
from rooms.lobby.messages import messages_at
from rooms.log import seats

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["exchange"]

_MOST = 1_000


def exchange(
    desk: Desk,
    room: str,
    *,
    of: Any,
    by: Any,
    after: int | None,
    before: int | None,
    limit: int,
    now: datetime | None,
) -> Page:
    """As `Room.exchange`, which documents it."""
    actor = actor_of(by, desk)
    who = _who(of)
    low, high = _span(after, before)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    desk.check_usable()
    sight = watch(desk, room, actor)
    backwards = after is None
    prefix = ("room", room, "with", who)
    with desk.lock:
        state = still(desk, sight, actor)
        position, since = state.seq, seats.unread_before(state, actor.conversation)
        low = max(low, since + 1)
        rows = desk.views.asked(
            lambda: desk.storage.range(
                desk.views.name,
                low=(*prefix, low),
                high=(*prefix, min(high, position + 1)),
                limit=limit + 1,
                reverse=backwards,
            )
        )
        seqs = sorted(int(row.key[4]) for row in rows[:limit])
        items = messages_at(desk, room, seqs)
    looked(desk, sight, actor, "messages", now=now)
    more = len(rows) > limit
    return Page(
        items,
        seqs[-1] if more and not backwards else None,
        position,
        seqs[0] if more and backwards else None,
        read_only=sight.oversight,
        audited=sight.oversight,
    )


def _span(after: int | None, before: int | None) -> tuple[int, int]:
    """The numbers of a page: from the first on, up to another."""
    low = 1 if after is None else values.whole_number("after", after, at_least=0) + 1
    if before is None:
        return low, values.LARGEST
    if after is not None:
        raise InvalidInput("before", "stands beside `after`", allowed="one of the two")
    return low, values.whole_number("before", before, at_least=1)


def _who(of: Any) -> str:
    match of:
        case Conversation():
            return of.id
        case Person():
            return f"person:{of.name}"
    raise InvalidInput(
        "of",
        f"is of type {type(of).__name__}",
        allowed="a conversation or a person",
    )
