"""
Projections: ordered rows that answer what no single state can.

Two laws. They are fed from the log before a question, never in the way of a post; and
they are disposable: a row that is wrong or gone costs a look and no truth.

The one kept here says who is seated where, and which seats have something to take:

    ("agent", conversation)                   -> the agent
    ("seat", conversation, room)              -> ""
    ("ready", agent key, conversation, room)  -> ""
    ("urgent", agent key, conversation, room) -> ""   those of them that come first
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import frozen

from rooms.addressing import name_key
from rooms.errors import CorruptLog
from rooms.lobby.derived.feeding import AFTER_ALL, Projection, header_of
from rooms.log.records import Record, canonical
from rooms.log.state import Lane
from rooms.storage import Change, Key, Storage

__all__ = ["PAGE", "ReadySeat", "Span", "Wakes"]

Span = tuple[Key, Key]
"""A part of the rows: from a key on, up to another."""

PAGE = 100
"""How many seats are looked at in one step."""

_NAME = "wakes.1"
_CLAIMS = ("runtime_claimed", "runtime_retired")
_NOTHING = b'""'
_READY: Span = (("ready",), ("ready", AFTER_ALL))
_URGENT: Span = (("urgent",), ("urgent", AFTER_ALL))


@frozen
class ReadySeat:
    """A seat that had something to take when its row was written."""

    agent: str
    conversation: str
    room: str

    @property
    def key(self) -> Key:
        """The row's key."""
        return ("ready", self.agent, self.conversation, self.room)


