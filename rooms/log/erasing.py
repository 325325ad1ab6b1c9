"""
Erasing: the words of one message go, and what is owed for it ends.

Two laws. What the message did stands: its number, whom it woke, who answers it; only
its words are gone, and the chain still fits (foundation 8). And nobody is woken any
more for what cannot be read (ledger 14).
"""

from __future__ import annotations

from rooms.log import ledger
from rooms.log.events import Event, Fact, recorded
from rooms.log.posting import MessagePosted, ScheduledCancelled
from rooms.log.state import RoomState

__all__ = ["MessageErased", "erase", "evolve"]


@recorded("message_erased", critical=False)
class MessageErased(Event):
    """
    The words of a message are gone, with what it carried: that of this number, which
    the record of that version brought; or, with the number 0, one that this record
    cancelled before it had any.
    """

    number: int
    record: int


def erase(
    room: RoomState, message: MessagePosted | ScheduledCancelled, version: int
) -> list[Event]:
    """The erasing of a message that a record brought, and what ends with it."""
    if isinstance(message, ScheduledCancelled):
        return [MessageErased(0, version)]
    events: list[Event] = [MessageErased(message.seq, version)]
    for conversation, *_ in message.owed:
        events += ledger.end(room.seats[conversation], [message.seq], "erased")
    return events


def evolve(_: RoomState, fact: Fact) -> bool:
    """Takes a fact, if it is one of these; no state holds any words."""
    return isinstance(fact.event, MessageErased)
