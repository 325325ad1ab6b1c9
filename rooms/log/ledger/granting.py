"""
Granting: what waited for a place, the end of a hold or a digest may be taken.

Two laws. Of what is held the oldest takes a place of the wake window, and the rest ride
along without a charge (ledger 4). And a grant is dated by the instant of its place or
digest, whenever somebody came to record it.
"""

from __future__ import annotations

from rooms.log.events import Event
from rooms.log.ledger.ending import expired
from rooms.log.ledger.events import Granted
from rooms.log.ledger.pushing import passed
from rooms.log.state import Lane, RoomState, Seat
from rooms.policy import RoomPolicy

__all__ = ["charge", "granted_now", "noted", "release", "tick"]


def tick(room: RoomState, now: int) -> list[Event]:
    """What fell due by now: claims that ran out, places, digests, tries that pass."""
    events: list[Event] = []
    for seat in room.due(now):
        events += expired(room, seat, now)
        events += granted_now(room, seat, now)
        events += passed(room, seat, now)
    return events


def granted_now(room: RoomState, seat: Seat, now: int) -> list[Granted]:
    """What a seat's place that freed, and its digest that fell due, let go."""
    if not (seat.has(Lane.HELD) or seat.has(Lane.DIGEST)):
        return []
    return [*release(room, seat, now), *_digest(room, seat, now)]


def release(room: RoomState, seat: Seat, now: int) -> list[Granted]:
    """What was held and may go: the oldest takes a place, the rest ride along."""
    at = room.release_at(seat)
    held = seat.entries(Lane.HELD)
    if at is None or at > now or not held:
        return []
    charged = not seat.persons_held and room.policy.wake_window is not None
    seqs = tuple(entry.seq for entry in held)
    return [Granted(seat.conversation, seqs, at, "place", charged)]


def _digest(room: RoomState, seat: Seat, now: int) -> list[Granted]:
    at = room.digest_at(seat)
    if at is None or at > now:
        return []
    seqs = tuple(entry.seq for entry in seat.entries(Lane.DIGEST))
    return [Granted(seat.conversation, seqs, at, "digest")]


def charge(policy: RoomPolicy, charges: tuple[int, ...], at: int) -> tuple[int, ...]:
    """The charges of a wake window with one more, without those that are over."""
    window = policy.wake_window
    return () if window is None else noted(charges, window.micros, at)


def noted(instants: tuple[int, ...], period: int, at: int) -> tuple[int, ...]:
    """The instants within the last period, and one more."""
    over = at - period
    if not instants or min(instants) > over:
        return (*instants, at)
    return (*filter(over.__lt__, instants), at)
