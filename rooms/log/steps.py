"""
Steps: what the events of a room did to what one seat is owed for one message.

Law: an event is told in the reason that it records, and in no other.

    >>> str(Step(5_000_000, "taken", "as a turn by h1"))
    'at 1970-01-01 00:00:05: taken as a turn by h1'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from rooms.log.events import Fact
from rooms.log.ledger import (
    Ended,
    Granted,
    Noticed,
    Pushed,
    PushRenewed,
    PushTold,
    Settled,
    Superseded,
    TurnOpened,
    WakeClosed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.seats import SeatLeft, Subscribed
from rooms.values import moment

__all__ = ["Step", "clock", "step_of"]


@frozen
class Step:
    """
    Something that happened to what one seat was owed.

    Attributes:
        at: Microseconds since 1970, UTC.
        what: `granted`, `taken`, `pushed`, `told`, `opened`, `settled`, `returned`,
            `reheard`, `ended`.
        why: The reason that was recorded, in words.
    """

    at: int
    what: str
    why: str = ""

    def __str__(self) -> str:
        return f"at {clock(self.at)}: {self.what} {self.why}".rstrip()


def step_of(fact: Fact, seq: int, *, carried: bool) -> Step | None:
    """
    What a fact did to the entry of its seat for a message, or None.

    `carried` tells whether the open wake carries it: the opening of its turn names the
    wake, and no messages.
    """
    if isinstance(fact.event, TurnOpened):
        return Step(fact.at, "opened") if carried else None
    tell = _STEPS.get(type(fact.event))
    told = None if tell is None else tell(fact.event, seq)
    return None if told is None else Step(fact.at, *told)


def clock(at: int) -> str:
    """An instant for people, in UTC."""
    instant = moment(at)
    return (
        "after the year 9999"
        if instant is None
        else str(instant).removesuffix("+00:00")
    )


Told = tuple[str, str] | None


def _granted(event: Granted, seq: int) -> Told:
    return ("granted", _GRANTS[event.why]) if seq in event.entries else None


_GRANTS = {
    "place": "by a place that freed",
    "person": "by a person's message",
    "digest": "with the digest",
}


def _taken(event: WakeTaken, seq: int) -> Told:
    how = f"as a {event.kind} by {event.holder}"
    return ("taken", how) if seq in event.entries else None


def _noticed(event: Noticed, seq: int) -> Told:
    return ("told", "in the turn that ran") if seq in event.entries else None


def _closed(event: WakeClosed, seq: int) -> Told:
    ended = event.why == "ended"
    if seq in event.settled:
        return "settled", "by the turn's end" if ended else "as its holder came back"
    if seq in event.told:
        handed = "as its holder came back, or a plugin had handed it over"
        return "told", "by the turn's end" if ended else handed
    return None


def _returned(event: WakeReturned, seq: int) -> Told:
    if seq not in event.entries:
        return None
    demoted = ", and only rides from now on" if seq in event.demoted else ""
    return "returned", _RETURNS.get(event.why, event.why) + demoted


_RETURNS = {
    "raised": "as its turn failed",
    "expired": "as the claim ran out",
    "given_back": "by its holder",
    "generation": "to a newer claim",
    "restart": "as the host was restarted",
}


def _pushed(event: Pushed, seq: int) -> Told:
    return ("pushed", f"by {event.push}") if seq in event.entries else None


def _written(event: PushTold, seq: int) -> Told:
    return ("told", "as its push was written") if seq in event.told else None


def _renewed(event: PushRenewed, seq: int) -> Told:
    return ("returned", "to be pushed anew") if seq in event.again else None


def _settled(event: Settled, seq: int) -> Told:
    how = "by a read" if event.why == "read" else "by an acknowledgement"
    return ("settled", how) if seq in event.entries else None


def _ended(event: Ended, seq: int) -> Told:
    how = "as it expired" if event.why == "expired" else f"as it was {event.why}"
    return ("ended", how) if seq in event.entries else None


def _reheard(event: Subscribed, seq: int) -> Told:
    if seq in event.ended:
        idle = event.why == "idle"
        return "ended", "as its seat was idle" if idle else "by a change of mode"
    lanes = {one[0]: one[1] for one in event.reheard}
    return ("reheard", f"as {lanes[seq]}") if seq in lanes else None


def _superseded(event: Superseded, seq: int) -> Told:
    return ("reheard", "as rider, as it was replaced") if seq in event.entries else None


def _left(event: SeatLeft, seq: int) -> Told:
    how = "as it was removed" if event.why == "removed" else "as it left"
    return ("ended", how) if seq in event.ended else None


_STEPS: Mapping[type[Any], Callable[[Any, int], Told]] = {
    Granted: _granted,
    WakeTaken: _taken,
    Noticed: _noticed,
    Pushed: _pushed,
    PushTold: _written,
    PushRenewed: _renewed,
    WakeClosed: _closed,
    WakeReturned: _returned,
    Settled: _settled,
    Ended: _ended,
    Superseded: _superseded,
    Subscribed: _reheard,
    SeatLeft: _left,
}
