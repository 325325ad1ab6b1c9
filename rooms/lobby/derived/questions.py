"""
Questions: what somebody is asked and has not answered, and what somebody asked and
waits for, kept from the log.

Two laws. An answer counts if it reached who asked (L-READ-06): while it is owed to the
asker, and once it is settled. One that ended before reached nobody, and one that is
deleted is none, so the question stands again. And a row costs no truth and holds no
word of people.

    ("asked", room, seq)             -> place, by, replies, gone
    ("asked", room, seq, who)        -> answers, held
    ("answer", room, seq)            -> asked, of, to, seen   a message that answers one
    ("released", room, version)      -> seq                by the id of what waited
    ("as", room, seq)                -> version
    ("unanswered", who, place)       -> room, seq          as it is asked, and who is
    ("awaiting", who, place)         -> room, seq          as it asks

Who is a conversation, by its id. A place is a record's position in the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from rooms.lobby.derived.batches import Feed, Feeds
from rooms.lobby.derived.deliveries import Letter, letters_of
from rooms.lobby.derived.feeding import AFTER_ALL, Projection, header_of
from rooms.log.records import Record, room_of_record
from rooms.storage import Change, Key, Storage

__all__ = ["Questions"]

_NAME = "questions.1"


class Questions(Projection):
    """Which questions stand, on whose pages."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        _Batch(self).take_in(reached, records)

    def unanswered(self, conversation: str, *, after: int, limit: int) -> list[Letter]:
        """What a conversation was asked and has not answered, behind a place."""
        return letters_of(self, "unanswered", conversation, after=after, limit=limit)

    def awaiting(self, conversation: str, *, after: int, limit: int) -> list[Letter]:
        """What a conversation asked and nobody has answered, behind a place."""
        return letters_of(self, "awaiting", conversation, after=after, limit=limit)


class _Batch(Feed):
    """What some records change of questions."""

    def changes(self) -> Iterator[Change]:
        """Every row that was touched, and whether each question stands then."""
        for key in [key for key in self.rows if key[0] == "asked"]:
            self._stand(key)
        return super().changes()

    def _stand(self, key: Key) -> None:
        row, asked = self.get(*key), self.get(*key[:3])
        if row is None or asked is None:
            return
        page, who, stands = "awaiting", asked["by"], not asked["replies"]
        if len(key) == 4:
            page, who = "unanswered", str(key[3])
            stands = not row["answers"] and not row["held"]
        if stands and not asked["gone"]:
            self.put(page, who, asked["place"], room=key[1], seq=key[2])
        else:
            self.delete(page, who, asked["place"])

    def _posted(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        seq, sender, place = header["seq"], header["sender"], record.position
        owed = [one for one, *_ in header.get("owed", ())]
        if header.get("accepted"):  # which names it for ever
            self.put("released", room, header["accepted"], seq=seq)
            self.put("as", room, seq, version=header["accepted"])
        if header.get("expects_reply") and sender:  # a person's asks for no answer
            self.put("asked", room, seq, place=place, by=sender, replies=0, gone=False)
            for who in owed:
                self.put("asked", room, seq, who, answers=0, held=False)
        if header.get("supersedes"):
            self._withdraw(self._named(header["supersedes"]))
        if header.get("reply_to"):
            self._answered(header, room, owed)

    def _answered(self, header: Mapping[str, Any], room: str, owed: list[str]) -> None:
        where = self._named(header["reply_to"])
        asked = None if where is None else self.get("asked", *where)
        if where is None or asked is None or asked["by"] not in owed:
            return
        of, to = header["sender"], asked["by"]
        self.put("answer", room, header["seq"], asked=where, of=of, to=to, seen=False)
        self._count(where, of, 1)

    def _count(self, where: Sequence[int | str], of: str, many: int) -> None:
        asked, own = self.get("asked", *where), self.get("asked", *where, of)
        if asked is not None and asked["by"] != of:
            asked["replies"] += many
        if own is not None:
            own["answers"] += many

    def _withdraw(self, where: tuple[str, int] | None) -> None:
        """A question that is replaced, or cannot be read any more, stands nowhere."""
        asked = None if where is None else self.get("asked", *where)
        if where is not None and asked is not None:
            asked["gone"] = True
            for key in self.keys_between(("asked", *where), 0, AFTER_ALL):
                self.get(*key)  # each is told anew

    def _erased(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        self._withdraw((room, header["number"]))

    def _ended(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        who = header["conversation"]
        for seq in header.get("entries") or header.get("ended") or ():
            own = self.get("asked", room, seq, who)
            if own is not None:
                own["held"] = True
            self._unreached(room, seq, who)

    def _unreached(self, room: str, seq: int, who: str) -> None:
        answer = self.get("answer", room, seq)
        if answer is not None and answer["to"] == who:
            self.delete("answer", room, seq)
            self._count(answer["asked"], answer["of"], -1)

    def _settled(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        for seq in header.get("entries") or header.get("settled") or ():
            answer = self.get("answer", room, seq)
            if answer is not None and answer["to"] == header["conversation"]:
                answer["seen"] = True

    def _expired(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        """Questions are gone by age, and so are answers: what was answered stays so."""
        first, last = header["first"], header["last"] + 1
        self._forget(room, first, last)
        for key in self.keys_between(("answer", room), first, last):
            answer = self.get(*key)
            if answer is not None and answer["seen"]:  # any other is told to have ended
                self.delete(*key)

    def _gone(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        """
        A room is deleted: its questions with it, and its answers, seen or not. Whoever
        feeds the rows from then on finds nothing of it in the log.
        """
        room = header["room"]
        for key in self.keys_between(("answer", room), 0, AFTER_ALL):
            answer = self.get(*key)
            if answer is not None:
                self._unreached(room, int(key[2]), answer["to"])
        self._forget(room, 0, AFTER_ALL)

    def _forget(self, room: str, low: int, high: int | str) -> None:
        """No question of these stands anywhere, and no id names one of them."""
        for key in self.keys_between(("as", room), low, high):
            waited = self.get(*key)
            if waited is not None:
                self.delete("released", room, waited["version"])
                self.delete(*key)
        questions = self.keys_between(("asked", room), low, high)
        for key in questions:
            if len(key) == 3:
                self._withdraw((room, int(key[2])))
        for key in questions:
            self._stand(key)
        for key in questions:
            self.delete(*key)

    def _named(self, message: str) -> tuple[str, int] | None:
        """The room and the number of the message that an id names."""
        room, version = room_of_record(message), message.rpartition(".")[2]
        if not version.isdecimal():
            return None
        after = int(version) - 1
        records = self.projection.storage.read(f"room:{room}", after=after, limit=1)
        header = (header_of(records[0]) if records else None) or {}
        waited = None if "seq" in header else self.get("released", room, int(version))
        seq = (waited or header).get("seq")
        return None if seq is None else (room, seq)

    FEEDS: ClassVar[Feeds] = {
        "message_posted": _posted,
        "message_erased": _erased,
        "seat_left": _ended,
        "subscribed": _ended,
        "ended": _ended,
        "settled": _settled,
        "wake_closed": _settled,
        "messages_expired": _expired,
        "room_unlisted": _gone,
    }
