"""
Deliveries: what became of each message for each that it was owed to, kept from the log.

Three laws. They are made from the ledger's own events and are no second ledger; so they
cost no truth, and a room's own end with it. They hold no word of people. And what waits
to be seen stands in the order of the log over all rooms: a page of it costs the page.

    ("room", room, seq)                      -> who wrote it, version, place in the log
    ("room", room, seq, conversation)        -> its delivery to one: see `Deliveries.of`
    ("unseen", conversation, place)          -> room, seq   what waits to be seen
    ("unseen", conversation)                 -> how many of these
    ("seen", conversation, receipt)          -> room, seq   what no checkpoint covers
    ("seen", conversation)                   -> how many of these
    ("mail", participant, place)             -> room, seq   what it wrote or was owed
    ("from", participant, room)              -> seq         the first of these there
    ("every", place)                         -> room, seq

A place is a record's position in the log. A participant is a conversation by its id, or
`person:<name>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from attrs import frozen

from rooms.errors import CorruptLog
from rooms.lobby.derived.batches import Feed, Feeds, content_at, value_of
from rooms.lobby.derived.feeding import AFTER_ALL, Projection
from rooms.log.records import Record
from rooms.storage import Key, Storage

__all__ = ["Deliveries", "Letter", "letters_of"]

_NAME = "deliveries.1"
_NUMBERS = ("attempted", "told", "seen", "receipt")


@frozen
class Letter:
    """
    A message as an inbox names it.

    Attributes:
        place: Where it stands: its position in the log, or the number of its receipt.
        room, seq: The message; no number is given to one that is not delivered.
        version: The record that accepted one that is not delivered; else 0.
    """

    place: int
    room: str
    seq: int
    version: int = 0


class Deliveries(Projection):
    """What became of each message for each of its recipients."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        _Batch(self).take_in(reached, records)

    def of(self, room: str, seq: int) -> dict[str, dict[str, Any]]:
        """
        The deliveries of a message, by conversation: `attempted`, `told` and `seen` are
        instants in microseconds, `receipt` a number, `held` a reason; what is not there
        did not happen.
        """
        low: Key = ("room", room, seq, "")

        def ask() -> dict[str, dict[str, Any]]:
            rows = self.rows_between(low, (*low[:3], AFTER_ALL))
            return {str(key[3]): _facts(content) for key, content in rows}

        return self.asked(ask)

    def place(self, room: str, seq: int) -> int:
        """Where a message stands in the log, or 0 for none that is there."""
        content = self.asked(lambda: content_at(self, ("room", room, seq)))
        return 0 if content is None else int(value_of(content)["place"])

    def unseen(self, conversation: str, *, after: int, limit: int) -> list[Letter]:
        """What a conversation has not seen, in the log's order, behind a place."""
        return letters_of(self, "unseen", conversation, after=after, limit=limit)

    def count_unseen(self, conversation: str) -> int:
        """How many messages a conversation has not seen."""
        return self._number("unseen", conversation)

    def seen(self, conversation: str, *, after: int, limit: int) -> list[Letter]:
        """What a conversation acknowledged and no checkpoint covers, by receipts."""
        return letters_of(self, "seen", conversation, after=after, limit=limit)

    def count_seen(self, conversation: str) -> int:
        """How many messages a conversation acknowledged that no checkpoint covers."""
        return self._number("seen", conversation)

    def _number(self, *key: str) -> int:
        def ask() -> int:
            content = content_at(self, key)
            number = 0 if content is None else value_of(content).get("n")
            if type(number) is not int:
                raise _damaged()
            return number

        return self.asked(ask)

    def mail(self, participant: str, *, after: int, limit: int) -> list[Letter]:
        """What somebody wrote or was owed, in the log's order, behind a place."""
        return letters_of(self, "mail", participant, after=after, limit=limit)

    def first_mail(self, participant: str, rooms: str) -> dict[str, int]:
        """
        The rooms whose ids begin so and from which somebody has mail, each with the
        number of its first there.
        """
        low, high = (
            ("from", participant, rooms),
            ("from", participant, rooms + AFTER_ALL),
        )
        rows = self.asked(lambda: self.rows_between(low, high))
        return {str(key[2]): int(value_of(content)["seq"]) for key, content in rows}

    def every(self, *, after: int, limit: int) -> list[Letter]:
        """All messages of all rooms, in the log's order, behind a place."""
        return letters_of(self, "every", after=after, limit=limit)


def letters_of(
    projection: Projection, *kind: str, after: int, limit: int
) -> list[Letter]:
    """The messages that the rows of a kind name, in their order, behind a place."""
    low: Key = (*kind, after + 1)
    high: Key = (*kind, AFTER_ALL)
    name, storage = projection.name, projection.storage

    def ask() -> list[Letter]:
        rows = storage.range(name, low=low, high=high, limit=limit)
        return [_letter(row.key, value_of(row.value)) for row in rows]

    return projection.asked(ask)


def _letter(key: Key, row: Mapping[str, Any]) -> Letter:
    try:
        return Letter(int(key[-1]), str(row["room"]), int(row["seq"]))
    except (LookupError, TypeError, ValueError):
        raise _damaged() from None


def _facts(content: bytes) -> dict[str, Any]:
    """What a delivery's row says."""
    row = value_of(content)
    numbers = [row.get("place"), *(row.get(name, 0) for name in _NUMBERS)]
    whole = all(type(one) is int for one in numbers)
    if not whole or not isinstance(row.get("held", ""), str):
        raise _damaged()
    return row


