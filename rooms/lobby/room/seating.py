"""A conversation's own seat: taking it, how it listens there, giving it up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Self

from rooms.hearing import Mode
from rooms.lobby.access.seating import join, on_seat, subscribe
from rooms.lobby.room.facts import RoomFacts
from rooms.log import seats
from rooms.log.events import Event
from rooms.log.state import Seat

__all__ = ["Seating"]


class Seating(RoomFacts):
    """What a conversation does with its own seat."""

    __slots__ = ()

    def join(
        self,
        *,
        by: Any,
        mode: Mode | str | None = None,
        interval: timedelta | None = None,
        tagged_only: bool = False,
        now: datetime | None = None,
    ) -> Self:
        """
        Takes a seat for a conversation; in the room already, it only listens as said.

        Raises:
            InvalidInput: `invalid_request` for a mode that is none, or not for this
                agent; `agent_required` for a person, who takes no seat.
            NotAllowed: `invite_required` for an agent that was removed, and not invited
                since.
        """
        join(
            self._desk,
            self.id,
            by=by,
            mode=mode,
            interval=interval,
            tagged_only=tagged_only,
            now=now,
        )
        return self

    def subscribe(
        self,
        *,
        by: Any,
        mode: Mode | str,
        interval: timedelta = timedelta(minutes=15),
        tagged_only: bool = False,
        now: datetime | None = None,
    ) -> Self:
        """
        Changes how a conversation listens; what it was not told yet is heard again.

        Raises:
            NotAllowed: `not_a_member`.
            InvalidInput: `invalid_request` for a mode that is none, or not for this
                agent, and for an interval outside 1 to 1440 minutes.
        """
        subscribe(
            self._desk,
            self.id,
            by=by,
            mode=mode,
            interval=interval,
            tagged_only=tagged_only,
            now=now,
        )
        return self

    def rest(self, *, by: Any, now: datetime | None = None) -> Self:
        """
        Holds everything for a conversation here until it resumes.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(
            lambda seat: seats.rest(seat, resting=True), by=by, now=now
        )

    def resume(self, *, by: Any, now: datetime | None = None) -> Self:
        """
        Lets a resting conversation be woken again; what came meanwhile is one wake.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(
            lambda seat: seats.rest(seat, resting=False), by=by, now=now
        )

    def leave(self, *, by: Any, now: datetime | None = None) -> Self:
        """
        Gives a conversation's seat up, by its own choice; what it was owed ends.

        An address to it starts a successor, for a threaded agent (G-FOLLOW-04).

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(seats.leave, by=by, now=now)

    def _on_seat(
        self,
        decide_seat: Callable[[Seat], list[Event]],
        *,
        by: Any,
        now: datetime | None,
    ) -> Self:
        on_seat(self._desk, self.id, decide_seat, by=by, now=now)
        return self
