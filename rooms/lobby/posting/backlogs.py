"""
Backlogs: what a conversation is owed in all its rooms together.

Two laws. An inbox is no thing of its own, but the union of what a conversation is owed
wherever it has a seat; so its size is a sum, asked only where a policy bounds it. And
which rooms these are is remembered only as long as nobody else committed anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.errors import NotFound
from rooms.lobby.recording.decisions import Committed
from rooms.log.seats import SeatJoined, SeatLeft

if TYPE_CHECKING:
    from rooms.lobby.derived.projections import Wakes
    from rooms.lobby.desk import Desk
    from rooms.lobby.recording.streams import Streams

__all__ = ["Seated", "backlog_elsewhere"]

_SEATING = frozenset({SeatJoined, SeatLeft})


class Seated:
    """In which rooms conversations have seats, remembered from one post to the next."""

    def __init__(self, wakes: Wakes, streams: Streams) -> None:
        self._wakes = wakes
        self._streams = streams
        self._epoch = -1
        self._rooms: dict[str, list[str]] = {}

    def rooms_of(self, conversation: str) -> list[str]:
        """The rooms in which a conversation has a seat; the lock is held."""
        if self._epoch != self._streams.epoch:
            self._rooms.clear()
            self._epoch = self._streams.epoch
        known = self._rooms.get(conversation)
        if known is None:
            known = self._rooms[conversation] = self._wakes.rooms_of(conversation)
        return known

    def note(self, committed: Committed) -> None:
        """Forgets whose seats a commit of our own changed."""
        for facts in committed.facts.values() if self._rooms else ():
            for fact in facts:
                if type(fact.event) in _SEATING:
                    self._rooms.pop(getattr(fact.event, "conversation", ""), None)


def backlog_elsewhere(desk: Desk, room: str, conversation: str) -> int:
    """The bytes that a conversation is owed in all rooms but one; the lock is held."""
    total = 0
    for other in desk.seated.rooms_of(conversation):
        if other != room:
            try:
                state = desk.room(other)
            except NotFound:  # it was deleted in between
                continue
            seat = state.seats.get(conversation)
            total += 0 if seat is None else state.backlog_of(seat)
    return total
