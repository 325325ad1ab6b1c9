"""
How the ledger's events change a seat.

Law: folding applies no rule and refuses nothing; it moves the entries that the event
names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rooms.hearing import Hearing
from rooms.log.events import Event, Fact
from rooms.log.ledger.events import (
    Ended,
    Granted,
    Noticed,
    Reclaimed,
    Settled,
    Superseded,
    TurnOpened,
    WakeClosed,
    WakeRenewed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.ledger.granting import charge
from rooms.log.ledger.pushed import PUSH_FOLDS, begin_anew, owed_again
from rooms.log.owed import FAILED, SUPERSEDED
from rooms.log.records import record_id
from rooms.log.state import Entry, Fold, Lane, OpenWake, RoomState, Seat

__all__ = ["FOLDS", "changing"]

Change = Callable[[RoomState, Seat, Any, Fact], None]


def changing(change: Change) -> Fold:
    """How an event is folded that changes a seat in this way."""

    def fold(room: RoomState, fact: Fact) -> None:
        event: Any = fact.event
        seat = room.seats[event.conversation]
        seat.noting()  # its account is changed
        change(room, seat, event, fact)
        room.schedule(seat)

    return fold


def _grant(room: RoomState, seat: Seat, event: Granted, _: Fact) -> None:
    granted = [
        one.but(waited=one.hearing == Hearing.NOW)
        for one in seat.drop_all(event.entries)
    ]
    seat.put(Lane.READY, granted)
    if granted and room.policy.pushes is not None:
        seat.arm(event.at, granted)
    if event.charged:
        seat.account.charges = charge(room.policy, seat.account.charges, event.at)


def _take(room: RoomState, fact: Fact) -> None:
    event: Any = fact.event
    seat = room.seats[event.conversation]
    account, at, hops = seat.noting(), fact.at, event.hops
    if event.entries:
        seat.move(event.entries, Lane.TAKEN)
    wake = record_id(room.id, fact.version)
    if event.kind == "floor" and room.floor is not None:
        room.floor.wake = wake
    account.wake = OpenWake(
        *(wake, event.kind, event.holder, event.generation, at, event.until, hops)
    )
    account.depth = hops
    account.seen_at = at
    if event.digest:
        seat.anchor = at
    room.schedule(seat)


def _open(room: RoomState, fact: Fact) -> None:
    event: Any = fact.event
    seat = room.seats[event.conversation]
    wake = seat.account.wake
    if wake is not None:
        wake.running = True
        wake.until = event.until
        room.wait(seat)  # what it may take is as it was


def _notice(_: RoomState, seat: Seat, event: Noticed, fact: Fact) -> None:
    told = seat.drop_all(event.entries)
    seat.put(Lane.TAKEN, told)
    if any(entry.hearing == Hearing.DIGEST for entry in told):
        seat.anchor = fact.at
    if seat.wake is not None:
        seat.wake.hops = max(seat.wake.hops, event.hops)
        seat.depth = seat.wake.hops
    seat.account.seen_at = fact.at


def _renew(_: RoomState, seat: Seat, event: WakeRenewed, __: Fact) -> None:
    if seat.wake is not None:
        seat.wake.until = event.until


def _close(room: RoomState, fact: Fact) -> None:
    event: Any = fact.event
    seat, floor = room.seats[event.conversation], room.floor
    if floor is not None and floor.wake == event.wake:
        floor.wake = ""
    if event.settled:
        seat.drop_carried(event.settled)
    if event.told:
        seat.move(event.told, Lane.TOLD)
    seat.noting().wake = None
    room.schedule(seat)


def _return(room: RoomState, seat: Seat, event: WakeReturned, fact: Fact) -> None:
    _untake(room, event.wake)
    failed, demoted = set(event.failed), set(event.demoted)
    returned = list[Entry]()
    for entry in seat.drop_all(event.entries):
        again = entry.but(tries=entry.tries + 1) if entry.seq in failed else entry
        if entry.seq in demoted:
            again = again.but(hearing=Hearing.RIDER.value, why=FAILED)
        returned.append(again)
    ready = owed_again(seat, returned)
    seat.wake = None
    if room.policy.pushes is not None:
        seat.arm(fact.at, ready)


def _untake(room: RoomState, wake: str) -> None:
    """A floor whose wake is gone is in nobody's hand, until it ends by its event."""
    if room.floor is not None and room.floor.wake == wake:
        room.floor.wake = ""


def _reclaim(room: RoomState, seat: Seat, event: Reclaimed, fact: Fact) -> None:
    seat.generation = event.generation
    later = any(entry.at > event.since for entry in seat.entries())
    seat.restarted = -1 if later else event.since
    owed_again(seat, seat.drop_all(event.again))
    if room.policy.pushes is not None:
        begin_anew(seat, fact.at, claimed=event.since)


def _settle(_: RoomState, seat: Seat, event: Settled, fact: Fact) -> None:
    # What a wake carried has set the depth already; an acknowledgement of something
    # older, or a read in mid-turn, is no way around the guard (ledger 15).
    shown = {Lane.TAKEN, Lane.TOLD}
    new = [seq for seq in event.entries if seat.lane_of(seq) not in shown]
    fresh = [entry.hops for entry in seat.drop_all(new)]
    seat.drop_all(event.entries)
    if fresh:
        in_wake = [seat.wake.hops] if seat.wake is not None else []
        seat.depth = max(fresh + in_wake)
    seat.told = max(seat.told, event.told)
    seat.account.seen_at = fact.at
    if event.wake and seat.wake is not None and seat.wake.id == event.wake:
        seat.wake = None


def _end(_: RoomState, seat: Seat, event: Ended, __: Fact) -> None:
    for seq in event.entries:
        seat.drop(seq)
    if event.wake and seat.wake is not None and seat.wake.id == event.wake:
        seat.wake = None


def _supersede(_: RoomState, seat: Seat, event: Superseded, __: Fact) -> None:
    replaced = seat.drop_all(event.entries)
    rides = Hearing.RIDER.value
    seat.put(Lane.RIDER, [one.but(hearing=rides, why=SUPERSEDED) for one in replaced])


_CHANGES: Mapping[type[Event], Change] = {
    Granted: _grant,
    Noticed: _notice,
    WakeRenewed: _renew,
    WakeReturned: _return,
    Reclaimed: _reclaim,
    Settled: _settle,
    Ended: _end,
    Superseded: _supersede,
    **PUSH_FOLDS,
}

FOLDS: Mapping[type[Event], Fold] = {
    WakeTaken: _take,
    TurnOpened: _open,
    WakeClosed: _close,
    **{kind: changing(change) for kind, change in _CHANGES.items()},
}
"""How each of the ledger's events is folded: it changes what one seat is owed."""
