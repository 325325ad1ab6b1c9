"""
Pairs: two conversations that wake each other, damped as one.

Three laws. A pair has one window for both directions, in each room by itself (report
F-76). A person belongs to no pair, so nobody's word is damped by it. And what is held
reserves the place that frees for it, so the window is never overdrawn.
"""

from __future__ import annotations

from rooms.log.state import Lane, RoomState
from rooms.pacing import frees_at

__all__ = ["HELD_BY_PAIR", "note", "pair_is_full"]

HELD_BY_PAIR = "pair_window"
"""The rule by which a message is held that its pair had no place for."""


def _pair(one: str, other: str) -> str:
    return " ".join(sorted((one, other)))


def pair_is_full(room: RoomState, sender: str | None, hearer: str, now: int) -> bool:
    """Whether what the sender says now may not wake the hearer at once."""
    window = room.policy.pair_window
    if window is None or sender is None:
        return False
    charges = room.pairs.get(_pair(sender, hearer), ())
    return frees_at(window.limit, window.micros, charges, now) != now


def note(
    room: RoomState,
    sender: str,
    owed: tuple[tuple[str, str, str, str, str], ...],
    at: int,
) -> None:
    """Notes a message that woke somebody, or that reserves the place it waits for."""
    window = room.policy.pair_window
    if window is None:
        return
    for conversation, _, _, why, lane in owed:
        pair = _pair(sender, conversation)
        charges = tuple(
            one for one in room.pairs.get(pair, ()) if one + window.micros > at
        )
        if lane == Lane.READY:
            room.pairs[pair] = (*charges, at)
        elif lane == Lane.HELD and why == HELD_BY_PAIR:
            free = max(at, _reserved(charges, window.limit, window.micros))
            room.pairs[pair] = (*charges, free)
            account = room.seats[conversation].noting()
            account.released = max(account.released, free)


def _reserved(charges: tuple[int, ...], limit: int, period: int) -> int:
    """When a place frees that nobody has reserved."""
    return sorted(charges)[len(charges) - limit] + period
