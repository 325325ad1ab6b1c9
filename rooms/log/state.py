"""
A room's state: who is in it, how each listens, and what each is owed.

Three laws. It holds no text, and grows with seats and open obligations, never with
messages. It is changed by folding facts alone; every rule that decides only reads it.
And its indexes answer what a post asks (who follows, who hears untagged messages, who
has something to take) in the time of the answer.

Times are microseconds, UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from attrs import define, field

from rooms.addressing import name_key
from rooms.hearing import Hearing, Mode
from rooms.pacing import RateWindow, digest_tick, frees_at
from rooms.policy import RoomPolicy

__all__ = ["Entry", "Lane", "Membership", "OpenWake", "RoomState", "Seat"]

_SLACK = 64  # an agenda this short is not worth tidying


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


@define(weakref_slot=False)  # there are many
class Entry:
    """
    One message that one seat is owed.

    Attributes:
        seq: The message's number.
        hearing: The class: `now`, `digest` or `rider`.
        tag: How the message addressed the seat: `direct`, `group` or `none`.
        agents: Whether an agent wrote it.
        hops: How far it is from a person's word.
        at: When it was posted.
        why: The rule by which it is owed.
        lane: Where it stands.
        waited: Whether it was held before it became ready.
        tries: How many turns that carried it failed.
    """

    seq: int
    hearing: str
    tag: str
    agents: bool
    hops: int
    at: int
    why: str
    lane: str
    waited: bool = False
    tries: int = 0


@define(weakref_slot=False)  # there are many
class OpenWake:
    """
    The one wake that a seat has open.

    Attributes:
        id: The id of the record that took it.
        kind: `turn`, or `notice` for a turn that was there for another reason.
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


