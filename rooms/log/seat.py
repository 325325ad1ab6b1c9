"""
A seat: one conversation's place in the room, how it listens, and what it is owed.

Two laws. A seat that nothing happened to costs little, however many there are: how it
stands is one value for all alike, and it has an account once there is something to
note. And it is changed by folding facts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from attrs import define

from rooms.hearing import Hearing
from rooms.log.owed import Cause, Entry, Lane, OpenWake
from rooms.log.tries import Pushing

__all__ = ["Account", "Seat", "Standing"]


class Standing(NamedTuple):
    """
    How a seat stands in the room: one value for all alike.

    Attributes:
        threaded: Whether its agent has many conversations.
        acts_for: The person for whom the conversation acts, or "" for nobody.
        place: `in`, `left` by its own choice, or `removed`.
        mode: How it listens, or None for a subscription that ended.
        interval: Between two digests.
        tagged_only: Whether a digest leaves out what does not tag it.
        resting: Nothing is granted and nothing taken while it rests.
        held: Why its agent has nothing delivered anywhere, or "": it does the same.
    """

    threaded: bool
    acts_for: str = ""
    place: str = "in"
    mode: str | None = None
    interval: int = 0
    tagged_only: bool = False
    resting: bool = False
    held: str = ""


standing = lru_cache(maxsize=1_024)(Standing)
"""The one standing of these fields."""


@define(weakref_slot=False)  # there are many
class Account:
    """
    What happened to a seat.

    Attributes:
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
        backlog: How many bytes all that it is owed comes to, where they are counted.
        wake: The wake that is open, if one is.
        told: Up to which number everything was shown to it.
        partner: The conversation that it last talked with here.
        seen_at: When it last posted, read or was woken; None for the seat's anchor.
        next: The instant for which it stands on the room's agenda, or None.
        fresh: How many ready entries no push has tried.
        pushing: What its pushes wait for; None where nothing was to be pushed.
    """

    released: int = 0
    charges: tuple[int, ...] = ()
    sends: tuple[int, ...] = ()
    depth: int | None = None
    generation: int = 0
    restarted: int = -1
    owed: dict[str, dict[int, Entry]] | None = None
    digests_ready: int = 0
    persons_held: int = 0
    backlog: int = 0
    wake: OpenWake | None = None
    told: int = 0
    partner: str = ""
    seen_at: int | None = None
    next: int | None = None
    fresh: int = 0
    pushing: Pushing | None = None


_NOTHING = Account()
"""The account of every seat that nothing happened to; nobody changes it."""


def _of_standing(name: str) -> Any:
    """A field of the standing, as one of the seat's."""

    def change(seat: Seat, value: Any) -> None:
        seat.stand(**{name: value})

    return property(attrgetter(f"standing.{name}"), change)


def _of_account(name: str) -> Any:
    """A field of the account, as one of the seat's."""

    def change(seat: Seat, value: Any) -> None:
        setattr(seat.noting(), name, value)

    return property(attrgetter(f"account.{name}"), change)


_OF_SEAT = ("account", "agent", "anchor", "conversation", "since", "standing")


