"""
Facts: what is known of deliveries, as of now.

Law: who sent a message learns what became of it for each; nobody else learns that of
anybody but itself (L-FACT-04).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rooms.lobby.inbox.looking import looking

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["count_unseen"]


def count_unseen(desk: Desk, inbox: Conversation, by: Any) -> int:
    """As `Inbox.count`, which documents it."""
    looking(desk, inbox, by)
    with desk.lock:
        return desk.deliveries.count_unseen(inbox.id)
