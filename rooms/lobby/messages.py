"""
Messages of a room: what is recorded as a value, and the record that an id names.

Law: an id names one record of one room; an id of another room, or of a record that is
no message, names nothing here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import repeat
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from rooms import values
from rooms.errors import CorruptLog, InvalidInput, NotFound
from rooms.lobby.files.values import Attachment
from rooms.lobby.handles import Conversation, Person
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import ended, message_id
from rooms.log.events import Fact, decoded
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import Record, parsed, record_named, room_of_record
from rooms.values import LAST, micros, moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "fact_of",
    "id_meant",
    "message_of",
    "messages_at",
    "posted",
    "superseded_by",
    "superseding_key",
]


_SAID = (MessagePosted, MessageScheduled)
_LATEST = micros("the last instant", LAST)


def id_meant(field: str, given: Any) -> Any:
    """A message's id where it is given itself; anything else as it is; no number."""
    if isinstance(given, Message):
        return given.id
    if isinstance(given, int):
        raise InvalidInput(
            field,
            f"is of type {type(given).__name__}",
            allowed="the message's id (message.id), not its number",
        )
    if isinstance(getattr(given, "message", None), Message):  # a receipt, a mail
        raise InvalidInput(
            field,
            f"is of type {type(given).__name__}",
            allowed="a message, which is its `message`, or the id of one",
        )
    return given