@define(weakref_slot=False)  # there are many
class Seat:
    """
    One conversation's place in the room.

    Attributes:
        acts_for: The person for whom the conversation acts, or "" for nobody.
        place: `in`, `left` by its own choice, or `removed`.
        mode: How it listens, or None for a subscription that ended.
        interval: Between two digests.
        anchor: From when digests are counted: the last one taken, or the subscription.
        resting: Nothing is granted and nothing taken while it rests.
        released: From when what it holds may go: the end of its last hold, or when it
            was heard again under another mode.
        charges: The instants at which places of its wake window were taken.
        sends: The instants of its posts within the send window.
        depth: The hops of what it last took, or None before that.
        generation: The newest claim of its conversation that the room knows of.
        restarted: When that claim was made; riders from before lie dormant.
        owed: What it is owed, by lane and seq; None for nothing.
        digests_ready: How many ready entries are a digest's.
        persons_held: How many held entries a person wrote.
        wake: The wake that is open, if one is.
        told: Up to which number everything was shown to it.
        partner: The conversation that it last talked with here.
        seen_at: When it last posted, read or was woken.
        next: The instant for which it stands on the room's agenda, or None.
    """

    conversation: str
    agent: str
    threaded: bool
    acts_for: str = ""
    place: str = "in"
    mode: str | None = None
    interval: int = 0
    tagged_only: bool = False
    anchor: int = 0
    resting: bool = False
    released: int = 0
    charges: tuple[int, ...] = ()
    sends: tuple[int, ...] = ()
    depth: int | None = None
    generation: int = 0
    restarted: int = -1
    owed: dict[str, dict[int, Entry]] | None = None
    digests_ready: int = 0
    persons_held: int = 0
    wake: OpenWake | None = None
    told: int = 0
    partner: str = ""
    seen_at: int = 0
    next: int | None = None

    def entries(self, *lanes: str) -> list[Entry]:
        """What it is owed in these lanes, or in all, in order of seq."""
        if not self.owed:
            return []
        chosen = [self.owed[lane] for lane in lanes or self.owed if lane in self.owed]
        if len(chosen) == 1:
            return list(chosen[0].values())
        every = [entry for lane in chosen for entry in lane.values()]
        return sorted(every, key=lambda entry: entry.seq)

    def entry(self, seq: int) -> Entry | None:
        """The entry for a message, wherever it stands."""
        for lane in (self.owed or {}).values():
            if seq in lane:
                return lane[seq]
        return None

    def oldest(self, lane: str) -> Entry | None:
        """The first entry of a lane."""
        waiting = (self.owed or {}).get(lane)
        return next(iter(waiting.values())) if waiting else None

    def has(self, lane: str) -> bool:
        """Whether anything stands in a lane."""
        return bool(self.owed) and lane in (self.owed or {})

    # -- changed by folding alone

    def put(self, entries: Iterable[Entry]) -> None:
        """Puts entries into their lanes, which stay in order of seq."""
        unsorted = set[str]()
        for entry in entries:
            if self.owed is None:
                self.owed = {}
            lane = self.owed.setdefault(entry.lane, {})
            if lane and entry.seq < next(reversed(lane)):
                unsorted.add(entry.lane)
            lane[entry.seq] = entry
            self._count(entry, 1)
        for name in unsorted:  # once for all of them, so n entries cost no n squared
            lane = (self.owed or {})[name]
            ordered = sorted(lane.items())
            lane.clear()
            lane.update(ordered)

    def drop(self, seq: int) -> Entry | None:
        """Takes an entry out of wherever it stands; lanes that are empty go."""
        for name, lane in (self.owed or {}).items():
            entry = lane.pop(seq, None)
            if entry is None:
                continue
            self._count(entry, -1)
            if not lane and self.owed is not None:
                del self.owed[name]
                self.owed = self.owed or None
            return entry
        return None

    def _count(self, entry: Entry, change: int) -> None:
        if entry.lane == Lane.READY and entry.hearing == Hearing.DIGEST:
            self.digests_ready += change
        elif entry.lane == Lane.HELD and not entry.agents:
            self.persons_held += change

    def move(self, seqs: Iterable[int], lane: str) -> list[Entry]:
        """Moves entries to another lane, and returns those that there were."""
        moved = [entry for seq in seqs if (entry := self.drop(seq))]
        for entry in moved:
            entry.lane = lane
        self.put(moved)
        return moved


@define
class Membership:
    """An agent in the room: its conversations here, present and past."""

    agent: str
    threaded: bool
    present: bool
    conversations: list[str]


