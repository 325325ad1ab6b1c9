"""
A message as it is recorded, and how it is folded.

Two laws. It says what it is to every seat that it touches, with the rule, so folding
hears and paces nothing anew. And its words stand in the body alone.
"""

from __future__ import annotations

from sys import intern

from rooms.hearing import Tag
from rooms.log import pairs
from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import noted
from rooms.log.owed import because
from rooms.log.state import Entry, Lane, RoomState, Seat
from rooms.policy import RoomPolicy

__all__ = ["MessagePosted", "Owed", "evolve", "note_sent"]

Owed = tuple[str, str, str, str, str]
"""Conversation, class, tag, rule and lane of what one seat is owed for a message."""


@recorded(
    "message_posted",
    body=("text", "unresolved", "attachments", "correlation", "structured"),
    sparse=("attachments", "correlation", "structured"),
)
class MessagePosted(Event):
    """
    A message, and what it is to every seat that it touches.

    Attributes:
        seq: The transcript's number, dense from 1.
        sender: The conversation that wrote it, or "" for a person.
        author: The agent's id or the person's name.
        to: The addresses, in canonical form.
        reply_to: The id of the message that it answers.
        reply_gone: Whether that had expired by then.
        owed: What each seat is owed for it, with the rule; the started ones too.
        started: Conversations that it started, each with whom it succeeds, or "".
        hops: How far it is from a person's word.
        wake: The wake in whose turn it was written.
        truncated_from: The length before it was cut, in characters; 0 if it was not.
        silent: Addresses that it names without calling, each with its conversation.
        files: The key of each attached file's path, its size in bytes, and whether it
            is text in UTF-8.
        types: The media type of each; none in older records.
        named: Whether its sender said whom it mentions, instead of its text.
        late: Whether it came after the turn that it belongs to, or more than a minute
            after it was due.
        failed: Whether it is what a failed turn left instead of an answer.
        kind: What it is, one of `KINDS`, or "" where nobody said.
        expects_reply: Whether an answer is expected; None where nobody said.
        urgency: How soon it should be told: one of `URGENCIES`.
        supersedes: The id of the message that it replaces.
        size: What it adds to the backlog of each that it is owed to, in bytes; 0 where
            the room counts none.
        skipped: Agents that would have heard it, and whose backlog was full.
        notify_when_seen: Whether its sender is told of each acknowledgement.
        due: When it was to be delivered, in microseconds; 0 for at once.
        accepted: The record that accepted it; 0 where it did not wait. That one names
            it for ever.
        after: The transcript's last number when it was accepted.
        words: The record that held its words at last.
        lost: Those whom it was for when it was accepted, and reaches no more, each with
            why.
        schedule: The recurring schedule of which it is an occurrence, or "".
        text: What was said.
        unresolved: Names called in the text that fit nobody.
        attachments: The path of each attached file, and the SHA-256 of its content.
        correlation: The sender's own id of what it belongs to.
        structured: What it says as data: JSON of one object, or "".
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
    silent: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, int, bool], ...] = ()
    types: tuple[str, ...] = ()
    named: bool = False
    late: bool = False
    failed: bool = False
    kind: str = ""
    expects_reply: bool | None = None
    urgency: str = "normal"
    supersedes: str = ""
    size: int = 0
    skipped: tuple[str, ...] = ()
    reply_gone: bool = False
    notify_when_seen: bool = False
    due: int = 0
    accepted: int = 0
    after: int = 0
    words: int = 0
    lost: tuple[tuple[str, str], ...] = ()
    schedule: str = ""
    text: str = ""
    unresolved: tuple[str, ...] = ()
    attachments: tuple[tuple[str, str], ...] = ()
    correlation: str = ""
    structured: str = ""


_DIRECT, _READY = Tag.DIRECT.value, Lane.READY


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds a message in: its number, what it is owed to, and the sender's window."""
    event = fact.event
    if not isinstance(event, MessagePosted):
        return False
    seats, policy, at = room.seats, room.policy, fact.at
    seq, hops, by, size = event.seq, event.hops, event.sender, event.size
    urgent, pushes = event.urgency == "now", policy.pushes
    window = policy.wake_window
    period = 0 if window is None else window.micros
    room.seq = seq
    if event.accepted or event.files:
        _came(room, event)
    sender = seats[by] if by else None
    agents, partner = sender is not None, ""
    if agents and policy.pair_window is not None:
        pairs.note(room, by, event.owed, at)
    for conversation, hearing, tag, why, lane in event.owed:
        seat = seats[conversation]
        cause = because(hearing, tag, agents, why, False, 0, urgent)
        entry = Entry(seq, at, hops, cause, size)
        account = seat.owe(intern(lane), entry)
        if lane == _READY:
            if pushes is not None:
                seat.arm(at if urgent else at + pushes.wait, (entry,))
            if agents and period:
                account.charges = noted(account.charges, period, at)
        account.restarted = -1  # something new is owed: its riders wake up (ledger 11)
        if tag == _DIRECT:
            partner = partner or conversation
            account.partner = by or account.partner
        room.schedule(seat)
    if sender is not None:
        _spoke(room, sender, event, at)
        sender.noting().partner = partner or sender.partner
    return True


def _came(room: RoomState, event: MessagePosted) -> None:
    """What waited for its time does so no more; else its files are new here."""
    if event.accepted:
        if room.coming is not None:
            room.coming.end(event.accepted)
    elif event.files:
        room.attached += len(event.files)


def _spoke(room: RoomState, sender: Seat, event: MessagePosted, at: int) -> None:
    """What comes of itself, as accepted before or by a schedule, is nothing sent."""
    if not event.accepted and not event.schedule:
        note_sent(room.policy, sender, at)
    if not event.failed:
        _said(room, sender.conversation, event)


def _said(room: RoomState, by: str, event: MessagePosted) -> None:
    """What a seat says with the floor is its turn; a failure is not speech."""
    seq, said = event.seq, room.spoken.get(by)
    room.spoken[by] = (seq if said is None else said[0], seq)
    floor = room.floor
    if floor is None or not floor.wake or floor.conversation != by:
        return
    if not event.late and not event.accepted:
        floor.seqs = (*floor.seqs, seq)


def note_sent(policy: RoomPolicy, seat: Seat, at: int) -> None:
    """Notes that a seat sent something: a sign of life, and a place of its window."""
    account = seat.noting()
    account.seen_at = at
    window = policy.send_window
    if window is not None:
        account.sends = noted(account.sends, window.micros, at)