class Message:
    """
    One immutable entry of a transcript.

    What a record says is read from it when it is first asked for, so a page costs what
    is looked at.

    Raises:
        CorruptLog: `corrupt_log`, from any attribute, where the record is damaged.
    """

    __slots__ = ("_place", "_source")

    _place: tuple[Desk, str]
    _source: Record | Fact

    def __init__(self, desk: Desk, room: str, source: Record | Fact) -> None:
        _put_place(self, (desk, room))
        _put_source(self, source)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses: nobody changes a message."""
        raise FrozenInstanceError

    def __delattr__(self, name: str) -> None:
        """Refuses, as above."""
        raise FrozenInstanceError

    @property
    def id(self) -> str:
        """Its id; ids of one room sort as its messages do."""
        return message_id(self._place[1], self._fact)

    @property
    def seq(self) -> int:
        """
        Its number in the transcript, dense from 1, given as it is delivered; 0 before.
        """
        source = self._source
        if isinstance(source, Record) and type(source.seq) is int:
            return source.seq  # it repeats what the header says
        event = self._event
        return event.seq if isinstance(event, MessagePosted) else 0

    @property
    def at(self) -> datetime:
        """When it was recorded, UTC; one that waited, when it was delivered."""
        fact = self._fact
        at = moment(fact.at)
        if at is None:
            where = f"{room_stream(self._place[1])} {fact.version}"
            raise CorruptLog("corrupt_log", f"{where} lies after all time", where=where)
        return at

    @property
    def sender(self) -> Conversation | Person:
        """The conversation or the person that wrote it."""
        event, desk = self._event, self._place[0]
        if event.sender:
            return Conversation(event.sender, event.author, desk)
        return Person(event.author, desk)

    @property
    def to(self) -> tuple[str, ...]:
        """The addresses, in canonical form; empty for the room."""
        return self._event.to

    @property
    def content(self) -> str:
        """What was said; "" where it was erased."""
        return self._event.text

    @property
    def reply_to(self) -> str | None:
        """The id of the message that it answers, or None."""
        return self._event.reply_to or None

    @property
    def hops(self) -> int:
        """How many answers it is away from a person's word."""
        return self._event.hops

    @property
    def truncated_from(self) -> int | None:
        """The length before it was cut, in characters, or None."""
        return self._event.truncated_from or None

    @property
    def erased(self) -> bool:
        """Whether its words are gone."""
        return self._fact.erased

    @property
    def silent(self) -> tuple[str, ...]:
        """Addresses that it names without calling them."""
        return tuple(address for address, _ in self._event.silent)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """
        The files that it carries, in the order of their attaching; an erased message
        has lost their paths and digests.
        """
        event = self._event
        if not event.files:
            return ()
        message, at, sender = self.id, self.at, self.sender
        named = event.attachments or (("", ""),) * len(event.files)
        types = event.types or ("",) * len(event.files)
        return tuple(
            Attachment(path, message, at, sender, size, text, content, kind)
            for (path, content), (_, size, text), kind in zip(
                named, event.files, types, strict=False
            )
        )

    @property
    def late(self) -> bool:
        """
        Whether it came after the turn that it belongs to, or more than a minute after
        it was due.
        """
        event = self._event
        return isinstance(event, MessagePosted) and event.late

    @property
    def deliver_at(self) -> datetime | None:
        """When it is to be delivered, or was to be; None for at once."""
        return moment(self._event.due) if self._event.due else None

    @property
    def delivered_at(self) -> datetime | None:
        """When it was delivered; None while it waits, and where it never will be."""
        return self.at if isinstance(self._event, MessagePosted) else None

    @property
    def cancelled_at(self) -> datetime | None:
        """When it was cancelled before its time, or None."""
        if isinstance(self._event, MessagePosted):
            return None
        desk, room = self._place
        over = ended(desk, room, self._fact.version)
        return None if over is None or _is_delivered(over) else moment(over.at)

    @property
    def schedule(self) -> str | None:
        """The id of the recurring schedule of which it is an occurrence, or None."""
        event = self._event
        return (event.schedule or None) if isinstance(event, MessagePosted) else None

    @property
    def failed(self) -> bool:
        """Whether it is what a failed turn left instead of an answer."""
        event = self._event
        return isinstance(event, MessagePosted) and event.failed

    @property
    def kind(self) -> str | None:
        """
        One of `request`, `notice`, `assignment`, `report` and `question`; None where
        its sender did not say.
        """
        return self._event.kind or None

    @property
    def expects_reply(self) -> bool | None:
        """Whether an answer is expected; None where its sender did not say."""
        return self._event.expects_reply

    @property
    def urgency(self) -> str:
        """One of `quiet`, `normal` and `now`, for how soon it should be told."""
        return self._event.urgency

    @property
    def correlation(self) -> str | None:
        """The sender's own id of what it belongs to, or None."""
        return self._event.correlation or None

    @property
    def fields(self) -> Mapping[str, Any]:
        """What it says as data, by name; empty where it says nothing so."""
        written = self._event.structured
        where = f"{room_stream(self._place[1])} {self._fact.version}"
        return MappingProxyType(
            parsed(written.encode(), where=where) if written else {}
        )

    @property
    def supersedes(self) -> str | None:
        """The id of the message that it replaces, or None."""
        event = self._event
        return (event.supersedes or None) if isinstance(event, MessagePosted) else None

    @property
    def superseded_by(self) -> str | None:
        """The id of the message that replaced it by now, or None."""
        return superseded_by(self._place[0], self.id)

    @property
    def _fact(self) -> Fact:
        source = self._source
        if isinstance(source, Record):
            source = decoded(source)
            _put_source(self, source)
        return source

    @property
    def _event(self) -> MessagePosted | MessageScheduled:
        event = self._fact.event
        if not isinstance(event, _SAID):
            raise NotFound("unknown_message", "the record is no message")
        return event

    def check(self) -> Message:
        """
        The message, read as a whole: where its record is damaged, it is refused here.

        :meta private:
        """
        fact = self._fact
        if not isinstance(fact.event, _SAID) or fact.event.files or fact.at > _LATEST:
            _ = self.attachments, self.at
        return self

    def saying(self, content: str) -> Message:
        """
        The message with other words, such as a part of its own.

        :meta private:
        """
        event: Any = self._event  # an attrs class, by its decorator
        said = self._fact._replace(event=evolve(event, text=content))
        return Message(*self._place, said)

    def withheld(self, why: str) -> Message:
        """
        The message with nothing that its sender worded or attached, but why.

        :meta private:
        """
        event: Any = self._event
        gone = {"files": (), "attachments": (), "correlation": "", "structured": ""}
        said = self._fact._replace(event=evolve(event, text=why, **gone))
        return Message(*self._place, said)

    @property
    def fact(self) -> Fact:
        """
        The message as it is recorded.

        :meta private:
        """
        return self._fact

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return _all(self) == _all(other)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        """All but its words, which stay out of logs (S16)."""
        shown = {name: repr(getattr(self, name)) for name in _FIELDS}
        shown["content"] = f"<{len(self.content)} characters>"
        return (
            f"Message({', '.join(f'{name}={value}' for name, value in shown.items())})"
        )


