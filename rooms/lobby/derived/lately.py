"""
Lately: what agents did in the last two days, and when each wrote or was written to.

Two laws. It is made from the log and is no truth of its own: stretches of work from
reports, the rest from messages. And it holds no word that anybody wrote.

    ("of", conversation)              -> its agent
    ("open", conversation)            -> since when a stretch of work goes on
    ("stretch", conversation, began)  -> until when one lasted
    ("ended", until, conversation)    -> when it began; so that old ones go
    ("due", agent, conversation)      -> since when it stands, for leads to be told
    ("saw", agent)                    -> when it last acknowledged or saved a checkpoint
    ("direct", room)                  -> ""   a room of messages to one agent
    ("in", room, agent)               -> the last message that counts there: when, which
    ("last", agent, at, room)         -> which; the last of each room, in time
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from rooms.addressing import name_key
from rooms.lobby.derived.batches import Feed, Feeds, content_at, value_of
from rooms.lobby.derived.feeding import AFTER_ALL, Projection, header_of
from rooms.lobby.recording.streams import room_stream
from rooms.log.access import DIRECT
from rooms.log.records import Record
from rooms.storage import Key, Storage

__all__ = ["KEPT", "Lately"]

KEPT = 2 * 24 * 3_600_000_000
"""How long after its end a stretch of work is kept (L-ACT-06)."""

_NAME = "lately.1"
_STEP = 50


class Lately(Projection):
    """What agents did of late."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        batch = _Batch(self)
        for record in records:
            batch.add(record)
        batch.let_go(max(record.at for record in records) - KEPT)
        self.move(reached, records[-1].position, list(batch.changes()))

    def stretches(self, conversation: str, after: int) -> list[tuple[int, int | None]]:
        """The stretches of a conversation that end after an instant, or go on."""
        return self.asked(lambda: list(self._stretches(conversation, after)))

    def _stretches(
        self, conversation: str, after: int
    ) -> Iterator[tuple[int, int | None]]:
        low, high = ("stretch", conversation), ("stretch", conversation, AFTER_ALL)
        for key, content in self.rows_between(low, high):
            until = value_of(content)["until"]
            if until > after:
                yield int(key[2]), int(until)
        going = content_at(self, ("open", conversation))
        if going is not None:
            yield int(value_of(going)["began"]), None

    def due_stops(self) -> list[tuple[str, str]]:
        """Agents and conversations whose stop nobody was told yet."""
        rows = self.asked(lambda: self.rows_between(("due",), ("due", AFTER_ALL)))
        return [(str(key[1]), str(key[2])) for key, _ in rows]

    def last_saw_at(self, agent: str) -> int | None:
        """When an agent last acknowledged anything, or saved a checkpoint."""
        key = ("saw", name_key(agent))
        content = self.asked(lambda: content_at(self, key))
        return None if content is None else int(value_of(content)["at"])

    def last_message_at(self, agent: str) -> int | None:
        """
        When an agent last wrote, or was written to alone, in a message that is still
        there.
        """
        return self.asked(lambda: self._last(name_key(agent)))

    def _last(self, agent: str) -> int | None:
        low: Key = ("last", agent)
        high: Key = ("last", agent, AFTER_ALL)
        while True:
            rows = self.storage.range(
                self.name, low=low, high=high, limit=_STEP, reverse=True
            )
            for row in rows:
                stream, version = room_stream(str(row.key[3])), value_of(row.value)["v"]
                found = self.storage.read(stream, after=version - 1, limit=1)
                if found and found[0].version == version and found[0].body is not None:
                    return int(row.key[2])
            if len(rows) < _STEP:
                return None
            high = rows[-1].key


