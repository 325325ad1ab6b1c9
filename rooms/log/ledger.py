"""
The ledger of wakes: what becomes of what a seat is owed.

    held, digest, rider --granted--> ready --taken--> told --settled-->

Three laws. An entry leaves the ledger settled, or ended with a stated reason, and in no
other way; a crash, a stale claim, a failed turn give it back (ledger 9). A seat has at
most one wake open. And whoever is not its holder, or holds an older claim, changes
nothing.

`ledger.md` gives the rules by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from attrs import field, frozen

from rooms.errors import Conflict, NotFound
from rooms.hearing import Hearing
from rooms.log.events import Event, Fact, recorded
from rooms.log.state import Entry, Lane, OpenWake, RoomState, Seat, window_of
from rooms.pacing import hops_of_wake
from rooms.policy import RoomPolicy

__all__ = [
    "Granted",
    "Noticed",
    "Reclaimed",
    "Settled",
    "TakeFacts",
    "TurnOpened",
    "WakeClosed",
    "WakeRenewed",
    "WakeReturned",
    "WakeTaken",
    "acknowledge",
    "charge",
    "close",
    "evolve",
    "give_back",
    "notice",
    "open_turn",
    "reclaim",
    "release",
    "renew",
    "settle_read",
    "take",
    "tick",
]

MOST_TRIES = 3
"""After so many failed turns an entry only rides along (ledger 9)."""

ReturnReason = Literal["raised", "expired", "given_back", "generation"]


@recorded("granted")
class Granted(Event):
    """
    Entries became ready: a `place` freed, a `person` wrote, a `digest` fell due.

    `at` is the instant of it, which may lie before that of the record; `charged` tells
    whether it took a place of the wake window then.
    """

    conversation: str
    entries: tuple[int, ...]
    at: int
    why: str
    charged: bool = False


@recorded("wake_taken")
class WakeTaken(Event):
    """A holder took a seat's wake: intent, attempt and claim at once (ledger 7)."""

    conversation: str
    kind: str
    holder: str
    until: int
    entries: tuple[int, ...]
    waited: int = 0
    hops: int = 0
    generation: int = 0
    digest: bool = False


@recorded("turn_opened")
class TurnOpened(Event):
    """The turn for a wake runs."""

    conversation: str
    wake: str
    until: int


@recorded("noticed")
class Noticed(Event):
    """What became ready during a turn was handed into it."""

    conversation: str
    wake: str
    entries: tuple[int, ...]
    hops: int = 0


@recorded("wake_renewed")
class WakeRenewed(Event):
    """The holder's claim holds for longer."""

    conversation: str
    wake: str
    until: int


@recorded("wake_closed")
class WakeClosed(Event):
    """
    A wake ended well: `ended` with its turn, or `taken_again` by a holder who came back
    for more, which says that it was told.
    """

    conversation: str
    wake: str
    why: str
    settled: tuple[int, ...] = ()
    told: tuple[int, ...] = ()


@recorded("wake_returned")
class WakeReturned(Event):
    """
    A wake's entries are owed again, without a new charge, and why.

    `failed` are those whose turn failed once more; `demoted` those of them that only
    ride along from now on, which asks for attention.
    """

    conversation: str
    wake: str
    why: str
    entries: tuple[int, ...]
    failed: tuple[int, ...] = ()
    demoted: tuple[int, ...] = ()


@recorded("reclaimed")
class Reclaimed(Event):
    """
    A newer claim on the conversation is known here; it was made at `since`.

    `again` are entries that the older one was told and never settled: owed once more.
    """

    conversation: str
    generation: int
    since: int
    again: tuple[int, ...] = ()


@recorded("settled")
class Settled(Event):
    """Entries are done: `read` on a page up to `told`, or `acked` by name."""

    conversation: str
    why: str
    entries: tuple[int, ...] = ()
    told: int = 0
    wake: str = ""


@frozen
class TakeFacts:
    """
    What a take needs beside the room.

    Attributes:
        holder: Who takes.
        until: When the claim runs out.
        generations: The current claim of each conversation that has one, and when it
            was made.
        in_turn: Conversations that are in a turn of their host's: they get a notice.
        away: Conversations that cannot be woken now.
    """

    holder: str
    until: int
    generations: Mapping[str, tuple[int, int]] = field(factory=dict)
    in_turn: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()


