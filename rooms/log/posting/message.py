"""
A message as it is recorded, and how it is folded.

Two laws. It says what it is to every seat that it touches, with the rule, so folding
hears and paces nothing anew. And its words stand in the body alone.
"""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from rooms.hearing import Hearing, Tag
from rooms.log import pairs
from rooms.log.activities import Floor
from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import noted
from rooms.log.owed import Cause, because
from rooms.log.seat import Account
from rooms.log.state import Entry, Lane, RoomState, Seat
from rooms.policy import RoomPolicy

__all__ = ["MessagePosted", "Owed", "fold", "note_sent"]

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


_DIRECT, _DIGEST = Tag.DIRECT.value, Hearing.DIGEST.value
_READY, _RIDER = Lane.READY, Lane.RIDER


def fold(room: RoomState, fact: Fact) -> None:
    """Folds a message in: its number, what it is owed to, and the sender's window."""
    event: Any = fact.event
    seq, by, at = event.seq, event.sender, fact.at
    room.seq = seq
    if event.accepted or event.files:
        _came(room, event)
    if by and room.policy.pair_window is not None:
        pairs.note(room, by, event.owed, at)
    partner = _owe(room, event, at) if event.owed else ""
    if not by:
        return
    account = room.seats[by].noting()
    if partner:
        account.partner = partner
    if not event.failed:  # which is no speech
        said = room.spoken.get(by)
        room.spoken[by] = (said[0] if said else seq, seq)
        if room.floor is not None:
            _speak(room.floor, event)
    if event.accepted or event.schedule:  # what comes of itself is nothing sent
        return
    note_sent(room.policy, account, at)


def _owe(room: RoomState, event: Any, at: int) -> str:
    """What each seat is owed for a message; the first one that it calls by itself."""
    seats, policy, seq, by = room.seats, room.policy, event.seq, event.sender
    window = policy.wake_window if by else None  # a person's word takes no place
    takeable, charges = room.takeable, None
    alike: list[str] = []
    partner = ""
    for conversation, *owed in event.owed:
        if owed != alike:  # those that are owed it alike share the entry
            alike = owed
            way = _way(tuple(owed), by != "", event.urgency == "now")
            cause, lane, direct, ready, plain = way
            entry = Entry(seq, at, event.hops, cause, event.size)
            plain = plain and policy.pushes is None and not event.size
        seat = seats[conversation]
        account = seat.account
        lanes = account.owed
        if not plain or account.next is not None:
            account = _join(room, seat, lane, entry)
        elif lanes is not None and lane in lanes:
            lanes[lane][seq] = entry  # and it may take as it might
            account.fresh += ready
        else:
            account = seat.owe(lane, entry)
            if ready and seat.standing.place == "in":
                takeable[conversation] = None
        account.restarted = -1  # something new is owed: its riders wake up (ledger 11)
        if ready and window is not None:
            if account.charges is not charges:  # those woken alike share them, too
                charges = account.charges
                charged = noted(charges, window.micros, at)
            account.charges = charged
        if direct:
            partner = partner or conversation
            account.partner = by or account.partner
    return partner


class _Way(NamedTuple):
    """
    What is the same of all that is owed in one way.

    `plain` is whether nothing is counted of it but that it is ready, and a seat that
    waits for no instant waits for none with it either: what is ready, and is no digest,
    ends no claim, no hold and no window; and what rides along causes nothing.
    """

    cause: Cause
    lane: str
    direct: bool
    ready: bool
    plain: bool


@lru_cache(maxsize=1_024)
def _way(owed: tuple[str, ...], agents: bool, urgent: bool) -> _Way:
    hearing, tag, why, lane = owed
    cause = because(hearing, tag, agents, why, False, 0, urgent)
    ready = lane == _READY
    plain = lane == _RIDER or (ready and hearing != _DIGEST)
    return _Way(cause, intern(lane), tag == _DIRECT, ready, plain)


def _join(room: RoomState, seat: Seat, lane: str, entry: Entry) -> Account:
    """Puts an entry into a lane, whatever comes of it; the account of its seat."""
    account, pushes = seat.owe(lane, entry), room.policy.pushes
    if pushes is not None and lane == _READY:
        seat.arm(entry.at if entry.important else entry.at + pushes.wait, (entry,))
    room.schedule(seat)
    return account


def _came(room: RoomState, event: MessagePosted) -> None:
    """What waited for its time does so no more; else its files are new here."""
    if event.accepted:
        if room.coming is not None:
            room.coming.end(event.accepted)
    elif event.files:
        room.attached += len(event.files)


def _speak(floor: Floor, event: MessagePosted) -> None:
    """What a seat says with the floor is its turn."""
    if event.late or event.accepted or not floor.wake:
        return
    if floor.conversation == event.sender:
        floor.seqs = (*floor.seqs, event.seq)


def note_sent(policy: RoomPolicy, account: Account, at: int) -> None:
    """Notes that a seat sent something: a sign of life, and a place of its window."""
    window = policy.send_window
    account.seen_at = at
    if window is not None:
        account.sends = noted(account.sends, window.micros, at)