class Wakes(Projection):
    """Who has something to take, kept from the log."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)
        self._agents: dict[str, str] = {}
        self._resume: Key = ("ready",)

    def of_all(self) -> list[Span]:
        """Where all that may be taken stands; first what was not looked at last."""
        start, end = _READY
        return [(self._resume, end), (start, self._resume)]

    def whole(self) -> tuple[list[ReadySeat], list[ReadySeat]] | None:
        """
        What `of_all` has, one span after the other, of rows that were fed a moment ago;
        None for more than a page.
        """
        seats = self.mended(lambda: self._rows(*_READY, PAGE))
        if len(seats) == PAGE:
            return None
        behind = [seat for seat in seats if seat.key >= self._resume]
        return behind, seats[: len(seats) - len(behind)]

    def of_agents(self, agents: Iterable[str]) -> list[Span]:
        """Where that of these agents stands."""
        keys = [("ready", name_key(agent)) for agent in agents]
        return [(key, (*key, AFTER_ALL)) for key in keys]

    def of_conversations(self, named: Iterable[tuple[str, str]]) -> list[Span]:
        """Where that of these conversations stands, each given with its agent."""
        keys = [("ready", name_key(agent), one) for one, agent in named]
        return [(key, (*key, AFTER_ALL)) for key in keys]

    def page(
        self, span: Span, *, fed: bool = False
    ) -> tuple[list[ReadySeat], Span | None]:
        """
        Some seats of a span with something to take, and the rest of it, if any; of rows
        that were `fed` a moment ago, or are now.
        """
        low, high = span
        ask = self.mended if fed else self.asked
        seats = ask(lambda: self._rows(low, high, PAGE))
        if len(seats) < PAGE:
            return seats, None
        return seats, ((*seats[-1].key, ""), high)

    def urgent(self, spans: Sequence[Span]) -> list[ReadySeat]:
        """Some seats of these spans that were told something urgent (L-SEND-32)."""

        def ask() -> list[ReadySeat]:
            found: list[ReadySeat] = []
            if len(spans) > 1 and not self._rows(*_URGENT, 1):
                return found  # nearly always: one look, and not one for each span
            for low, high in spans:
                rest, first, last = PAGE - len(found), low[1:], high[1:]
                if rest:
                    found += self._rows(("urgent", *first), ("urgent", *last), rest)
            return found

        return self.asked(ask)

    def resume_behind(self, seat: ReadySeat) -> None:
        """Lets the next look at all begin behind a seat."""
        self._resume = (*seat.key, "")

    def rooms_of(self, conversation: str) -> list[str]:
        """The rooms in which a conversation has a seat."""
        return self.asked(lambda: self._seats(conversation))

    def start_anew(self) -> None:
        """Drops all rows, and what is remembered of them."""
        super().start_anew()
        self._agents.clear()
        self._resume = ("ready",)

    def forget(self, room: str, conversations: Iterable[str], *, known: int) -> None:
        """
        Drops the rows of seats that were looked at and had nothing to take, as of the
        log's position `known`: rows that were fed from later on may say otherwise.
        """
        changes = [one for name in conversations for one in self._nothing(name, room)]
        reached = self.storage.projected_to(self.name) if changes else known + 1
        if reached <= known:
            self.move(reached, reached, changes)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records, each row once."""
        changes: dict[Key, Change] = {}
        for place, record in enumerate(records):
            if record.type in _CLAIMS and place:  # it asks for the rows before it
                self.move(reached, records[place - 1].position, [*changes.values()])
                reached, changes = records[place - 1].position, {}
            changes.update((one.key, one) for one in self._changes(record))
        self.move(reached, records[-1].position, [*changes.values()])

    # -- reading rows

    def _rows(self, low: Key, high: Key, limit: int) -> list[ReadySeat]:
        rows = self.storage.range(_NAME, low=low, high=high, limit=limit)
        return [ReadySeat(*_names(row.key, 4)[1:]) for row in rows]

    def _seats(self, conversation: str) -> list[str]:
        low: Key = ("seat", conversation)
        rows = self.rows_between(low, (*low, AFTER_ALL))
        return [_names(key, 3)[2] for key, _ in rows]

    # -- feeding

    def _changes(self, record: Record) -> Iterator[Change]:
        feed = _FEEDS.get(record.type)
        if feed is None:
            return
        header = header_of(record)
        if header is None:
            return
        with suppress(AttributeError, LookupError, TypeError, ValueError):
            yield from feed(self, header, record.stream.partition(":")[2])

    def _joined(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        conversation, agent = header["conversation"], name_key(header["agent"])
        self._agents[conversation] = agent
        yield Change(("agent", conversation), canonical(agent))
        yield Change(("seat", conversation, room), _NOTHING)

    def _left(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        conversation = header["conversation"]
        yield Change(("seat", conversation, room), None)
        yield from self._nothing(conversation, room)

    def _posted(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        urgent = header.get("urgency") == "now"
        for conversation, _, _, _, lane in header.get("owed", ()):
            if lane == Lane.READY:
                yield Change(self._key(conversation, room), _NOTHING)
                if urgent:
                    yield Change(self._key(conversation, room, "urgent"), _NOTHING)

    def _woken(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        yield Change(self._key(header["conversation"], room), _NOTHING)

    def _paused(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        """What nobody looked at any more while the room was paused."""
        for conversation in header.get("ready", ()):
            yield Change(self._key(conversation, room), _NOTHING)

    def _rested(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        if not header["resting"]:
            yield from self._woken(header, room)

    def _held(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        if not header["why"]:
            yield from self._woken(header, room)

    def _taken(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        yield from self._nothing(header["conversation"], room)

    def _returned(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        """What was urgent before it was taken is so again."""
        yield from self._woken(header, room)
        for seq in header["entries"]:
            records = self.storage.messages(f"room:{room}", after=seq - 1, limit=1)
            told = header_of(records[0]) if records else None
            if told and told.get("urgency") == "now":
                key = self._key(header["conversation"], room, "urgent")
                yield Change(key, _NOTHING)

    def _claimed(self, header: Mapping[str, Any], _: str) -> Iterator[Change]:
        """What an older claim holds can be taken by the newer one (ledger 11)."""
        conversation = header["conversation"]
        for room in self._seats(conversation):
            yield Change(self._key(conversation, room), _NOTHING)

    def _nothing(self, conversation: str, room: str) -> Iterator[Change]:
        """Nothing is there to be taken."""
        yield Change(self._key(conversation, room), None)
        yield Change(self._key(conversation, room, "urgent"), None)

    def _key(self, conversation: str, room: str, kind: str = "ready") -> Key:
        return (kind, self._agent(conversation), conversation, room)

    def _agent(self, conversation: str) -> str:
        known = self._agents.get(conversation)
        if known is None:
            low = ("agent", conversation)
            rows = self.storage.range(_NAME, low=low, high=(*low, ""), limit=1)
            known = parsed_text(rows[0].value) if rows else ""
            self._agents[conversation] = known
        return known


def parsed_text(value: bytes) -> str:
    """The text that a row's value is; `CorruptLog` for what was never put there."""
    try:
        text = json.loads(value)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise CorruptLog("corrupt_log", "a projection's row is damaged")
    return text


def _names(key: Key, count: int) -> list[str]:
    if len(key) != count:
        raise CorruptLog("corrupt_log", "a projection's key is damaged")
    return [str(part) for part in key]


_FEEDS = {
    "seat_joined": Wakes._joined,  # noqa: SLF001 - this module's own table
    "seat_left": Wakes._left,  # noqa: SLF001
    "message_posted": Wakes._posted,  # noqa: SLF001
    "floor_given": Wakes._woken,  # noqa: SLF001
    "granted": Wakes._woken,  # noqa: SLF001
    "room_paused": Wakes._paused,  # noqa: SLF001
    "seat_held": Wakes._held,  # noqa: SLF001
    "seat_rested": Wakes._rested,  # noqa: SLF001
    "wake_returned": Wakes._returned,  # noqa: SLF001
    "reclaimed": Wakes._woken,  # noqa: SLF001
    "wait_ended": Wakes._woken,  # noqa: SLF001
    "push_renewed": Wakes._woken,  # noqa: SLF001
    "wake_taken": Wakes._taken,  # noqa: SLF001
    "noticed": Wakes._taken,  # noqa: SLF001
    **dict.fromkeys(_CLAIMS, Wakes._claimed),  # noqa: SLF001
}
