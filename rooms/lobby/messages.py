"""
Messages of a room: what is recorded as a value, and the record that an id names.

Law: an id names one record of one room; an id of another room, or of a record that is
no message, names nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rooms import values
from rooms.errors import CorruptLog, NotFound
from rooms.lobby.answers import Message
from rooms.lobby.file_values import Attachment
from rooms.lobby.handles import Conversation, Person
from rooms.lobby.streams import room_stream
from rooms.log.events import Fact, decoded
from rooms.log.posting import MessagePosted
from rooms.log.records import record_id
from rooms.log.rooms import ROOM_ID_PREFIX
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["fact_of", "message_of", "messages_at", "posted"]


def message_of(desk: Desk, room: str, fact: Fact) -> Message:
    """A recorded message as a value."""
    event = fact.event
    if not isinstance(event, MessagePosted):
        raise NotFound("unknown_message", "the record is no message")
    sender: Conversation | Person = (
        Conversation(event.sender, event.author, desk)
        if event.sender
        else Person(event.author, desk)
    )
    at = moment(fact.at)
    if at is None:
        where = f"{room_stream(room)} {fact.version}"
        raise CorruptLog("corrupt_log", f"{where} lies after all time", where=where)
    message = record_id(room, fact.version)
    return Message(
        message,
        event.seq,
        at,
        sender,
        event.to,
        event.text,
        event.reply_to or None,
        event.hops,
        event.truncated_from or None,
        fact.erased,
        tuple(address for address, _ in event.silent),
        _carried(event, message, at, sender) if event.files else (),
        event.late,
        event.failed,
    )


def _carried(
    event: MessagePosted, message: str, at: datetime, sender: Conversation | Person
) -> tuple[Attachment, ...]:
    """The files of a message; an erased one has lost their paths and digests."""
    named = event.attachments or (("", ""),) * len(event.files)
    return tuple(
        Attachment(path, message, at, sender, size, text, content)
        for (path, content), (_, size, text) in zip(named, event.files, strict=False)
    )


def messages_at(desk: Desk, room: str, seqs: Iterable[int]) -> tuple[Message, ...]:
    """The messages of these numbers, in their order; it costs what it returns."""
    found: list[Message] = []
    for first, last in _runs(sorted(seqs)):
        records = desk.storage.messages(
            room_stream(room), after=first - 1, limit=last - first + 1
        )
        found += [message_of(desk, room, decoded(one)) for one in records]
    return tuple(found)


def _runs(seqs: Sequence[int]) -> list[tuple[int, int]]:
    """Rising numbers as runs of neighbours, so that a run is one question."""
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and runs[-1][1] == seq - 1:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))
    return runs


def fact_of(desk: Desk, room: str, message: str) -> Fact | None:
    """The record that a message's id names, or None."""
    token, _, version = message.rpartition(".")
    ours = token == room.removeprefix(ROOM_ID_PREFIX)
    if not ours or not version.isdecimal() or not version.isascii():
        return None
    number = int(version[:12])
    return desk.fact(room_stream(room), number) if number else None


def posted(desk: Desk, room: str, message: str) -> MessagePosted:
    """The message that an id names; `NotFound` with `unknown_message`."""
    fact = fact_of(desk, room, values.text("message", message))
    if fact is None or not isinstance(fact.event, MessagePosted):
        raise NotFound(
            "unknown_message", f"no message {message[:80]!a} is here", id=message
        )
    return fact.event
