"""
How the events of pushes change a seat.

Law: folding applies no rule and refuses nothing, as the ledger's other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rooms.hearing import Hearing
from rooms.log.events import Event, Fact
from rooms.log.ledger.events import (
    Pushed,
    PushHeld,
    PushPassed,
    PushRenewed,
    PushSpent,
    PushTold,
)
from rooms.log.seat import Seat
from rooms.log.state import Lane, RoomState
from rooms.log.tries import LOOK, Pushing, Tries

__all__ = ["PUSH_FOLDS", "begin_anew"]


def begin_anew(seat: Seat, at: int, *, claimed: int) -> None:
    """
    Forgets all tries: what was owed before a runtime claimed the conversation, or was
    pushed to another one, had piled up for it.
    """
    owed = seat.entries()
    before = [one.seq for one in owed if one.at < claimed or one.push is not None]
    for entry in owed:
        _untried(seat, entry)
    seat.pushing = Pushing(at, 0, max(before, default=0)) if owed else None


def _untried(seat: Seat, entry: Any) -> None:
    if entry.push is not None:
        entry.push.left -= 1
        entry.push = None
        seat.account.fresh += entry.lane == Lane.READY


def _pushing(seat: Seat) -> Pushing:
    """What its pushes wait for; there is something from here on."""
    if seat.pushing is None:
        seat.pushing = Pushing()
    return seat.pushing


def _push(_: RoomState, seat: Seat, event: Pushed, __: Fact) -> None:
    pushing = _pushing(seat)
    pushing.since = 0
    if event.fresh:
        first = Tries(event.push, 1, event.next)
        pushing.tries.append(first)
        for seq in event.fresh:
            entry = seat.entry(seq)
            if entry is not None and entry.push is None:
                entry.push = first
                first.left += 1
                seat.account.fresh -= entry.lane == Lane.READY
    _tried(pushing, event.tried)


def _tried(pushing: Pushing, tried: Iterable[tuple[str, int]]) -> None:
    for push, at in tried:
        tries = pushing.named(push)
        if tries is not None:
            tries.count += 1
            tries.next = at


def _pass(_: RoomState, seat: Seat, event: PushPassed, __: Fact) -> None:
    _tried(_pushing(seat), event.tried)


def _spend(_: RoomState, seat: Seat, event: PushSpent, __: Fact) -> None:
    for push in event.pushes:
        tries = _pushing(seat).named(push)
        if tries is not None:
            tries.next = 0


def _tell(_: RoomState, seat: Seat, event: PushTold, fact: Fact) -> None:
    for seq in event.entries:
        entry = seat.entry(seq)
        if entry is not None and entry.push is not None:
            entry.push.confirmed = fact.at
    if event.told:
        seat.move(event.told, Lane.TOLD)


def _hold(_: RoomState, seat: Seat, event: PushHeld, __: Fact) -> None:
    _pushing(seat).since = event.until or LOOK


def _renew(room: RoomState, seat: Seat, event: PushRenewed, fact: Fact) -> None:
    pushing = _pushing(seat)
    for entry in seat.entries(Lane.READY, Lane.RIDER):
        _untried(seat, entry)
    again = seat.drop_all(event.again)
    for entry in again:
        entry.push = None
        rides = entry.hearing == Hearing.RIDER  # a rider never causes a wake (ledger 2)
        entry.lane = Lane.RIDER if rides else Lane.READY
    seat.put(again)
    for tries in pushing.tries:
        tries.count, tries.next = 0, fact.at
    pushing.due, pushing.since = fact.at, 0
    pushing.piled = 0 if event.why == "retry" else room.seq


PUSH_FOLDS: Mapping[type[Event], Callable[..., None]] = {
    Pushed: _push,
    PushPassed: _pass,
    PushSpent: _spend,
    PushTold: _tell,
    PushHeld: _hold,
    PushRenewed: _renew,
}
