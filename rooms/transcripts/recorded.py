"""What a transcript from elsewhere holds, whatever form it came in."""

from __future__ import annotations

from datetime import datetime

from attrs import field, frozen

from rooms.planning import RoomEvent

__all__ = ["Recorded", "Transcript"]


@frozen
class Recorded:
    """
    An event, and what its source says of it.

    Attributes:
        line: The line on which it begins, from 1.
        event: Who spoke, and what.
        at: When, if that is told.
        to: Whom it was addressed to, by name, if that is told.
        failed: Whether it is no speech but tells that its speaker failed.
    """

    line: int
    event: RoomEvent
    at: datetime | None = None
    to: tuple[str, ...] = ()
    failed: bool = False


@frozen
class Transcript:
    """
    What was read.

    Attributes:
        events: The events in their order.
        roster: The agents in speaking order, where the source names them; of a thread
            those who spoke.
        max_rounds: The cap, if one is named; `max_messages` likewise.
        strict_mentions: Whether the header says so; None where it says nothing.
        ignored: The names of fields that were passed over, sorted.
        notices: The lines that nobody said, of a chat: who joined, and the like.
    """

    events: tuple[Recorded, ...] = field(default=(), repr=False)
    roster: tuple[str, ...] | None = None
    max_rounds: int | None = None
    max_messages: int | None = None
    strict_mentions: bool | None = None
    ignored: tuple[str, ...] = ()
    notices: tuple[int, ...] = ()
