"""
How a wake ends: well, or returned.

Law: whatever it carried is settled, told, or owed again; after too many failed turns an
entry only rides along, and is never dropped (ledger 9).
"""

from __future__ import annotations

from rooms.hearing import Hearing
from rooms.log.events import Event
from rooms.log.floors.ending import TurnEnd, floor_ended
from rooms.log.ledger.events import ReturnReason, WakeClosed, WakeReturned
from rooms.log.state import Lane, OpenWake, RoomState, Seat

__all__ = ["MOST_TRIES", "expired", "most_tries", "wake_closed", "wake_returned"]

MOST_TRIES = 3
"""After so many failed turns an entry only rides along (ledger 9)."""


def wake_closed(room: RoomState, seat: Seat, wake: OpenWake, why: str) -> WakeClosed:
    """A good end: what the wake carried is settled, or told where the policy asks."""
    seqs = tuple(entry.seq for entry in seat.entries(Lane.TAKEN))
    if room.policy.settle_on == "ack" or why == "delivered":
        return WakeClosed(seat.conversation, wake.id, why, told=seqs)
    return WakeClosed(seat.conversation, wake.id, why, settled=seqs)


def most_tries(room: RoomState) -> int:
    """After how many failed turns an entry only rides along; a team may say so."""
    return MOST_TRIES if room.team is None else room.team.limits.max_retries + 1


def wake_returned(
    seat: Seat, wake: OpenWake, why: ReturnReason, *, most: int = MOST_TRIES
) -> WakeReturned:
    """The wake's entries owed again; those that failed too often only ride along."""
    entries = seat.entries(Lane.TAKEN)
    failed = [one.seq for one in entries if why == "raised"]
    demoted = [
        one.seq
        for one in entries
        if why == "raised" and one.tries + 1 >= most and one.hearing != Hearing.RIDER
    ]
    return WakeReturned(
        seat.conversation,
        wake.id,
        why,
        tuple(one.seq for one in entries),
        tuple(failed),
        tuple(demoted),
    )


def expired(room: RoomState, seat: Seat, now: int) -> list[Event]:
    """The end of a wake whose claim ran out by now, and of its floor, if it did."""
    wake = seat.wake
    if wake is None or wake.until > now:
        return []
    ended = floor_ended(room, seat, wake, TurnEnd("expired"))
    return [wake_returned(seat, wake, "expired"), *ended]