class Seat:
    """
    One conversation's place in the room.

    Attributes:
        standing, account: As `Standing` and `Account`, whose fields are the seat's too.
        anchor: From when digests are counted: the last one taken, or the subscription.
        since: The number of the newest message when it was taken last.
    """

    __slots__ = _OF_SEAT

    FIELDS = (
        *("conversation", "agent", "threaded", "acts_for", "place", "mode", "interval"),
        *(
            "tagged_only",
            "anchor",
            "since",
            "resting",
            "held",
            "released",
            "charges",
            "sends",
        ),
        *("depth", "generation", "restarted", "owed", "digests_ready", "persons_held"),
        *("backlog", "wake", "told", "partner", "seen_at", "next", "fresh", "pushing"),
    )
    """What `Seat.of` takes, in its order."""

    threaded: bool = _of_standing("threaded")
    acts_for: str = _of_standing("acts_for")
    place: str = _of_standing("place")
    mode: str | None = _of_standing("mode")
    interval: int = _of_standing("interval")
    tagged_only: bool = _of_standing("tagged_only")
    resting: bool = _of_standing("resting")
    held: str = _of_standing("held")

    released: int = _of_account("released")
    charges: tuple[int, ...] = _of_account("charges")
    sends: tuple[int, ...] = _of_account("sends")
    depth: int | None = _of_account("depth")
    generation: int = _of_account("generation")
    restarted: int = _of_account("restarted")
    owed: dict[str, dict[int, Entry]] | None = _of_account("owed")
    digests_ready: int = _of_account("digests_ready")
    persons_held: int = _of_account("persons_held")
    backlog: int = _of_account("backlog")
    wake: OpenWake | None = _of_account("wake")
    told: int = _of_account("told")
    partner: str = _of_account("partner")
    next: int | None = _of_account("next")
    fresh: int = _of_account("fresh")
    pushing: Pushing | None = _of_account("pushing")

    def __init__(self, conversation: str, agent: str, threaded: bool) -> None:
        self.conversation = conversation
        self.agent = agent
        self.standing = standing(threaded)
        self.anchor = 0
        self.since = 0
        self.account = _NOTHING

    @classmethod
    def of(cls, given: Sequence[Any]) -> Seat:
        """A seat from the values of `FIELDS`."""
        (conversation, agent, threaded, acts_for, place, mode, interval) = given[:7]
        (tagged_only, anchor, since, resting, held) = given[7:12]
        account = Account(*given[12:])
        seat = cls(conversation, agent, threaded)
        seat.standing = standing(
            *(threaded, acts_for, place, mode, interval, tagged_only, resting, held)
        )
        seat.anchor, seat.since = anchor, since
        if account.seen_at == anchor:
            account.seen_at = None  # one number less
        if account != _NOTHING:
            seat.account = account
        return seat

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seat) and _all(self) == _all(other)

    __hash__: Any = None  # it changes

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"Seat({', '.join(fields)})"

    @property
    def seen_at(self) -> int:
        """When it last posted, read or was woken; at first when it joined."""
        seen_at = self.account.seen_at
        return self.anchor if seen_at is None else seen_at

    # -- as a membership: that of an agent whose only conversation it is

    @property
    def present(self) -> bool:
        """Whether it is a member now."""
        return self.standing.place == "in"

    @property
    def conversations(self) -> tuple[str, ...]:
        """Its conversations here."""
        return (self.conversation,)

    # -- what it is owed

    def entries(self, *lanes: str) -> list[Entry]:
        """What it is owed in these lanes, or in all, in order of seq."""
        owed = self.account.owed
        if not owed:
            return []
        chosen = [owed[lane] for lane in lanes or owed if lane in owed]
        if len(chosen) <= 1:
            return list(chosen[0].values()) if chosen else []
        every = [entry for lane in chosen for entry in lane.values()]
        return sorted(every, key=lambda entry: entry.seq)

    def placed(self, *lanes: str) -> list[tuple[str, Entry]]:
        """As `entries`, each with the lane that it is in."""
        owed = self.account.owed or {}
        every = [
            (name, entry)
            for name in lanes or owed
            for entry in owed.get(name, {}).values()
        ]
        return sorted(every, key=lambda one: one[1].seq)

    def entry(self, seq: int) -> Entry | None:
        """The entry for a message, wherever it stands."""
        for lane in (self.account.owed or {}).values():
            if seq in lane:
                return lane[seq]
        return None

    def oldest(self, lane: str) -> Entry | None:
        """The first entry of a lane."""
        waiting = (self.account.owed or {}).get(lane)
        return next(iter(waiting.values())) if waiting else None

    def has(self, lane: str) -> bool:
        """Whether anything stands in a lane."""
        owed = self.account.owed
        return owed is not None and lane in owed

    def lane_of(self, seq: int) -> str:
        """Where the entry for a message stands; "" where there is none."""
        for name, lane in (self.account.owed or {}).items():
            if seq in lane:
                return name
        return ""

    # -- changed by folding alone

    def stand(self, **fields: Any) -> None:
        """Stands otherwise in these fields of `Standing`."""
        self.standing = standing(*self.standing._replace(**fields))

    def sit_down(self, at: int) -> None:
        """Counts digests from an instant on, at which it was seen."""
        self.anchor = at
        if self.account is not _NOTHING:
            self.account.seen_at = at

    def listen_from(self, at: int) -> None:
        """Counts digests from an instant on, without having been seen then."""
        self.noting().seen_at = self.seen_at
        self.anchor = at

    def noting(self) -> Account:
        """Its own account, to be changed; it has one from here on."""
        account = self.account
        if account is _NOTHING:
            account = self.account = Account()
        return account

    def owe(self, name: str, entry: Entry) -> Account:
        """Puts what was just said, behind all else, into a lane; its account."""
        account = self.account
        if account is _NOTHING:
            account = self.account = Account()
        owed = account.owed
        if owed is None:
            account.owed = {name: {entry.seq: entry}}
        elif name in owed:
            owed[name][entry.seq] = entry
        else:
            owed[name] = {entry.seq: entry}
        cause = entry.cause
        if not cause.agents or cause.hearing == _DIGEST:
            _count(account, name, cause, 1)
        if entry.size:
            account.backlog += entry.size
        if name == _READY:
            account.fresh += 1
        return account

    def put(self, name: str, entries: Iterable[Entry]) -> None:
        """Puts entries into a lane, which stays in order of seq."""
        account = self.noting()
        lane = (account.owed or {}).get(name, {})
        last, in_order = next(reversed(lane)) if lane else 0, True
        for entry in entries:
            seq, cause = entry.seq, entry.cause
            in_order = in_order and last < seq
            lane[seq], last = entry, seq
            if not cause.agents or cause.hearing == _DIGEST:
                _count(account, name, cause, 1)
            account.backlog += entry.size
            if entry.push is not None:
                entry.push.left += 1
            elif name == _READY:
                account.fresh += 1
        if not in_order:  # once for all that was put: n cost no n squared
            lane = dict(sorted(lane.items()))
        if lane:
            account.owed = account.owed or {}
            account.owed[name] = lane

    def replace(self, entry: Entry) -> None:
        """Has an entry stand where the one for its message stood, for the same."""
        for lane in (self.account.owed or {}).values():
            if entry.seq in lane:
                lane[entry.seq] = entry

    def drop(self, seq: int) -> Entry | None:
        """Takes an entry out of wherever it stands; lanes that are empty go."""
        account = self.account
        owed = account.owed
        if owed is None:
            return None
        for name, lane in owed.items():
            if seq in lane:
                entry = lane.pop(seq)
                cause = entry.cause
                if not cause.agents or cause.hearing == _DIGEST:
                    _count(account, name, cause, -1)
                account.backlog -= entry.size
                if entry.push is not None:
                    entry.push.left -= 1
                elif name == _READY:
                    account.fresh -= 1
                if not lane:
                    del owed[name]
                    if not owed:
                        account.owed = None
                return entry
        return None

    def drop_all(self, seqs: Iterable[int]) -> list[Entry]:
        """Takes entries out, and returns those that there were."""
        return [entry for seq in seqs if (entry := self.drop(seq)) is not None]

    def drop_carried(self, seqs: tuple[int, ...]) -> None:
        """Takes out what its wake carried; all at once, where nothing of it counts."""
        account = self.account
        owed = account.owed
        if (
            owed is None
            or _TAKEN not in owed
            or account.backlog
            or account.pushing is not None
            or tuple(owed[_TAKEN]) != seqs
        ):
            self.drop_all(seqs)
        elif len(owed) == 1:
            account.owed = None
        else:
            del owed[_TAKEN]

    def arm(self, at: int, ready: Iterable[Entry]) -> None:
        """Notes when entries that became ready are to be pushed, where they are new."""
        account = self.noting()
        new = sum(one.push is None for one in ready)
        if not new:
            return
        pushing = account.pushing
        if pushing is None:
            pushing = account.pushing = Pushing()
        pushing.due = min(pushing.due, at) if account.fresh > new else at

    def move(self, seqs: tuple[int, ...], lane: str) -> None:
        """Moves entries to another lane, as many as there are."""
        if seqs and not self._move_all(seqs, lane):
            self.put(lane, self.drop_all(seqs))

    def _move_all(self, seqs: tuple[int, ...], lane: str) -> bool:
        """Moves all that there is at once, where that is it and none is counted."""
        account = self.account
        owed = account.owed
        if (
            owed is None
            or len(owed) > 1
            or account.digests_ready
            or account.persons_held
            or lane not in _UNCOUNTED
        ):
            return False
        ((name, waiting),) = owed.items()
        if tuple(waiting) != seqs:
            return False
        owed[lane] = owed.pop(name)
        if name == _READY:
            account.fresh = 0
        return True


_UNCOUNTED = frozenset({Lane.TAKEN, Lane.TOLD})


def _count(account: Account, lane: str, cause: Cause, change: int) -> None:
    """Counts an entry that a person wrote, or a digest's."""
    if lane == _READY and cause.hearing == _DIGEST:
        account.digests_ready += change
    elif lane == Lane.HELD and not cause.agents:
        account.persons_held += change


_DIGEST, _READY, _TAKEN = Hearing.DIGEST.value, Lane.READY, Lane.TAKEN
_all = attrgetter(*Seat.FIELDS)
