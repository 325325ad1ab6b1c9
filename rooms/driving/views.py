"""
Views: what a speaker is shown before it answers.

Two laws. A window is derived from the transcript at each turn and never stored: what
landed since the participant's own last message (R-CATCHUP-02). And what others wrote is
quoted where it is rendered for a model, so that nothing in it can pass for anybody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import add
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from rooms.errors import StorageError
from rooms.lobby import Conversation, Message, Person, Room
from rooms.lobby.floors.heard import Heard
from rooms.lobby.floors.speaking import HasFloor
from rooms.lobby.floors.transcripts import messages_between
from rooms.log.activities import Floor
from rooms.log.posting import MessagePosted
from rooms.log.state import RoomState
from rooms.planning import leading_mentions
from rooms.planning.catchup import fitting
from rooms.planning.limits import CATCHUP_CHARS, CATCHUP_MESSAGES
from rooms.policy import RoomPolicy
from rooms.rendering import CatchUpFrame, Quoted, render_catch_up

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["View", "view_of"]

_ADDRESS = 128
"""No address of anybody in a lobby has as many characters."""


@frozen
class View:
    """
    What a speaker is shown.

    Attributes:
        room: Where.
        conversation: Who is asked.
        name: What it is called here.
        message: The person's message that opened the activity.
        text: Its words, without the names at its start.
        missed: What landed since the participant last spoke, oldest first.
        omitted: How many messages before those are left out.
        may_pass: Whether it may decline by the word `pass` alone; `Reply(passed=True)`
            declines in any case.
        round: The round of the turn, from 0.
        cut: What is shown of the newest one's text, where that is its beginning alone;
            else None.
        addressed: Whether it was addressed by its name.
        delegated: Whether the address came from the lead and not from a person, so that
            a host may limit what is done for it (R-DISPATCH-07).
        wake: The wake that the turn runs for.
    """

    room: Room
    conversation: Conversation
    name: str
    message: Message
    text: str = field(repr=False)
    missed: tuple[Message, ...] = field(repr=False)
    omitted: int
    may_pass: bool
    round: int
    cut: str | None = field(default=None, repr=False)
    addressed: bool = False
    delegated: bool = False
    wake: Any = field(default=None, repr=False)

    @property
    def clipped(self) -> bool:
        """Whether something that it missed is left out or cut."""
        return self.omitted > 0 or self.cut is not None

    def transcript(self) -> Iterator[Message]:
        """All that was said in the room, oldest first; it costs all of it."""
        desk: Desk = self.room._desk  # noqa: SLF001 - our own handle
        yield from messages_between(desk, self.room.id, 0, None)

    def lines(self) -> str:
        """
        The whole transcript as `speaker: content`, a line an event with content.

        Anybody can write such a line: for a model, `render` quotes what others said.
        Source: P-RUN-03.
        """
        return "\n".join(
            f"{speaker(one)}: {one.content}"
            for one in self.transcript()
            if one.content and not one.failed
        )

    def render(self, **wording: Any) -> str:
        """
        The view as text for a model: what it missed, that it was addressed, how to
        decline where that counts, and the message; without anything but the message,
        that alone (R-DISPATCH-03, R-DISPATCH-04).
        """
        if not self.missed and not self.omitted and not self.may_pass:
            return self.text
        return render_catch_up(self.frame(), **wording)

    def frame(self) -> CatchUpFrame:
        """What `render` writes, as a value."""
        shown = [_quoted(one) for one in self.missed]
        if self.cut is not None:
            whole = len(self.missed[-1].content)
            shown[-1] = evolve(shown[-1], text=self.cut, cut_from=whole)
        return CatchUpFrame(
            message=evolve(_quoted(self.message), text=self.text),
            messages=shown,
            omitted=self.omitted,
            addressed_as=self.name if self.addressed else None,
            pass_offered=self.may_pass,
        )


def speaker(message: Message) -> str:
    """Who wrote a message, as planners and transcripts call it."""
    sender = message.sender
    return sender.name if isinstance(sender, Person) else sender.agent


def _quoted(message: Message) -> Quoted:
    return Quoted(
        message.seq,
        str(message.sender),
        at=message.at,
        text=message.content,
        to=message.to,
        reply_to=message.reply_to,
        cut_from=message.truncated_from,
        late=message.late,
        failed=message.failed,
    )


def view_of(desk: Desk, turn: HasFloor) -> View:
    """What the seat that has the floor is shown."""
    wake, floor, heard = turn.wake, turn.floor, desk.heard
    with desk.lock.cached:  # all of it of one state, as the take left it
        room = desk.room(wake.room.id)
        _, last = room.spoken.get(floor.conversation, (0, 0))
        policy, since = room.policy, max(last, room.seq - CATCHUP_MESSAGES.ceiling)
        landed = _landed(room, floor, since, heard)
        if landed and landed[-1][1].seq == floor.activity:  # what is to be answered
            opener, _ = landed.pop()
        else:
            [opener] = heard.between(room, floor.activity - 1, floor.activity)
        opened = opener.fact.event
        text = opened.text if isinstance(opened, MessagePosted) else opener.content
        if text.lstrip().startswith("@"):
            text = leading_mentions(text, tuple(room.rostered())).message
        shown, cut = _window(landed, policy)
    return View(
        wake.room,
        wake.conversation,
        wake.conversation.agent,
        opener,
        text,
        shown,
        len(landed) - len(shown) + max(0, since - last),
        floor.may_pass,
        floor.round,
        cut,
        policy.planner == "addressed",
        isinstance(opened, MessagePosted) and opened.sender != "",
        wake,
    )


Landed = list[tuple[Message, MessagePosted]]
"""Messages, each with what was recorded of it."""


def _landed(room: RoomState, floor: Floor, since: int, heard: Heard) -> Landed:
    """
    What others said since; nothing where it cannot be read: no catch-up is better than
    no answer (R-DISPATCH-10).
    """
    own = floor.conversation
    try:
        return [
            (one, said)
            for one in heard.between(room, since, room.seq)
            if isinstance(said := one.fact.event, MessagePosted)
            if said.sender != own and said.text.strip()
        ]
    except StorageError:
        return []


def _window(
    landed: Landed, policy: RoomPolicy
) -> tuple[tuple[Message, ...], str | None]:
    """
    The newest of what landed, as much as the bounds of a catch-up let be shown, and
    what is shown of the very newest where that is its beginning alone (R-CATCHUP-08).
    """
    messages = tuple([one for one, _ in landed])
    if not landed:
        return messages, None
    most = CATCHUP_MESSAGES.used(policy.catchup_max_messages)
    room = CATCHUP_CHARS.used(policy.catchup_max_chars)
    words = [len(said.text) for _, said in landed]
    if len(landed) <= most and sum(words) + len(landed) * _ADDRESS <= room:
        return messages, None  # all of it, whatever they are called
    authors = [len(str(one.sender)) for one in messages]
    sizes = [*map(add, authors, words)][::-1]
    shown = messages[-fitting(sizes, most, room) :]
    if sizes[0] <= room:
        return shown, None
    return shown, landed[-1][1].text[: max(0, room - authors[-1])]