# -- folding


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    event: Any = fact.event
    fold = _FOLDS.get(type(event))
    if fold is None:
        return False
    seat = room.seats[event.conversation]
    fold(room, seat, event, fact)
    room.schedule(seat)
    return True


def _grant(room: RoomState, seat: Seat, event: Granted, _: Fact) -> None:
    for entry in seat.move(event.entries, Lane.READY):
        entry.waited = entry.hearing == Hearing.NOW
    if event.charged:
        seat.charges = charge(room.policy, seat.charges, event.at)


def _take(room: RoomState, seat: Seat, event: WakeTaken, fact: Fact) -> None:
    seat.move(event.entries, Lane.TAKEN)
    seat.wake = OpenWake(
        record_id(room.id, fact.version),
        event.kind,
        event.holder,
        event.generation,
        fact.at,
        event.until,
        event.hops,
    )
    seat.depth = event.hops
    seat.seen_at = fact.at
    if event.digest:
        seat.anchor = fact.at


def _open(_: RoomState, seat: Seat, event: TurnOpened, __: Fact) -> None:
    if seat.wake is not None:
        seat.wake.running, seat.wake.until = True, event.until


def _notice(_: RoomState, seat: Seat, event: Noticed, fact: Fact) -> None:
    told = seat.move(event.entries, Lane.TAKEN)
    if any(entry.hearing == Hearing.DIGEST for entry in told):
        seat.anchor = fact.at
    if seat.wake is not None:
        seat.wake.hops = max(seat.wake.hops, event.hops)
        seat.depth = seat.wake.hops
    seat.seen_at = fact.at


def _renew(_: RoomState, seat: Seat, event: WakeRenewed, __: Fact) -> None:
    if seat.wake is not None:
        seat.wake.until = event.until


def _close(_: RoomState, seat: Seat, event: WakeClosed, __: Fact) -> None:
    for seq in event.settled:
        seat.drop(seq)
    seat.move(event.told, Lane.TOLD)
    seat.wake = None


def _return(_: RoomState, seat: Seat, event: WakeReturned, __: Fact) -> None:
    returned = [entry for seq in event.entries if (entry := seat.drop(seq))]
    failed, demoted = set(event.failed), set(event.demoted)
    for entry in returned:
        entry.tries += entry.seq in failed
        if entry.seq in demoted:
            entry.hearing, entry.why = Hearing.RIDER.value, "failed"
        rides = entry.hearing == Hearing.RIDER  # a rider never causes a wake (ledger 2)
        entry.lane = Lane.RIDER if rides else Lane.READY
    seat.put(returned)
    seat.wake = None


def _reclaim(_: RoomState, seat: Seat, event: Reclaimed, __: Fact) -> None:
    seat.generation = event.generation
    later = any(entry.at > event.since for entry in seat.entries())
    seat.restarted = -1 if later else event.since
    told = [entry for seq in event.again if (entry := seat.drop(seq))]
    for entry in told:
        rides = entry.hearing == Hearing.RIDER
        entry.lane = Lane.RIDER if rides else Lane.READY
    seat.put(told)


def _settle(_: RoomState, seat: Seat, event: Settled, fact: Fact) -> None:
    dropped = [entry for seq in event.entries if (entry := seat.drop(seq))]
    # What a wake carried has set the depth already; an acknowledgement of something
    # older, or a read in mid-turn, is no way around the guard (ledger 15).
    fresh = [one.hops for one in dropped if one.lane not in {Lane.TAKEN, Lane.TOLD}]
    if fresh:
        in_wake = [seat.wake.hops] if seat.wake is not None else []
        seat.depth = max(fresh + in_wake)
    seat.told = max(seat.told, event.told)
    seat.seen_at = fact.at
    if event.wake and seat.wake is not None and seat.wake.id == event.wake:
        seat.wake = None


_FOLDS: Mapping[type[Event], Callable[..., None]] = {
    Granted: _grant,
    WakeTaken: _take,
    TurnOpened: _open,
    Noticed: _notice,
    WakeRenewed: _renew,
    WakeClosed: _close,
    WakeReturned: _return,
    Reclaimed: _reclaim,
    Settled: _settle,
}


