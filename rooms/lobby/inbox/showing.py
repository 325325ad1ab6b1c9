"""
Showing: a message of an inbox, as far as its reader may read it.

Law: what was withdrawn from a conversation before it saw it has no words for it, unless
it reads the room by the seat that it has now; its person reads it (L-FACT-07). And to
look changes nothing: no receipt, no wake, no read position (L-READ-13). Only a look
that the right to read every room alone allows is recorded, as each of that kind is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rooms.errors import CorruptLog
from rooms.lobby.access.auditing import note_looks
from rooms.lobby.derived.batches import content_at, value_of
from rooms.lobby.derived.deliveries import Letter
from rooms.lobby.handles import Conversation
from rooms.lobby.inbox.asking import ANYTHING, Wanted
from rooms.lobby.inbox.facts import deliveries_of
from rooms.lobby.inbox.looking import is_behind
from rooms.lobby.inbox.mail import InboxPage, Mail
from rooms.lobby.inbox.values import Delivery, delivery_of
from rooms.lobby.messages import Message, message_of
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import present
from rooms.log import seats
from rooms.log.actors import Actor
from rooms.log.posting import MessagePosted, MessageScheduled

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["DamagedMessage", "Overseer", "Reader"]

_REVOKED = "[Held: room membership revoked]"
_WITHDRAWN = {"left": _REVOKED, "removed": _REVOKED}


class Overseer:
    """Who reads all of a lobby: the host, or a person whom it lets."""

    def __init__(self, desk: Desk, actor: Actor | None, wanted: Wanted) -> None:
        self._desk = desk
        self._actor = actor
        self._wanted = wanted

    def shown(self, letter: Letter) -> Mail | None:
        """
        A message that is wanted, with what became of it for each that it is owed to.
        """
        message = _message(self._desk, letter, self._wanted)
        if message is None:
            return None
        facts = _deliveries(self._desk, letter, message)
        return Mail(message, _room(self._desk, letter), None, facts)

    def looked(self, page: InboxPage, *, now: datetime | None) -> InboxPage:
        """The page, once a look by oversight alone is recorded."""
        if self._actor is not None:
            rooms = dict.fromkeys(mail.room.id for mail in page)
            note_looks(self._desk, self._actor, rooms, now=now)
        return page


class Reader:
    """Who reads one inbox."""

    def __init__(
        self,
        desk: Desk,
        inbox: Conversation,
        actor: Actor,
        wanted: Wanted = ANYTHING,
    ) -> None:
        self._desk = desk
        self._inbox = inbox
        self._actor = actor
        self._wanted = wanted
        self._since: dict[str, int | None] = {}

    def looked(self, page: InboxPage, *, now: datetime | None) -> InboxPage:
        """The page, once a look by oversight alone is recorded."""
        desk, actor = self._desk, self._actor
        if actor.kind == "person" and not is_behind(desk, self._inbox, actor):
            rooms = dict.fromkeys(mail.room.id for mail in page)
            note_looks(desk, actor, rooms, now=now)
        return page

    def received(self, letter: Letter) -> Mail | None:
        """A message that was owed to the inbox, without others' facts (L-FACT-03)."""
        message = _message(self._desk, letter, self._wanted)
        return None if message is None else self._mail(letter, message)

    def shown(self, letter: Letter) -> Mail | None:
        """
        A message of the history that is wanted; what it sent comes with what became of
        it.
        """
        message = _message(self._desk, letter, self._wanted)
        if message is None:
            return None
        if message.sender != self._inbox:
            return self._mail(letter, message)
        facts = _deliveries(self._desk, letter, message)
        if letter.version:  # a note to itself that is not delivered shows it, too
            own = [one for one in facts if one.recipient == self._inbox]
            room = _room(self._desk, letter)
            return Mail(message, room, own[0] if own else None, facts)
        return self._mail(letter, message, facts)

    def _mail(
        self, letter: Letter, message: Message, deliveries: tuple[Delivery, ...] = ()
    ) -> Mail | None:
        desk, inbox = self._desk, self._inbox
        key = ("room", letter.room, letter.seq, inbox.id)
        content, own = content_at(desk.deliveries, key), None
        if content is not None:
            own = delivery_of(inbox, value_of(content), own=True)
            why = _WITHDRAWN.get(own.held_reason or "")
            if why and self._actor.kind != "person" and not self._reads(letter):
                if self._wanted.words is not None:
                    return None  # nobody finds out what it says (L-READ-05)
                message = message.withheld(why)
        return Mail(message, _room(desk, letter), own, deliveries)

    def _reads(self, letter: Letter) -> bool:
        """Whether the conversation reads a message by the seat that it has now."""
        room, one = letter.room, self._inbox.id
        if room not in self._since:
            state = self._desk.room(room)
            here = seats.is_seated(state, one)
            self._since[room] = seats.unread_before(state, one) if here else None
        since = self._since[room]
        return since is not None and letter.seq > since


class DamagedMessage(Exception):
    """A message's own record is damaged: no row that is made anew would mend it."""

    def __init__(self, error: CorruptLog) -> None:
        super().__init__()
        self.error = error


def _message(desk: Desk, letter: Letter, wanted: Wanted) -> Message | None:
    """The message that a row names; None where it is gone, or is not wanted."""
    if letter.room not in desk.directory().rooms:
        return None
    try:
        found = _at(desk, letter)
        return found.check() if found is not None and wanted.fits(found) else None
    except CorruptLog as error:
        raise DamagedMessage(error) from None


def _at(desk: Desk, letter: Letter) -> Message | None:
    room, stream = letter.room, room_stream(letter.room)
    if letter.version:
        accepted = desk.fact(stream, letter.version)
        if accepted is None:
            return None
        return message_of(desk, room, present(desk, room, accepted)[0])
    records = desk.storage.messages(stream, after=letter.seq - 1, limit=1)
    found = records and records[0].seq == letter.seq
    return Message(desk, room, records[0]) if found else None


def _deliveries(desk: Desk, letter: Letter, message: Message) -> tuple[Delivery, ...]:
    """What became of a message for each that it is owed to, as it was decided."""
    seated, event = desk.room(letter.room).seats, message.fact.event
    owed: Sequence[tuple[str, ...]] = ()
    if isinstance(event, MessagePosted):
        owed = event.owed
    elif isinstance(event, MessageScheduled):
        owed = event.reached
    return deliveries_of(
        desk,
        letter.room,
        message.fact,
        [Conversation(one, seated[one].agent, desk) for one, *_ in owed],
    )


def _room(desk: Desk, letter: Letter) -> Room:
    from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out inboxes

    return Room(letter.room, desk)
