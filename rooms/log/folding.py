"""
Folding: how a stream's records become its state.

Law: `evolve` applies no rule and refuses nothing. What an event of a later version
means is not known, and one that is critical closes its stream for writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rooms.log import (
    documents,
    erasing,
    expiring,
    floors,
    invitations,
    ledger,
    memory,
    posting,
    rooms,
    seats,
    team,
)
from rooms.log.events import Event, Fact, Unknown
from rooms.log.state import Fold, RoomState

__all__ = ["evolve", "evolve_all", "folded", "unreadable"]


_OWING: dict[type[Event], Fold] = {
    posting.MessagePosted: posting.fold_posted,
    **ledger.FOLDS,
    **floors.FOLDS,
}
"""
What changes who is owed what, and whose turn it is, and nothing else that a room is: no
seat, no rule.
"""

_OTHERS: dict[type[Event], Callable[[RoomState, Fact], object]] = {}
"""What changes more; the feature that folds a kind is found at the first one of it."""


def evolve(room: RoomState, fact: Fact) -> None:
    """Folds one fact of a room's stream into its state, in place."""
    fold = _OWING.get(type(fact.event))
    if fold is None:
        _evolve_more(room, fact)
    else:
        fold(room, fact)
    room.version = fact.version
    room.at = fact.at


def _evolve_more(room: RoomState, fact: Fact) -> None:
    """Folds a fact in that changes more."""
    room.shape = fact.version
    kind = type(fact.event)
    fold = _OTHERS.get(kind)
    if fold is not None:
        fold(room, fact)
        return
    for feature in (
        *(posting.evolve_scheduled, seats.evolve, documents.evolve, rooms.evolve),
        *(invitations.evolve, erasing.evolve, expiring.evolve, memory.evolve),
        team.evolve,
    ):
        if feature(room, fact):
            _OTHERS[kind] = feature
            break


def evolve_all(room: RoomState, facts: Sequence[Fact]) -> None:
    """
    Folds facts in, as `evolve` does each, and looks once at what each seat waits for
    then; behind one that cannot be folded, none.
    """
    room.later = {}
    last: Fact | None = None
    try:
        for fact in facts:
            fold = _OWING.get(type(fact.event))
            if fold is not None:
                fold(room, fact)
            else:
                _evolve_more(room, fact)
            last = fact
    finally:
        if last is not None:
            room.version, room.at = last.version, last.at
        room.caught_up()


def folded(facts: Iterable[Fact]) -> RoomState:
    """A room's state from its facts, the first one first."""
    room = RoomState()
    for fact in facts:
        evolve(room, fact)
    return room


def unreadable(fact: Fact) -> bool:
    """Whether a fact closes its stream for writing (foundation 9)."""
    return isinstance(fact.event, Unknown) and fact.event.critical
