"""
How the events of pushes change a seat.

Law: folding applies no rule and refuses nothing, as the ledger's other folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

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
from rooms.log.state import Entry, Lane, RoomState
from rooms.log.tries import LOOK, Pushing, Tries

__all__ = ["PUSH_FOLDS", "begin_anew", "owed_again"]


def begin_anew(seat: Seat, at: int, *, claimed: int) -> None:
    """
    Forgets all tries: what was owed before a runtime claimed the conversation, or was
    pushed to another one, had piled up for it.
    """
    owed = seat.entries()
    before = [one.seq for one in owed if one.at < claimed or one.push is not None]
    _untried(seat, owed)
    seat.pushing = Pushing(at, 0, max(before, default=0)) if owed else None


def owed_again(seat: Seat, entries: Iterable[Entry]) -> list[Entry]:
    """
    Puts entries where they may be taken anew, and returns those that are ready: a rider
    never causes a wake (ledger 2).
    """
    ready, riders = list[Entry](), list[Entry]()
    for entry in entries:
        (riders if entry.hearing == Hearing.RIDER else ready).append(entry)
    seat.put(Lane.READY, ready)
    seat.put(Lane.RIDER, riders)
    return ready


def _untried(seat: Seat, entries: Iterable[Entry]) -> None:
    for entry in entries:
        if entry.push is not None:
            entry.push.left -= 1
            seat.account.fresh += seat.lane_of(entry.seq) == Lane.READY
            seat.replace(entry._replace(push=None))


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
                seat.replace(entry._replace(push=first))
                first.left += 1
                seat.account.fresh -= seat.lane_of(seq) == Lane.READY
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
    _untried(seat, seat.entries(Lane.READY, Lane.RIDER))
    again = seat.drop_all(event.again)
    owed_again(seat, [entry._replace(push=None) for entry in again])
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
