"""
Facts: what is known of deliveries, as of now.

Law: who sent a message learns what became of it for each; nobody else learns that of
anybody but itself (L-FACT-04).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rooms.errors import NotFound
from rooms.lobby.inbox.looking import looking
from rooms.lobby.inbox.values import Delivery, delivery_of
from rooms.lobby.schedules.fates import present
from rooms.log.events import Fact
from rooms.log.posting import MessageScheduled

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["count_unseen", "deliveries_of"]


def count_unseen(desk: Desk, inbox: Conversation, by: Any) -> int:
    """As `Inbox.count`, which documents it."""
    looking(desk, inbox, by)
    with desk.lock:
        return desk.deliveries.count_unseen(inbox.id)


def deliveries_of(
    desk: Desk, room: str, fact: Fact, recipients: Iterable[Conversation]
) -> tuple[Delivery, ...]:
    """
    What became of a message for these, in their order, as its sender may know it.

    Raises:
        NotFound: `unknown_message` where it is gone.
    """
    desk.check_usable()
    with desk.lock:
        if isinstance(fact.event, MessageScheduled):
            fact, over = present(desk, room, fact)
            if isinstance(fact.event, MessageScheduled):
                return _waiting(desk, room, fact, over, recipients)
        rows = desk.deliveries.of(room, getattr(fact.event, "seq", 0))
    every = tuple(recipients)
    if any(one.id not in rows for one in every):
        raise NotFound("unknown_message", "the message is gone, and its deliveries")
    return tuple(delivery_of(one, rows[one.id]) for one in every)


def _waiting(
    desk: Desk,
    room: str,
    fact: Fact,
    over: Fact | None,
    recipients: Iterable[Conversation],
) -> tuple[Delivery, ...]:
    """Of one that waits for its time, or was cancelled before it."""
    coming = desk.room(room).coming
    waiting = None if coming is None else coming.waiting.get(fact.version)
    lost = {} if waiting is None else dict(waiting.lost)
    state = "scheduled" if over is None else "cancelled"
    return tuple(
        Delivery(one, "held", held_reason=lost[one.id])
        if one.id in lost
        else Delivery(one, state)
        for one in recipients
    )