def charge(policy: RoomPolicy, charges: tuple[int, ...], at: int) -> tuple[int, ...]:
    """The charges of a wake window with one more, without those that are over."""
    if policy.wake_window is None:
        return ()
    _, period = window_of(policy.wake_window)
    return (*(one for one in charges if one + period > at), at)


def room_of_record(record: str) -> str:
    """The room of what a record brought; "" for no record."""
    token, dot, _ = record.rpartition(".")
    return f"room_{token}" if dot else ""


def record_id(room: str, version: int) -> str:
    """The id of what a record brings: the room's token and the version; it sorts."""
    return f"{room.removeprefix('room_')}.{version:08d}"


# -- granting


def release(room: RoomState, seat: Seat, now: int) -> list[Granted]:
    """What was held and may go: the oldest takes a place, the rest ride along."""
    at = room.release_at(seat)
    held = seat.entries(Lane.HELD)
    if at is None or at > now or not held:
        return []
    charged = not seat.persons_held and room.policy.wake_window is not None
    seqs = tuple(entry.seq for entry in held)
    return [Granted(seat.conversation, seqs, at, "place", charged)]


def _digest(room: RoomState, seat: Seat, now: int) -> list[Granted]:
    at = room.digest_at(seat)
    if at is None or at > now:
        return []
    seqs = tuple(entry.seq for entry in seat.entries(Lane.DIGEST))
    return [Granted(seat.conversation, seqs, at, "digest")]


def tick(room: RoomState, now: int) -> list[Event]:
    """What fell due by now: claims that ran out, places that freed, digests."""
    events: list[Event] = []
    for seat in room.due(now):
        events += _expired(seat, now)
        events += release(room, seat, now)
        events += _digest(room, seat, now)
    return events


# -- taking


def take(
    room: RoomState,
    conversations: Iterable[str],
    facts: TakeFacts,
    *,
    now: int,
    limit: int,
) -> list[Event]:
    """
    The wakes of these seats that can be taken now, at most `limit`, one a seat.

    A seat that is on hold, away, in a running turn, or held by somebody else is passed
    over; what a claim that ran out or an older generation held is taken anew.
    """
    events: list[Event] = []
    taken = 0
    for conversation in conversations:
        seat = room.seats.get(conversation)
        if taken == limit or seat is None or conversation in facts.away:
            continue
        found = _take_seat(room, seat, facts, now=now)
        events += found
        taken += any(isinstance(event, WakeTaken) for event in found)
    return events


def _take_seat(
    room: RoomState, seat: Seat, facts: TakeFacts, *, now: int
) -> list[Event]:
    if room.on_hold(seat):
        return []
    freed = _freed(room, seat, facts, now=now)
    if freed is None:
        return []
    granted = [*release(room, seat, now), *_digest(room, seat, now)]
    carried = _carried(seat, freed, granted)
    if not any(entry.hearing != Hearing.RIDER for entry in carried):
        return freed.events
    kind = "notice" if seat.conversation in facts.in_turn else "turn"
    return [*freed.events, *granted, _taken(seat, carried, facts, kind)]


@frozen
class _Freed:
    """What has to be recorded before a seat's next wake, and what comes back by it."""

    events: list[Event] = field(factory=list)
    back: tuple[Entry, ...] = ()
    restarted: int = -1


def _freed(room: RoomState, seat: Seat, facts: TakeFacts, *, now: int) -> _Freed | None:
    """Ends the wake that is open; None where its holder keeps it."""
    generation, claimed_at = facts.generations.get(seat.conversation, (0, 0))
    events: list[Event] = []
    restarted = seat.restarted
    back: list[Entry] = []
    if generation > seat.generation:
        back = seat.entries(Lane.TOLD)
        again = tuple(entry.seq for entry in back)
        events.append(Reclaimed(seat.conversation, generation, claimed_at, again))
        restarted = claimed_at
    wake = seat.wake
    if wake is None:
        return _Freed(events, tuple(back), restarted)
    if wake.generation >= generation and wake.until > now:
        if wake.running or wake.holder != facts.holder:
            return None
        events.append(_closed(room, seat, wake, "taken_again"))
        return _Freed(events, tuple(back), restarted)
    stale = wake.generation < generation
    events.append(_returned(seat, wake, "generation" if stale else "expired"))
    return _Freed(events, (*back, *seat.entries(Lane.TAKEN)), restarted)


