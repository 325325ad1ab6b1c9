"""
Claims: who may go on with a wake.

Two laws. Whoever is not its holder, or stands behind a newer claim on the conversation,
changes nothing and is told so (ledger 11). And a claim that ran out may still end its
wake, as long as nobody took it since, and can do nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rooms.errors import Conflict
from rooms.log.events import Event
from rooms.log.ledger.events import WakeRenewed
from rooms.log.state import OpenWake, RoomState, Seat

__all__ = ["TakeFacts", "held_wake", "renew"]


_UNCLAIMED: Mapping[str, tuple[int, int]] = MappingProxyType({})


class TakeFacts(NamedTuple):
    """
    What a take needs beside the room.

    Attributes:
        holder: Who takes.
        until: When the claim runs out.
        generations: The current claim of each conversation that has one, and when it
            was made.
        in_turn: Conversations that are in a turn of their host's: they get a notice.
        away: Conversations that cannot be woken now.
        tells: Whether the holder tells by coming back for more; one that opens turns
            ends them, and what it took and has not opened is its own still.
    """

    holder: str
    until: int
    generations: Mapping[str, tuple[int, int]] = _UNCLAIMED
    in_turn: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()
    tells: bool = True

    def generation(self, conversation: str) -> int:
        """The conversation's current claim; 0 before there is one."""
        return self.generations.get(conversation, (0, 0))[0]


def held_wake(
    room: RoomState,
    wake: str,
    conversation: str,
    facts: TakeFacts,
    *,
    now: int,
    late: bool = False,
) -> tuple[Seat, OpenWake]:
    """
    A seat and its open wake, held by this holder under the newest claim.

    `late` lets a claim that ran out end its wake, as long as nobody took it since.
    """
    seat = room.seats.get(conversation)
    open_wake = None if seat is None else seat.wake
    generation = facts.generation(conversation)
    if open_wake is not None and open_wake.generation < generation:
        raise Conflict(
            "stale_runtime", "a newer runtime claimed it", current=generation
        )
    if (
        seat is None
        or open_wake is None
        or open_wake.id != wake
        or open_wake.holder != facts.holder
        or (open_wake.until <= now and not late)
    ):
        current = None if open_wake is None else open_wake.id
        raise Conflict(
            "stale_wake",
            "the wake is not open any more, or somebody else's",
            current=current,
        )
    return seat, open_wake


def renew(
    room: RoomState, wake: str, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """Lets the holder's claim hold for longer; one that ran out is not revived."""
    held_wake(room, wake, conversation, facts, now=now)
    return [WakeRenewed(conversation, wake, facts.until)]
