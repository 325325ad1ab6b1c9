"""
What a driver heard: messages that it need not read anew at each turn.

Two laws. What was heard counts only while nobody but the driver records anything in the
room: after whatever else, an erasing too, it is read again. And it lasts no longer than
the driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.lobby import Message
from rooms.lobby.messages import on_page
from rooms.lobby.recording.streams import room_stream
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Heard"]

_OF_A_TURN = 5
"""What is recorded from one turn's view to the next one's, beside its message."""

_MOST = 1_000


class Heard:
    """
    The messages of one room that its driver heard lately.

    From one view to the next a turn is closed and its floor ended, and the next floor
    is given, taken and opened. All of that is recorded in any case; so where the room
    has grown by so many records, and by the message that the driver knows of, there is
    nothing else.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._said: dict[int, Message] = {}
        self._version = 0
        self._grows = -1

    def look(self, room: RoomState) -> None:
        """Begins a view of the room; what may have changed since is forgotten."""
        grown = room.version - self._version
        if grown != self._grows or len(self._said) > _MOST:
            self._said.clear()
        self._version, self._grows = room.version, -1

    def end(self, message: Message | None) -> None:
        """Ends the turn of the last view, with what it said; one that is lost, none."""
        self._grows = _OF_A_TURN
        if message is not None:
            self._grows += 1
            self._said[message.seq] = message

    def between(self, room: RoomState, after: int, last: int) -> list[Message]:
        """The messages behind a number, up to another one, that the room still has."""
        after, said = max(after, room.expired), self._said
        numbers = range(after + 1, last + 1)
        if not said.keys() >= {*numbers}:
            records = self._desk.storage.messages(
                room_stream(room.id), after=after, limit=last - after
            )
            said.update((one.seq, one) for one in on_page(self._desk, room.id, records))
        return [said[one] for one in numbers if one in said]
