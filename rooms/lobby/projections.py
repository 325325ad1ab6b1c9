"""
Projections: ordered rows that answer what no single state can.

Two laws. They are fed from the log before a question, never in the way of a post; and
they are disposable: a row that is wrong or gone costs a look and no truth.

The one kept here says who is seated where, and which seats have something to take:

    ("agent", conversation)                  -> the agent
    ("seat", conversation, room)             -> ""
    ("ready", agent key, conversation, room) -> ""
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from rooms.addressing import name_key
from rooms.log.records import Record, canonical, parsed
from rooms.log.state import Lane
from rooms.storage import Change, Key, Storage

__all__ = ["ReadySeat", "Wakes"]

_NAME = "wakes.1"
_BATCH = 1_000
_CLAIM = "runtime_claimed"
_NOTHING = b'""'
_AFTER_ALL = "\U0010ffff"


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


class Wakes:
    """Who has something to take, kept from the log."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._agents: dict[str, str] = {}
        self._resume: Key = ("ready",)

    def ready(self, agents: Iterable[str] | None, *, limit: int) -> list[ReadySeat]:
        """
        Seats with something to take, of these agents or of all, at most `limit`.

        Where there are more, the next call goes on behind the last of this one.
        """
        self.feed()
        if agents is not None:
            found: list[ReadySeat] = []
            for agent in agents:
                low = ("ready", name_key(agent))
                found += self._rows(low, (*low, _AFTER_ALL), limit - len(found))
            return found
        end = ("ready", _AFTER_ALL)
        found = self._rows(self._resume, end, limit)
        if len(found) < limit and self._resume != ("ready",):
            again = self._rows(("ready",), self._resume, limit - len(found))
            found += again
        self._resume = (*found[-1].key, "") if found else ("ready",)
        return found

    def ready_for(self, conversations: Iterable[str], *, limit: int) -> list[ReadySeat]:
        """Seats of these conversations with something to take, at most `limit`."""
        self.feed()
        found: list[ReadySeat] = []
        for conversation in conversations:
            low = ("ready", self._agent(conversation), conversation)
            found += self._rows(low, (*low, _AFTER_ALL), limit - len(found))
        return found

    def rooms_of(self, conversation: str) -> list[str]:
        """The rooms in which a conversation has a seat."""
        self.feed()
        return self._seats(conversation)

    def forget(self, room: str, conversations: Iterable[str]) -> None:
        """Drops the rows of seats that were looked at and had nothing to take."""
        changes = [Change(self._key(one, room), None) for one in conversations]
        if changes:
            reached = self.storage.projected_to(_NAME)
            self.storage.project(
                _NAME, expected=reached, position=reached, changes=changes
            )

    def feed(self) -> None:
        """Brings the rows up to the end of the log."""
        while True:
            reached = self.storage.projected_to(_NAME)
            records = self.storage.scan(after=reached, limit=_BATCH)
            if not records:
                return
            changes: list[Change] = []
            for place, record in enumerate(records):
                if record.type == _CLAIM and place:  # it asks for the rows before it
                    self._move(reached, records[place - 1].position, changes)
                    reached, changes = records[place - 1].position, []
                changes += self._changes(record)
            self._move(reached, records[-1].position, changes)

    def _move(self, reached: int, position: int, changes: Sequence[Change]) -> None:
        self.storage.project(
            _NAME, expected=reached, position=position, changes=changes
        )

    # -- reading rows

    def _rows(self, low: Key, high: Key, limit: int) -> list[ReadySeat]:
        rows = self.storage.range(_NAME, low=low, high=high, limit=max(limit, 0))
        return [ReadySeat(*map(str, row.key[1:])) for row in rows]

    def _seats(self, conversation: str) -> list[str]:
        rows = self._range(("seat", conversation), ("seat", conversation, _AFTER_ALL))
        return [str(key[2]) for key in rows]

    def _range(self, low: Key, high: Key) -> Iterator[Key]:
        while True:
            rows = self.storage.range(_NAME, low=low, high=high, limit=_BATCH)
            yield from (row.key for row in rows)
            if len(rows) < _BATCH:
                return
            low = (*rows[-1].key, "")

    # -- feeding

    def _changes(self, record: Record) -> Iterator[Change]:
        feed = _FEEDS.get(record.type)
        if feed is None:
            return
        header = parsed(record.header, where=f"{record.stream} {record.version}")
        room = record.stream.partition(":")[2]
        yield from feed(self, header, room)

    def _joined(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        conversation, agent = header["conversation"], name_key(header["agent"])
        self._agents[conversation] = agent
        yield Change(("agent", conversation), canonical(agent))
        yield Change(("seat", conversation, room), _NOTHING)

    def _left(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        conversation = header["conversation"]
        yield Change(("seat", conversation, room), None)
        yield Change(self._key(conversation, room), None)

    def _posted(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        for conversation, _, _, _, lane in header.get("owed", ()):
            if lane == Lane.READY:
                yield Change(self._key(conversation, room), _NOTHING)

    def _woken(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        yield Change(self._key(header["conversation"], room), _NOTHING)

    def _taken(self, header: Mapping[str, Any], room: str) -> Iterator[Change]:
        yield Change(self._key(header["conversation"], room), None)

    def _claimed(self, header: Mapping[str, Any], _: str) -> Iterator[Change]:
        """What an older claim holds can be taken by the newer one (ledger 11)."""
        conversation = header["conversation"]
        for room in self._seats(conversation):
            yield Change(self._key(conversation, room), _NOTHING)

    def _key(self, conversation: str, room: str) -> Key:
        return ("ready", self._agent(conversation), conversation, room)

    def _agent(self, conversation: str) -> str:
        known = self._agents.get(conversation)
        if known is None:
            low = ("agent", conversation)
            rows = self.storage.range(_NAME, low=low, high=(*low, ""), limit=1)
            known = parsed_text(rows[0].value) if rows else ""
            self._agents[conversation] = known
        return known


def parsed_text(value: bytes) -> str:
    """The text that a row's value is."""
    return str(value[1:-1].decode()) if value else ""


_FEEDS = {
    "seat_joined": Wakes._joined,  # noqa: SLF001 - this module's own table
    "seat_left": Wakes._left,  # noqa: SLF001
    "message_posted": Wakes._posted,  # noqa: SLF001
    "granted": Wakes._woken,  # noqa: SLF001
    "wake_returned": Wakes._woken,  # noqa: SLF001
    "reclaimed": Wakes._woken,  # noqa: SLF001
    "wake_taken": Wakes._taken,  # noqa: SLF001
    "noticed": Wakes._taken,  # noqa: SLF001
    _CLAIM: Wakes._claimed,  # noqa: SLF001
}
