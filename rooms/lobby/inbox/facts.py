"""
Facts: what is known of deliveries, as of now.

Law: who sent a message learns what became of it for each; nobody else learns that of
anybody but itself (L-FACT-04).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rooms.lobby.inbox.looking import looking
from rooms.lobby.inbox.values import Delivery, delivery_of

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
    desk: Desk, room: str, seq: int, recipients: Iterable[Conversation]
) -> tuple[Delivery, ...]:
    """What became of a message for these, in their order, as its sender may know it."""
    desk.check_usable()
    with desk.lock:
        rows = desk.deliveries.of(room, seq)
    return tuple(delivery_of(one, rows.get(one.id)) for one in recipients)
