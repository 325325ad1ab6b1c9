"""
Fates: what became of a message that was accepted to be delivered later.

Two laws. The id that its acceptance gave names it for ever, whatever record it is read
from. And a key, which is held by the record that ended its waiting, tells in one look
whether it is released, cancelled, or waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from rooms.errors import CorruptLog
from rooms.lobby.recording.streams import room_stream
from rooms.log.events import Fact
from rooms.log.posting import (
    MessagePosted,
    MessageScheduled,
    ScheduledCancelled,
    ScheduledChanged,
    Words,
)
from rooms.log.records import record_id

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "ended",
    "ended_key",
    "facts_with_words",
    "message_id",
    "present",
    "words_at",
]

_ENDINGS = (MessagePosted, ScheduledCancelled)


def message_id(room: str, fact: Fact) -> str:
    """The id of the message that a fact brings, or released."""
    return record_id(room, getattr(fact.event, "accepted", 0) or fact.version)


def ended_key(message: str) -> str:
    """The key that is held by what ends a message's waiting."""
    return f"waited:{message}"


def ended(desk: Desk, room: str, accepted: int) -> Fact | None:
    """The fact that released or cancelled a message; None while it waits."""
    holder = desk.storage.find(ended_key(record_id(room, accepted)))
    if holder is None:
        return None
    # The key is held by the commit's first record; the ending is its last.
    stream, _, version = holder.rpartition(" ")
    fact = desk.fact(stream, int(version))
    while fact is not None and not (
        isinstance(fact.event, _ENDINGS) and fact.event.accepted == accepted
    ):
        fact = desk.fact(stream, fact.version + 1)
    return fact


def words_at(desk: Desk, room: str, accepted: Fact, record: int) -> Words:
    """
    What a message says whose words stand in a record.

    Raises:
        CorruptLog: `corrupt_log` where the record holds none.
    """
    said = accepted.event
    if isinstance(said, MessageScheduled):
        if record == accepted.version:
            return Words(said, said.text, said.truncated_from)
        changed = desk.fact(room_stream(room), record)
        if changed is not None and isinstance(changed.event, ScheduledChanged):
            return Words(said, changed.event.text, changed.event.truncated_from)
    where = f"{room_stream(room)} {record}"
    raise CorruptLog("corrupt_log", f"{where} holds no words that wait", where=where)


def present(desk: Desk, room: str, accepted: Fact) -> tuple[Fact, Fact | None]:
    """
    An accepted message as it is by now: the fact of its release, or that of its
    acceptance with its newest words and time; and what ended its waiting, if anything.
    """
    over = ended(desk, room, accepted.version)
    if over is not None and isinstance(over.event, MessagePosted):
        return over, over
    words, due = accepted.version, None
    if over is not None and isinstance(over.event, ScheduledCancelled):
        words, due = over.event.words, over.event.due
    else:
        coming = desk.room(room).coming
        waiting = None if coming is None else coming.waiting.get(accepted.version)
        if waiting is not None:
            words, due = waiting.words, waiting.due
    if due is None:
        return accepted, over
    told = words_at(desk, room, accepted, words)
    event: Any = told.accepted
    said = evolve(event, due=due, text=told.text, truncated_from=told.truncated_from)
    return accepted._replace(event=said), over


def facts_with_words(desk: Desk, room: str, fact: Fact) -> list[Fact]:
    """
    Every fact that holds, or held, the words of a message, or of one that was cancelled
    while it waited: `fact` brought it, released it or cancelled it.
    """
    event = fact.event
    every = [fact] if isinstance(event, MessagePosted) else []
    if not isinstance(event, _ENDINGS) or not event.accepted:
        return every
    words = event.words
    while words:
        worded = desk.fact(room_stream(room), words)
        if worded is None:
            break
        every.append(worded)
        changed = worded.event
        words = changed.before if isinstance(changed, ScheduledChanged) else 0
    return every
