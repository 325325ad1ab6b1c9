"""
What the events of a room add up to, kept beside it: who is owed what, which places of a
window are taken, how deep everybody is. No rule is called, and no state is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, evolve, field, frozen

from rooms.log.events import Event
from rooms.log.ledger import (
    Ended,
    Granted,
    Noticed,
    Reclaimed,
    Settled,
    WakeClosed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.posting import MessagePosted
from rooms.log.seats import SeatJoined, SeatLeft, Subscribed

NOBODY: frozenset[int] = frozenset()


@frozen
class Account:
    """
    One seat's.

    `owed` are the messages that are, `done` those that were; `carried` those of the
    open wake, `told` those that wait for an acknowledgement.
    """

    owed: frozenset[int] = NOBODY
    done: frozenset[int] = NOBODY
    carried: frozenset[int] = NOBODY
    told: frozenset[int] = NOBODY
    open: bool = False
    charges: tuple[int, ...] = ()
    depth: int | None = None
    anchor: int = 0
    generation: int = 0


@define
class Accounts:
    """All seats', with the hops of each message and whether an agent wrote it."""

    seats: dict[str, Account] = field(factory=dict)
    hops: dict[int, int] = field(factory=dict)
    by_agent: dict[int, bool] = field(factory=dict)

    def clone(self) -> Accounts:
        return Accounts(dict(self.seats), dict(self.hops), dict(self.by_agent))

    def seat(self, conversation: str) -> Account:
        return self.seats.get(conversation, Account())

    def book(self, events: Iterable[Event], now: int) -> None:
        """Adds up; what does not add up fails."""
        for event in events:
            if isinstance(event, MessagePosted):
                self._post(event, now)
            elif hasattr(event, "conversation"):
                known = self.seat(event.conversation)
                self.seats[event.conversation] = self._booked(known, event, now)

    def _post(self, message: MessagePosted, now: int) -> None:
        seq = message.seq
        assert seq not in self.hops, "a number was given twice"
        self.hops[seq], self.by_agent[seq] = message.hops, bool(message.sender)
        for conversation, _, _, _, lane in message.owed:
            known = self.seat(conversation)
            assert seq not in known.owed | known.done, "owed twice"
            charges = known.charges
            if lane == "ready" and message.sender:
                charges = (*charges, now)
            self.seats[conversation] = evolve(
                known, owed=known.owed | {seq}, charges=charges
            )

    def _booked(self, known: Account, event: Any, now: int) -> Account:
        match event:
            case Granted(charged=True):
                known = evolve(known, charges=(*known.charges, event.at))
            case Reclaimed():
                again = frozenset(event.again)
                assert again == known.told, "told, and not owed again"
                told = known.told - again
                known = evolve(known, generation=event.generation, told=told)
            case Settled():
                known = self._settled(known, event)
            case Ended():
                known = _without(known, event.entries)
                assert not (event.wake and known.carried), "something is left of it"
                known = evolve(known, open=known.open and not event.wake)
            case Subscribed():
                known = evolve(_without(known, event.ended), anchor=now)
            case SeatJoined():
                known = evolve(known, anchor=now)
            case SeatLeft():
                known = evolve(_without(known, event.ended), open=False)
                assert not known.owed, "left, and is owed something"
            case _:
                known = self._booked_wake(known, event, now)
        return known

    def _booked_wake(self, known: Account, event: Any, now: int) -> Account:
        match event:
            case WakeTaken():
                known = self._taken(known, event, now)
            case Noticed():
                assert known.open, "told to no open wake"
                known = self._carrying(known, known.carried, event.entries)
            case WakeClosed():
                assert known.open, "closed, and was not open"
                told = known.told | frozenset(event.told)
                closed = _without(known, event.settled)
                known = evolve(closed, open=False, carried=NOBODY, told=told)
            case WakeReturned():
                assert known.open, "returned, and was not open"
                assert frozenset(event.entries) == known.carried, "not all came back"
                known = evolve(known, open=False, carried=NOBODY)
        return known

    def _taken(self, known: Account, event: WakeTaken, now: int) -> Account:
        assert not known.open, "a second wake was opened"
        assert event.entries or event.kind == "floor", "a wake of nothing"
        hops = (self.hops[seq] for seq in event.entries)
        assert event.hops == max(hops, default=0)
        anchor = now if event.digest else known.anchor
        taken = evolve(known, open=True, anchor=anchor)
        return self._carrying(taken, NOBODY, event.entries)

    def _carrying(
        self, known: Account, before: frozenset[int], seqs: tuple[int, ...]
    ) -> Account:
        assert list(seqs) == sorted(set(seqs)), "numbers within a wake do not rise"
        entries = frozenset(seqs)
        assert entries <= known.owed - before - known.told, "carried what is not owed"
        carried = before | entries
        depth = max((self.hops[seq] for seq in carried), default=0)
        return evolve(known, carried=carried, depth=depth)

    def _settled(self, known: Account, event: Settled) -> Account:
        depth = known.depth
        fresh = frozenset(event.entries) - known.carried - known.told
        if fresh:
            depth = max(self.hops[seq] for seq in fresh | known.carried)
        settled = _without(known, event.entries)
        if event.wake:
            assert not settled.carried, "a wake closed, and something is left of it"
        return evolve(settled, depth=depth, open=known.open and not event.wake)


def _without(known: Account, seqs: Iterable[int]) -> Account:
    gone = frozenset(seqs)
    assert gone <= known.owed, f"{sorted(gone - known.owed)} ended, and was not owed"
    return evolve(
        known,
        owed=known.owed - gone,
        done=known.done | gone,
        carried=known.carried - gone,
        told=known.told - gone,
    )
