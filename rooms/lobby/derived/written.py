"""
Written: what was handed to a runtime for certain and is not seen, kept from the log.

Two laws. Only what a conversation does itself is a sign that it goes on; what falls due
for it is none (L-DISC-06). And the rows say of whom something waits, since when and
where, and hold no word of it.

    ("written", conversation, at, room, seq)  -> nothing   when a host last wrote it
    ("attention", conversation, room, seq)    -> nothing   what was pushed in vain
    ("of", room, seq, conversation)           -> at, attention
    ("went on", conversation)                 -> at
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from attrs import frozen

from rooms.lobby.derived.batches import Feed, Feeds, content_at, value_of
from rooms.lobby.derived.feeding import AFTER_ALL, Projection
from rooms.log.records import Record
from rooms.storage import Key, Storage

__all__ = ["Unseen", "Written"]

_NAME = "written.1"


@frozen
class Unseen:
    """A message that a host has for certain, and nobody has seen since."""

    at: int
    room: str
    seq: int


class Written(Projection):
    """What runtimes were handed, and whether they have gone on since."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        _Batch(self).take_in(reached, records)

    def unseen(self, conversation: str) -> list[Unseen]:
        """
        What a conversation was handed and has not seen, and for which it has not gone
        on since; the earliest written first.
        """
        return self.asked(lambda: self._unseen(conversation))

    def _unseen(self, conversation: str) -> list[Unseen]:
        content = content_at(self, ("went on", conversation))
        since = 0 if content is None else int(value_of(content)["at"])
        low: Key = ("written", conversation, since)
        rows = self.rows_between(low, (*low[:2], AFTER_ALL))
        return [Unseen(int(key[2]), str(key[3]), int(key[4])) for key, _ in rows]

    def needs_attention(self, conversation: str) -> bool:
        """Whether anything that it has not seen was pushed in vain."""
        low: Key = ("attention", conversation)
        high = (*low, AFTER_ALL)
        return bool(
            self.asked(
                lambda: self.storage.range(self.name, low=low, high=high, limit=1)
            )
        )


class _Batch(Feed):
    """What some records change of it."""

    # -- what is written, and called for

    def _told(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        for seq in header["entries"]:
            self._write(header["conversation"], room, seq, record.at)

    def _write(self, one: str, room: str, seq: int, at: int) -> None:
        row = self.got("of", room, seq, one)
        if "at" in row:
            self.delete("written", one, row["at"], room, seq)
        row["at"] = at
        self.put("written", one, at, room, seq)

    def _called(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        one = header["conversation"]
        for seq in header["entries"] if header["why"] == "unseen" else ():
            self.got("of", room, seq, one)["attention"] = 1
            self.put("attention", one, room, seq)

    def _anew(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        """Tries that begin anew call for nobody yet."""
        one = header["conversation"]
        for key in self._known(("attention", one, room)):
            self.delete(*key)
            row = self.get("of", room, key[3], one)
            if row is not None:
                row.pop("attention", None)

    # -- what ends it

    def _settled(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        self._end(header["conversation"], room, header.get("entries", ()))
        if header["why"] == "acked":
            self._goes_on(header["conversation"], record)

    def _closed(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        self._end(header["conversation"], room, header.get("settled", ()))
        for seq in header.get("told", ()) if header["why"] == "delivered" else ():
            self._write(header["conversation"], room, seq, record.at)

    def _left(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        ended = header.get("ended", header.get("entries", ()))
        self._end(header["conversation"], room, ended)

    def _end(self, one: str, room: str, seqs: Iterable[int]) -> None:
        for seq in seqs:
            self._forget(("of", room, seq, one))

    def _forget(self, key: Key) -> None:
        row = self.get(*key)
        if row is None:
            return
        _, room, seq, one = key
        if "at" in row:
            self.delete("written", one, row["at"], room, seq)
        if "attention" in row:
            self.delete("attention", one, room, seq)
        self.delete(*key)

    def _expired(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        for key in self._known(("of", room)):
            if header["first"] <= int(key[2]) <= header["last"]:
                self._forget(key)

    def _gone(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        for key in self._known(("of", header["room"])):
            self._forget(key)

    def _known(self, prefix: Key) -> list[Key]:
        """The keys that begin so, stored or touched by this batch."""
        stored = self.projection.rows_between(prefix, (*prefix, AFTER_ALL))
        size = len(prefix)
        own = [key for key in self.rows if key[:size] == prefix]
        every = dict.fromkeys([*(key for key, _ in stored), *own])
        return [key for key in every if self.get(*key) is not None]

    # -- what a conversation does itself

    def _posted(self, header: Mapping[str, Any], _: str, record: Record) -> None:
        by_itself = not header.get("schedule") and not header.get("accepted")
        if header["sender"] and by_itself:
            self.put("went on", header["sender"], at=record.at)

    def _acted(self, header: Mapping[str, Any], _: str, record: Record) -> None:
        self._goes_on(header["conversation"], record)

    def _goes_on(self, one: str, record: Record) -> None:
        self.put("went on", one, at=record.at)

    FEEDS: ClassVar[Feeds] = {
        "push_told": _told,
        "attention_called": _called,
        "push_renewed": _anew,
        "reclaimed": _anew,
        "settled": _settled,
        "wake_closed": _closed,
        "seat_left": _left,
        "subscribed": _left,
        "ended": _left,
        "messages_expired": _expired,
        "room_unlisted": _gone,
        "message_posted": _posted,
        "message_scheduled": _posted,
        "checkpoint_saved": _acted,
        "runtime_ready": _acted,
    }
