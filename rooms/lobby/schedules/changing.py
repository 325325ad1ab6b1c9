"""
Cancelling and changing a message that waits.

Law: a message is its sender's to change, and whoever's stands for it; to anybody else
it is not there, and neither is one that was never scheduled.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from attrs import frozen

from rooms import values
from rooms.errors import NotFound
from rooms.lobby.messages import Message
from rooms.lobby.posting.starting import Fresh
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import ended, ended_key, present, words_at
from rooms.lobby.schedules.releasing import facts_for
from rooms.lobby.schedules.values import Cancelled
from rooms.log import posting
from rooms.log.coming import Waiting
from rooms.log.events import Fact
from rooms.log.expiring import is_gone
from rooms.log.posting import MessageScheduled, schedule_not_found
from rooms.log.records import record_named, room_of_record

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.schedules.whose import Whose

__all__ = ["cancel_message", "change_message"]


@frozen
class _Accepted:
    """A message of somebody's that was accepted, and how it waits if it does."""

    fact: Fact
    waiting: Waiting | None


def cancel_message(
    desk: Desk, message: str, whose: Whose, *, now: datetime | None
) -> Cancelled:
    """As `Schedules.cancel`, which documents it."""
    room, _ = _named(desk, message)

    def decide(at: int) -> Decision:
        one = _own(desk, message, whose, at, cancelling=True)
        if one.waiting is None:
            return Decision()
        return Decision(
            {room_stream(room): posting.cancel(one.waiting)},
            add={ended_key(message): ""},
            consents=whose.consents,
        )

    committed = desk.record(decide, room_stream(room), by=whose.actor, now=now)
    shown = _shown(desk, message)
    return Cancelled(shown, already_cancelled=committed is None)


def change_message(
    desk: Desk,
    message: str,
    whose: Whose,
    *,
    content: str | None,
    deliver_at: datetime | None,
    now: datetime | None,
) -> Message:
    """As `Schedules.update`, which documents it."""
    text = None if content is None else values.storable("content", content)
    due = None if deliver_at is None else values.micros("deliver_at", deliver_at)
    room, _ = _named(desk, message)

    def decide(at: int) -> Decision:
        one = _own(desk, message, whose, at, cancelling=False)
        if one.waiting is None:
            return Decision()
        words = words_at(desk, room, one.fact, one.waiting.words)
        events = posting.change(
            desk.room(room),
            one.waiting,
            words,
            facts_for(desk, room, words, Fresh(desk.ids)),
            text=text,
            due=due,
            now=at,
        )
        return Decision({room_stream(room): events}, consents=whose.consents)

    desk.record(decide, room_stream(room), by=whose.actor, now=now)
    return _shown(desk, message)


def _named(desk: Desk, message: str) -> tuple[str, int]:
    """The room and the record that an id names, as far as a room is there."""
    room = room_of_record(message)
    version = record_named(room, message)
    with desk.lock:
        known = room in desk.directory().rooms
    if not known or not version:
        raise schedule_not_found()
    return room, version


def _own(
    desk: Desk, message: str, whose: Whose, at: int, *, cancelling: bool
) -> _Accepted:
    """
    A message of theirs; with nothing that waits where cancelling it is a repeat.

    Raises:
        NotFound: `schedule_not_found`.
        Conflict: `already_delivered`, `already_cancelled`.
    """
    room, version = _named(desk, message)
    try:
        coming = desk.room(room).coming
    except NotFound:
        raise schedule_not_found() from None
    fact = desk.fact(room_stream(room), version)
    event = None if fact is None else fact.event
    if fact is None or not isinstance(event, MessageScheduled):
        raise schedule_not_found()
    if not whose.wrote(event.sender, event.author):
        raise schedule_not_found()
    waiting = None if coming is None else coming.waiting.get(version)
    if waiting is None:
        over = ended(desk, room, version)
        if over is None or is_gone(desk.room(room), over.version):
            raise schedule_not_found()
        posting.check_ended(over, now=at, cancelling=cancelling)
    return _Accepted(fact, waiting)


def _shown(desk: Desk, message: str) -> Message:
    room, version = _named(desk, message)
    with desk.lock:
        fact = desk.fact(room_stream(room), version)
        if fact is None:
            raise schedule_not_found()
        return Message(desk, room, present(desk, room, fact)[0])
