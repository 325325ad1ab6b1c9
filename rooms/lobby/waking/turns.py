"""
Turns: running what a conversation was woken for, with its provenance.

Three laws. A turn that a room message woke carries nobody's word but what it is given
(foundation 15). It ends once: well, and what it carried is settled; or it raised, and
that is owed again (ledger 8, 9). And it is fenced: whoever does not hold the wake any
more is refused, and changes nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rooms.errors import Conflict, InvalidInput, NotFound, RoomsError
from rooms.lobby.access.hives import belongs_in_hive, join_hive
from rooms.lobby.answers import Posted, Wake
from rooms.lobby.handles import (
    Claim,
    Conversation,
    Person,
    actor_of,
    conversation_of,
)
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.waking.holding import HOLD, check_hold, facts_of, give_back_wake
from rooms.lobby.waking.restarting import restart_notices
from rooms.lobby.waking.taking import notices
from rooms.log import ledger
from rooms.log.actors import Actor
from rooms.rendering import Notice

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Turn"]


class Turn:
    """
    One run of a conversation; a context manager.

    Attributes:
        conversation: Who runs.
        wake: The wake that it runs for, or None where the host had another reason.
        word_of: The person on whose word it acts, or None.

    `with lobby.turn(wake) as turn:` opens the turn and ends it: well, or with its
    messages owed again where the body raises.
    """

    def __init__(
        self,
        desk: Desk,
        woken: Wake | Conversation | Claim,
        *,
        word_of: Person | None,
        now: datetime | None,
    ) -> None:
        self._desk = desk
        self.wake = woken if isinstance(woken, Wake) else None
        self.conversation = conversation_of(woken)
        handle = woken if self.wake is None else self.conversation
        acting = actor_of(handle, desk, field="woken")
        woken_as = None if self.wake is None else self.wake.generation
        self._claim = (
            (acting.generation, acting.runtime)
            if woken_as is None
            else (woken_as, None)
        )
        self.word_of = _word(self.wake, word_of)
        if self.word_of is not None:
            actor_of(self.word_of, desk, field="word_of")
        self._now = now
        self._open: list[Wake] = []
        self._notices: list[Wake] = []
        self._announced: tuple[Notice, ...] = ()
        self._state = "new"

    @property
    def actor(self) -> Actor:
        """
        The turn as an actor, until it ends.

        :meta private:
        """
        if self._state == "ended" and self.wake is None:  # a wake's is fenced by itself
            raise Conflict("stale_wake", "the turn has ended", current=None)
        return self._acting

    @property
    def _acting(self) -> Actor:
        return self._as("" if self.wake is None else self.wake.id)

    def _as(self, wake: str) -> Actor:
        """The turn as an actor, fenced by a wake or by none."""
        one, (generation, runtime) = self.conversation, self._claim
        word_of = "" if self.word_of is None else self.word_of.name
        return Actor(
            "conversation", one.id, one.agent, word_of, wake, generation, runtime
        )

    @property
    def notices(self) -> tuple[Wake, ...]:
        """
        What the conversation was told in this turn beside its wake, one notice a room
        that had something for it.
        """
        return tuple(self._notices)

    @property
    def announced(self) -> tuple[Notice, ...]:
        """
        What the library itself tells the conversation at the start of this turn, each
        once: of a restart that is planned. `wake.render(also=turn.announced)` shows it.
        """
        return self._announced

    def __enter__(self) -> Self:
        self.open()
        try:
            self._tell()
        except BaseException:  # an interrupt too: no `__exit__` is called
            self._give_back()
            raise
        return self

    def _tell(self) -> None:
        """Tells the conversation what it is told at a turn's start."""
        desk, one = self._desk, self.conversation
        with desk.lock:  # once: most turns have nothing to do with either
            planned = desk.directory().restart is not None
            missing = belongs_in_hive(desk, one)
        if missing:
            join_hive(desk, one, by=self._as(""), now=self._now)
        if planned:
            self._announced = restart_notices(desk, one, now=self._now)
        self.fetch_notices()

    def _give_back(self) -> None:
        """
        Ends the turn before anybody ran in it; no try is counted. Where the storage
        fails here too, the next take begins with it.
        """
        self._state = "ended"
        while self._open:
            wake = self._open.pop(0)
            try:
                self._end(wake, _unopened, now=self._now)
            except RoomsError:
                untold = (wake.room.id, wake.id, wake.conversation, wake.holder)
                self._desk.hand.untold.append(untold)

    def open(self) -> None:
        """
        Opens the turn on its wake, and fetches no notices.

        :meta private:
        """
        if self._state != "new":
            raise Conflict("turn_running", "the turn was opened before", current=None)
        if self.wake is not None:
            self._run(self.wake)
        self._state = "open"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del error, trace
        self.end(failed=kind is not None)

    def fetch_notices(self, *, now: datetime | None = None) -> tuple[Wake, ...]:
        """
        What became ready for the conversation since, for a host that can inject it into
        the running turn; what nobody fetches wakes it again after the turn.
        """
        fetched = notices(
            self._desk, self.conversation, self._open, now=now or self._now
        )
        known = {wake.id for wake in self._open}
        self._open += [wake for wake in fetched if wake.id not in known]
        self._notices += fetched
        return fetched

    def reply(self, content: str, **options: Any) -> Posted:
        """
        Posts into the wake's room, as a reply to what woke the turn.

        That is the newest message that addresses the conversation itself, else the
        newest of all. Options are those of `Room.post`.

        Raises:
            InvalidInput: `invalid_request` for a turn that no wake opened: post into a
                room instead. A wake that carries no message answers none.
            Conflict: `stale_wake` once the turn has ended or was overtaken;
                `stale_runtime` behind a newer claim.
            Refused: All else that `Room.post` raises.
        """
        if self.wake is None:
            raise InvalidInput("turn", "has no wake to reply to", allowed="room.post")
        options.setdefault("reply_to", _answered(self.wake))
        return self.wake.room.post(content, by=self, **options)

    def renew(
        self,
        hold_for: timedelta = HOLD,
        *,
        now: datetime | None = None,
    ) -> None:
        """
        Lets the claims of this turn hold for longer; a long turn calls it in time.

        Raises:
            Conflict: `stale_wake` where a claim has run out, `stale_runtime`.
            InvalidInput: `invalid_request` for no duration, or one above 30 days.
        """
        for wake in self._open:
            self._on(wake, ledger.renew, hold_for=check_hold(hold_for), now=now)

    def end(self, *, failed: bool = False, now: datetime | None = None) -> None:
        """
        Ends the turn; `failed` gives back what it carried, or the wake on which it was
        never opened. Ending twice is no fault.

        A wake that is not this turn's any more, because its claim ran out and somebody
        took it, is left alone: it has a new holder. So is one whose room is gone. Where
        the storage fails, what has not ended yet ends when `end` is called again.
        """
        if self._state == "new" and failed and self.wake is not None:
            give_back_wake(self._desk, self.wake, now=now)
        self._state = "ended"
        while self._open:
            wake = self._open.pop(0)
            try:
                self._end(wake, _raised if failed else ledger.close, now=now)
            except BaseException:  # an interrupt too: it ends when this is called again
                self._open.insert(0, wake)
                raise

    def _end(self, wake: Wake, decide_wake: Any, *, now: datetime | None) -> None:
        self._desk.hand.note_done(wake.room.id, wake.conversation.id)
        try:
            self._on(wake, decide_wake, now=now)
        except (Conflict, NotFound) as gone:
            if gone.code not in {"stale_wake", "stale_runtime", "room_not_found"}:
                raise

    def _run(self, wake: Wake) -> None:
        self._desk.hand.note_turn(wake.holder)
        self._on(wake, ledger.open_turn, hold_for=wake.hold_for, now=self._now)
        self._open.append(wake)

    def _on(
        self,
        wake: Wake,
        decide_wake: Any,
        *,
        hold_for: timedelta = HOLD,
        now: datetime | None,
    ) -> None:
        desk, stream = self._desk, room_stream(wake.room.id)
        one = wake.conversation

        def decide(at: int) -> Decision:
            facts = facts_of(desk, [(one.id, one.agent)], wake.holder, at, hold_for)
            room = desk.room(wake.room.id)
            return Decision({stream: decide_wake(room, wake.id, one.id, facts, now=at)})

        # The ledger fences each wake by itself; the turn's own may have ended before.
        desk.record(decide, stream, by=self._as(""), now=now)


_raised = partial(ledger.give_back, why="raised")
_unopened = partial(ledger.give_back, why="given_back")


def _word(wake: Wake | None, word_of: Any) -> Person | None:
    if word_of is not None and not isinstance(word_of, Person):
        kind = type(word_of).__name__
        raise InvalidInput("word_of", f"is of type {kind}", allowed="a person")
    if wake is not None and word_of is not None:
        raise InvalidInput(
            "word_of",
            "stands behind a turn that a room message woke",
            allowed="None: such a turn has nobody's word",
        )
    return word_of


def _answered(wake: Wake) -> str | None:
    """The message that a reply answers, if the wake carries any."""
    direct = [one for one in wake.messages if one.seq in wake.direct]
    carried = direct or wake.messages
    return carried[-1].id if carried else None
