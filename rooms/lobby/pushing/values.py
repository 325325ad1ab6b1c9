"""
A push as a value: what a plugin is handed to send.

Two laws. It tells what its runtime is owed and marks nothing as seen. And a hint says
whom and what about, and not a word of the text: those are read where they stand.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from rooms.lobby.answers import quoted
from rooms.lobby.messages import Message
from rooms.log.records import room_of_record
from rooms.rendering import MailFrame, Quoted, render_mail

if TYPE_CHECKING:
    from rooms.lobby.handles import Conversation
    from rooms.lobby.inbox.receipts import Receipt
    from rooms.lobby.room import Room

__all__ = ["Push", "PushHeader", "ReceiptPush", "header_of"]


@frozen
class PushHeader:
    """
    A message of which a hint tells.

    Attributes:
        id: Its id.
        sender: The address of who wrote it.
        to: The addresses, in canonical form.
        room: The id of its room.
        urgency: `normal`, `quiet` or `now`.
        at: When it was written, UTC.
        kind: What it is, or None where nobody said.
    """

    id: str
    sender: str
    to: tuple[str, ...]
    room: str
    urgency: str
    at: datetime
    kind: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """In JSON's own types."""
        told = {
            "id": self.id,
            "from": self.sender,
            "to": list(self.to),
            "room": self.room,
            "urgency": self.urgency,
            "at": self.at.isoformat(),
            "kind": self.kind,
        }
        return {name: one for name, one in told.items() if one is not None}


@frozen
class Push:
    """
    What is sent to whoever runs a conversation: messages, or a hint at them.

    Attributes:
        id: Its id, by which a transport confirms it.
        conversation: Whose it is.
        generation: The claim to which it is sent; 0 where there is none.
        runtime: How the runtime that has the claim names itself, or "".
        messages: The messages, what is urgent first; none in a hint.
        covered: The headers of a hint, what is urgent first; as many as it may have.
        covered_count: How many messages it tells of in all.
        pending_count: How many waited to be seen when it was made.
        truncated: Whether it is a hint: the words have to be read.
        kind: `inbox`, to tell it from what else a plugin is handed to push.
    """

    id: str
    conversation: Conversation
    generation: int
    runtime: str
    messages: tuple[Message, ...]
    covered: tuple[PushHeader, ...]
    covered_count: int
    pending_count: int
    truncated: bool
    _rooms: tuple[Room, ...] = field(default=(), repr=False, eq=False)
    kind: Literal["inbox"] = field(default="inbox", repr=False)

    def as_dict(self) -> dict[str, Any]:
        """The push in JSON's own types, as its size is measured."""
        return {
            "type": self.kind,
            "notification_id": self.id,
            "agent": self.conversation.agent,
            "conversation": self.conversation.id,
            "generation": self.generation,
            **({"runtime": self.runtime} if self.runtime else {}),
            "messages": [_told(one) for one in self.messages],
            "covered": [one.as_dict() for one in self.covered],
            "covered_count": self.covered_count,
            "pending_count": self.pending_count,
            "truncated": self.truncated,
        }

    @property
    def size(self) -> int:
        """Its bytes as JSON in UTF-8."""
        return len(json.dumps(self.as_dict(), ensure_ascii=False).encode())

    def frames(self) -> tuple[MailFrame, ...]:
        """Its messages as `render` writes them, a value for each room."""
        by_room: dict[str, list[Quoted]] = {}
        for one in self.messages:
            by_room.setdefault(room_of_record(one.id), []).append(quoted(one))
        return tuple(
            MailFrame(room=room.name, kind="notice", messages=by_room[room.id])
            for room in self._rooms
            if room.id in by_room
        )

    def render(self, **wording: Any) -> str:
        """
        Its messages as text for a model, in which no message can forge a speaker or a
        line of the library; "" for a hint, whose words have to be read.
        """
        return "\n".join(render_mail(one, **wording) for one in self.frames())


@frozen
class ReceiptPush:
    """
    Receipts that are sent to whoever runs the conversation that asked for them.

    Attributes:
        id: Its id, by which a transport confirms it.
        conversation: Who wrote the messages.
        generation: The claim to which it is sent; 0 where there is none.
        runtime: How the runtime that has the claim names itself, or "".
        receipts: Who acknowledged which of them, up to 20; each is sent once.
        remaining: How many come later.
        kind: `receipts`, to tell it from other pushes.

    Source: L-RECEIPT-08 to L-RECEIPT-11.
    """

    id: str
    conversation: Conversation
    generation: int
    runtime: str
    receipts: tuple[Receipt, ...]
    remaining: int
    kind: Literal["receipts"] = field(default="receipts", repr=False)

    def as_dict(self) -> dict[str, Any]:
        """The push in JSON's own types."""
        return {
            "type": self.kind,
            "notification_id": self.id,
            "agent": self.conversation.agent,
            "conversation": self.conversation.id,
            "generation": self.generation,
            **({"runtime": self.runtime} if self.runtime else {}),
            "receipts": [_seen(one) for one in self.receipts],
            "remaining": self.remaining,
            "presentation": {"lead": self.render()},
        }

    def render(self) -> str:
        """
        The text for a model, in a line; nothing in it is anybody's words, so that no
        message can forge it.
        """
        seen: dict[str, int] = {}
        for one in self.receipts:
            seen[str(one.seen_by)] = seen.get(str(one.seen_by), 0) + 1
        said = "; ".join(f"{who} has seen {many} of them" for who, many in seen.items())
        more = f"; {self.remaining} more receipts follow" if self.remaining else ""
        return f"Of the messages that you sent, {said}{more}. To be seen is not done."


def _seen(receipt: Receipt) -> dict[str, Any]:
    told = {
        "message_id": receipt.message_id,
        "seen_by": str(receipt.seen_by),
        "seen_at": receipt.seen_at.isoformat(),
        "kind": receipt.kind,
        "to": list(receipt.to),
        "room": receipt.room.id,
        "excerpt": receipt.excerpt,
    }
    return {name: one for name, one in told.items() if one is not None}


def _told(message: Message) -> dict[str, Any]:
    told = header_of(message).as_dict()
    told |= {"text": message.content, "reply_to": message.reply_to}
    told |= {"correlation": message.correlation}
    return {name: one for name, one in told.items() if one is not None}


def header_of(message: Message) -> PushHeader:
    """The header of a message."""
    return PushHeader(
        message.id,
        str(message.sender),
        message.to,
        room_of_record(message.id),
        message.urgency,
        message.at,
        message.kind,
    )
