"""
Receipts: what a sender that asked for it is told of acknowledgements.

Law: a receipt is no message. It is in nobody's inbox, nobody acknowledges it, and
nothing comes of it (L-RECEIPT-10).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.lobby.derived.told import Seen
from rooms.lobby.handles import Conversation
from rooms.lobby.inbox.looking import looking
from rooms.lobby.messages import fact_of
from rooms.log.posting import MessagePosted
from rooms.log.records import room_of_record
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["EXCERPT", "Receipt", "ReceiptPage", "receipt_of", "receipts"]

EXCERPT = 300
"""How many characters of its message a receipt repeats (L-LIMIT-06)."""

_MOST = 100


@frozen
class Receipt:
    """
    That somebody acknowledged a message.

    Attributes:
        message_id: The message's id.
        seen_by: Who did.
        seen_at: When, UTC.
        kind: The message's kind, or None.
        to: The message's addresses.
        room: Where it stands.
        excerpt: What it says, up to 300 characters of it.
    """

    message_id: str
    seen_by: Conversation
    seen_at: datetime
    kind: str | None
    to: tuple[str, ...]
    room: Room
    excerpt: str = field(repr=False)


@frozen
class ReceiptPage:
    """
    Some receipts, in the order in which they came.

    Attributes:
        items: The receipts.
        next_cursor: What to pass as `after` for the next page; None at the end.
    """

    items: tuple[Receipt, ...]
    next_cursor: int | None

    def __iter__(self) -> Iterator[Receipt]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def receipts(
    desk: Desk, inbox: Conversation, by: Any, *, after: int, limit: int
) -> ReceiptPage:
    """As `Inbox.receipts`, which documents it."""
    values.whole_number("after", after, at_least=0)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    looking(desk, inbox, by)
    with desk.lock:
        seen = desk.told.of(inbox.id, after=after, limit=limit + 1)
        found = [receipt_of(desk, one) for one in seen[:limit]]
    items = tuple(one for one in found if one is not None)
    return ReceiptPage(items, seen[limit - 1].place if len(seen) > limit else None)


def receipt_of(desk: Desk, seen: Seen) -> Receipt | None:
    """The receipt of an acknowledgement; None without its message. The lock is held."""
    from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out handles

    room, at = room_of_record(seen.message), moment(seen.at)
    fact = fact_of(desk, room, seen.message)
    if fact is None or not isinstance(fact.event, MessagePosted) or at is None:
        return None
    said = fact.event
    return Receipt(
        seen.message,
        Conversation(seen.by, seen.agent, desk),
        at,
        said.kind or None,
        said.to,
        Room(room, desk),
        said.text[:EXCERPT],
    )
