"""
What the lobby hands back: messages, receipts, pages, wakes, reports.

Law: all of them are values that nobody can change, and a receipt says literally what
became of a message for whom; nothing is called done that is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, overload

from attrs import evolve, field, frozen

from rooms.errors import InvalidInput
from rooms.lobby.messages import Message
from rooms.log.events import Fact
from rooms.log.posting import MessagePosted, MessageScheduled, Owed
from rooms.log.state import Lane, Seat
from rooms.rendering import MailFrame, Notice, Quoted, render_mail

if TYPE_CHECKING:
    from rooms.hooks import HookFailure
    from rooms.lobby.handles import Conversation, Person
    from rooms.lobby.inbox.values import Delivery
    from rooms.lobby.pushing.values import Push, ReceiptPush
    from rooms.lobby.room import Room
    from rooms.lobby.runtimes.bootstraps import Bootstrap
    from rooms.lobby.working.telling import Stops

__all__ = ["Message", "Page", "Posted", "Report", "Wake", "quoted"]


def _several(also: Any) -> tuple[Any, ...]:
    if isinstance(also, str | bytes) or not isinstance(also, Iterable):
        kind = type(also).__name__
        raise InvalidInput("also", f"is of type {kind}", allowed="notices")
    return tuple(also)


def _measured(words: str) -> str:
    return f"<{len(words)} characters>"


@frozen
class Posted:
    """
    The receipt of a post: what became of it for whom, as it is recorded.

    Attributes:
        duplicate: Whether the same request had been accepted before; nothing was done.
    """

    _room: Room = field(repr=False)
    _fact: Fact = field(repr=False)
    _seats: Mapping[str, Seat] = field(repr=False, eq=False)
    duplicate: bool = False

    @property
    def message(self) -> Message:
        """The message as it is recorded."""
        return self._room.message(self._fact)

    @property
    def woken(self) -> tuple[Conversation, ...]:
        """Conversations for which it can be taken now."""
        return self._in(Lane.READY)

    @property
    def held(self) -> tuple[Conversation, ...]:
        """
        Conversations for which it waits for a place in their wake window, or for the
        end of a rest or pause.
        """
        return self._in(Lane.HELD)

    @property
    def later(self) -> tuple[Conversation, ...]:
        """Conversations that are told with a digest, or with whatever wakes them."""
        return self._in(Lane.DIGEST, Lane.RIDER)

    @property
    def recipients(self) -> tuple[Conversation, ...]:
        """All conversations to which it is owed, now or later, as it was decided."""
        event = self._event
        if isinstance(event, MessageScheduled):
            return tuple(self._seated(one) for one, _ in event.reached)
        first = [one for one, *_ in event.owed]
        lost = [one for one, _ in event.lost]
        return tuple(self._seated(one) for one in (*first, *lost))

    @property
    def waits(self) -> bool:
        """Whether it was accepted to be delivered later, and is not yet."""
        return isinstance(self._event, MessageScheduled)

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """
        What became of it for each of `recipients`, in their order, as of now, also
        where it is the answer to a retry (L-SEND-15).

        Raises:
            NotFound: `unknown_message` where it is gone, by its age or with its room.
        """
        from rooms.lobby.inbox.facts import deliveries_of  # noqa: PLC0415 - asked seldom

        room = self._room
        return deliveries_of(room.desk, room.id, self._fact, self.recipients)

    @property
    def room(self) -> Room:
        """The room in which it stands."""
        return self._room

    @property
    def started(self) -> tuple[Conversation, ...]:
        """Conversations that it started."""
        return tuple(self._seated(one) for one, _ in self._begun)

    @property
    def unresolved(self) -> tuple[str, ...]:
        """Names called in the text that fit nobody here."""
        return self._event.unresolved

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What else the sender should know, such as a text that was cut."""
        cut, skipped = self._event.truncated_from, self._event.skipped
        notices = []
        if cut:
            notices.append(Notice("cut", {"from": cut, "to": len(self._event.text)}))
        if skipped:
            notices.append(Notice("skipped", {"agents": ", ".join(skipped)}))
        if self._event.reply_gone:
            notices.append(Notice("reply_gone", {"message": self._event.reply_to}))
        return tuple(notices)

    @property
    def _event(self) -> MessagePosted | MessageScheduled:
        event = self._fact.event
        assert isinstance(event, MessagePosted | MessageScheduled)  # noqa: S101
        return event

    @property
    def _owed(self) -> tuple[Owed, ...]:
        event = self._event
        return event.owed if isinstance(event, MessagePosted) else ()

    @property
    def _begun(self) -> tuple[tuple[str, str], ...]:
        event = self._event
        return event.started if isinstance(event, MessagePosted) else ()

    def _in(self, *lanes: str) -> tuple[Conversation, ...]:
        begun = {one for one, _ in self._begun}
        return tuple(
            self._seated(conversation)
            for conversation, _, _, _, lane in self._owed
            if lane in lanes and conversation not in begun
        )

    def _seated(self, conversation: str) -> Conversation:
        """The handle, also when the room or the lobby is gone by now."""
        return self._room.handle(conversation, self._seats[conversation].agent)

    def __repr__(self) -> str:
        return f"<Posted {self}>"

    def __str__(self) -> str:
        if self.waits:
            return f"waits until {self.message.deliver_at}"
        parts = [f"#{self.message.seq}"]
        for word in ("woken", "held", "later", "started"):
            names = ", ".join(str(one) for one in getattr(self, word))
            if names:
                parts.append(f"{word} {names}")
        if len(parts) == 1:
            parts.append("wakes nobody")
        if self.unresolved:
            parts.append(f"unresolved {', '.join(self.unresolved)}")
        return "; ".join([*parts, "again"] if self.duplicate else parts)


