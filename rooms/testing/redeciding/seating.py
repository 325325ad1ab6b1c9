"""
Seats, decided again: what joining, listening otherwise and leaving change.

Law: who asked for what is read from the record; what that ends or lets stay is not.
"""

from __future__ import annotations

from datetime import timedelta

from rooms.hearing import Mode, Subscription
from rooms.log import seats
from rooms.log.events import Event, Fact
from rooms.log.seats import SeatJoined, SeatLeft, Subscribed
from rooms.log.state import RoomState

__all__ = ["decide_seat", "of_seat"]

_MICROSECOND = timedelta(microseconds=1)


def of_seat(event: Event) -> bool:
    """Whether it says what a conversation asked for itself."""
    if isinstance(event, Subscribed):
        return event.why == "asked" and event.mode is not None
    if isinstance(event, SeatLeft):
        return event.why == "left"
    return isinstance(event, SeatJoined) and event.why == "joined"


def decide_seat(room: RoomState, fact: Fact) -> list[Event]:
    """
    What it would come to today.

    Raises:
        RoomsError: Where today's rules refuse it.
    """
    event = fact.event
    if isinstance(event, SeatLeft):
        return seats.leave(room.seats[event.conversation])
    assert isinstance(event, SeatJoined | Subscribed)  # noqa: S101 - `of_seat` says so
    wanted = Subscription(
        Mode(str(event.mode)), event.interval * _MICROSECOND, event.tagged_only
    )
    if isinstance(event, Subscribed):
        return seats.subscribe(room.seats[event.conversation], wanted)
    return seats.join(
        room,
        event.conversation,
        agent=event.agent,
        threaded=event.threaded,
        subscription=wanted,
        instead_of=event.instead_of,
        acts_for=event.acts_for,
        held=event.held,
    )
