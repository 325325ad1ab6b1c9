"""
Signals: which members of a team take a turn now, as a pure function.

Three laws. At most so many turns run at once, and one place is kept for the conductor
while it does not run, where there are two or more (S-SCHED-01, S-SCHED-02). A signal is
of a member and a reason, and the earliest of these counts (S-SCHED-07). And none waits
for ever: what waited for `PATIENCE` counts as one reason more urgent, so whatever comes
later than four times that can overtake it no more, and each other member at most once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from operator import attrgetter

from attrs import field, frozen

__all__ = ["PATIENCE", "Candidate", "Reason", "Signal", "Slots", "select_turns"]

PATIENCE = 60_000_000
"""After so many microseconds a signal counts as one reason more urgent."""


class Reason(StrEnum):
    """Why a member should have a turn, the most urgent first (S-SCHED-06)."""

    ANSWER = "answer"
    INTERVENTION = "intervention"
    MESSAGE = "message"
    WORK = "work"
    FIRST_TURN = "first_turn"


_RANKS = {reason: rank for rank, reason in enumerate(Reason)}


@frozen
class Candidate:
    """
    A member, as it is now.

    Attributes:
        free: Whether a turn of it may start: it is idle, and within its limits
            (S-SCHED-05, S-LIMIT-05).
        works: Whether it holds a place now.
        lead: Whether it is the conductor.
    """

    free: bool = True
    works: bool = False
    lead: bool = False


@frozen
class Slots:
    """
    A team, as far as turns are handed out by it.

    Attributes:
        most: How many turns run at once.
        members: Those who are in the team, by their keys.
    """

    most: int
    members: Mapping[str, Candidate] = field(hash=False)


@frozen
class Signal:
    """
    That a member should have a turn.

    Attributes:
        member: Its key.
        reason: Why.
        at: Since when, in microseconds; one that lies ahead is none yet.
    """

    member: str
    reason: Reason
    at: int
    order: int = field(init=False, repr=False, eq=False)

    @order.default
    def _find_order(self) -> int:
        """By what waited and why; of two that are equal, by the reason."""
        rank = _RANKS[self.reason]
        return (self.at + rank * PATIENCE) * len(_RANKS) + rank


def select_turns(
    room: Slots, signals: Iterable[Signal], now: int
) -> tuple[Signal, ...]:
    """
    Whose turns start now, each with the signal that says so, the most urgent first; of
    two that are equal, the one that is named first.

    >>> room = Slots(
    ...     3,
    ...     {
    ...         "lead": Candidate(lead=True),
    ...         **dict.fromkeys("ab", Candidate(free=False, works=True)),
    ...         "c": Candidate(),
    ...     },
    ... )
    >>> signals = [Signal("c", Reason.ANSWER, 1), Signal("lead", Reason.WORK, 2)]
    >>> [one.member for one in select_turns(room, signals, 3)]
    ['lead']

    Source: S-SCHED-01 to S-SCHED-07.
    """
    members = room.members
    left = room.most
    lead = ""
    for key, one in members.items():
        if one.works:
            left -= 1
        elif one.lead:
            lead = key
    if left <= 0:
        return ()
    kept = int(lead != "" and room.most > 1)  # a lone place is for all (S-SCHED-04)
    general = left - kept
    chosen: list[Signal] = []
    for signal in _urgent(members, signals, now):
        if kept and signal.member == lead:
            kept = 0
        elif general > 0:
            general -= 1
        else:
            continue
        chosen.append(signal)
        if not general and not kept:
            break
    return tuple(chosen)


def _urgent(
    members: Mapping[str, Candidate], signals: Iterable[Signal], now: int
) -> Iterator[Signal]:
    """The most urgent signal of each member whose turn may start, in their order."""
    best: dict[str, Signal] = {}
    known = best.get
    for one in signals:
        other = known(one.member)
        if (other is None or one.order < other.order) and one.at <= now:
            best[one.member] = one

    ordered = sorted(best.values(), key=_ORDER)
    return (
        one
        for one in ordered
        if (member := members.get(one.member, _NOBODY)).free and not member.works
    )


_ORDER = attrgetter("order")
_NOBODY = Candidate(free=False)
