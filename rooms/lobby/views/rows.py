"""
The rows behind the views: who was active where and when, what waits, who said what.

Two laws. No row holds a word that anybody wrote, so what is forgotten is in none. And a
batch of records writes a row once, however often it changes it.

    ("room", room)                       -> access, at, seq, waits
    ("room", room, "seat", conversation) -> agent, seen, said, waits
    ("room", room, "who", participant)   -> seen
    ("room", room, "asked", agent)       -> ""   invited, and not answered
    ("room", room, "with", who, seq)     -> ""   the exchange of one seat
    ("room", room, "hour", hour)         -> how many messages
    ("last", access, at, room)           -> ""   the list, by its last message
    ("look", access, room)               -> ""   rooms where somebody waits on a reply
    ("hour", access, hour)               -> how many messages in all such rooms
    ("total", access)                    -> how many of all time
    ("active", at, room, participant)    -> ""   each participant's last sign of life
    ("of", participant, access, room)    -> ""   who is in which room
    ("asked", agent, room)               -> ""   who is invited to which
    ("day", day, room)                   -> ""   days on which anything happened there
    ("audit", version)                   -> ""   oversight reads in the lobby's stream

A participant is an agent, by the key of its name, or `person:<name>`. An author, and
who an exchange is with, is a conversation by its id, or a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from rooms.addressing import name_key
from rooms.lobby.derived.batches import Feed, Feeds, content_at, value_of
from rooms.lobby.derived.feeding import AFTER_ALL, BATCH, Projection, header_of
from rooms.lobby.recording.streams import room_stream
from rooms.log.records import Record, room_of_record
from rooms.storage import Change, Key, Storage

__all__ = ["DAY", "HOUR", "Views", "participant_of"]

HOUR = 3_600_000_000
DAY = 24 * HOUR
_NAME = "views.1"
_TAGGED = frozenset({"direct", "group"})


class Views(Projection):
    """What the views are answered from, kept from the log."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage, _NAME)

    def take_in(self, reached: int, records: Sequence[Record]) -> None:
        """Moves the rows over these records."""
        _Batch(self).take_in(reached, records)

    def row(self, *key: int | str) -> dict[str, Any] | None:
        """The row of a key, or None."""
        content = self.content(key)
        return None if content is None else value_of(content)

    def content(self, key: Key) -> bytes | None:
        """A row as it is stored, or None."""
        return content_at(self, key)

    def names(self, *prefix: int | str) -> list[str]:
        """The last part of every key that begins so and has one more."""
        rows = self.rows_between(prefix, (*prefix, AFTER_ALL))
        return [str(key[-1]) for key, _ in rows]

    def audited(self, after: int, limit: int) -> list[int]:
        """The versions of oversight reads in the lobby's stream, after one."""
        rows = self.storage.range(
            self.name, low=("audit", after + 1), high=("audit", AFTER_ALL), limit=limit
        )
        return [int(row.key[1]) for row in rows]

    def downwards(self, low: Key, high: Key, *, step: int) -> Iterator[Key]:
        """The keys of a span, the last one first; first so many, then more at once."""
        while True:
            rows = self.storage.range(
                self.name, low=low, high=high, limit=step, reverse=True
            )
            yield from (row.key for row in rows)
            if len(rows) < step:
                return
            high, step = rows[-1].key, BATCH


def participant_of(actor_kind: str, name: str) -> str:
    """A participant's name in the rows: an agent's key, or a person's."""
    return f"person:{name}" if actor_kind == "person" else name_key(name)


