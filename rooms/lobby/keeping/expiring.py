"""
Expiring, as the shell does it: what is past its time, room by room, in whole commits.

Three laws. An expiry is an event first, and in the same commit words, keys, index rows
and contents go (foundation 8). A sweep looks only at rooms in which something is due.
And where a reader was in the way, so that words still stand in a log of the storage's
own, the next sweep sees to it.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from attrs import field, frozen

from rooms.errors import StorageBusy
from rooms.lobby.recording.commits import Decision
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.log import expiring
from rooms.log.actors import SYSTEM
from rooms.log.contents import contents_of
from rooms.log.events import decoded
from rooms.log.expiring import Message
from rooms.log.posting import MessagePosted
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["expire"]

_BATCH = 500


def expire(desk: Desk, *, now: datetime | None) -> int:
    """
    Takes away every message that is past its time; how many there were.

    Raises:
        StorageBusy: `storage_busy` where another process was reading all the time: the
            words are gone, but not yet from all files; the next sweep goes on.
    """
    desk.check_usable()
    with desk.lock:
        due = desk.kept.due(desk.time(now))
    count, busy = 0, None
    for room in due:
        try:
            while some := _expire_some(desk, room, now):
                count += some
        except StorageBusy as error:  # what was recorded stands
            busy = error
    if busy is not None:
        desk.unscrubbed = True
        raise busy
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
        told[:] = [len(going.messages)]
        messages = going.messages
        events = expiring.expire(state, messages, following=going.following)
        contents = [one for message, _ in messages for one in contents_of(message)]

        def forget() -> None:
            desk.storage.erase(stream, [version for _, version in messages])
            desk.filed.forget(dict.fromkeys(contents))

        return Decision({stream: events}, release=tuple(going.keys), forget=forget)

    with desk.passing_over(room):
        if desk.record(decide, stream, by=SYSTEM, now=now) is not None:
            return told[0]
    return 0


@frozen
class _Going:
    """Messages that go, the keys that end with them, and when the next was posted."""

    messages: list[Message] = field(factory=list)
    keys: list[str] = field(factory=list)
    following: int = 0


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
            holder = f"{stream} {record.version}"
            held += [
                key
                for key, _ in fact.keys
                if expiring.ends_with_messages(key) and storage.find(key) == holder
            ]
            if isinstance(fact.event, MessagePosted):
                going.messages.append((fact.event, fact.version))
                going.keys.extend(held)
                held.clear()
        if len(records) < _BATCH:
            break
        after = records[-1].version
    if not going.messages:
        return going
    last, _ = going.messages[-1]
    following = storage.messages(stream, after=last.seq, limit=1)
    return _Going(going.messages, going.keys, following[0].at if following else 0)
