"""
The room handle: posting, joining, listening, reading, searching, asking why.

Law: every call here goes the one path of the model, and every refusal comes from the
rules in `rooms.log`; this module only gathers the facts and hands out the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import CorruptLog, InvalidInput, NotAllowed, NotFound
from rooms.hearing import Mode, Subscription
from rooms.lobby.answers import Message, Page, Posted
from rooms.lobby.commits import Decision
from rooms.lobby.fence import check_fence
from rooms.lobby.handles import Agent, Conversation, Person, actor_of, conversation_of
from rooms.lobby.posting import Poster
from rooms.lobby.streams import LOBBY, proven, room_stream
from rooms.log import ledger, rooms, seats
from rooms.log.actors import Actor
from rooms.log.directory import RoomUnlisted
from rooms.log.events import Event, Fact, decoded
from rooms.log.posting import MessagePosted
from rooms.log.records import Record, record_id
from rooms.log.rooms import RoomCreated
from rooms.log.state import RoomState, Seat
from rooms.policy import RoomPolicy
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.log.explaining import Explanation

__all__ = ["Room"]

_SEEN_AGAIN = int(timedelta(hours=6) / timedelta(microseconds=1))
_PAGE, _MOST = 30, 1_000


@frozen
class Room:
    """
    A room of a lobby.

    Attributes:
        id: Its id, `room_...`.

    Any call raises `NotFound` with `room_not_found` once the room is deleted, and what
    every call of a `Lobby` may raise. What is done by a claim or a turn that was
    overtaken raises `Conflict` with `stale_runtime` or `stale_wake`.
    """

    id: str
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return self.id

    # -- what it is

    @property
    def name(self) -> str:
        """The name that it was created with."""
        created = self._desk.fact(self._stream, 1)
        event = None if created is None else created.event
        if not isinstance(event, RoomCreated):
            raise NotFound(
                "room_not_found", f"no room {self.id} is known", room=self.id
            )
        return event.name

    @property
    def policy(self) -> RoomPolicy:
        """The options that hold now."""
        with self._desk.lock:
            return self._state().policy

    @property
    def members(self) -> tuple[Agent, ...]:
        """The agents that are members now, in the order of their joining."""
        with self._desk.lock:
            return tuple(Agent(name, self._desk) for name in self._state().roster())

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """The conversations that have a seat now, in the order of their first join."""
        with self._desk.lock:
            seated = [one for one in self._state().seats.values() if one.place == "in"]
        return tuple(
            Conversation(seat.conversation, seat.agent, self._desk) for seat in seated
        )

    @property
    def position(self) -> int:
        """The number of the newest message."""
        with self._desk.lock:
            return self._state().seq

    # -- posting

    def post(
        self,
        content: str,
        *,
        by: Any,
        to: Iterable[Any] = (),
        reply_to: str | None = None,
        request_id: str | None = None,
        confirm_all_threads: bool = False,
        now: datetime | None = None,
    ) -> Posted:
        """
        Posts a message; when it returns, the message and all that it owes are stored.

        Args:
            content: What to say, of any characters but lone surrogates.
            by: Who says it: a conversation, a person, a turn, a claim.
            to: Whom it addresses: address strings, Address values, agents,
                conversations. Empty means the room, tagging nobody.
            reply_to: The id of a message that it answers; it addresses that author.
            request_id: The same request again returns the stored result and wakes
                nobody; another request under it is refused.
            confirm_all_threads: Yes, wake several conversations of one agent.
            now: The instant of the post; the lobby's clock unless given.

        Raises:
            NotAllowed: `not_a_member`, `read_only_access`, `draft_refused`.
            NotFound: `room_not_found`, `unknown_address`, `reply_not_found`.
            InvalidInput: `body_empty`, `bad_address`, `invalid_request`.
            OverLimit: `send_rate` with `retry_at`, `message_too_long`.
            SelfAddressed: `self_addressed`, with `last_partner`.
            ConfirmAllThreads: `confirm_all_threads`, with a `preview`.
            IdempotencyConflict: `idempotency_conflict`.
            HookFailed: `hook_failed` where a plugin that checks drafts failed.
        """
        return Poster(self, self._desk).post(
            content,
            by=by,
            to=to,
            reply_to=reply_to,
            request_id=request_id,
            confirm_all_threads=confirm_all_threads,
            now=now,
        )

    # -- membership

    def join(
        self,
        *,
        by: Any,
        mode: Mode | str | None = None,
        interval: timedelta | None = None,
        tagged_only: bool = False,
        now: datetime | None = None,
    ) -> Room:
        """
        Takes a seat for a conversation; in the room already, it only listens as said.

        Raises:
            InvalidInput: `invalid_request` for a mode that is none, or not for this
                agent; `agent_required` for a person, who takes no seat.
        """
        conversation, actor = conversation_of(by), actor_of(by, self._desk)
        wanted = _subscription(mode, interval, tagged_only=tagged_only)

        def decide(_: int) -> Decision:
            entry = self._desk.agent(conversation.agent)
            events = seats.join(
                self._state(),
                conversation.id,
                agent=entry.agent,
                threaded=entry.threaded,
                subscription=wanted,
            )
            return Decision({self._stream: events})

        self._desk.record(decide, self._stream, by=actor, now=now)
        return self

    def subscribe(
        self,
        *,
        by: Any,
        mode: Mode | str,
        interval: timedelta = timedelta(minutes=15),
        tagged_only: bool = False,
        now: datetime | None = None,
    ) -> Room:
        """
        Changes how a conversation listens; what it was not told yet is heard again.

        Raises:
            NotAllowed: `not_a_member`.
            InvalidInput: `invalid_request` for a mode that is none, or not for this
                agent, and for an interval outside 1 to 1440 minutes.
        """
        wanted = Subscription(
            Mode(values.member("mode", mode, Mode)), interval, tagged_only
        )

        def decide(seat: Seat) -> list[Event]:
            return seats.subscribe(seat, wanted)

        return self._on_seat(decide, by=by, now=now)

    def rest(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Holds everything for a conversation here until it resumes.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(
            lambda seat: seats.rest(seat, resting=True), by=by, now=now
        )

    def resume(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Lets a resting conversation be woken again; what came meanwhile is one wake.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(
            lambda seat: seats.rest(seat, resting=False), by=by, now=now
        )

    def leave(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Gives a conversation's seat up, by its own choice; what it was owed ends.

        An address to it starts a successor, for a threaded agent (G-FOLLOW-04).

        Raises:
            NotAllowed: `not_a_member`.
        """
        return self._on_seat(seats.leave, by=by, now=now)

    def pause(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Holds every wake in the room until it goes on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        return self._set_paused(by, now, paused=True)

    def unpause(self, *, by: Any, now: datetime | None = None) -> Room:
        """
        Lets the room's wakes go on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        return self._set_paused(by, now, paused=False)

    def change_policy(
        self, policy: Any, *, by: Any, now: datetime | None = None
    ) -> Room:
        """
        Sets other options, from here on.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        actor = actor_of(by, self._desk)
        if not isinstance(policy, RoomPolicy):
            kind = type(policy).__name__
            raise InvalidInput("policy", f"is of type {kind}", allowed="a RoomPolicy")
        self._check_owner(actor, "change_policy")

        def decide(_: int) -> Decision:
            return Decision({self._stream: rooms.change_policy(self._state(), policy)})

        self._desk.record(decide, self._stream, by=actor, now=now)
        return self

    def delete(self, *, by: Any, now: datetime | None = None) -> None:
        """
        Ends the room: its log goes, its name is free, and nobody reads it again.

        Raises:
            NotAllowed: `not_owner` for anybody but the owner, or whom `rooms_may` lets.
        """
        actor = actor_of(by, self._desk)
        self._check_owner(actor, "delete_room")
        desk = self._desk

        def decide(_: int) -> Decision:
            self._state()
            stream = desk.streams.current(self._stream)
            gone = RoomUnlisted(self.id, stream.version, stream.chain.hex())
            # A key ends with its record (foundation 5), or its id is held for ever.
            held = tuple(key for fact in self._facts() for key, _ in fact.keys)
            return Decision(
                {LOBBY: [gone]},
                guards=(self._stream,),
                release=held,
                remove=(self._stream,),
            )

        desk.record(decide, LOBBY, by=actor, now=now)

    # -- reading

    def read(
        self,
        *,
        by: Any,
        after: int = 0,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        A page of the transcript; for a conversation it settles what is on it.

        Args:
            by: A member's conversation, or a person.
            after: The number behind which the page begins; the caller owns its place.
            limit: At most so many messages, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.
        """
        actor = actor_of(by, self._desk)
        values.whole_number("after", after, at_least=0)
        values.whole_number("limit", limit, at_least=1, at_most=_MOST)
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            state = self._state()
            check_fence(desk, actor)  # what is read is settled, so it is no mere look
            self._check_reader(state, actor)
            position = state.seq
            records = desk.storage.messages(self._stream, after=after, limit=limit)
            facts = [decoded(record) for record in records]
        items = tuple(self.message(fact) for fact in facts)
        if items and actor.kind == "conversation":
            self._settle(actor, items[0].seq, items[-1].seq, now)
        more = bool(items) and items[-1].seq < position
        return Page(items, items[-1].seq if more else None, position)

    def search(self, query: str, *, by: Any, limit: int = 20) -> tuple[Message, ...]:
        """
        Messages that hold every word of a query, the newest first; any text is a query.

        Raises:
            NotAllowed: `not_a_member`.
        """
        actor = actor_of(by, self._desk)
        values.text("query", query)
        values.whole_number("limit", limit, at_least=1, at_most=_MOST)
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            self._check_reader(self._state(), actor)
            hits = desk.storage.search(query, [self._stream], limit=limit)
            facts = [desk.fact(hit.stream, hit.version) for hit in hits]
        return tuple(self.message(fact) for fact in facts if fact is not None)

    def acknowledge(self, *messages: str, by: Any, now: datetime | None = None) -> Room:
        """
        Settles messages by name, where the policy settles on `ack`.

        Raises:
            NotFound: `unknown_message` for one that is not here.
            NotAllowed: `not_a_member`.
        """
        seqs = []
        for message in messages:
            fact = self.fact(values.text("message", message))
            if fact is None or not isinstance(fact.event, MessagePosted):
                raise NotFound(
                    "unknown_message",
                    f"no message {message[:80]!a} is here",
                    id=message,
                )
            seqs.append(fact.event.seq)

        def decide(seat: Seat) -> list[Event]:
            return ledger.acknowledge(self._state(), seat, seqs)

        return self._on_seat(decide, by=by, now=now)

    def explain(self, message: str) -> Explanation:
        """
        Why each seat was woken for a message, or was not, and what became of it.

        Raises:
            NotFound: `unknown_message`.
        """
        fact = self.fact(values.text("message", message))
        if fact is None or not isinstance(fact.event, MessagePosted):
            raise NotFound(
                "unknown_message", f"no message {message[:80]!a} is here", id=message
            )
        with self._desk.lock:
            names = {one: str(self.seated(one)) for one in self._state().seats}
        from rooms.log.explaining import explain  # noqa: PLC0415 - seldom asked

        return explain(self._facts(), fact.event.seq, names)

    # -- within the lobby

    def message(self, fact: Fact) -> Message:
        """
        A recorded message as a value.

        :meta private:
        """
        event = fact.event
        if not isinstance(event, MessagePosted):
            raise NotFound("unknown_message", "the record is no message")
        sender: Conversation | Person = (
            Conversation(event.sender, event.author, self._desk)
            if event.sender
            else Person(event.author, self._desk)
        )
        at = moment(fact.at)
        if at is None:
            where = f"{self._stream} {fact.version}"
            raise CorruptLog("corrupt_log", f"{where} lies after all time", where=where)
        return Message(
            record_id(self.id, fact.version),
            event.seq,
            at,
            sender,
            event.to,
            event.text,
            event.reply_to or None,
            event.hops,
            event.truncated_from or None,
            fact.erased,
        )

    def message_of(self, record: Record) -> Message:
        """
        A stored message as a value.

        :meta private:
        """
        return self.message(decoded(record))

    def _state(self) -> RoomState:
        return self._desk.room(self.id)

    @property
    def _stream(self) -> str:
        return room_stream(self.id)

    def seated(self, conversation: str) -> Conversation:
        """
        The handle of a conversation that has, or had, a seat here.

        :meta private:
        """
        with self._desk.lock:
            agent = self._state().seats[conversation].agent
        return self.handle(conversation, agent)

    def handle(self, conversation: str, agent: str) -> Conversation:
        """
        The handle of a conversation of an agent.

        :meta private:
        """
        return Conversation(conversation, agent, self._desk)

    def fact(self, message: str) -> Fact | None:
        """
        The record that a message's id names, or None.

        :meta private:
        """
        token, _, version = message.rpartition(".")
        ours = token == self.id.removeprefix(rooms.ROOM_ID_PREFIX)
        if not ours or not version.isdecimal() or not version.isascii():
            return None
        number = int(version[:12])
        return self._desk.fact(self._stream, number) if number else None

    def _facts(self) -> Iterable[Fact]:
        return (fact for fact, _ in proven(self._records()))

    def _records(self) -> Iterator[Record]:
        after = 0
        while records := self._desk.storage.read(self._stream, after=after):
            yield from records
            after = records[-1].version

    def _on_seat(
        self,
        decide_seat: Callable[[Seat], list[Event]],
        *,
        by: Any,
        now: datetime | None,
    ) -> Room:
        conversation = conversation_of(by)
        actor = actor_of(by, self._desk)

        def decide(_: int) -> Decision:
            seat = seats.member_seat(self._state(), conversation.id)
            return Decision({self._stream: decide_seat(seat)})

        self._desk.record(decide, self._stream, by=actor, now=now)
        return self

    def _set_paused(self, by: Any, now: datetime | None, *, paused: bool) -> Room:
        actor = actor_of(by, self._desk)
        self._check_owner(actor, "pause_room")

        def decide(_: int) -> Decision:
            return Decision({self._stream: rooms.pause(self._state(), paused=paused)})

        self._desk.record(decide, self._stream, by=actor, now=now)
        return self

    def _check_owner(self, actor: Actor, action: str) -> None:
        with self._desk.lock:
            owner = self._state().owner
        if owner and actor.person == owner:
            return
        if not self._desk.may(actor, action, self.id):
            raise NotAllowed(
                "not_owner", "only the room's owner may do this", action=action
            )

    def _check_reader(self, state: RoomState, actor: Actor) -> None:
        if actor.kind == "conversation":
            seats.member_seat(state, actor.id, action="read")

    def _settle(
        self, actor: Actor, first: int, last: int, now: datetime | None
    ) -> None:
        def decide(at: int) -> Decision:
            state = self._state()
            seat = seats.member_seat(state, actor.id)
            events = ledger.settle_read(
                state, seat, first=first, last=last, now=at, seen_again=_SEEN_AGAIN
            )
            return Decision({self._stream: events})

        self._desk.record(decide, self._stream, by=actor, now=now)


def _subscription(
    mode: Mode | str | None, interval: timedelta | None, *, tagged_only: bool
) -> Subscription | None:
    if mode is None:
        return None
    chosen = Mode(values.member("mode", mode, Mode))
    if interval is None:
        return Subscription(chosen, tagged_only=tagged_only)
    return Subscription(chosen, interval, tagged_only)
