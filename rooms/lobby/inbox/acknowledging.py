"""
Acknowledging: a conversation says by name what it has seen, over all its rooms.

Three laws. It is one commit, over the agent's stream and every room that it settles in:
all of it or nothing. What is named twice, seen already, gone or held for good is passed
over; what waits for its time, or was never for the caller, refuses all (L-RECEIPT-04,
L-RECEIPT-05). And who may not know of a room learns nothing of what is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from rooms import values
from rooms.errors import Conflict, InvalidInput, NotAllowed, NotFound
from rooms.lobby.access.gate import check, enter
from rooms.lobby.handles import Conversation, actor_of, conversation_of
from rooms.lobby.inbox.looking import acting
from rooms.lobby.messages import Message, fact_of, id_meant, posted
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.lobby.schedules.fates import ended
from rooms.log import ledger, receipts, seats
from rooms.log.access import DIRECT
from rooms.log.actors import Actor
from rooms.log.agents import Talk
from rooms.log.events import Event, Fact
from rooms.log.expiring import is_gone
from rooms.log.ledger import WakeTaken
from rooms.log.notified import PushReserved, push_named
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import room_of_record
from rooms.rendering import Notice

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "MOST_AT_ONCE",
    "Acknowledged",
    "Acknowledging",
    "acknowledge",
    "acknowledge_in",
    "ids_meant",
]

MOST_AT_ONCE = 100
"""How many messages are acknowledged at once (L-RECEIPT-01)."""


@frozen
class Acknowledged:
    """
    What came of acknowledging messages.

    Attributes:
        receipt_snapshot: The number of the conversation's last receipt by now.
        unknown_message_ids: What names no message of its inbox: mistyped, or gone.
        notices: What else it should know: `notification_ids` tells which of the unknown
            are ids of its own wakes and pushes, which carry messages and are none.
    """

    receipt_snapshot: int
    unknown_message_ids: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def acknowledge(
    desk: Desk,
    inbox: Conversation,
    messages: Any,
    *,
    by: Any,
    now: datetime | None,
) -> Acknowledged:
    """As `Inbox.acknowledge`, which documents it."""
    actor = acting(desk, inbox, by)
    named = ids_meant(messages)
    command = Acknowledging(desk, inbox, actor, named)

    def decide(_: int) -> Decision:
        command.look()
        return command.decided(receipts.give(command.talk, command.count))

    desk.record(decide, *command.streams, by=actor, now=now)
    return command.answer()


def acknowledge_in(
    desk: Desk, room: str, messages: Any, *, by: Any, now: datetime | None
) -> None:
    """As `Room.acknowledge`, which documents it."""
    inbox, actor = conversation_of(by), actor_of(by, desk)
    seats.member_seat(enter(desk, room, actor), inbox.id)
    named = ids_meant(messages)
    for message in named:
        fact = fact_of(desk, room, message)
        if fact is None or not isinstance(fact.event, MessageScheduled):
            posted(desk, room, message)
    acknowledge(desk, inbox, named, by=by, now=now)


def ids_meant(messages: Any, *, least: int = 1) -> tuple[str, ...]:
    """
    The ids that are handed in, each once.

    Raises:
        InvalidInput: `invalid_request` for what are no ids, or more than a hundred.
    """
    alone = isinstance(messages, str | bytes | Message)
    if alone or not isinstance(messages, Iterable):
        kind = type(messages).__name__
        raise InvalidInput(
            "messages", f"is of type {kind}", allowed="a list of messages or ids"
        )
    given = tuple(messages)
    if not least <= len(given) <= MOST_AT_ONCE:
        raise InvalidInput(
            "messages",
            f"names {len(given)}",
            allowed=f"{least} to {MOST_AT_ONCE} messages",
        )
    named = [_id(f"messages[{place}]", one) for place, one in enumerate(given)]
    return tuple(dict.fromkeys(named))


def _id(field: str, given: Any) -> str:
    meant = id_meant(field, given)
    if not isinstance(meant, str):
        kind = type(given).__name__
        raise InvalidInput(field, f"is of type {kind}", allowed="a message or its id")
    return values.storable(field, meant)


@define(eq=False)
class Acknowledging:
    """
    Messages that a conversation acknowledges, as they are when it is decided.

    Attributes:
        count: How many of them are acknowledged for the first time.
        snapshot: The conversation's last receipt then.
        unknown: What names nothing in the inbox, and `notified` which of that only told
            of messages.
        settled: By room, the receipt of each message that is settled there.
        owed: Messages whose senders asked to be told of it, by sender and its agent.
    """

    desk: Desk
    inbox: Conversation
    actor: Actor
    messages: Sequence[str]
    count: int = 0
    snapshot: int = 0
    unknown: list[str] = field(factory=list)
    notified: list[str] = field(factory=list)
    settled: dict[str, dict[int, int]] = field(factory=dict)
    owed: dict[tuple[str, str], list[str]] = field(factory=dict)

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that it may append to, as the fence and the time ask for them."""
        own = agent_stream(self.inbox.agent)
        with self.desk.lock:
            listed = self.desk.directory().rooms
        rooms = (room_of_record(message) for message in self.messages)
        known = dict.fromkeys(room_stream(room) for room in rooms if room in listed)
        return (own, *known)

    @property
    def talk(self) -> Talk:
        """The conversation, current; the lock is held."""
        return self.desk.talks(self.inbox.agent).talk(self.inbox.id)

    def look(self) -> None:
        """
        Finds what each message is to the conversation now, and numbers what is new.

        Raises:
            Conflict: `not_yet_delivered`, with the `id`.
            NotAllowed: `receipt_forbidden`, with the `id`.
        """
        last, self.count = self.talk.receipts, 0
        for found in (self.unknown, self.notified, self.settled, self.owed):
            found.clear()
        for message in self.messages:
            said = self._posted(message)
            if said is None or not self._waits(message, said):
                continue
            room = self.settled.setdefault(room_of_record(message), {})
            self.count += 1
            room[said.seq] = last + self.count
            if said.notify_when_seen and said.sender != self.inbox.id:
                sender = (said.sender, said.author)
                self.owed.setdefault(sender, []).append(message)
        self.snapshot = last + self.count

    def decided(self, own: Sequence[Event]) -> Decision:
        """The commit: what is settled in rooms, and the conversation's own events."""
        appends: dict[str, list[Event]] = {}
        for room, numbers in self.settled.items():
            seat = self.desk.room(room).seats[self.inbox.id]
            appends[room_stream(room)] = ledger.acknowledge(seat, numbers)
        appends[agent_stream(self.inbox.agent)] = [*own]
        for (sender, agent), messages in self.owed.items():
            told = receipts.ReceiptsOwed(
                sender, self.inbox.id, self.inbox.agent, tuple(messages)
            )
            appends.setdefault(agent_stream(agent), []).append(told)
        return Decision(appends)

    def answer(self) -> Acknowledged:
        """What came of it, once it is recorded."""
        told = Notice("notification_ids", {"ids": ", ".join(self.notified)})
        notices = (told,) if self.notified else ()
        return Acknowledged(self.snapshot, tuple(self.unknown), notices)

    def _posted(self, message: str) -> MessagePosted | None:
        """The message that an id names; what is none is noted."""
        room = room_of_record(message)
        known = room in self.desk.directory().rooms
        fact = fact_of(self.desk, room, message) if known else None
        said = None if fact is None else fact.event
        if fact is not None and isinstance(said, MessageScheduled):
            if self._never_comes(message, fact, said):
                return None
        elif fact is not None and isinstance(said, MessagePosted):
            gone = is_gone(self.desk.room(room), fact.version)
            if not gone:
                return said
        self.unknown.append(message)
        handed = said or self._pushed(message)
        if isinstance(handed, WakeTaken | PushReserved) and self._is_own(handed):
            self.notified.append(message)
        return None

    def _is_own(self, handed: WakeTaken | PushReserved) -> bool:
        return handed.conversation == self.inbox.id

    def _pushed(self, message: str) -> Event | None:
        """The push that an id names, of the inbox's own agent."""
        agent, version = push_named(message) or ("", 0)
        if agent != self.inbox.agent or not version:
            return None
        fact = self.desk.fact(agent_stream(agent), version)
        return None if fact is None else fact.event

    def _never_comes(self, message: str, fact: Fact, said: MessageScheduled) -> bool:
        """
        Whether one that was to come was cancelled, or withdrawn from the conversation
        while it waited; one that still waits is refused. Others' are as if they were
        not there yet (L-SCHED-04).
        """
        if all(one != self.inbox.id for one, _ in said.reached):
            return False
        room = room_of_record(message)
        if ended(self.desk, room, fact.version) is not None:
            return True
        coming = self.desk.room(room).coming
        waiting = None if coming is None else coming.waiting.get(fact.version)
        lost = () if waiting is None else waiting.lost
        if all(one != self.inbox.id for one, _ in lost):
            raise not_yet_delivered(message)
        return True

    def _waits(self, message: str, said: MessagePosted) -> bool:
        """Whether a message waits to be seen by the conversation."""
        room = room_of_record(message)
        seat = self.desk.room(room).seats.get(self.inbox.id)
        if seat is not None and seat.entry(said.seq) is not None:
            return True
        if any(one[0] == self.inbox.id for one in (*said.owed, *said.lost)):
            return False  # seen, held or gone
        if not self._may_know(room):
            self.unknown.append(message)
            return False
        raise NotAllowed(
            "receipt_forbidden",
            f"{message} was never for {self.inbox.agent}",
            id=message,
        )

    def _may_know(self, room: str) -> bool:
        """
        Whether the caller may learn that a room is there. That of a message without a
        room is no secret (L-RECEIPT-05); an invite-only one is (G-ACCESS-03).
        """
        try:
            check(self.desk, room, self.actor)
        except NotFound:
            return self.desk.room(room).access == DIRECT
        return True


def not_yet_delivered(message: str) -> Conflict:
    """What is said of a message that waits for its time."""
    return Conflict("not_yet_delivered", f"{message} is not delivered yet", id=message)
