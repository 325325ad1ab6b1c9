"""
Settling: a read or an acknowledgement settles what a seat was owed, or it ends.

Law: only what was shown, or named, is settled; a wake of which nothing is left closes,
unless its turn runs (ledger 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rooms.log.events import Event
from rooms.log.ledger.events import Ended, Granted, Settled, Superseded
from rooms.log.state import Lane, RoomState, Seat

__all__ = ["acknowledge", "end", "settle_read", "superseded"]


def settle_read(
    room: RoomState, seat: Seat, *, first: int, last: int, now: int, seen_again: int
) -> list[Event]:
    """
    What reading the messages `first` to `last` settles.

    A read is recorded only where it settles something, or is the seat's first sign of
    life in `seen_again` microseconds (foundation 21). `told` rises only over what was
    shown.
    """
    settled: tuple[int, ...] = ()
    if room.policy.settle_on == "read":
        shown = (one for one in seat.entries() if first <= one.seq <= last)
        settled = tuple(entry.seq for entry in shown)
    if not settled and now - seat.seen_at < seen_again:
        return []
    told = last if first <= seat.told + 1 and last > seat.told else 0
    wake = _emptied(seat, settled)
    return [Settled(seat.conversation, "read", settled, told, wake)]


def acknowledge(seat: Seat, receipts: Mapping[int, int]) -> list[Event]:
    """
    Settles messages for the seat by name: what of them it is owed, by their numbers,
    each with the number of its receipt.
    """
    settled = tuple(seq for seq in receipts if seat.entry(seq) is not None)
    if not settled:
        return []
    numbers = tuple(receipts[seq] for seq in settled)
    wake = _emptied(seat, settled)
    return [Settled(seat.conversation, "acked", settled, 0, wake, numbers)]


def end(seat: Seat, seqs: Iterable[int], why: str) -> list[Event]:
    """The end of what a seat is owed for these messages; nothing where it is none."""
    ended = tuple(seq for seq in seqs if seat.entry(seq) is not None)
    if not ended:
        return []
    return [Ended(seat.conversation, why, ended, _emptied(seat, ended))]


def superseded(
    room: RoomState, seq: int, seats: Iterable[str], granted: Iterable[Event]
) -> list[Event]:
    """
    What becomes of a message that another one replaces, for the seats that it was owed
    to: where it waits still, it rides along; where it is ready, was granted at this
    moment or was taken, it stays (ledger 14).
    """
    ready = {
        one.conversation
        for one in granted
        if isinstance(one, Granted) and seq in one.entries
    }
    return [
        Superseded(name, (seq,))
        for name in seats
        if room.seats[name].lane_of(seq) in {Lane.HELD, Lane.DIGEST}
        and name not in ready
    ]


def _emptied(seat: Seat, settled: Iterable[int]) -> str:
    """The open wake of which nothing is left then, unless its turn runs (ledger 10)."""
    wake = seat.wake
    if wake is None or wake.running or wake.kind == "floor":  # a turn is still owed
        return ""
    gone = set(settled)
    left = any(entry.seq not in gone for entry in seat.entries(Lane.TAKEN))
    return "" if left else wake.id
