"""
Mail: a message as it stands on a page of an inbox, with what is known of it there.

Law: a page shows its reader what that one may read. What was withdrawn from a recipient
before it was seen keeps its place, and none of its words (L-FACT-07).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import field, frozen

from rooms.lobby.handles import Conversation, Person
from rooms.lobby.inbox.values import Delivery
from rooms.lobby.messages import Message
from rooms.log.records import canonical

if TYPE_CHECKING:
    from rooms.lobby.room import Room

__all__ = ["Header", "InboxPage", "Mail", "size_of"]

_LINE = 200  # characters (L-READ-10)


@frozen
class Mail:
    """
    A message on a page of an inbox.

    Attributes:
        message: The message; one that is held for the reader has no words but why.
        room: Where it stands.
        delivery: What became of it for the inbox's conversation; None where it was not
            owed to it.
        deliveries: What became of it for each that it is owed to, in their order, where
            the inbox's conversation sent it.
    """

    message: Message
    room: Room
    delivery: Delivery | None = None
    deliveries: tuple[Delivery, ...] = ()


@frozen
class Header:
    """
    A message in one line.

    Attributes:
        id: The message's id.
        sender: The conversation or the person that wrote it.
        to: The addresses, in canonical form; empty for the room.
        room: Where it stands.
        kind: One of `request`, `notice`, `assignment`, `report`, `question`, or None.
        at: When it was recorded, UTC.
        first_line: Its first line that is not blank, up to 200 characters of it.
    """

    id: str
    sender: Conversation | Person
    to: tuple[str, ...]
    room: Room
    kind: str | None
    at: datetime
    first_line: str = field(repr=False)


@frozen
class InboxPage:
    """
    Some messages of an inbox; `page[0]`, `len(page)` and a loop are over `page.items`.

    Attributes:
        items: The messages.
        next_cursor: What to pass as `after` for the next page; None at the end.
    """

    items: tuple[Mail, ...]
    next_cursor: int | None

    @property
    def headers(self) -> tuple[Header, ...]:
        """The messages in one line each (L-READ-10)."""
        return tuple(map(_header_of, self.items))

    def __iter__(self) -> Iterator[Mail]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Mail:
        return self.items[place]


def _header_of(mail: Mail) -> Header:
    message = mail.message
    lines = (line.strip() for line in message.content.splitlines())
    return Header(
        message.id,
        message.sender,
        message.to,
        mail.room,
        message.kind,
        message.at,
        next((line for line in lines if line), "")[:_LINE],
    )


def size_of(message: Message) -> int:
    """What a message counts on a page: its text and its fields as JSON, in bytes."""
    text, fields = canonical(message.content), dict(message.fields)
    return len(text) - 2 + (len(canonical(fields)) if fields else 0)
