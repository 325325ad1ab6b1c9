"""
What was heard lately in planned rooms: messages that need not be read at each turn.

Two laws. What was heard counts for one state of its room, until anything changes there
but what is owed and whose turn it is (`RoomState.shape`): behind whatever else, an
erasing too, it is read again. And it is of the rooms that were driven last, and no more
than a turn may need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rooms.lobby.messages import Message, messages_at, on_page
from rooms.lobby.recording.streams import room_stream
from rooms.log.posting import MessagePosted

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.recording.decisions import Committed
    from rooms.log.state import RoomState

__all__ = ["Heard"]

_MOST_ROOMS = 16
_MOST = 1_000  # twice what one turn may be shown


class _Room:
    """The messages that were heard in one room, by number; its state, and the shape."""

    __slots__ = ("said", "shape", "state")

    def __init__(self, state: RoomState) -> None:
        self.said: dict[int, Message] = {}
        self.state = state
        self.shape = state.shape

    def is_of(self, state: RoomState) -> bool:
        """Whether what was heard is what is said in this state."""
        return self.state is state and self.shape == state.shape


class Heard:
    """The messages of one handle's rooms; the lock is held."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._rooms: dict[str, _Room] = {}

    def these(self, room: RoomState, seqs: Sequence[int]) -> tuple[Message, ...]:
        """The messages of these numbers, in their order."""
        kept = self._rooms.get(room_stream(room.id))
        if kept is None or not kept.is_of(room) or not kept.said.keys() >= {*seqs}:
            return messages_at(self._desk, room.id, seqs)
        return tuple([kept.said[one].check() for one in sorted(seqs)])

    def known(self, room: RoomState, after: int, last: int) -> list[Message] | None:
        """As `between`, where nothing has to be read for it; None where it has."""
        kept = self._rooms.get(room_stream(room.id))
        numbers = range(max(after, room.expired) + 1, last + 1)
        if kept is None or not kept.is_of(room) or not kept.said.keys() >= {*numbers}:
            return None
        return [kept.said[one] for one in numbers]

    def between(self, room: RoomState, after: int, last: int) -> list[Message]:
        """The messages behind a number, up to another one, that the room still has."""
        name = room_stream(room.id)
        kept = self._rooms.get(name)
        if kept is None or not kept.is_of(room) or len(kept.said) > _MOST:
            kept = self._begun(name, room)
        said = kept.said
        numbers = range(max(after, room.expired) + 1, last + 1)
        if not said.keys() >= {*numbers}:
            after = numbers.start - 1
            records = self._desk.storage.messages(name, after=after, limit=last - after)
            said.update((one.seq, one) for one in on_page(self._desk, room.id, records))
        return [said[one] for one in numbers if one in said]

    def _begun(self, name: str, room: RoomState) -> _Room:
        self._rooms.pop(name, None)
        if len(self._rooms) >= _MOST_ROOMS:
            del self._rooms[next(iter(self._rooms))]
        kept = self._rooms[name] = _Room(room)
        return kept

    def note(self, committed: Committed) -> None:
        """Hears what was said in a commit of our own."""
        rooms, loaded = self._rooms, self._desk.streams.loaded
        for name, facts in committed.facts.items() if rooms else ():
            kept = rooms.get(name)
            if kept is None:
                continue
            stream = loaded.get(name)
            if stream is None or not kept.is_of(stream.state):
                del rooms[name]  # what was erased is kept nowhere
                continue
            for fact in facts:
                event = fact.event
                if type(event) is MessagePosted:
                    message = Message(self._desk, kept.state.id, fact)
                    kept.said[event.seq] = message