_FIELDS = (
    *("id", "seq", "at", "sender", "to", "content", "reply_to", "hops"),
    *("truncated_from", "erased", "silent", "attachments", "late", "failed"),
    *("kind", "expects_reply", "urgency", "correlation", "supersedes"),
    *("deliver_at", "schedule"),
)
_all = attrgetter(*_FIELDS)
# Past `__setattr__`, and quicker than around it.
_put_place, _put_source = (vars(Message)[name].__set__ for name in Message.__slots__)
_new = object.__new__


def on_page(desk: Desk, room: str, records: Iterable[Record]) -> list[Message]:
    """The messages of records, which nobody has looked at yet."""
    found = list(records)
    messages = list(map(_new, repeat(Message, len(found))))
    # Without a line of Python for each of them: a page has many.
    _exhaust(map(_put_place, messages, repeat((desk, room))))
    _exhaust(map(_put_source, messages, found))
    return messages


def _exhaust(calls: Iterator[object]) -> None:
    deque(calls, maxlen=0)


def message_of(desk: Desk, room: str, fact: Fact) -> Message:
    """A recorded message as a value, one that waits too."""
    if not isinstance(fact.event, _SAID):
        raise NotFound("unknown_message", "the record is no message")
    return Message(desk, room, fact)


def messages_at(desk: Desk, room: str, seqs: Iterable[int]) -> tuple[Message, ...]:
    """The messages of these numbers, in their order; it costs what it returns."""
    found: list[Message] = []
    for first, last in _runs(sorted(seqs)):
        records = desk.storage.messages(
            room_stream(room), after=first - 1, limit=last - first + 1
        )
        found += [Message(desk, room, one).check() for one in records]
    return tuple(found)


def _runs(seqs: Sequence[int]) -> list[tuple[int, int]]:
    """Rising numbers as runs of neighbours, so that a run is one question."""
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and runs[-1][1] == seq - 1:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))
    return runs


def fact_of(desk: Desk, room: str, message: str) -> Fact | None:
    """
    The record that a message's id names, or None; for one that waited it is that of its
    release.
    """
    number = record_named(room, message)
    fact = desk.fact(room_stream(room), number) if number else None
    if fact is None or not isinstance(fact.event, MessagePosted | MessageScheduled):
        return fact
    if isinstance(fact.event, MessagePosted):
        return None if fact.event.accepted else fact  # its acceptance names it
    over = ended(desk, room, number)
    return over if over is not None and _is_delivered(over) else fact


def _is_delivered(over: Fact) -> bool:
    return isinstance(over.event, MessagePosted)


def superseding_key(message: str) -> str:
    """The key that is held by what replaces a message, so that one alone does."""
    return f"superseded:{message}"


def superseded_by(desk: Desk, message: str) -> str | None:
    """The id of what replaced a message, or None."""
    holder = desk.storage.find(superseding_key(message))
    if holder is None:
        return None
    # The key is held by the commit's first record; the message is its last.
    stream, _, version = holder.rpartition(" ")
    fact = desk.fact(stream, int(version))
    while fact is not None and not isinstance(fact.event, MessagePosted):
        fact = desk.fact(stream, fact.version + 1)
    room = room_of_record(message)
    return None if fact is None else message_id(room, fact)


def posted(desk: Desk, room: str, message: str) -> MessagePosted:
    """The message that an id names; `NotFound` with `unknown_message`."""
    fact = fact_of(desk, room, values.text("message", message))
    if fact is None or not isinstance(fact.event, MessagePosted):
        raise NotFound(
            "unknown_message", f"no message {message[:80]!a} is here", id=message
        )
    return fact.event
