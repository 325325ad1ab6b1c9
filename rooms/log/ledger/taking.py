"""
Taking: a holder is given what a seat is owed.

Two laws. A seat has at most one wake open, and a take ends the one before: told where
a holder that opens no turns comes back, returned where its claim ran out or a newer one
is known. And riders go along with a wake and never cause one (ledger 2, 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rooms.hearing import Hearing
from rooms.log.events import Event
from rooms.log.floors.ending import TurnEnd, floor_ended
from rooms.log.ledger.claims import TakeFacts
from rooms.log.ledger.ending import wake_closed, wake_returned
from rooms.log.ledger.events import Granted, Reclaimed, WakeTaken
from rooms.log.ledger.granting import granted_now
from rooms.log.state import Entry, Lane, RoomState, Seat
from rooms.pacing import hops_of_wake

__all__ = ["Freed", "carry", "free", "reclaim", "take", "wake_taken"]


def take(
    room: RoomState,
    conversations: Iterable[str],
    facts: TakeFacts,
    *,
    now: int,
    limit: int,
) -> list[Event]:
    """
    The wakes of these seats that can be taken now, at most `limit`, one a seat.

    A seat that is on hold, away, in a running turn, or held by somebody else is passed
    over; what a claim that ran out or an older generation held is taken anew.
    """
    events: list[Event] = []
    taken = 0
    for conversation in conversations:
        seat = room.seats.get(conversation)
        if taken == limit or seat is None or conversation in facts.away:
            continue
        found = _take_seat(room, seat, facts, now=now)
        events += found
        if found and type(found[-1]) is WakeTaken:
            taken += 1
    return events


def _take_seat(
    room: RoomState, seat: Seat, facts: TakeFacts, *, now: int
) -> list[Event]:
    if room.on_hold(seat):
        return []
    freed = free(room, seat, facts, now=now)
    if freed is None:
        return []
    granted = granted_now(room, seat, now)
    floor = room.is_due(seat)
    carried = carry(seat, freed, granted, waking=floor)
    if not floor and not any(entry.hearing != Hearing.RIDER for entry in carried):
        return freed.events
    kind = "notice" if seat.conversation in facts.in_turn else "turn"
    kind = "floor" if floor else kind
    return [*freed.events, *granted, wake_taken(seat, carried, facts, kind)]


def reclaim(
    room: RoomState, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """
    What a newer claim changes in a room: what the older one took or was told is owed
    again. Nothing where the room knows the claim already (ledger 11).
    """
    seat = room.seats.get(conversation)
    if seat is None or facts.generation(conversation) <= seat.generation:
        return []
    freed = free(room, seat, facts, now=now)
    return [] if freed is None else freed.events


class Freed(NamedTuple):
    """What has to be recorded before a seat's next wake, and what comes back by it."""

    events: list[Event]
    back: tuple[Entry, ...]
    restarted: int


def free(room: RoomState, seat: Seat, facts: TakeFacts, *, now: int) -> Freed | None:
    """Ends the wake that is open; None where its holder keeps it."""
    generation, claimed_at = facts.generations.get(seat.conversation, (0, 0))
    events: list[Event] = []
    restarted = seat.restarted
    back: list[Entry] = []
    if generation > seat.generation:
        back = seat.entries(Lane.TOLD)
        again = tuple(entry.seq for entry in back)
        events.append(Reclaimed(seat.conversation, generation, claimed_at, again))
        restarted = claimed_at
    wake = seat.wake
    if wake is None:
        return Freed(events, tuple(back), restarted)
    if wake.generation >= generation and wake.until > now:
        if wake.running or wake.holder != facts.holder or not facts.tells:
            return None
        events.append(wake_closed(room, seat, wake, "taken_again"))
        events += floor_ended(room, seat, wake, TurnEnd("told"))
        return Freed(events, tuple(back), restarted)
    stale = wake.generation < generation
    events.append(wake_returned(seat, wake, "generation" if stale else "expired"))
    events += floor_ended(room, seat, wake, TurnEnd("expired"))
    return Freed(events, (*back, *seat.entries(Lane.TAKEN)), restarted)


def carry(
    seat: Seat, freed: Freed, granted: Iterable[Granted], *, waking: bool = False
) -> list[Entry]:
    """
    All that a wake would carry, in order of seq: what is ready or comes to be, the rest
    of a digest that is (ledger 6), and riders.

    Riders lie dormant after a restart until something new is owed (ledger 11); `waking`
    says that there is something beside the entries, the floor.
    """
    if not seat.account.owed:
        return []
    released = {seq for grant in granted for seq in grant.entries}
    waiting = seat.entries(Lane.HELD, Lane.DIGEST)
    carried = [*seat.entries(Lane.READY), *freed.back]
    carried += [entry for entry in waiting if entry.seq in released]
    if any(entry.hearing == Hearing.DIGEST for entry in carried):
        late = seat.entries(Lane.DIGEST)
        carried += [entry for entry in late if entry.seq not in released]
    if (
        waking
        or freed.restarted < 0
        or any(entry.at > freed.restarted for entry in seat.entries())
    ):
        carried += seat.entries(Lane.RIDER)
    else:
        carried = [one for one in carried if one.hearing != Hearing.RIDER]
    return sorted(carried, key=lambda entry: entry.seq)


def wake_taken(
    seat: Seat, carried: Sequence[Entry], facts: TakeFacts, kind: str
) -> WakeTaken:
    """A wake of this kind that carries these entries, taken as the facts say."""
    one, generation = seat.conversation, facts.generation(seat.conversation)
    if not carried:  # as with the floor of most rooms
        taken = (one, kind, facts.holder, facts.until, ())
        return WakeTaken(*taken, generation=generation)
    held = {one.seq for one in seat.entries(Lane.HELD)}
    return WakeTaken(
        one,
        kind,
        facts.holder,
        facts.until,
        tuple([entry.seq for entry in carried]),
        sum([entry.waited or entry.seq in held for entry in carried]),
        hops_of_wake([entry.hops for entry in carried]),
        generation,
        digest=Hearing.DIGEST in [entry.hearing for entry in carried],
    )
