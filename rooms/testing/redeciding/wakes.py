"""
Takes and ends of wakes, decided again: what a wake carries, and what became of it.

Law: who took it and until when is read from the record; what it carries is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from rooms.log import ledger
from rooms.log.events import Event, Fact
from rooms.log.floors import FloorEnded, TurnEnd, TurnOutcome
from rooms.log.ledger import (
    AttentionCalled,
    Granted,
    Noticed,
    PushPassed,
    PushSpent,
    Reclaimed,
    TakeFacts,
    WakeClosed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.state import RoomState
from rooms.testing.redeciding.history import History

__all__ = [
    "AFTER_END",
    "BEFORE_TAKE",
    "decide_due",
    "decide_end",
    "decide_take",
    "of_due",
    "of_end",
]

BEFORE_TAKE = (Reclaimed, WakeClosed, WakeReturned, FloorEnded, Granted)
"""What a take may record before it."""

_FOREVER = 2**62


def decide_take(history: History, room: RoomState, facts: list[Fact]) -> list[Event]:
    """What a take, or a notice into a turn, would be handed today."""
    last = facts[-1].event
    assert isinstance(last, WakeTaken | Noticed)  # noqa: S101 - the caller looked
    one, now = last.conversation, facts[-1].at
    since = _claimed(history, room, facts, one)
    seat = room.seats.get(one)
    if isinstance(last, Noticed):
        held = None if seat is None else seat.wake
        holder = "" if held is None else held.holder
        take = TakeFacts(holder, _FOREVER, {one: since})
        return ledger.notice(room, one, take, now=now)
    turn = frozenset({one}) if last.kind == "notice" else frozenset[str]()
    take = TakeFacts(last.holder, last.until, {one: since}, turn)
    found = ledger.take(room, [one], take, now=now, limit=1)
    kinds = {event.kind for event in found if isinstance(event, WakeTaken)}
    if (
        turn and "notice" not in kinds
    ):  # riders alone, or beside a floor, go into a turn
        return ledger.notice(room, one, take, now=now)
    return found


def of_end(event: Event) -> bool:
    """Whether it says how the end of a wake was told by its holder."""
    if isinstance(event, WakeClosed):
        return event.why in {"ended", "delivered"}
    return isinstance(event, WakeReturned) and event.why in {"raised", "given_back"}


def decide_end(room: RoomState, facts: list[Fact]) -> list[Event]:
    """
    What the end of a wake would settle, or give back, today.

    Raises:
        Conflict: `stale_wake` or `stale_runtime` where it would not be its holder's.
    """
    first, now = facts[0].event, facts[0].at
    assert isinstance(first, WakeClosed | WakeReturned)  # noqa: S101 - `of_end`
    one = first.conversation
    seat = room.seats.get(one)
    wake = None if seat is None else seat.wake
    holder, generation = ("", 0) if wake is None else (wake.holder, wake.generation)
    take = TakeFacts(holder, 0, {one: (generation, 0)})
    ended = next((f.event for f in facts if isinstance(f.event, FloorEnded)), None)
    end = None if ended is None else _turn_end(ended)
    if isinstance(first, WakeReturned):
        return ledger.give_back(
            room,
            first.wake,
            one,
            take,
            why="raised" if first.why == "raised" else "given_back",
            now=now,
            end=end,
        )
    return ledger.close(
        room,
        first.wake,
        one,
        take,
        now=now,
        told=first.why == "delivered",
        end=TurnEnd("told") if end is None else end,
    )


def of_due(event: Event) -> bool:
    """Whether it says what time alone let happen."""
    if isinstance(event, WakeReturned):
        return event.why == "expired"
    if isinstance(event, AttentionCalled):
        return event.why == "unseen"
    return isinstance(event, Granted | FloorEnded | PushPassed | PushSpent)


def decide_due(room: RoomState, facts: list[Fact]) -> list[Event]:
    """What would have fallen due by now today."""
    return ledger.tick(room, facts[0].at)


AFTER_END = (AttentionCalled, FloorEnded)
"""What the end of a wake may record behind it."""


_OUTCOMES: Mapping[str, TurnOutcome] = {word: word for word in get_args(TurnOutcome)}


def _turn_end(ended: FloorEnded) -> TurnEnd:
    """The end as its host told it; of a word that no host has, nothing is known."""
    outcome = _OUTCOMES.get(ended.outcome, "told")
    return TurnEnd(outcome, ended.kind, ended.clipped)


def _claimed(
    history: History, room: RoomState, facts: list[Fact], one: str
) -> tuple[int, int]:
    for fact in facts:
        if isinstance(fact.event, Reclaimed):
            return fact.event.generation, fact.event.since
    agent = history.agent_of(room, one)
    last = facts[-1].event
    if isinstance(last, WakeTaken):
        return last.generation, history.generation(agent, one)[1]
    return history.generation(agent, one)
