"""
Wakes as values: what was taken, with its messages and why each is owed.

Law: a wake is read from the events that were recorded and the state behind them, and
costs the messages that it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rooms.hearing import Tag
from rooms.lobby.answers import Message, Wake
from rooms.lobby.handles import Conversation
from rooms.lobby.room import Room
from rooms.log.events import Fact
from rooms.log.ledger import Noticed, WakeTaken
from rooms.log.records import record_id
from rooms.log.state import Entry
from rooms.values import LAST, moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["wakes_of"]

_TAKING = (WakeTaken, Noticed)


def wakes_of(
    desk: Desk, room_id: str, facts: Sequence[Fact], hold_for: timedelta
) -> list[Wake]:
    """The wakes and notices that these facts record."""
    return [
        _wake(desk, room_id, fact, hold_for)
        for fact in facts
        if isinstance(fact.event, _TAKING)
    ]


def _wake(desk: Desk, room_id: str, fact: Fact, hold_for: timedelta) -> Wake:
    event: Any = fact.event
    noticed = isinstance(event, Noticed)
    with desk.lock.cached:  # as the take left it
        state = desk.room(room_id)
        seat = state.seats[event.conversation]
        open_wake = seat.wake
        carried, messages = list[Entry](), tuple[Message, ...]()
        if event.entries:
            told = set(event.entries)
            carried = [entry for entry in seat.entries() if entry.seq in told]
            messages = desk.heard.these(state, event.entries)
        one = Conversation(event.conversation, seat.agent, desk)
    until = moment(open_wake.until if open_wake else 0) or LAST
    return Wake(
        event.wake if noticed else record_id(room_id, fact.version),
        one,
        Room(room_id, desk),
        "notice" if noticed else event.kind,
        messages,
        MappingProxyType({entry.seq: entry.why for entry in carried}),
        0 if noticed else event.waited,
        event.hops,
        until,
        open_wake.holder if open_wake else "",
        open_wake.generation if open_wake else 0,
        hold_for,
        direct=frozenset(one.seq for one in carried if one.tag == Tag.DIRECT),
        hidden=bool(state.hive),
    )