@define
class RoomState:
    """
    A room, folded from its stream.

    `invited` are the keys of agents that may join, each with the version of the record
    that says so; `acted_for` the persons for whom seats in the room act, counted.
    """

    id: str = ""
    access: str = "open"
    hive: str = ""
    owner: str = ""
    policy: RoomPolicy = field(factory=RoomPolicy)
    version: int = 0
    at: int = 0
    seq: int = 0
    paused: bool = False
    released: int = 0
    deleted: bool = False
    seats: dict[str, Seat] = field(factory=dict)
    members: dict[str, Membership] = field(factory=dict)
    invited: dict[str, int] = field(factory=dict)
    acted_for: dict[str, int] = field(factory=dict)
    following: dict[str, None] = field(factory=dict)
    hearing_all: dict[str, None] = field(factory=dict)
    takeable: dict[str, None] = field(factory=dict)
    documents: dict[str, int] = field(factory=dict)  # by key: the newest revision
    agenda: list[tuple[int, str]] = field(factory=list, eq=False)

    # -- reading

    def member(self, agent: str) -> Membership | None:
        """The membership of an agent, present or past, by its name in any case."""
        return self.members.get(name_key(agent))

    def roster(self) -> list[str]:
        """The agents that are members now, in the order of their joining."""
        return [one.agent for one in self.members.values() if one.present]

    def on_hold(self, seat: Seat) -> bool:
        """Whether nothing is granted to the seat, nor taken for it (ledger 5)."""
        return self.paused or seat.resting or seat.place != "in"

    def release_at(self, seat: Seat) -> int | None:
        """
        When the oldest held entry takes a place and brings the others (ledger 4).

        The window holds nothing that a person wrote: only a hold does, so once that is
        over, it takes along all that waits (ledger 3).
        """
        held = seat.oldest(Lane.HELD)
        if held is None or self.on_hold(seat):
            return None
        at = max(held.at, seat.released, self.released)
        if seat.persons_held or self.policy.wake_window is None:
            return at
        limit, period = window_of(self.policy.wake_window)
        return frees_at(limit, period, seat.charges, at)

    def digest_at(self, seat: Seat) -> int | None:
        """When the seat's next digest is due; None while one is ready (ledger 6)."""
        first = seat.oldest(Lane.DIGEST)
        if first is None or seat.digests_ready or self.on_hold(seat):
            return None
        due = digest_tick(seat.anchor, seat.interval, first.at)
        return max(due, seat.released, self.released)

    def deadline(self) -> int | None:
        """The earliest instant that the room waits for (ledger 18)."""
        return self.agenda[0][0] if self.agenda else None

    def due(self, now: int) -> list[Seat]:
        """The seats that wait for an instant that has come, the earliest first."""
        found: dict[tuple[int, str], None] = {}
        places = [0]
        while places:
            place = places.pop()
            if place < len(self.agenda) and self.agenda[place][0] <= now:
                found[self.agenda[place]] = None
                places += (2 * place + 1, 2 * place + 2)  # a heap's children come later
        seats = ((at, self.seats[conversation]) for at, conversation in sorted(found))
        return [seat for at, seat in seats if seat.next == at]

    # -- changed by folding alone

    def count_person(self, seat: Seat, change: int = 1) -> None:
        """Notes that a seat in the room acts for a person, or does not any more."""
        person = seat.acts_for
        if person and seat.place == "in":
            left = self.acted_for.pop(person, 0) + change
            if left:
                self.acted_for[person] = left

    def index(self, seat: Seat) -> None:
        """Puts a seat where its mode and place belong."""
        name = seat.conversation
        here = seat.place == "in"
        _keep(self.following, name, here and seat.mode not in {None, Mode.ON_DEMAND})
        untagged = seat.mode in {Mode.EVERY_MESSAGE, Mode.NEXT_TURN} or (
            seat.mode == Mode.DIGEST and not seat.tagged_only
        )
        _keep(self.hearing_all, name, here and untagged)

    def schedule(self, seat: Seat) -> None:
        """Notes what a changed seat waits for, and whether it has something to take."""
        ready = seat.place == "in" and seat.has(Lane.READY)
        _keep(self.takeable, seat.conversation, ready)
        at = None if seat.wake is None else seat.wake.until
        if seat.has(Lane.HELD) or seat.has(Lane.DIGEST):
            instants = (at, self.release_at(seat), self.digest_at(seat))
            at = min((one for one in instants if one is not None), default=None)
        if at != seat.next:
            seat.next = at
            if at is not None:
                heappush(self.agenda, (at, seat.conversation))
            self._tidy()

    def _tidy(self) -> None:
        """
        Keeps what nobody waits for any more off the agenda's head, and it from growing.
        """
        if len(self.agenda) > _SLACK + 4 * len(self.seats):
            every = self.seats.items()
            self.agenda = [
                (at, name) for name, one in every if (at := one.next) is not None
            ]
            heapify(self.agenda)
        while self.agenda and not self._awaited(*self.agenda[0]):
            heappop(self.agenda)

    def _awaited(self, at: int, conversation: str) -> bool:
        return self.seats[conversation].next == at


def window_of(window: RateWindow) -> tuple[int, int]:
    """A window's limit and period, in microseconds."""
    return window.limit, window.micros


def _keep(index: dict[str, None], name: str, present: object) -> None:
    if present:
        index[name] = None
    else:
        index.pop(name, None)
