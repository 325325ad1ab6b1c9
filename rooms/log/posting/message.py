"""
A message as it is recorded, and how it is folded.

Two laws. It says what it is to every seat that it touches, with the rule, so folding
hears and paces nothing anew. And its words stand in the body alone.
"""

from __future__ import annotations

from rooms.hearing import Tag
from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import charge
from rooms.log.state import Entry, Lane, RoomState, Seat, window_of

__all__ = ["MessagePosted", "Owed", "evolve"]

Owed = tuple[str, str, str, str, str]
"""Conversation, class, tag, rule and lane of what one seat is owed for a message."""


@recorded("message_posted", body=("text", "unresolved"))
class MessagePosted(Event):
    """
    A message, and what it is to every seat that it touches.

    Attributes:
        seq: The transcript's number, dense from 1.
        sender: The conversation that wrote it, or "" for a person.
        author: The agent's id or the person's name.
        to: The addresses, in canonical form.
        reply_to: The id of the message that it answers.
        owed: What each seat is owed for it, with the rule; the started ones too.
        started: Conversations that it started, each with whom it succeeds, or "".
        hops: How far it is from a person's word.
        wake: The wake in whose turn it was written.
        truncated_from: The length before it was cut, in characters; 0 if it was not.
        text: What was said.
        unresolved: Names called in the text that fit nobody.
    """

    seq: int
    sender: str
    author: str
    to: tuple[str, ...] = ()
    reply_to: str = ""
    owed: tuple[Owed, ...] = ()
    started: tuple[tuple[str, str], ...] = ()
    hops: int = 0
    wake: str = ""
    truncated_from: int = 0
    text: str = ""
    unresolved: tuple[str, ...] = ()


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds a message in: its number, what it is owed to, and the sender's window."""
    event = fact.event
    if not isinstance(event, MessagePosted):
        return False
    room.seq = event.seq
    by_agent = bool(event.sender)
    direct = ""
    for conversation, hearing, tag, why, lane in event.owed:
        seat = room.seats[conversation]
        seat.put(
            [Entry(event.seq, hearing, tag, by_agent, event.hops, fact.at, why, lane)]
        )
        if lane == Lane.READY and by_agent:
            seat.charges = charge(room.policy, seat.charges, fact.at)
        seat.restarted = -1  # something new is owed: its riders wake up (ledger 11)
        if tag == Tag.DIRECT:
            direct = direct or conversation
            seat.partner = event.sender or seat.partner
        room.schedule(seat)
    if by_agent:
        _sent(room, room.seats[event.sender], direct, fact.at)
    return True


def _sent(room: RoomState, seat: Seat, partner: str, at: int) -> None:
    seat.seen_at = at
    seat.partner = partner or seat.partner
    if room.policy.send_window is not None:
        _, period = window_of(room.policy.send_window)
        seat.sends = (*(sent for sent in seat.sends if sent + period > at), at)
