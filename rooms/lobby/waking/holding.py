"""
Holding: a taken wake is its holder's for a while, and can be given back.

Law: a claim holds for at most 30 days, so what nobody renews comes back in sight; who
gives back what somebody else took meanwhile changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import Conflict, InvalidInput, NotFound
from rooms.lobby.answers import Wake
from rooms.lobby.handles import Conversation
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.log import ledger
from rooms.log.actors import SYSTEM
from rooms.log.ledger import TakeFacts

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "HOLD",
    "check_hold",
    "end_wake",
    "facts_of",
    "give_back",
    "give_back_wake",
]

HOLD = timedelta(minutes=15)
"""How long a claim holds where nobody says otherwise."""

_MOMENT = timedelta(microseconds=1)
_LONGEST_HOLD = timedelta(days=30)


def check_hold(hold_for: Any) -> timedelta:
    """How long a claim may hold: a duration of at most 30 days."""
    hold = values.duration("hold_for", hold_for, at_least=_MOMENT)
    if hold > _LONGEST_HOLD:
        raise InvalidInput("hold_for", f"is {hold}", allowed=f"up to {_LONGEST_HOLD}")
    return hold


def facts_of(
    desk: Desk,
    conversations: Iterable[tuple[str, str]],
    holder: str,
    at: int,
    hold_for: timedelta,
    *,
    states: Mapping[str, str] = {},
    tells: bool = True,
) -> TakeFacts:
    """
    What the ledger needs to know about conversations, given with their agents; and what
    the host said of their states.
    """
    until, claims = at + hold_for // _MOMENT, desk.generations(conversations)
    if not states:
        return TakeFacts(holder, until, claims, tells=tells)
    running, away = _in_state(states, "in_turn"), _in_state(states, "away")
    return TakeFacts(holder, until, claims, running, away, tells)


def _in_state(states: Mapping[str, str], which: str) -> frozenset[str]:
    return frozenset([one for one, said in states.items() if said == which])


def give_back(
    desk: Desk,
    room: str,
    wake: str,
    one: Conversation,
    *,
    holder: str,
    now: datetime | None,
) -> None:
    """Gives back what was taken and is told to nobody, so that it is owed again."""

    def decide(at: int) -> Decision:
        facts = facts_of(desk, [(one.id, one.agent)], holder, at, _MOMENT)
        events = ledger.give_back(
            desk.room(room), wake, one.id, facts, why="given_back", now=at
        )
        return Decision({room_stream(room): events})

    end_wake(desk, room, one, decide, now)


def give_back_wake(desk: Desk, wake: Any, *, now: datetime | None) -> None:
    """As `Lobby.give_back`, which documents it."""
    if not isinstance(wake, Wake):
        raise InvalidInput(
            "wake", f"is of type {type(wake).__name__}", allowed="a taken wake"
        )
    desk.check_usable()
    room, one = wake.room.id, wake.conversation
    with desk.lock, suppress(NotFound):
        seat = desk.room(room).seats.get(one.id)
        if seat is not None and seat.wake is not None and seat.wake.running:
            return
    give_back(desk, room, wake.id, one, holder=wake.holder, now=now)


def end_wake(
    desk: Desk,
    room: str,
    one: Conversation,
    decide: Callable[[int], Decision],
    now: datetime | None,
) -> None:
    """Records the end of a wake, where it is the holder's still."""
    desk.hand.note_done(room, one.id)
    with suppress(Conflict, NotFound):  # somebody else holds it, or it is gone
        desk.record(decide, room_stream(room), by=SYSTEM, now=now)
