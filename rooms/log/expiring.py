"""
Expiring: messages that were kept for as long as their room keeps any are gone.

Three laws. Only age ends a message, read or not, and never to make room (L-KEEP-01,
L-KEEP-05). Messages end in their order, so one number tells which are gone. And what is
still owed for one ends with it, and says why (ledger 12).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from rooms.log import ledger
from rooms.log.events import Event, Fact, recorded
from rooms.log.posting import MessagePosted
from rooms.log.state import RoomState

__all__ = [
    "Message",
    "MessagesExpired",
    "ends_with_messages",
    "evolve",
    "expire",
    "is_gone",
    "kept_until",
]

_MICROSECOND = timedelta(microseconds=1)
_OF_MESSAGES = ("request:post:", "superseded:")


Message = tuple[MessagePosted, int]
"""A message, and the version of the record that brought it."""


@recorded("messages_expired", critical=False)
class MessagesExpired(Event):
    """
    The messages of these numbers are gone, with all that hung on them; their records
    keep header and digest.

    Attributes:
        first: The number of the first of them.
        last: The number of the last; one less where all that goes was cancelled before
            it had one.
        record: The version of the record that brought, or cancelled, the last: no
            request stands any more in it, or before it, but of those that wait.
        next: When the first message that is left was posted; 0 where none is.
    """

    first: int
    last: int
    record: int
    next: int = 0


def kept_until(room: RoomState, at: int) -> int | None:
    """When a message of that instant expires; None where the room keeps all."""
    retention = room.policy.retention
    return None if retention is None else at + retention // _MICROSECOND


def is_gone(room: RoomState, record: int) -> bool:
    """Whether the message that this record brought has expired."""
    return record <= room.expired_record


def ends_with_messages(key: str) -> bool:
    """
    Whether a key is one that ends with the message that it stands for. What tells that
    a message waits no more stays, or it would seem to wait again.
    """
    return key.startswith(_OF_MESSAGES)


def expire(
    room: RoomState, messages: Sequence[Message], *, following: int, record: int
) -> list[Event]:
    """
    The end of a run of messages, and of what seats are owed for them; `following` is
    when the next one was posted, or 0, and `record` the last record that goes. None may
    be among these but some that were never delivered.
    """
    if record <= room.expired_record:
        return []
    first, last = room.expired + 1, room.expired + len(messages)
    owed: dict[str, list[int]] = {}
    for message, _ in messages:
        for conversation, *_ in message.owed:
            owed.setdefault(conversation, []).append(message.seq)
    events: list[Event] = [MessagesExpired(first, last, record, following)]
    for conversation, seqs in owed.items():
        events += ledger.end(room.seats[conversation], seqs, "expired")
    return events


def evolve(room: RoomState, fact: Fact) -> bool:
    """Takes a fact, if it is one of these: up to where messages are gone."""
    event = fact.event
    if not isinstance(event, MessagesExpired):
        return False
    room.expired, room.expired_record = event.last, event.record
    return True