@frozen
class Page:
    """
    Some messages of a transcript, in rising order of seq; `page[0]`, `len(page)` and a
    loop are over `page.items`.

    Attributes:
        items: The messages.
        next_cursor: What to pass as `after` for the next page; None at the end.
        position: The number of the newest message at the time of reading.
        previous_cursor: What to pass as `before` to `Room.latest`, or where the page is
            from, for the messages before these; None at the beginning.
        read_only: Whether it is seen only by the right to read every room.
        audited: Whether this read is recorded, as each of that kind is.
    """

    items: tuple[Message, ...]
    next_cursor: int | None
    position: int
    previous_cursor: int | None = None
    read_only: bool = False
    audited: bool = False

    def __iter__(self) -> Iterator[Message]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> Message: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Message, ...]: ...
    def __getitem__(self, place: int | slice) -> Message | tuple[Message, ...]:
        return self.items[place]


@frozen
class Wake:
    """
    A turn that is owed to a conversation, as its holder took it.

    Attributes:
        id: The id of the take; it fences everything that is done with the wake.
        conversation: Who is woken.
        room: Where.
        kind: `turn`; `floor` where it has the floor of a planned room, which may carry
            no message; or `notice` for a turn that is there for another reason.
        messages: What it carries, in order of seq.
        why: The rule by which each message is owed, by seq.
        direct: The numbers of those that address the conversation itself, by its label,
            its agent's name or a reply.
        waited: How many of them had been held.
        hops: How far its farthest message is from a person's word.
        until: When the claim on it runs out, UTC.
        notices: What else the conversation should know.
        hidden: Whether it is from a hive: a host leaves it out of the person's chat and
            of chat channels (G-HIVE-07).
    """

    id: str
    conversation: Conversation
    room: Room
    kind: str
    messages: tuple[Message, ...]
    why: Mapping[int, str]
    waited: int
    hops: int
    until: datetime
    holder: str = field(repr=False)
    generation: int = field(default=0, repr=False)
    hold_for: timedelta = field(default=timedelta(minutes=15), repr=False)
    notices: tuple[Notice, ...] = ()
    direct: frozenset[int] = field(default=frozenset(), repr=False)
    hidden: bool = False

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every rule that owes one of the messages, each once, in order of seq."""
        return tuple(dict.fromkeys(self.why.values()))

    def render(self, *, also: Iterable[Notice] = (), **wording: Any) -> str:
        """
        The wake as text for a model: everything that others wrote is quoted, so that no
        message can forge a speaker or a line of the library (`rooms.rendering`).

        Args:
            also: More notices, such as those that a turn announced.
            wording: `wording=`, another `rooms.rendering.Wording`.
        """
        frame = self.frame()
        shown = evolve(frame, notices=[*frame.notices, *_several(also)])
        return render_mail(shown, **wording)

    def frame(self) -> MailFrame:
        """What `render` writes, as a value."""
        return MailFrame(
            room=self.room.name,
            kind=self.kind,
            waited=self.waited,
            reasons=self.reasons,
            notices=self.notices,
            messages=[quoted(one, self.why.get(one.seq)) for one in self.messages],
        )


def quoted(message: Message, why: str | None = None) -> Quoted:
    """A message as text for a model is made of it, with the rule by which it comes."""
    return Quoted(
        message.seq,
        str(message.sender),
        at=message.at,
        text=message.content,
        to=message.to,
        reply_to=message.reply_to,
        why=why,
        cut_from=message.truncated_from,
        carries=[one.path for one in message.attachments if one.path],
        late=message.late,
        failed=message.failed,
    )


@frozen
class Invitation:
    """
    An invitation that an agent has not answered.

    Attributes:
        room: The room that it may join.
        name: What the room is called.
        agent: Who is invited.
        by: The conversation or the person that invited it.
        at: When, UTC.
        reason: What for, in the words of who invited it; "" for none.
    """

    room: Room
    name: str
    agent: str
    by: Conversation | Person
    at: datetime
    reason: str = field(default="", repr=_measured)


@frozen
class Report:
    """
    What a call of `deliver` did.

    Attributes:
        delivered: Wakes that a plugin handed over.
        settled: Wakes whose turn a plugin ran to its end.
        uncarried: Wakes that no plugin took; they stay owed.
        pushed: What was handed to plugins to be sent, whatever they said of it.
        failures: What plugins did wrong, each with the plugin's name.
        bootstraps: Those that a plugin handed to a runtime which has just started.
        stops: What leads were told of turns that stopped, by a plugin.
    """

    delivered: tuple[Wake, ...] = ()
    settled: tuple[Wake, ...] = ()
    uncarried: tuple[Wake, ...] = ()
    failures: tuple[HookFailure, ...] = ()
    bootstraps: tuple[Bootstrap, ...] = ()
    stops: tuple[Stops, ...] = ()
    pushed: tuple[Push | ReceiptPush, ...] = ()
