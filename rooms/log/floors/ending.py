"""
Ending: what became of a turn with the floor.

Three laws. Whatever a seat said while it had the floor is its turn, however that ended,
so a stored turn is never run again (P-PLAN-02). What did not count may be named again,
at most so often. And an end belongs to the activity that gave the floor (ledger 16).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from rooms.log.activities import Floor
from rooms.log.events import Event
from rooms.log.floors.events import FloorEnded
from rooms.log.state import OpenWake, RoomState, Seat

__all__ = [
    "MOST_TRIES",
    "TOLD",
    "TurnEnd",
    "TurnOutcome",
    "absence",
    "absent",
    "floor_ended",
    "floor_outlived",
    "withdrawn",
]

MOST_TRIES = 3
"""After so many turns of one seat in a row that did not count, the last one does."""

TurnOutcome = Literal[
    "spoke", "passed", "empty", "failed", "timed_out", "cancelled", "expired", "told"
]


class TurnEnd(NamedTuple):
    """
    How a turn ended, as its host tells it.

    Attributes:
        outcome: What it came to.
        kind: The class of a failure, for callers; never shown (R-FAIL-06).
        clipped: Whether its seat was shown only a part of what it had missed.
        seqs: Messages that the same commit brings.
    """

    outcome: TurnOutcome
    kind: str = ""
    clipped: bool = False
    seqs: tuple[int, ...] = ()


TOLD = TurnEnd("told")
"""A turn of which nobody says what it came to: it spoke, or it passed."""


def floor_ended(
    room: RoomState, seat: Seat, wake: OpenWake | None, end: TurnEnd
) -> list[Event]:
    """The end of the floor that a wake took; nothing where it took none."""
    floor = room.floor
    if floor is None or wake is None or floor.wake != wake.id:
        return []
    seqs = (*floor.seqs, *end.seqs)
    outcome: str = end.outcome
    if seqs and outcome not in {"failed", "timed_out"}:
        outcome = "spoke"  # what was said stands, and a pass after it is none (F-22)
    elif outcome == "told":
        outcome = "passed"
    used = bool(seqs) or _used(room, seat, outcome)
    if used and outcome in {"cancelled", "expired"}:
        outcome = "failed"
    kind = end.kind or (end.outcome if outcome == "failed" != end.outcome else "")
    return [
        FloorEnded(
            seat.conversation,
            floor.activity,
            outcome,
            floor.round,
            used=used,
            seqs=seqs,
            kind=kind,
            clipped=end.clipped,
        )
    ]


def floor_outlived(room: RoomState, wake: OpenWake) -> list[Event]:
    """
    The end of a floor that comes back untold after the activity that gave it has ended;
    any other one its seat has still.
    """
    floor, activity = room.floor, room.activity
    if floor is None or floor.wake != wake.id:
        return []
    if activity is not None and activity.opener == floor.activity:
        return []
    return withdrawn(floor)


def withdrawn(floor: Floor) -> list[Event]:
    """The end of a floor that nobody took in time."""
    return [
        FloorEnded(
            floor.conversation, floor.activity, "withdrawn", floor.round, used=False
        )
    ]


def _used(room: RoomState, seat: Seat, outcome: str) -> bool:
    """Whether a turn that brought no message is used up."""
    if outcome in {"spoke", "passed", "empty"}:
        return True
    if outcome == "cancelled":  # by the host's own will: it may be asked again
        return False
    if outcome in {"failed", "timed_out"} and room.policy.on_failure != "retry":
        return room.policy.on_failure == "drop"
    activity = room.activity
    tries = 0 if activity is None else activity.tries.get(seat.conversation, 0)
    return tries + 1 >= MOST_TRIES


def absent(room: RoomState, seat: Seat, *, leaving: bool) -> list[Event]:
    """
    The end of the floor of a seat that rests or leaves: a turn that runs may go on
    where its seat only rests.
    """
    floor = room.floor
    if floor is None or floor.conversation != seat.conversation:
        return []
    if not leaving and seat.wake is not None and seat.wake.running:
        return []
    return absence(floor.conversation, floor.activity, floor.round, floor.seqs)


def absence(
    conversation: str, activity: int, turn_round: int, seqs: Sequence[int] = ()
) -> list[Event]:
    """A turn that is used up as its seat is not there, unless it has spoken."""
    outcome = "spoke" if seqs else "absent"
    return [FloorEnded(conversation, activity, outcome, turn_round, seqs=tuple(seqs))]
