"""
What an inbox hands back, as values that nobody can change.

Law: to have been handed over, to be seen, and to be done with are three facts; the
last is in nobody's inbox (L-FACT-05).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from attrs import frozen

from rooms.lobby.handles import Conversation
from rooms.values import moment

__all__ = ["Delivery", "delivery_of"]


@frozen
class Delivery:
    """
    What became of a message for one that it was owed to.

    Attributes:
        recipient: To whom.
        state: `pending`: it waits to be seen. `seen`: the recipient said so, or what
            the policy settles on did. `held`: it was withdrawn before it was seen, for
            good. `scheduled`: it waits for its time, and its recipient knows nothing
            of it. `cancelled`: it was withdrawn while it waited.
        attempted_at: When it was last handed to the recipient's host, UTC; None for
            never.
        seen_at: When it was seen, UTC.
        receipt_seq: The number of the recipient's acknowledgement, for the recipient
            itself; None where it was seen in another way.
        held_reason: Why it is held: the recipient `left` or was `removed`, the message
            was `erased`, or `mode_changed`: the recipient listens otherwise.
    """

    recipient: Conversation
    state: str = "pending"
    attempted_at: datetime | None = None
    seen_at: datetime | None = None
    receipt_seq: int | None = None
    held_reason: str | None = None


def delivery_of(
    recipient: Conversation, row: Mapping[str, Any] | None, *, own: bool = False
) -> Delivery:
    """
    A delivery as the projection has it; the number of a receipt only for its own.
    """
    row = row or {}
    state = "held" if "held" in row else "seen" if "seen" in row else "pending"
    return Delivery(
        recipient,
        state,
        _at(row.get("attempted")),
        _at(row.get("seen")),
        row.get("receipt") if own else None,
        row.get("held"),
    )


def _at(since: int | None) -> datetime | None:
    return None if since is None else moment(since)
