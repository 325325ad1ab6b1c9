"""
A message as it is recorded, and how it is folded.

Two laws. It says what it is to every seat that it touches, with the rule, so folding
hears and paces nothing anew. And its words stand in the body alone.
"""

from __future__ import annotations

from rooms.hearing import Tag
from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import charge, noted
from rooms.log.state import Entry, Lane, RoomState

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
    seq, sender, hops, at = event.seq, event.sender, event.hops, fact.at
    room.seq = seq
    by_agent = bool(sender)
    direct = ""
    for conversation, hearing, tag, why, lane in event.owed:
        seat = room.seats[conversation]
        seat.put((Entry(seq, hearing, tag, by_agent, hops, at, why, lane),))
        if by_agent and lane == Lane.READY:
            seat.charges = charge(room.policy, seat.charges, at)
        seat.restarted = -1  # something new is owed: its riders wake up (ledger 11)
        if tag == _DIRECT:
            direct = direct or conversation
            seat.partner = sender or seat.partner
        room.schedule(seat)
    if by_agent:
        seat = room.seats[sender]
        seat.seen_at = at
        seat.partner = direct or seat.partner
        window = room.policy.send_window
        if window is not None:
            seat.sends = noted(seat.sends, window.micros, at)
    return True


_DIRECT = Tag.DIRECT.value