def _damaged() -> CorruptLog:
    return CorruptLog("corrupt_log", "a projection's row is damaged")


class _Batch(Feed):
    """What some records change of deliveries."""

    def _posted(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        seq, place = header["seq"], record.position
        author = header["sender"] or f"person:{header['author']}"
        self.put("room", room, seq, version=record.version, place=place, author=author)
        self.put("every", place, room=room, seq=seq)
        self._mail(author, place, room, seq)
        for conversation, *_ in header.get("owed", ()):
            self.put("room", room, seq, conversation, place=place)
            self.put("unseen", conversation, place, room=room, seq=seq)
            self._mail(conversation, place, room, seq)
            self.count(1, "unseen", conversation)
        for conversation, why in header.get("lost", ()):  # while it waited
            self.put("room", room, seq, conversation, place=place, held=why)

    def _mail(self, who: str, place: int, room: str, seq: int) -> None:
        self.put("mail", who, place, room=room, seq=seq)
        self.got("from", who, room, seq=seq)

    def _attempted(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        for row in self._rows(header, room, header.get("entries", ())):
            row["attempted"] = record.at

    def _pushed(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """A transport's word that it wrote them for the recipient (L-FACT-02)."""
        for row in self._rows(header, room, header["entries"]):
            row["attempted"] = row["told"] = record.at

    def _closed(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """A turn's end settles what it carried, or says that it was told (ledger 8)."""
        for row in self._rows(header, room, header.get("told", ())):
            row["told"] = record.at
        self._end(header, room, header.get("settled", ()), {"seen": record.at})

    def _settled(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """Read, or acknowledged, which gives each a number of its own."""
        one, receipts = header["conversation"], header.get("receipts", ())
        seqs = header.get("entries", ())
        self._end(header, room, seqs, {"seen": record.at})
        for seq, receipt in zip(seqs, receipts, strict=False):
            row = self.get("room", room, seq, one)
            if row is not None:
                row["receipt"] = receipt
                self.put("seen", one, receipt, room=room, seq=seq)
                self.count(1, "seen", one)

    def _covered(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        """A checkpoint covers receipts: nobody goes through them again."""
        one, last = header["conversation"], header["covered"]
        low: Key = ("seen", one, 0)
        stored = self.projection.rows_between(low, (*low[:2], last + 1))
        own = [key for key in self.rows if key[:2] == low[:2] and len(key) == len(low)]
        fresh = [key for key in own if int(key[2]) <= last]
        for key in dict.fromkeys([*(key for key, _ in stored), *fresh]):
            self._reconciled(one, int(key[2]))

    def _reconciled(self, conversation: str, receipt: int) -> None:
        if self.get("seen", conversation, receipt) is not None:
            self.delete("seen", conversation, receipt)
            self.count(-1, "seen", conversation)

    def _left(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        why = header.get("why", "left")
        self._end(header, room, header.get("ended", ()), {"held": why})

    def _subscribed(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        self._end(header, room, header.get("ended", ()), {"held": "mode_changed"})

    def _ended(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        self._end(header, room, header["entries"], {"held": header["why"]})

    def _end(
        self,
        header: Mapping[str, Any],
        room: str,
        seqs: Iterable[int],
        end: Mapping[str, Any],
    ) -> None:
        """Some of what a conversation has not seen waits no more, for a reason."""
        for row in self._rows(header, room, seqs):
            if not row.keys() & {"seen", "held"}:
                row.update(end)
                self._unseen_no_more(header["conversation"], row)

    def _unseen_no_more(self, conversation: str, row: Mapping[str, Any]) -> None:
        self.delete("unseen", conversation, row["place"])
        self.count(-1, "unseen", conversation)

    def _rows(
        self, header: Mapping[str, Any], room: str, seqs: Iterable[int]
    ) -> list[dict[str, Any]]:
        found = (self.get("room", room, seq, header["conversation"]) for seq in seqs)
        return [row for row in found if row is not None]

    def _gone(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        """A room is deleted: nothing of it stays, in anybody's inbox."""
        room = header["room"]
        for who in self._take_away(room, 0, AFTER_ALL):
            self.delete("from", who, room)

    def _expired(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        """Some messages are gone by age, so they are in nobody's inbox."""
        self._take_away(room, header["first"], header["last"] + 1)

    def _take_away(self, room: str, low: int, high: int | str) -> list[str]:
        """Drops the rows of some messages; whose mail they were."""
        everybody = []
        for key in self.keys_between(("room", room), low, high):
            row = self.get(*key)
            if row is None:
                continue
            if len(key) == 3:
                self.delete("every", row["place"])
                self.delete("mail", row["author"], row["place"])
                everybody.append(row["author"])
            else:
                self._forget(str(key[3]), row)
                everybody.append(str(key[3]))
            self.delete(*key)
        return everybody

    def _forget(self, conversation: str, row: Mapping[str, Any]) -> None:
        self.delete("mail", conversation, row["place"])
        if "receipt" in row:
            self._reconciled(conversation, row["receipt"])
        if not row.keys() & {"seen", "held"}:
            self._unseen_no_more(conversation, row)

    FEEDS: ClassVar[Feeds] = {
        "message_posted": _posted,
        "wake_taken": _attempted,
        "noticed": _attempted,
        "push_told": _pushed,
        "wake_closed": _closed,
        "settled": _settled,
        "checkpoint_saved": _covered,
        "seat_left": _left,
        "subscribed": _subscribed,
        "ended": _ended,
        "messages_expired": _expired,
        "room_unlisted": _gone,
    }
