"""
Pushing: what a seat is owed is handed over, again and again until it is known to have
come, and then no more.

Three laws. A try is counted before anything is sent, so whatever happens then, none is
given back (L-NOTIFY-04). What the runtime has for certain is not sent to it again,
though its tries go on (L-NOTIFY-06). And after the last one a person should look, while
the entries stay owed (L-NOTIFY-05).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from rooms.log.events import Event
from rooms.log.ledger.events import (
    AttentionCalled,
    Pushed,
    PushHeld,
    PushPassed,
    PushRenewed,
    PushSpent,
    PushTold,
)
from rooms.log.state import Entry, Lane, RoomState, Seat
from rooms.log.tries import LOOK, Tries
from rooms.pacing import Pushes

__all__ = [
    "Offer",
    "hold",
    "offer",
    "passed",
    "push",
    "renewed",
    "tell",
    "unpushed",
]


@frozen
class Offer:
    """
    What a push of a seat would carry now.

    Attributes:
        entries: All of it, in order of seq, riders too.
        fresh: The numbers of those that were never tried.
        tries: The tries that this one belongs to.
        due: Whether any of it is due; else it only goes along with another room's.
        piled: Whether it is only hinted at: a try again, or what had piled up.
    """

    entries: tuple[Entry, ...]
    fresh: tuple[int, ...]
    tries: tuple[Tries, ...]
    due: bool
    piled: bool


def offer(room: RoomState, seat: Seat, now: int) -> Offer | None:
    """What a push would carry for a seat; None where it is nothing, or on hold."""
    pushes, pushing = room.policy.pushes, seat.pushing
    if pushes is None or pushing is None or room.on_hold(seat):
        return None
    ready = seat.entries(Lane.READY)
    due = [one for one in pushing.tries if 0 < one.next <= now]
    sent = {one.push: one for one in due if _is_sent(one, pushes, ready)}
    fresh = [entry for entry in ready if entry.push is None]
    again = [one for one in ready if one.push is not None and one.push.push in sent]
    if not fresh and not again:
        return None
    carried = [*fresh, *again, *seat.entries(Lane.RIDER)]
    looked_at = pushing.since == LOOK
    return Offer(
        tuple(sorted(carried, key=lambda entry: entry.seq)),
        tuple(entry.seq for entry in fresh),
        tuple(sent.values()),
        looked_at or (pushing.since <= now and (bool(sent) or pushing.due <= now)),
        bool(sent) or looked_at or any(one.seq <= pushing.piled for one in fresh),
    )


def _is_sent(tries: Tries, pushes: Pushes, ready: Iterable[Entry]) -> bool:
    """Whether a try that is due is sent, and not only passed."""
    if tries.count >= pushes.tries or tries.confirmed:
        return False
    return any(entry.push is tries for entry in ready)


def push(room: RoomState, seat: Seat, name: str, told: Offer, now: int) -> list[Event]:
    """Counts a try of what is offered, under the name of the push."""
    pushes = _pushes(room)
    again = tuple((one.push, now + pushes.after(one.count + 1)) for one in told.tries)
    return [
        Pushed(
            seat.conversation,
            name,
            tuple(entry.seq for entry in told.entries),
            told.fresh,
            now + pushes.after(1) if told.fresh else 0,
            again,
        )
    ]


def _pushes(room: RoomState) -> Pushes:
    return room.policy.pushes or Pushes()


def passed(room: RoomState, seat: Seat, now: int) -> list[Event]:
    """What passes by the time alone: tries that need no sending, and attention."""
    at, pushing, pushes = room.push_at(seat), seat.pushing, room.policy.pushes
    if at is None or at > now or pushing is None or pushes is None:
        return []
    ready = seat.entries(Lane.READY)
    due = [one for one in pushing.tries if one.left and 0 < one.next <= now]
    spent = [one for one in due if one.count >= pushes.tries]
    passing = [
        (one.push, now + pushes.after(one.count + 1))
        for one in due
        if one.count < pushes.tries and not _is_sent(one, pushes, ready)
    ]
    events: list[Event] = []
    if passing:
        events.append(PushPassed(seat.conversation, tuple(passing)))
    if spent:
        names = tuple(one.push for one in spent)
        events.append(PushSpent(seat.conversation, names))
        unseen = [one.seq for one in seat.entries() if one.push in spent]
        events.append(AttentionCalled(seat.conversation, "unseen", tuple(unseen)))
    return events


def unpushed(room: RoomState, now: int) -> list[Event]:
    """Holds what is due where nobody pushes, until somebody looks who does."""
    events: list[Event] = []
    for seat in room.due(now):
        offered = offer(room, seat, now)
        if offered is not None and offered.due:
            events += hold(seat, "nobody")
    return events


def hold(seat: Seat, why: str, until: int = 0) -> list[Event]:
    """Lets nothing of a seat be pushed before an instant, or until somebody looks."""
    since = until or LOOK
    if seat.pushing is not None and seat.pushing.since == since:
        return []
    return [PushHeld(seat.conversation, why, until)]


def let_go(seat: Seat, at: int) -> list[Event]:
    """What waits until somebody looks is looked at from an instant on (L-BOOT-01)."""
    if seat.pushing is None or seat.pushing.since != LOOK:
        return []
    return [PushHeld(seat.conversation, "ready", at)]


def tell(
    seat: Seat, name: str, seqs: Iterable[int], *, new: bool = False
) -> list[Event]:
    """
    What a transport's word that it wrote a push does to what is owed still; with
    `new`, only where that tells anything that was not told.
    """
    asked = [entry for seq in seqs if (entry := seat.entry(seq)) is not None]
    if not asked:
        return []
    untold = {Lane.READY, Lane.RIDER}
    entries = tuple(entry.seq for entry in asked)
    told = [seq for seq in entries if seat.lane_of(seq) in untold]
    if new and not told:
        return []
    return [PushTold(seat.conversation, name, entries, tuple(told))]


def renewed(room: RoomState, seat: Seat, why: str) -> list[Event]:
    """
    Tries that begin anew, where anything is owed; with `retry`, what was told too.

    Source: L-AGENT-15, L-REST-05, L-NOTIFY-08.
    """
    if room.policy.pushes is None or seat.account.owed is None:
        return []
    told = seat.entries(Lane.TOLD) if why == "retry" else []
    return [PushRenewed(seat.conversation, why, tuple(entry.seq for entry in told))]
