"""
Context: what a runtime reads before it goes on where the one before it stopped.

Two laws. It is one look at one instant, and settles nothing. And what was acknowledged
and is covered by no checkpoint is shown again, without a claim that anything of it is
done (L-CTX-08).
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.lobby.access.describing import said_of
from rooms.lobby.derived.deliveries import Letter
from rooms.lobby.handles import Conversation, Person
from rooms.lobby.inbox.asking import PAGE_BYTES, Asked
from rooms.lobby.inbox.checkpoints import Checkpoint, checkpoint_of
from rooms.lobby.inbox.looking import looking
from rooms.lobby.inbox.mail import InboxPage, Mail
from rooms.lobby.inbox.showing import Reader
from rooms.log.records import record_id

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Context", "Reconciliation", "Remembered", "SeenHeader", "ToCome", "context"]

_PENDING = 25  # L-CTX-03
_WHOLE = 5  # L-CTX-04
_HEADERS = 20
_NO_BOUND = 2**62


@frozen
class SeenHeader:
    """
    A message that was acknowledged, without its words.

    Attributes:
        id: The message's id.
        sender: The conversation or the person that wrote it.
        to: The addresses, in canonical form; empty for the room.
        room: Where it stands.
        kind: One of `request`, `notice`, `assignment`, `report`, `question`, or None.
        urgency: One of `quiet`, `normal` and `now`.
        at: When it was recorded, UTC.
        seen_at: When it was acknowledged, UTC.
        receipt_seq: The number of that.
    """

    id: str
    sender: Conversation | Person
    to: tuple[str, ...]
    room: Room
    kind: str | None
    urgency: str
    at: datetime
    seen_at: datetime | None
    receipt_seq: int | None


@frozen
class Reconciliation:
    """
    What was acknowledged, and the checkpoint does not cover.

    Attributes:
        page: The first five of them; its `next_cursor` goes on with `reconciliation`.
        headers: At most twenty of those behind it, without their words.
        total: How many there are.
    """

    page: InboxPage
    headers: tuple[SeenHeader, ...]
    total: int


@frozen
class Remembered:
    """
    How a room's memory stands.

    Attributes:
        room: Which room.
        revision: What a curator's run starts from; None before there is any.
        entries: How many active entries there are.
        gotchas: How many of them say what goes wrong.
        disputed: On how many a doubt stands.
        pending: How many fragments wait for the curator.
    """

    room: Room
    revision: str | None
    entries: int
    gotchas: int
    disputed: int
    pending: int


@frozen
class ToCome:
    """
    What an agent has to come, counted; `lobby.schedules` lists it.

    Attributes:
        schedules: How many of its schedules are active.
        messages: How many of its messages wait for their time.
    """

    schedules: int
    messages: int


@frozen
class Context:
    """
    What a runtime reads before it goes on.

    Attributes:
        conversation: Whose it is.
        runtime: How the runtime that has it now names itself, or None; another may have
            saved the checkpoint.
        role: How its agent should work.
        checkpoint: What it kept, with the number of its last receipt.
        pending: What waits to be seen, at most 25 messages.
        reconciliation: What it has seen, and the checkpoint does not cover.
        scheduled: What its agent has to come.
        guidance: What to do about it, in sentences.
        memories: How the memories stand of the rooms that it is in and that keep one.
    """

    conversation: Conversation
    runtime: str | None
    role: str
    checkpoint: Checkpoint
    pending: InboxPage
    reconciliation: Reconciliation
    scheduled: ToCome
    guidance: tuple[str, ...]
    memories: tuple[Remembered, ...]


def context(
    desk: Desk, inbox: Conversation, by: Any, *, now: datetime | None
) -> Context:
    """As `Inbox.context`, which documents it."""
    pending = Asked.of(0, _PENDING, PAGE_BYTES, now)
    actor = looking(desk, inbox, by)
    reader = Reader(desk, inbox, actor)
    with desk.lock:
        entry, kept = desk.agent(inbox.agent), checkpoint_of(desk, inbox)
        bound = desk.talks(inbox.agent).talk(inbox.id).runtime
        letters = pending.every(partial(desk.deliveries.unseen, inbox.id))
        waiting = pending.cut(letters, reader.received)
        seen = _reconciliation(desk, inbox, reader, kept.covered_receipt_seq)
        found = Context(
            inbox,
            None if bound is None else bound.id,
            said_of(desk, entry).role,
            kept,
            waiting,
            seen,
            _to_come(desk, inbox),
            tuple(_guidance(kept, waiting, seen)),
            _memories(desk, inbox),
        )
    for page in (found.pending, found.reconciliation.page):
        reader.looked(page, now=now)
    return found


def _reconciliation(
    desk: Desk, inbox: Conversation, reader: Reader, covered: int
) -> Reconciliation:
    most = _WHOLE + _HEADERS
    letters = desk.deliveries.seen(inbox.id, after=covered, limit=most + 1)
    asked = Asked(covered, _WHOLE, _NO_BOUND, None)
    page = asked.cut(letters, reader.received)
    last = page.next_cursor
    behind = [one for one in letters if last is not None and one.place > last]
    headers = [_header(one, reader) for one in behind[:_HEADERS]]
    return Reconciliation(
        page,
        tuple(one for one in headers if one is not None),
        desk.deliveries.count_seen(inbox.id),
    )


def _header(letter: Letter, reader: Reader) -> SeenHeader | None:
    mail: Mail | None = reader.received(letter)
    if mail is None:
        return None
    message, own = mail.message, mail.delivery
    return SeenHeader(
        message.id,
        message.sender,
        message.to,
        mail.room,
        message.kind,
        message.urgency,
        message.at,
        None if own is None else own.seen_at,
        letter.place,
    )


def _to_come(desk: Desk, inbox: Conversation) -> ToCome:
    every = desk.talks(inbox.agent).schedules.values()
    active = sum(not one.cancelled_at for one in every)
    return ToCome(active, desk.coming.count(inbox.actor))


def _guidance(kept: Checkpoint, pending: InboxPage, seen: Reconciliation) -> list[str]:
    """What to do, in sentences (L-CTX-06)."""
    sentences = []
    if seen.total:
        messages = "message" if seen.total == 1 else "messages"
        never = " No checkpoint was ever saved." if not kept.revision else ""
        sentences.append(
            f"You acknowledged {seen.total} {messages} that your checkpoint does not"
            f" cover.{never} Go through them; then, once you have said that you are"
            " ready, save a checkpoint from revision"
            f" {kept.revision} with covered_receipt_seq {kept.receipt_snapshot}."
        )
    if seen.page.next_cursor is not None:
        sentences.append(
            "More of what you acknowledged follows: read the reconciliation after"
            f" {seen.page.next_cursor}."
        )
    if pending.next_cursor is not None:
        sentences.append(
            f"More waits for you: read what is pending after {pending.next_cursor}."
        )
    return sentences


def _memories(desk: Desk, inbox: Conversation) -> tuple[Remembered, ...]:
    """The memories of its rooms; the lock is held."""
    from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out inboxes

    found = []
    listed = desk.directory().rooms
    for room in desk.seated.rooms_of(inbox.id):
        memory = desk.room(room).memory if room in listed else None
        if memory is None or not memory.curator:
            continue
        active = list(memory.active())
        found.append(
            Remembered(
                Room(room, desk),
                record_id(room, memory.revision) if memory.revision else None,
                len(active),
                sum(one.kind == "gotcha" for one in active),
                sum(one.disputed for one in active),
                len(list(memory.pending())),
            )
        )
    return tuple(found)
