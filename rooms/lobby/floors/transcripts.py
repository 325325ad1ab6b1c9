"""
Transcripts: runs of a room's messages, as the library itself reads them.

Law: nothing is settled by it and nobody is asked, so it is for what acts in the room's
own name; whoever asks for somebody goes through `reading`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rooms.lobby.answers import Message
from rooms.lobby.messages import message_of
from rooms.lobby.recording.streams import room_stream
from rooms.log.events import decoded

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["messages_between"]

_BATCH = 500


def messages_between(
    desk: Desk, room: str, after: int, last: int | None
) -> Iterator[Message]:
    """The messages behind a number, up to another one or to the end."""
    stream = room_stream(room)
    with desk.lock:
        after = max(after, desk.room(room).expired)
    while last is None or after < last:
        limit = _BATCH if last is None else min(_BATCH, last - after)
        with desk.lock:
            records = desk.storage.messages(stream, after=after, limit=limit)
            found = [message_of(desk, room, decoded(record)) for record in records]
        yield from found
        if len(found) < limit:
            return
        after = found[-1].seq
