"""
What a seat is owed: one entry a message, on its way from being held to being settled.

Law: there may be very many, so what several have in common is kept once for all.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from attrs import define

from rooms.log.tries import Tries

__all__ = ["FAILED", "SUPERSEDED", "Cause", "Entry", "Lane", "OpenWake"]

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


_LANES = {word: word for name, word in vars(Lane).items() if name.isupper()}


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


_shared = lru_cache(maxsize=1_024)(Cause)


def _of_cause(name: str) -> Any:
    """A field of the cause, as one of the entry's."""

    def change(entry: Entry, value: Any) -> None:
        entry.cause = _shared(*entry.cause._replace(**{name: value}))

    return property(attrgetter(f"cause.{name}"), change)


_OF_ENTRY = ("at", "cause", "hops", "lane", "push", "seq", "size")


class Entry:
    """
    One message that one seat is owed.

    Attributes:
        seq: The message's number.
        at: When it was posted.
        hops: How far it is from a person's word.
        lane: Where it stands.
        cause: Why it is owed; its fields are the entry's, too.
        size: What it adds to the backlog, in bytes.
        push: The tries to push it, or None where it was never tried.
    """

    __slots__ = _OF_ENTRY

    FIELDS = (
        *("seq", "hearing", "tag", "agents", "hops", "at", "why", "lane"),
        *("waited", "tries", "size", "important"),
    )
    """What `Entry` takes, in its order."""

    hearing: str = _of_cause("hearing")
    tag: str = _of_cause("tag")
    agents: bool = _of_cause("agents")
    why: str = _of_cause("why")
    waited: bool = _of_cause("waited")
    tries: int = _of_cause("tries")
    important: bool = _of_cause("important")
    push: Tries | None

    def __init__(  # noqa: PLR0917 - as records and snapshots have them
        self,
        seq: int,
        hearing: str,
        tag: str,
        agents: bool,
        hops: int,
        at: int,
        why: str,
        lane: str,
        waited: bool = False,
        tries: int = 0,
        size: int = 0,
        important: bool = False,
    ) -> None:
        self.seq = seq
        self.at = at
        self.hops = hops
        self.lane = _LANES.get(lane, lane)
        self.cause = _shared(hearing, tag, agents, why, waited, tries, important)
        self.size = size
        self.push = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and _all(self) == _all(other)

    __hash__: Any = None  # it changes

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"Entry({', '.join(fields)})"


_all = attrgetter(*Entry.FIELDS)


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
