"""
What a seat is owed: one entry a message, on its way from being held to being settled.

Law: there may be very many, so what several have in common is kept once for all, and
is a value that nobody changes: what becomes of an entry is another one in its place.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from attrs import define

from rooms.log.tries import Tries

__all__ = ["FAILED", "SUPERSEDED", "Cause", "Entry", "Lane", "OpenWake", "because"]

FAILED = "failed"
"""Why an entry only rides along whose turns failed too often (ledger 9)."""

SUPERSEDED = "superseded"
"""Why an entry only rides along that was not told before it was replaced."""


class Lane:
    """
    Where an entry stands on its way: the words that records and snapshots use.

    `HELD`, `DIGEST` and `RIDER` wait: for a place in the wake window, for the next
    digest, for whatever wake comes. `READY` may be taken. `TAKEN` is in the open wake.
    `TOLD` was shown, and waits for its acknowledgement.
    """

    HELD = "held"
    DIGEST = "digest"
    RIDER = "rider"
    READY = "ready"
    TAKEN = "taken"
    TOLD = "told"


class Cause(NamedTuple):
    """
    Why a message is owed, and what became of it so far: one value for all alike.

    Attributes:
        hearing: The class: `now`, `digest` or `rider`.
        tag: How the message addressed the seat: `direct`, `group` or `none`.
        agents: Whether an agent wrote it.
        why: The rule by which it is owed.
        waited: Whether it was held before it became ready.
        tries: How many turns that carried it failed.
        important: Whether it should be told at once.
    """

    hearing: str
    tag: str
    agents: bool
    why: str
    waited: bool = False
    tries: int = 0
    important: bool = False


because = lru_cache(maxsize=1_024)(Cause)
"""The one cause of these fields."""


def _of_cause(name: str) -> Any:
    """A field of the cause, as one of the entry's."""
    return property(attrgetter(f"cause.{name}"))


class _Owed(NamedTuple):
    """The fields of `Entry`."""

    seq: int
    at: int
    hops: int
    cause: Cause
    size: int = 0
    push: Tries | None = None


class Entry(_Owed):
    """
    One message that is owed: one value for all seats that are owed it alike.

    Where it stands is said by the lane of its seat that it is in, and nowhere else.

    Attributes:
        seq: The message's number.
        at: When it was posted.
        hops: How far it is from a person's word.
        cause: Why it is owed; its fields are the entry's, too.
        size: What it adds to the backlog, in bytes.
        push: The tries to push it, or None where it was never tried.
    """

    __slots__ = ()

    hearing: str = _of_cause("hearing")
    tag: str = _of_cause("tag")
    agents: bool = _of_cause("agents")
    why: str = _of_cause("why")
    waited: bool = _of_cause("waited")
    tries: int = _of_cause("tries")
    important: bool = _of_cause("important")

    def but(self, **fields: Any) -> Entry:
        """It, with a cause that is another one in these fields."""
        return self._replace(cause=because(*self.cause._replace(**fields)))


@define(weakref_slot=False)  # there are many
class OpenWake:
    """
    The one wake that a seat has open.

    Attributes:
        id: The id of the record that took it.
        kind: `turn`, `floor` where it has the floor of a planned room, or `notice` for
            a turn that was there for another reason.
        holder: Who took it; only the holder may go on with it.
        generation: The conversation's claim when it was taken.
        since: When it was taken.
        until: When the holder's claim on it runs out.
        hops: The highest hops that it carries.
        running: Whether its turn is open.
    """

    id: str
    kind: str
    holder: str
    generation: int
    since: int
    until: int
    hops: int
    running: bool = False
