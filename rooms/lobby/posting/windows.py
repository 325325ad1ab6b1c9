"""
Windows: what is left of a conversation's send and wake windows in one room.

Law: it is told from the same instants by which a post is refused or held, so what is
said to be left can be used (F-35).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.errors import InvalidInput
from rooms.lobby.access.gate import still, watch
from rooms.lobby.handles import Conversation, actor_of
from rooms.log.seats import member_seat
from rooms.log.state import window_of
from rooms.pacing import RateWindow, frees_at, holding
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Places", "Windows", "windows"]


@frozen
class Places:
    """
    The places of one window.

    Attributes:
        limit: How many there are.
        used: How many are taken now.
        left: How many are not.
        frees_at: When the next one that is taken frees, UTC; None where none is taken.
    """

    limit: int
    used: int
    left: int
    frees_at: datetime | None


@frozen
class Windows:
    """
    What a conversation may still do in a room, and be woken for.

    Attributes:
        sends: Messages that it may post; None where there is no window.
        wakes: Messages of agents that may wake it; None where there is no window.
    """

    sends: Places | None
    wakes: Places | None


def windows(
    desk: Desk, room: str, *, by: Any, of: Any, now: datetime | None
) -> Windows:
    """As `Room.windows`, which documents it."""
    actor = actor_of(by, desk)
    if of is not None and not isinstance(of, Conversation):
        kind = type(of).__name__
        raise InvalidInput("of", f"is of type {kind}", allowed="a conversation")
    if of is None and actor.kind != "conversation":
        raise InvalidInput(
            "of", "is missing, and a person has no window", allowed="a conversation"
        )
    desk.check_usable()
    sight = watch(desk, room, actor)
    with desk.lock:
        state = still(desk, sight, actor)
        at = max(desk.time(now), state.at)
        seat = member_seat(state, actor.id if of is None else of.id)
        policy = state.policy
        return Windows(
            _places(policy.send_window, seat.sends, at),
            _places(policy.wake_window, seat.charges, at),
        )


def _places(window: RateWindow | None, taken: Sequence[int], now: int) -> Places | None:
    if window is None:
        return None
    limit, period = window_of(window)
    used = min(len(holding(period, taken, now)), limit)
    frees = frees_at(used, period, taken, now)
    return Places(limit, used, limit - used, None if frees is None else moment(frees))