def reclaim(
    room: RoomState, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """
    What a newer claim changes in a room: what the older one took or was told is owed
    again. Nothing where the room knows the claim already (ledger 11).
    """
    seat = room.seats.get(conversation)
    generation, _ = facts.generations.get(conversation, (0, 0))
    if seat is None or generation <= seat.generation:
        return []
    freed = _freed(room, seat, facts, now=now)
    return [] if freed is None else freed.events


def _carried(seat: Seat, freed: _Freed, granted: Iterable[Granted]) -> list[Entry]:
    """
    All that a wake would carry, in order of seq: what is ready or comes to be, the rest
    of a digest that is (ledger 6), and riders.

    Riders lie dormant after a restart until something new is owed (ledger 11).
    """
    released = {seq for grant in granted for seq in grant.entries}
    waiting = seat.entries(Lane.HELD, Lane.DIGEST)
    carried = [*seat.entries(Lane.READY), *freed.back]
    carried += [entry for entry in waiting if entry.seq in released]
    if any(entry.hearing == Hearing.DIGEST for entry in carried):
        late = seat.entries(Lane.DIGEST)
        carried += [entry for entry in late if entry.seq not in released]
    if freed.restarted < 0 or any(
        entry.at > freed.restarted for entry in seat.entries()
    ):
        carried += seat.entries(Lane.RIDER)
    else:
        carried = [one for one in carried if one.hearing != Hearing.RIDER]
    return sorted(carried, key=lambda entry: entry.seq)


def _taken(
    seat: Seat, carried: Iterable[Entry], facts: TakeFacts, kind: str
) -> WakeTaken:
    entries = list(carried)
    generation, _ = facts.generations.get(seat.conversation, (0, 0))
    return WakeTaken(
        seat.conversation,
        kind,
        facts.holder,
        facts.until,
        tuple(entry.seq for entry in entries),
        sum(entry.waited or entry.lane == Lane.HELD for entry in entries),
        hops_of_wake(entry.hops for entry in entries),
        generation,
        digest=any(entry.hearing == Hearing.DIGEST for entry in entries),
    )


# -- turns


def open_turn(
    room: RoomState, wake: str, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """
    Opens the turn for a wake that its holder took.

    Raises:
        Conflict: `stale_wake` for one that is not open any more, or somebody else's;
            `stale_runtime` behind a newer claim; `turn_running` for a second turn.
    """
    seat = held_seat(room, wake, conversation, facts, now=now)
    if seat.wake is not None and seat.wake.running:
        raise Conflict(
            "turn_running", "a turn for this wake runs already", current=wake
        )
    return [TurnOpened(conversation, wake, facts.until)]


def notice(
    room: RoomState, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """
    What a turn that is there for another reason, or already runs, is told now.

    Ready entries, riders and a due digest go into it (ledger 8); nothing where there is
    nothing, or where somebody else holds the seat.
    """
    seat = room.seats.get(conversation)
    if seat is None or room.on_hold(seat):
        return []
    wake = seat.wake
    generation, _ = facts.generations.get(conversation, (0, 0))
    if wake is not None and wake.generation >= generation and wake.until > now:
        if not wake.running or wake.holder != facts.holder:
            return []  # what was taken has a turn of its own to come, or a holder
        freed: _Freed | None = _Freed(restarted=seat.restarted)
    else:
        freed, wake = _freed(room, seat, facts, now=now), None
    if freed is None:
        return []
    granted = [*release(room, seat, now), *_digest(room, seat, now)]
    carried = _carried(seat, freed, granted)
    if not carried:
        return freed.events
    if wake is None:
        return [*freed.events, *granted, _taken(seat, carried, facts, "notice")]
    seqs = tuple(entry.seq for entry in carried)
    hops = hops_of_wake(entry.hops for entry in carried)
    return [*granted, Noticed(conversation, wake.id, seqs, hops)]


def close(
    room: RoomState,
    wake: str,
    conversation: str,
    facts: TakeFacts,
    *,
    now: int,
    told: bool = False,
) -> list[Event]:
    """
    Ends a wake well: what it carried is settled, or told and waits to be settled.

    It is told where the policy settles on an acknowledgement, or where a transport only
    handed it over.
    """
    seat = held_seat(room, wake, conversation, facts, now=now, late=True)
    if seat.wake is None:  # held_seat found it open
        return []
    return [_closed(room, seat, seat.wake, "delivered" if told else "ended")]


def give_back(
    room: RoomState,
    wake: str,
    conversation: str,
    facts: TakeFacts,
    *,
    why: ReturnReason,
    now: int,
) -> list[Event]:
    """Gives a wake back: its entries are owed again (ledger 9)."""
    seat = held_seat(room, wake, conversation, facts, now=now, late=True)
    return [] if seat.wake is None else [_returned(seat, seat.wake, why)]


def renew(
    room: RoomState, wake: str, conversation: str, facts: TakeFacts, *, now: int
) -> list[Event]:
    """Lets the holder's claim hold for longer; one that ran out is not revived."""
    held_seat(room, wake, conversation, facts, now=now)
    return [WakeRenewed(conversation, wake, facts.until)]


def held_seat(
    room: RoomState,
    wake: str,
    conversation: str,
    facts: TakeFacts,
    *,
    now: int,
    late: bool = False,
) -> Seat:
    """
    The seat whose open wake this is, held by this holder under the newest claim.

    `late` lets a claim that ran out end its wake, as long as nobody took it since.
    """
    seat = room.seats.get(conversation)
    open_wake = None if seat is None else seat.wake
    generation, _ = facts.generations.get(conversation, (0, 0))
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
    return seat


def _expired(seat: Seat, now: int) -> list[Event]:
    wake = seat.wake
    if wake is None or wake.until > now:
        return []
    return [_returned(seat, wake, "expired")]


def _returned(seat: Seat, wake: OpenWake, why: ReturnReason) -> WakeReturned:
    entries = seat.entries(Lane.TAKEN)
    failed = [one.seq for one in entries if why == "raised"]
    demoted = [
        one.seq
        for one in entries
        if why == "raised"
        and one.tries + 1 >= MOST_TRIES
        and one.hearing != Hearing.RIDER
    ]
    return WakeReturned(
        seat.conversation,
        wake.id,
        why,
        tuple(one.seq for one in entries),
        tuple(failed),
        tuple(demoted),
    )


def _closed(room: RoomState, seat: Seat, wake: OpenWake, why: str) -> WakeClosed:
    seqs = tuple(entry.seq for entry in seat.entries(Lane.TAKEN))
    if room.policy.settle_on == "ack" or why == "delivered":
        return WakeClosed(seat.conversation, wake.id, why, told=seqs)
    return WakeClosed(seat.conversation, wake.id, why, settled=seqs)


# -- settling


def settle_read(
    room: RoomState, seat: Seat, *, first: int, last: int, now: int, seen_again: int
) -> list[Event]:
    """
    What reading the messages `first` to `last` settles.

    A read is recorded only where it settles something, or is the seat's first sign of
    life in `seen_again` microseconds (foundation 21). `told` rises only over what was
    shown.
    """
    settled: tuple[int, ...] = ()
    if room.policy.settle_on == "read":
        shown = (one for one in seat.entries() if first <= one.seq <= last)
        settled = tuple(entry.seq for entry in shown)
    if not settled and now - seat.seen_at < seen_again:
        return []
    told = last if first <= seat.told + 1 and last > seat.told else 0
    wake = _emptied(seat, settled)
    return [Settled(seat.conversation, "read", settled, told, wake)]


def acknowledge(room: RoomState, seat: Seat, seqs: Iterable[int]) -> list[Event]:
    """
    Settles these messages for the seat by name.

    Raises:
        NotFound: `unknown_message` for a number that the room does not have yet.
    """
    asked = tuple(dict.fromkeys(seqs))
    beyond = [seq for seq in asked if not 0 < seq <= room.seq]
    if beyond:
        raise NotFound(
            "unknown_message", f"no message {beyond[0]} is in the room", seqs=beyond
        )
    settled = tuple(seq for seq in asked if seat.entry(seq) is not None)
    if not settled:
        return []
    return [Settled(seat.conversation, "acked", settled, 0, _emptied(seat, settled))]


def _emptied(seat: Seat, settled: Iterable[int]) -> str:
    """The open wake of which nothing is left then, unless its turn runs (ledger 10)."""
    wake = seat.wake
    if wake is None or wake.running:
        return ""
    gone = set(settled)
    left = any(entry.seq not in gone for entry in seat.entries(Lane.TAKEN))
    return "" if left else wake.id
