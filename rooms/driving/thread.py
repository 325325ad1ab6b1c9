"""
The thread: a person addresses participants by name, and is answered in their words.

Three laws. The first name is strict: one that nobody bears is answered with the roster,
and nothing runs or is recorded (R-ADDR-04, R-RECORD-09). Whoever is addressed answers
itself, without a turn of the lead (R-DISPATCH-01). And bookkeeping never costs an
answer (R-DISPATCH-10).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from attrs import field, frozen

from rooms.driving.loop import drive, drive_async
from rooms.driving.notes import Note, notes_of, render_note
from rooms.driving.outcomes import Driven, Turned
from rooms.driving.views import View
from rooms.errors import InvalidInput, NotFound
from rooms.lobby import Conversation, Message, Person, Room
from rooms.lobby.given import check_room
from rooms.planning import leading_mentions

__all__ = ["Thread", "ThreadAnswer"]


@frozen
class ThreadAnswer:
    """
    What an address came to.

    Attributes:
        kind: `replies`: participants were asked. `lead`: nobody was addressed, and the
            message stands in the room for the lead. `roster`: the first name is
            nobody's. `usage`: there were names and no message. The last two recorded
            nothing.
        names: Who was addressed; for `roster`, who could have been.
        unknown: The name as typed that nobody bears, or "".
        message: The person's message as it stands in the room, or None.
        turns: What came of the participants.
        reason: Why it ended, as `Driven.reason`.
        notes: What else the operator should know.
    """

    kind: Literal["replies", "lead", "roster", "usage"]
    names: tuple[str, ...] = ()
    unknown: str = ""
    message: Message | None = None
    turns: tuple[Turned, ...] = ()
    reason: str = ""
    notes: tuple[Note, ...] = field(default=())

    @property
    def refused(self) -> str:
        """The refusal, `unknown_participant` or `empty_message`; "" for none."""
        refusals = {"roster": "unknown_participant", "usage": "empty_message"}
        return refusals.get(self.kind, "")

    @property
    def falls_to_lead(self) -> bool:
        """
        Whether the lead should answer instead, since nobody was addressed, or nobody
        who was could be reached (R-DISPATCH-09).
        """
        first = [one for one in self.turns if one.round == 0]
        unreached = [one.kind == "unreachable" for one in first]
        return self.kind == "lead" or (bool(first) and all(unreached))

    def render(self) -> str:
        """
        The answer in the default words: the bare reply of one who was addressed alone,
        else every reply with its author; then the notes (R-DISPATCH-08, R-NOTE-06).
        """
        if self.kind == "roster":
            there = ", ".join(self.names) or "none"
            return f"Nobody is called {self.unknown}. Available: {there}."
        if self.kind == "usage":
            return f"Write @{self.names[0]} and then what to ask."
        if self.kind == "lead":
            return ""
        lines = [line for one in self.turns if (line := self._line(one))]
        if not lines:
            lines = ["Nobody had anything to add."]
        return "\n\n".join([*lines, *map(render_note, self.notes)])

    def _line(self, turn: Turned) -> str:
        if turn.outcome in {"failed", "timed_out"}:
            return f"{turn.name} failed: {turn.error}"
        if turn.outcome == "empty" and len(self.names) == 1:
            return f"{turn.name} came back with an empty reply."
        if not turn.text:
            return ""
        return turn.text if len(self.names) == 1 else f"{turn.name}: {turn.text}"


class Thread:
    """
    A room of the preset `thread`, as its operator uses it.

    Args:
        room: The room; its policy's planner is `addressed`, and its `lead` answers what
            addresses nobody and has no part in the rounds.

    Raises:
        InvalidInput: `invalid_request` for a room without a planner: nobody would
            answer in it.
        NotFound: `room_not_found`.
    """

    def __init__(self, room: Room) -> None:
        check_room(room)
        if room.policy.planner == "none":
            raise InvalidInput(
                "room", "has no planner", allowed="one of policy='thread'"
            )
        self.room = room

    @property
    def roster(self) -> tuple[str, ...]:
        """Who can be addressed, in the order of joining."""
        desk = self.room._desk  # noqa: SLF001 - our own handle
        with desk.lock:
            return tuple(desk.room(self.room.id).rostered())

    def address(
        self,
        text: str,
        *,
        by: Person | Conversation,
        speak: Callable[[Conversation, View], Any],
        **options: Any,
    ) -> ThreadAnswer:
        """
        Posts a person's message and runs whom it addresses.

        Args:
            text: The message, with the names of participants at its start, or without.
            by: The person; or the lead's conversation, which delegates.
            speak: As of `drive`, whose other arguments are `options`.

        Raises:
            Refused: What a post may be refused with.
        """
        opened = self.open(text, by=by)
        if opened.kind != "replies" and not self._responds(opened):
            return opened
        return self._answer(opened, drive(self.room, speak, **options))

    async def address_async(
        self,
        text: str,
        *,
        by: Person | Conversation,
        speak: Callable[[Conversation, View], Awaitable[Any]],
        **options: Any,
    ) -> ThreadAnswer:
        """As `address`, over `drive_async`."""
        opened = self.open(text, by=by)
        if opened.kind != "replies" and not self._responds(opened):
            return opened
        return self._answer(opened, await drive_async(self.room, speak, **options))

    def open(self, text: str, *, by: Person | Conversation) -> ThreadAnswer:
        """
        Reads whom a message addresses and posts it; nobody is asked yet.

        The names are looked at again as it is recorded: where one is gone by then, the
        answer is the roster, for the whole message (R-ADDR-12).
        """
        roster = self.roster
        addressed = leading_mentions(text, roster)
        if addressed.unknown:
            return ThreadAnswer("roster", roster, addressed.unknown)
        names = addressed.names
        if names and not addressed.message:
            return ThreadAnswer("usage", names)
        to = [f"agent:{name}" for name in names]
        try:
            posted = self.room.post(text, by=by, to=to)
        except NotFound as gone:
            if gone.code != "unknown_address":
                raise
            return ThreadAnswer("roster", self.roster, names[0] if names else "")
        kind: Literal["replies", "lead"] = "replies" if names else "lead"
        return ThreadAnswer(kind, names, message=posted.message)

    def _responds(self, opened: ThreadAnswer) -> bool:
        """Whether a default responder answers what addresses nobody."""
        return opened.kind == "lead" and bool(self.room.policy.default_responder)

    def _answer(self, opened: ThreadAnswer, driven: Driven) -> ThreadAnswer:
        """The part of what was driven that this message opened."""
        seq = 0 if opened.message is None else opened.message.seq
        turns = tuple(one for one in driven.turns if one.activity == seq)
        names = opened.names or tuple(dict.fromkeys(one.name for one in turns))
        waiting = [one.name for one in turns if one.pending]
        reason = driven.ends.get(seq, driven.reason)
        notes = notes_of(names, turns, reason, waiting=waiting)
        return ThreadAnswer("replies", names, "", opened.message, turns, reason, notes)
