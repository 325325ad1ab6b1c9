"""
Turns: a wake's turn opens, is told what comes in meanwhile, and ends.

Two laws. A wake has one turn, and its end settles what it carried (ledger 8). And what
arrived during a turn is not in it unless a notice handed it in.
"""

from __future__ import annotations

from rooms.errors import Conflict
from rooms.log.events import Event
from rooms.log.floors.ending import TOLD, TurnEnd, floor_ended, floor_outlived
from rooms.log.ledger.claims import TakeFacts, held_wake
from rooms.log.ledger.ending import most_tries, wake_closed, wake_returned
from rooms.log.ledger.events import (
    AttentionCalled,
    Noticed,
    ReturnReason,
    TurnOpened,
)
from rooms.log.ledger.granting import granted_now
from rooms.log.ledger.taking import Freed, carry, free, wake_taken
from rooms.log.owed import FAILED
from rooms.log.state import RoomState
from rooms.pacing import hops_of_wake

__all__ = ["close", "give_back", "notice", "open_turn"]


def open_turn(
    room: RoomState, wake: str, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """
    Opens the turn for a wake that its holder took.

    Raises:
        Conflict: `stale_wake` for one that is not open any more, or somebody else's;
            `stale_runtime` behind a newer claim; `turn_running` for a second turn.
    """
    _, taken = held_wake(room, wake, conversation, facts, now=now)
    if taken.running:
        raise Conflict(
            "turn_running", "a turn for this wake runs already", current=wake
        )
    return [TurnOpened(conversation, wake, facts.until)]


def notice(
    room: RoomState, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """
    What a turn that is there for another reason, or already runs, is told now.

    Ready entries, riders and a due digest go into it (ledger 8); nothing where there is
    nothing, or where somebody else holds the seat.
    """
    seat = room.seats.get(conversation)
    if seat is None or room.on_hold(seat):
        return []
    wake = seat.wake
    generation = facts.generation(conversation)
    if wake is not None and wake.generation >= generation and wake.until > now:
        if not wake.running or wake.holder != facts.holder:
            return []  # what was taken has a turn of its own to come, or a holder
        freed: Freed | None = Freed([], (), seat.restarted)
    else:
        freed, wake = free(room, seat, facts, now=now), None
    if freed is None:
        return []
    granted = granted_now(room, seat, now)
    carried = carry(seat, freed, granted)
    if not carried:
        return freed.events
    if wake is None:
        return [*freed.events, *granted, wake_taken(seat, carried, facts, "notice")]
    seqs = tuple(entry.seq for entry in carried)
    hops = hops_of_wake(entry.hops for entry in carried)
    return [*granted, Noticed(conversation, wake.id, seqs, hops)]


def close(
    room: RoomState,
    wake: str,
    conversation: str,
    facts: TakeFacts,
    *,
    now: int,
    told: bool = False,
    end: TurnEnd = TOLD,
) -> list[Event]:
    """
    Ends a wake well: what it carried is settled, or told and waits to be settled.

    It is told where the policy settles on an acknowledgement, or where a transport only
    handed it over. `end` is what a turn with the floor came to; one of which nobody
    says so spoke, or passed.
    """
    seat, taken = held_wake(room, wake, conversation, facts, now=now, late=True)
    closed = wake_closed(room, seat, taken, "delivered" if told else "ended")
    return [closed, *floor_ended(room, seat, taken, end)]


def give_back(
    room: RoomState,
    wake: str,
    conversation: str,
    facts: TakeFacts,
    *,
    why: ReturnReason,
    now: int,
    end: TurnEnd | None = None,
) -> list[Event]:
    """
    Gives a wake back: its entries are owed again, and what failed too often calls for
    attention (ledger 9).

    A turn with the floor ends as `end` says; one that was told nobody has it still.
    """
    seat, taken = held_wake(room, wake, conversation, facts, now=now, late=True)
    if why in _ENDS:
        ended = floor_ended(room, seat, taken, end or _ENDS[why])
    else:
        ended = floor_outlived(room, taken)
    returned = wake_returned(seat, taken, why, most=most_tries(room))
    called = list[Event]()
    if returned.demoted:
        called.append(AttentionCalled(conversation, FAILED, returned.demoted))
    return [returned, *called, *ended]


_ENDS = {
    "raised": TurnEnd("failed"),
    "expired": TurnEnd("expired"),
    "generation": TurnEnd("expired"),
}