class _Batch(Feed):
    """What some records change, each row once."""

    def __init__(self, views: Views) -> None:
        super().__init__(views)
        self.views = views
        self.authors: dict[tuple[str, int], str] = {}

    def changes(self) -> Iterator[Change]:
        """Every row that is another now, with those that stand by their time."""
        for key, row in list(self.rows.items()):
            if key[0] == "room":
                self._stand_by_time(key, self.stored.get(key), row)
        return super().changes()

    def _stand_by_time(
        self, key: Key, old: dict[str, Any] | None, new: dict[str, Any] | None
    ) -> None:
        for row, change in ((old, self.delete), (new, self.put)):
            if row is None:
                continue
            if len(key) == 2:
                change("last", row["access"], row["at"], key[1])
                looks = self.put if row["waits"] and row is new else self.delete
                looks("look", row["access"], key[1])
            elif key[2] == "who":
                change("active", row["seen"], key[1], key[3])
            elif key[2] == "asked":
                change("asked", key[3], key[1])

    # -- records

    def add(self, record: Record) -> None:
        """Takes in one record; a damaged one says nothing, and stops no other."""
        kind, _, room = record.stream.partition(":")
        if kind == "room":
            self.put("day", record.at // DAY, room)
        super().add(record)

    def _created(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        self.got("room", room, access=header["access"], at=record.at, seq=0, waits=0)
        if header.get("owner"):
            self._of(f"owner:{header['owner']}", room)

    def _joined(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        agent = name_key(header["agent"])
        one = header["conversation"]
        at = record.at
        self.got("room", room, "seat", one, agent=agent, seen=at, said=at, waits={})
        self._of(agent, room)
        self._answered(header, room, record)
        if header.get("acts_for"):
            self._of(f"person:{header['acts_for']}", room)
        self._seen(header, room, record)

    def _of(self, participant: str, room: str) -> None:
        self.put("of", participant, self.got("room", room)["access"], room)

    def _invited(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        self.put("room", room, "asked", name_key(header["agent"]))

    def _answered(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        """It joined or declined, or the invitation was taken back."""
        asked = ("room", room, "asked", name_key(header["agent"]))
        if self.get(*asked) is not None:
            self.delete(*asked)

    def _left(self, header: Mapping[str, Any], room: str, _: Record) -> None:
        seat = self.got("room", room, "seat", header["conversation"])
        self._settle(room, seat, list(seat["waits"]))
        if header.get("membership_ended"):
            self.delete("of", seat["agent"], self.got("room", room)["access"], room)

    def _seen(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """A post, a read or a wake is a sign of life (G-IDLE-01)."""
        seat = self.get("room", room, "seat", header["conversation"])
        if seat is not None:
            seat["seen"] = record.at
            self._alive(room, seat["agent"], record.at)

    def _changed(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """So is a change of a document, a person's too."""
        if header["sender"]:
            self._seen({"conversation": header["sender"]}, room, record)
        else:
            self._alive(room, f"person:{header['author']}", record.at)

    def _alive(self, room: str, participant: str, at: int) -> None:
        self.got("room", room, "who", participant, seen=at)["seen"] = at

    def _posted(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        seq, sender = header["seq"], header["sender"]
        person = f"person:{header['author']}"
        author = sender or person
        self.authors[record.stream, record.version] = author
        row = self.got("room", room)
        row["seq"], row["at"] = seq, record.at
        hour = record.at // HOUR
        self.count(1, "room", room, "hour", hour)
        self.count(1, "hour", row["access"], hour)
        self.count(1, "total", row["access"])
        if sender:
            if not header.get("accepted") and not header.get("schedule"):
                self._seen({"conversation": sender}, room, record)
            self.got("room", room, "seat", sender)["said"] = record.at
        else:
            self._alive(room, person, record.at)
            self._of(person, room)
        tags = {one: tag for one, _, tag, _, _ in header.get("owed", ())}
        reached = [one for one, tag in tags.items() if tag in _TAGGED]
        replied = self._author(header.get("reply_to", ""), record.stream)
        named = [f"person:{to[7:]}" for to in header.get("to", ()) if _of_person(to)]
        for one in self._with(header, record.stream):
            self.put("room", room, "with", one, seq)
        self._answer(room, sender, [*reached, replied, *named])
        for one in reached:
            if tags[one] == "direct":
                self._await(room, one, author, [seq, record.at])

    def _with(self, header: Mapping[str, Any], stream: str) -> list[str]:
        """In whose exchanges a message stands."""
        author = header["sender"] or f"person:{header['author']}"
        tags = {one: tag for one, _, tag, _, _ in header.get("owed", ())}
        reached = [one for one, tag in tags.items() if tag in _TAGGED]
        silent = [one for _, one in header.get("silent", ()) if one]
        replied = self._author(header.get("reply_to", ""), stream)
        return [
            one for one in dict.fromkeys([author, *reached, *silent, replied]) if one
        ]

    def _accepted(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """To say something later is a sign of life now, and none at its time."""
        if header["sender"]:
            self._seen({"conversation": header["sender"]}, room, record)
        else:
            self._alive(room, f"person:{header['author']}", record.at)

    def _await(self, room: str, one: str, author: str, since: list[int]) -> None:
        """One seat was addressed itself, and owes its author a reply (G-VIEW-07)."""
        seat = self.get("room", room, "seat", one)
        if seat is not None:
            self.got("room", room)["waits"] += not seat["waits"]
            seat["waits"].setdefault(author, [*since, 0])[2] += 1

    def _answer(self, room: str, sender: str, authors: Sequence[str]) -> None:
        """What a seat says to an author answers all that it owes that author."""
        seat = self.get("room", room, "seat", sender) if sender else None
        if seat is not None:
            self._settle(room, seat, authors)

    def _settle(self, room: str, seat: dict[str, Any], authors: Sequence[str]) -> None:
        waited = bool(seat["waits"])
        for author in authors:
            seat["waits"].pop(author, None)
        self.got("room", room)["waits"] -= waited and not seat["waits"]

    def _erased(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """What cannot be read any more waits on no reply."""
        version, number = header["record"], header["number"]
        said = self.views.storage.read(record.stream, after=version - 1, limit=1)
        told = (header_of(said[0]) if said else None) or {}
        self._unawait(room, told, number)

    def _expired(self, header: Mapping[str, Any], room: str, record: Record) -> None:
        """What is gone waits on no reply, and stands in no exchange."""
        after, last = header["first"] - 1, header["last"]
        while after < last:
            said = self.views.storage.messages(
                record.stream, after=after, limit=min(BATCH, last - after)
            )
            for one in said:
                told = header_of(one) or {}
                for who in self._with(told, record.stream):
                    self.delete("room", room, "with", who, told["seq"])
                self._unawait(room, told, told["seq"])
            after = (said[-1].seq or last) if said else last

    def _unawait(self, room: str, told: Mapping[str, Any], number: int) -> None:
        author = told.get("sender") or f"person:{told.get('author')}"
        for one, _, tag, _, _ in told.get("owed", ()):
            seat = self.get("room", room, "seat", one)
            waits = seat["waits"].get(author) if seat and tag == "direct" else None
            if seat and waits and waits[0] <= number:
                waits[2] -= 1
                if not waits[2]:
                    self._settle(room, seat, [author])

    def _author(self, message: str, stream: str) -> str:
        """Who wrote the message that is answered, or "" where it cannot be read."""
        version = message.rpartition(".")[2]
        if not version.isdecimal() or room_stream(room_of_record(message)) != stream:
            return ""
        place = stream, int(version)
        if place not in self.authors:
            records = self.views.storage.read(stream, after=place[1] - 1, limit=1)
            header = header_of(records[0]) if records else None
            if not header or "author" not in header:
                return ""
            author = header.get("sender") or f"person:{header['author']}"
            self.authors[place] = str(author)
        return self.authors[place]

    def _overseen(self, _: Mapping[str, Any], __: str, record: Record) -> None:
        self.put("audit", record.version)

    def _gone(self, header: Mapping[str, Any], _: str, __: Record) -> None:
        """A room is deleted: nothing of it stays, and nothing of it counts."""
        room = header["room"]
        prefix: Key = ("room", room)
        found = self.views.rows_between(prefix, (*prefix, AFTER_ALL))
        for key, _value in found:
            self.get(*key)
        access = (self.get(*prefix) or {}).get("access", "")
        for key in [key for key in self.rows if key[:2] == prefix]:
            row = self.rows[key]
            if row is not None and len(key) == 4 and key[2] == "hour":
                self.count(-row["n"], "hour", access, key[3])
                self.count(-row["n"], "total", access)
            if row is not None and len(key) == 4 and key[2] == "who":
                self.delete("of", key[3], access, room)
            self.delete(*key)

    FEEDS: ClassVar[Feeds] = {
        "room_created": _created,
        "room_unlisted": _gone,
        "oversight_read": _overseen,
        "invited": _invited,
        "invitation_ended": _answered,
        "seat_joined": _joined,
        "seat_left": _left,
        "message_posted": _posted,
        "message_scheduled": _accepted,
        "message_erased": _erased,
        "messages_expired": _expired,
        "wake_taken": _seen,
        "noticed": _seen,
        "settled": _seen,
        "document_changed": _changed,
    }


def _of_person(address: str) -> bool:
    return address.startswith("person:")
