"""
Expiring, as the shell does it: what is past its time, room by room, in whole commits.

Three laws. An expiry is an event first, and in the same commit words, keys, index rows
and contents go (foundation 8). A sweep looks only at rooms in which something is due.
And where a reader was in the way, so that words still stand in a log of the storage's
own, the next sweep sees to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import define, field

from rooms.errors import StorageError
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.lobby.schedules.fates import facts_with_words
from rooms.log import expiring
from rooms.log.actors import SYSTEM
from rooms.log.contents import contents_of
from rooms.log.events import Fact, decoded
from rooms.log.expiring import Message
from rooms.log.posting import MessagePosted, MessageScheduled, ScheduledCancelled
from rooms.log.state import RoomState
from rooms.storage.walking import records_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["expire"]

_BATCH = 500


def expire(desk: Desk, *, now: datetime | None) -> int:
    """
    Takes away every message that is past its time; how many there were.

    Raises:
        StorageError: One that is `recorded`, such as `storage_busy` where another
            process was reading all the time: the words are gone, but not yet from all
            files; the next sweep goes on.
    """
    desk.check_usable()
    with desk.lock:
        due = desk.kept.due(desk.time(now))
    count, late = 0, None
    for room in due:
        try:
            while some := _expire_some(desk, room, now):
                count += some
        except StorageError as error:
            if not error.recorded:
                raise
            late = error
    if late is not None:
        desk.unscrubbed = True
        raise late
    if desk.unscrubbed:
        with desk.lock:
            if not desk.kept.keeps_any():
                return count
            desk.storage.erase(LOBBY, ())
        desk.unscrubbed = False
    return count


def _expire_some(desk: Desk, room: str, now: datetime | None) -> int:
    """Takes away the oldest messages that are past their time, some at once."""
    stream = room_stream(room)
    told: list[int] = []

    def decide(at: int) -> Decision:
        state = desk.room(room)
        going = _going(desk, state, at)
        messages = going.messages
        told[:] = [len(messages)]
        events = expiring.expire(
            state, messages, following=going.following, record=going.record
        )

        def forget() -> None:
            desk.storage.erase(stream, going.worded)
            desk.filed.forget(dict.fromkeys(going.contents))

        return Decision({stream: events}, release=tuple(going.keys), forget=forget)

    with desk.passing_over(room):
        if desk.record(decide, stream, by=SYSTEM, now=now) is not None:
            return told[0]
    return 0


@define
class _Going:
    """
    Messages that go, the keys and contents that end with them, the records that hold
    their words, the last record that goes, and when the next message was posted.
    """

    messages: list[Message] = field(factory=list)
    keys: list[str] = field(factory=list)
    contents: list[str] = field(factory=list)
    worded: list[int] = field(factory=list)
    record: int = 0
    following: int = 0

    def add(self, fact: Fact, worded: Iterable[Fact]) -> None:
        """Has a message go, or one that was cancelled, with all that held its words."""
        self.record = fact.version
        if isinstance(fact.event, MessagePosted):
            self.messages.append((fact.event, fact.version))
        for one in worded:
            self.worded.append(one.version)
            self.contents.extend(contents_of(one.event))


def _going(desk: Desk, room: RoomState, now: int) -> _Going:
    """What is past its time at the beginning of what is left of a room."""
    stream, storage = room_stream(room.id), desk.storage
    after, held, going = room.expired_record, list[str](), _Going()
    while len(going.messages) < _BATCH:
        records = storage.read(stream, after=after, limit=_BATCH)
        for record in records:
            until = expiring.kept_until(room, record.at)
            if until is None or until > now:
                records = []  # all behind it is younger
                break
            fact = decoded(record)
            if not isinstance(fact.event, MessageScheduled):  # it may wait still
                held += _keys(desk, stream, fact)
            if isinstance(fact.event, MessagePosted | ScheduledCancelled):
                worded = facts_with_words(desk, room.id, fact)
                going.add(fact, worded)
                going.keys.extend(held)
                for one in worded:
                    if isinstance(one.event, MessageScheduled):
                        going.keys.extend(_keys(desk, stream, one))
                held.clear()
        if len(records) < _BATCH:
            break
        after = records[-1].version
    last = room.expired + len(going.messages)
    going.following = _following(desk, room, last, going.record)
    return going


def _following(desk: Desk, room: RoomState, last: int, record: int) -> int:
    """When the next message was posted, or one cancelled before that; 0 for neither."""
    stream = room_stream(room.id)
    posted = desk.storage.messages(stream, after=last, limit=1)
    until = posted[0].version if posted else room.version + 1
    behind = max(record, room.expired_record)
    if room.coming is not None:
        for one in records_of(desk.storage, stream, after=behind):
            if one.version >= until:
                break
            if one.type == ScheduledCancelled.TYPE:
                return one.at
    return posted[0].at if posted else 0


def _keys(desk: Desk, stream: str, fact: Fact) -> list[str]:
    """The keys that a record holds and that end with a message."""
    holder = f"{stream} {fact.version}"
    return [
        key
        for key, _ in fact.keys
        if expiring.ends_with_messages(key) and desk.storage.find(key) == holder
    ]
