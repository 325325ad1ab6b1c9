"""
A chronicle: what a lobby's log says happened, as rows.

Two laws. Each row is read from the events that were recorded, and nothing in it is
decided anew. And rows of one kind have the same keys, in the order of what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rooms.lobby.recording.streams import room_stream
from rooms.log.events import Event, Fact, decoded
from rooms.log.ledger import (
    Ended,
    Granted,
    Noticed,
    TurnOpened,
    WakeClosed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.owed import Lane
from rooms.log.posting import MessagePosted
from rooms.log.records import record_id
from rooms.log.seats import SeatJoined, SeatLeft, Subscribed
from rooms.log.team import MemberPlaced, UsageReported
from rooms.simulation.standing import stands
from rooms.storage.walking import records_of
from rooms.team.amounts import from_micros
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby import Lobby, Room
    from rooms.storage import Storage

__all__ = ["COLUMNS", "Chronicle", "chronicled"]

Row = dict[str, Any]
_WAITED = ("at", "room", "who", "message", "why", "until", "released_by")

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "messages": (
        *("at", "room", "seq", "id", "sender", "to", "reply_to", "hops", "text"),
        *("woken", "held", "later", "started"),
    ),
    "wakes": (
        *("at", "room", "who", "kind", "messages", "woken_by", "reasons", "waited"),
        "hops",
    ),
    "turns": ("at", "room", "who", "until", "outcome", "said"),
    "holds": _WAITED,
    "digests": _WAITED,
    "charges": ("at", "room", "who", "message"),
    "seats": ("at", "room", "who", "what"),
    "team": ("at", "room", "who", "what", "how", "why", "text"),
    "usage": ("at", "room", "who", "cost", "tokens"),
}
"""The keys of the rows of each kind, in their order."""


@define
class Chronicle:
    """
    Rows by their kind, in the order in which it happened.

    Attributes:
        messages: `at`, `room`, `seq`, `id`, `sender`, `to`, `reply_to` (a number or
            None), `hops`, `text`, and by what became of it `woken`, `held`, `later`,
            `started`: names.
        wakes: `at`, `room`, `who`, `kind`, `messages`, `woken_by`, the senders of
            its messages, `reasons`, `waited`, `hops`.
        turns: `at`, `room`, `who`, `until`, `outcome`: `ended`, `raised` or another
            reason why the wake went back; None for both where it still runs. `said` are
            the numbers of its messages.
        holds: `at`, `room`, `who`, `message`, `why`, `until`, `released_by`: `place`,
            `person`, or why it ended; None for both where it still waits.
        digests: As `holds`, for what waits for a digest.
        charges: `at`, `room`, `who`, `message`: what took a place in a wake window.
        seats: `at`, `room`, `who`, `what`: `joined`, `left`, `removed`, or a mode.
        team: What became of a team: `at`, `room`, `who`, a member or "", `what` it is
            about, `how` that stands from then on, `why`, `text`.
        usage: `at`, `room`, `who`, `cost`, `tokens`: what a turn of a team used.
    """

    messages: list[Row] = field(factory=list)
    wakes: list[Row] = field(factory=list)
    turns: list[Row] = field(factory=list)
    holds: list[Row] = field(factory=list)
    digests: list[Row] = field(factory=list)
    charges: list[Row] = field(factory=list)
    seats: list[Row] = field(factory=list)
    team: list[Row] = field(factory=list)
    usage: list[Row] = field(factory=list)

    def sort(self) -> None:
        """By time; what is of one instant stays as it was recorded."""
        for kind in COLUMNS:
            getattr(self, kind).sort(key=lambda row: row["at"])


def chronicled(lobby: Lobby, storage: Storage) -> Chronicle:
    """What the log of each room says."""
    told = Chronicle()
    for room in lobby.rooms:
        reading = _Reading(room, room.name, told)
        for record in records_of(storage, room_stream(room.id)):
            reading.add(decoded(record))
    told.sort()
    return told


@define
class _Reading:
    """One room, read from its first fact on."""

    room: Room
    name: str
    told: Chronicle
    names: dict[str, str] = field(factory=dict)
    senders: dict[int, str] = field(factory=dict)
    numbers: dict[str, int] = field(factory=dict)
    waiting: dict[tuple[str, int], Row] = field(factory=dict)
    rules: dict[tuple[str, int], str] = field(factory=dict)
    running: dict[str, Row] = field(factory=dict)  # by wake
    members: dict[str, str] = field(factory=dict)  # conversations by key

    def add(self, fact: Fact) -> None:
        """Takes in what a fact tells; most kinds of facts tell nothing here."""
        tell, found = _TOLD.get(type(fact.event)), stands(fact.event)
        if tell is None and found is None:
            return
        at = moment(fact.at)
        assert at is not None  # noqa: S101 - a run lasts ten years at most
        if tell is not None:
            tell(self, at, fact, fact.event)
        if found is not None:
            row: Row = {"at": at, "room": self.name, "who": self._member(found.key)}
            told = found._asdict()
            del told["key"]
            self.told.team.append(row | told)

    def placed(self, _: datetime, __: Fact, placed: MemberPlaced) -> None:
        """A conversation works as a member from now on."""
        self.members[placed.key] = placed.conversation

    def used(self, at: datetime, _: Fact, used: UsageReported) -> None:
        """A member's turn used something."""
        row: Row = {"at": at, "room": self.name, "who": self._member(used.key)}
        more = {"cost": from_micros(used.cost), "tokens": used.tokens}
        self.told.usage.append(row | more)

    def _member(self, key: str) -> str:
        return self._who(self.members.get(key, key))

    def joined(self, at: datetime, _: Fact, joined: SeatJoined) -> None:
        """A conversation took a seat: from now on it has a name."""
        handle = self.room.handle(joined.conversation, joined.agent)
        self.names[joined.conversation] = str(handle).removeprefix("agent:")
        self._seat(at, joined.conversation, "joined")

    def left(self, at: datetime, _: Fact, left: SeatLeft) -> None:
        """A seat was given up."""
        self._seat(at, left.conversation, left.why)
        self._end(at, left.conversation, left.ended, left.why)

    def subscribed(self, at: datetime, _: Fact, subscribed: Subscribed) -> None:
        """A seat listens otherwise."""
        self._seat(at, subscribed.conversation, str(subscribed.mode or "dropped"))
        self._end(at, subscribed.conversation, subscribed.ended, "mode_changed")

    def closed(self, at: datetime, _: Fact, closed: WakeClosed) -> None:
        """A wake ended well."""
        self._over(at, closed.wake, closed.why)

    def returned(self, at: datetime, _: Fact, returned: WakeReturned) -> None:
        """A wake went back."""
        self._over(at, returned.wake, returned.why)

    def ended(self, at: datetime, _: Fact, ended: Ended) -> None:
        """Something is owed no more, and a turn that it was for is over."""
        self._end(at, ended.conversation, ended.entries, ended.why)
        self._over(at, ended.wake, ended.why)

    def _who(self, conversation: str) -> str:
        return self.names.get(conversation, conversation)

    def _seat(self, at: datetime, conversation: str, what: str) -> None:
        who = self._who(conversation)
        self.told.seats.append({"at": at, "room": self.name, "who": who, "what": what})

    def message(self, at: datetime, fact: Fact, message: MessagePosted) -> None:
        """Somebody said something."""
        sender = self._who(message.sender) if message.sender else message.author
        owner = record_id(self.room.id, fact.version)
        self.senders[message.seq], self.numbers[owner] = sender, message.seq
        begun = {one for one, _ in message.started}
        row: Row = {
            "at": at,
            "room": self.name,
            "seq": message.seq,
            "id": owner,
            "sender": sender,
            "to": [one.removeprefix("agent:") for one in message.to],
            "reply_to": self.numbers.get(message.reply_to),
            "hops": message.hops,
            "text": message.text,
            "woken": [],
            "held": [],
            "later": [],
            "started": [self._who(one) for one, _ in message.started],
        }
        self.told.messages.append(row)
        if message.wake in self.running:
            self.running[message.wake]["said"].append(message.seq)
        for conversation, _, _, why, lane in message.owed:
            who = self._who(conversation)
            self.rules[conversation, message.seq] = why
            if lane == Lane.READY:
                if conversation not in begun:
                    row["woken"].append(who)
                if message.sender:
                    self._charge(at, who, message.seq)
                continue
            row["held" if lane == Lane.HELD else "later"].append(who)
            if lane in {Lane.HELD, Lane.DIGEST}:
                waiting = self._waits(at, who, message.seq, why)
                self.waiting[conversation, message.seq] = waiting
                kind = self.told.holds if lane == Lane.HELD else self.told.digests
                kind.append(waiting)

    def _waits(self, at: datetime, who: str, seq: int, why: str) -> Row:
        row: Row = {"at": at, "room": self.name, "who": who, "message": seq}
        return row | {"why": why, "until": None, "released_by": None}

    def _charge(self, at: datetime, who: str, seq: int) -> None:
        charge = {"at": at, "room": self.name, "who": who, "message": seq}
        self.told.charges.append(charge)

    def granted(self, at: datetime, _: Fact, granted: Granted) -> None:
        """What waited may be taken."""
        instant = moment(granted.at) or at
        if granted.charged:
            who = self._who(granted.conversation)
            self._charge(instant, who, granted.entries[0])
        self._end(instant, granted.conversation, granted.entries, granted.why)

    def _end(self, at: datetime, one: str, entries: tuple[int, ...], why: str) -> None:
        for seq in entries:
            row = self.waiting.pop((one, seq), None)
            if row is not None:
                row["until"], row["released_by"] = at, why

    def wake(self, at: datetime, _: Fact, taken: WakeTaken) -> None:
        """A host took a wake."""
        self._end(at, taken.conversation, taken.entries, "taken")
        self._woken(at, taken, taken.kind, waited=taken.waited)

    def noticed(self, at: datetime, _: Fact, noticed: Noticed) -> None:
        """Something was handed into a turn that runs."""
        self._end(at, noticed.conversation, noticed.entries, "noticed")
        self._woken(at, noticed, "notice", waited=0)

    def _woken(
        self, at: datetime, told: WakeTaken | Noticed, kind: str, *, waited: int
    ) -> None:
        self.told.wakes.append(
            {
                "at": at,
                "room": self.name,
                "who": self._who(told.conversation),
                "kind": kind,
                "messages": list(told.entries),
                "woken_by": self._senders(told.entries),
                "reasons": self._reasons(told.conversation, told.entries),
                "waited": waited,
                "hops": told.hops,
            }
        )

    def _senders(self, entries: tuple[int, ...]) -> list[str]:
        return list(dict.fromkeys(self.senders[seq] for seq in entries))

    def _reasons(self, one: str, entries: tuple[int, ...]) -> list[str]:
        return list(dict.fromkeys(self.rules.get((one, seq), "") for seq in entries))

    def opened(self, at: datetime, _: Fact, opened: TurnOpened) -> None:
        """A turn began."""
        row: Row = {
            "at": at,
            "room": self.name,
            "who": self._who(opened.conversation),
            "until": None,
            "outcome": None,
            "said": [],
        }
        self.running[opened.wake] = row
        self.told.turns.append(row)

    def _over(self, at: datetime, wake: str, why: str) -> None:
        row = self.running.pop(wake, None)
        if row is not None:
            row["until"], row["outcome"] = at, why


_TOLD: Mapping[type[Event], Callable[..., None]] = {
    SeatJoined: _Reading.joined,
    SeatLeft: _Reading.left,
    Subscribed: _Reading.subscribed,
    MessagePosted: _Reading.message,
    Granted: _Reading.granted,
    WakeTaken: _Reading.wake,
    Noticed: _Reading.noticed,
    TurnOpened: _Reading.opened,
    WakeClosed: _Reading.closed,
    WakeReturned: _Reading.returned,
    Ended: _Reading.ended,
    MemberPlaced: _Reading.placed,
    UsageReported: _Reading.used,
}
