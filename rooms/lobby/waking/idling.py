"""
Idling: seats that gave no sign of life for long follow no more.

Two laws. Nothing happens by time alone: a host that wants it calls the sweep, and what
ends is recorded (G-IDLE-03). And a sweep looks only at rooms in which something
happened on a day that lies so far back, each once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.lobby.handles import Conversation
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.views.rows import DAY
from rooms.log import seats
from rooms.log.actors import SYSTEM
from rooms.log.seats import Subscribed
from rooms.storage import Change

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["DROP_AFTER", "Dropped", "sweep"]

DROP_AFTER = timedelta(days=30)
"""After so long without a sign of life a subscription ends (G-IDLE-03)."""

_MOMENT = timedelta(microseconds=1)


@frozen
class Dropped:
    """
    A subscription that a sweep ended; the membership stays.

    Attributes:
        room: Where.
        conversation: Whose.
    """

    room: Room
    conversation: Conversation


def sweep(
    desk: Desk, *, idle_for: timedelta, now: datetime | None
) -> tuple[Dropped, ...]:
    """Ends the subscriptions of those that gave no sign of life for so long."""
    desk.check_usable()
    until = desk.time(now) - idle_for // _MOMENT
    last = until // DAY
    dropped: list[Dropped] = []
    with desk.lock:
        days = desk.views.asked(
            lambda: desk.views.rows_between(("day",), ("day", last + 1))
        )
    for room in dict.fromkeys(str(key[2]) for key, _ in days):
        dropped += _sweep(desk, room, until, now)
    # Who follows still was alive later, so these days are looked at no more.
    gone = [Change(key, None) for key, _ in days if int(key[1]) < last]
    if gone:
        with desk.lock:
            desk.views.patch(gone)
    return tuple(dropped)


def _sweep(desk: Desk, room: str, until: int, now: datetime | None) -> list[Dropped]:
    from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out handles

    stream = room_stream(room)
    handle = Room(room, desk)
    dropped: list[Dropped] = []

    def decide(_: int) -> Decision:
        return Decision({stream: seats.drop_idle(desk.room(room), until)})

    with desk.passing_over(room):
        committed = desk.record(decide, stream, by=SYSTEM, now=now)
        for fact in () if committed is None else committed.facts[stream]:
            if isinstance(fact.event, Subscribed):
                one = fact.event.conversation
                with desk.lock:
                    agent = desk.room(room).seats[one].agent
                dropped.append(Dropped(handle, Conversation(one, agent, desk)))
    return dropped