class _Batch(Feed):
    """What some records change of it."""

    def let_go(self, before: int) -> None:
        """Drops the stretches that ended so long ago."""
        rows = self.projection.rows_between(("ended",), ("ended", before))
        fresh = [key for key in self.rows if key[0] == "ended" and int(key[1]) < before]
        for key in dict.fromkeys([*(key for key, _ in rows), *fresh]):
            row = self.get(*key)
            if row is not None:
                self.delete("stretch", key[2], row["began"])
                self.delete(*key)

    # -- work

    def _started(self, header: Mapping[str, Any], agent: str, _: Record) -> None:
        self.put("of", header["conversation"], agent=name_key(agent))

    def _reported(self, header: Mapping[str, Any], agent: str, _: Record) -> None:
        one, at = header["conversation"], header["reported_at"]
        if header.get("state") == "working":
            if header.get("began"):
                self.put("open", one, began=header["began"])
        else:
            self._close(one, at)
        if header.get("due"):
            self.put("due", agent, one, since=header["since"])
        else:
            self._told(header, agent, None)

    def _claimed(self, header: Mapping[str, Any], agent: str, record: Record) -> None:
        self._close(header["conversation"], record.at)
        self._told(header, agent, None)

    def _close(self, one: str, until: int) -> None:
        going = self.get("open", one)
        if going is not None:
            began = going["began"]
            self.put("stretch", one, began, until=until)
            self.put("ended", until, one, began=began)
            self.delete("open", one)

    def _told(self, header: Mapping[str, Any], agent: str, _: Record | None) -> None:
        key = ("due", agent, header["conversation"])
        if self.get(*key) is not None:
            self.delete(*key)

    def _saw(self, _: Mapping[str, Any], agent: str, record: Record) -> None:
        self.put("saw", name_key(agent), at=record.at)

    # -- messages

    def _created(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        if header["access"] == DIRECT:
            self.put("direct", room)

    def _posted(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        for agent in self._concerned(header, room):
            self._last_in(room, agent, record.at, record.version)

    def _scheduled(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """It was sent when it was accepted, and is received when it comes."""
        if header.get("sender"):
            agent = name_key(header["author"])
            self._last_in(room, agent, record.at, record.version)

    def _concerned(self, header: Mapping[str, Any], room: str) -> list[str]:
        """The agents for which a message counts (L-ACT-13)."""
        by_itself = header.get("accepted") or header.get("schedule")
        sent = header.get("sender") and not by_itself
        found = [name_key(header["author"])] if sent else []
        alone = "all" not in header.get("to", ())
        if alone and self.get("direct", room) is not None:
            owed = [one for one, *_ in header.get("owed", ())]
            heard = [self.get("of", one) for one in owed]
            found += [row["agent"] for row in heard if row is not None]
        return list(dict.fromkeys(found))

    def _last_in(self, room: str, agent: str, at: int, version: int) -> None:
        before = self.get("in", room, agent)
        if before is not None:
            self.delete("last", agent, before["at"], room)
        self.put("in", room, agent, at=at, v=version)
        self.put("last", agent, at, room, v=version)

    def _erased(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """Where the last one is erased, the one before it counts."""
        version, number = header["record"], header["number"]
        rows = self.projection.rows_between(("in", room), ("in", room, AFTER_ALL))
        agents = [str(key[2]) for key, _ in rows]
        agents += [str(key[2]) for key in self.rows if key[:2] == ("in", room)]
        for agent in dict.fromkeys(agents):
            row = self.get("in", room, agent)
            if row is not None and row["v"] == version:
                self.delete("in", room, agent)
                self.delete("last", agent, row["at"], room)
                self._before(record.stream, room, agent, number)

    def _before(self, stream: str, room: str, agent: str, number: int) -> None:
        """The last message that counts for an agent before a number."""
        while number > 1:
            found = self.projection.storage.messages(
                stream, after=number, newest_first=True
            )
            for record in found:
                header = header_of(record) or {}
                if record.body is not None and agent in self._concerned(header, room):
                    return self._last_in(room, agent, record.at, record.version)
            number = (found[-1].seq or 1) if found else 1
        return None

    def _gone(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        """A room is deleted: nothing of it stays."""
        room = header["room"]
        rows = self.projection.rows_between(("in", room), ("in", room, AFTER_ALL))
        fresh = [key for key in self.rows if key[:2] == ("in", room)]
        for key in dict.fromkeys([*(key for key, _ in rows), *fresh]):
            row = self.get(*key)
            if row is not None:
                self.delete("last", key[2], row["at"], room)
                self.delete(*key)

    FEEDS: ClassVar[Feeds] = {
        "conversation_started": _started,
        "work_reported": _reported,
        "stop_settled": _told,
        "runtime_claimed": _claimed,
        "receipts_given": _saw,
        "checkpoint_saved": _saw,
        "room_created": _created,
        "message_posted": _posted,
        "message_scheduled": _scheduled,
        "message_erased": _erased,
        "room_unlisted": _gone,
    }
