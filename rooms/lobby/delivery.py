"""
Delivery: taking wakes, handing them to plugins, and letting what is due happen.

Three laws. Taking is a claim: each wake goes to one holder, and comes back when the
claim runs out, the turn raises, or nobody carries it (ledger 7, 9). A plugin is called
with no lock held, and what it does wrong loses nothing. And nothing happens by time
alone: whoever acts on a due thing records it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    RoomsError,
    StorageError,
)
from rooms.hearing import Tag
from rooms.lobby.answers import Message, Report, Wake
from rooms.lobby.commits import Decision
from rooms.lobby.handles import Conversation
from rooms.lobby.messages import message_of
from rooms.lobby.room import Room
from rooms.lobby.streams import room_stream
from rooms.log import ledger
from rooms.log.actors import Actor
from rooms.log.events import Fact, decoded
from rooms.log.ledger import Noticed, TakeFacts, TurnOpened, WakeTaken
from rooms.log.records import record_id
from rooms.log.state import Lane, RoomState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.hooks import HookFailure
    from rooms.lobby.desk import Desk

__all__ = ["Delivery", "check_hold", "facts_of"]

SYSTEM = Actor("system")
_MOMENT = timedelta(microseconds=1)
_LONGEST_HOLD = timedelta(days=30)  # what nobody renews comes back in sight
_LAST = datetime.max.replace(tzinfo=UTC)
_DUE = 100


def check_hold(hold_for: Any) -> timedelta:
    """How long a claim may hold: a duration of at most 30 days."""
    hold = values.duration("hold_for", hold_for, at_least=_MOMENT)
    if hold > _LONGEST_HOLD:
        raise InvalidInput("hold_for", f"is {hold}", allowed=f"up to {_LONGEST_HOLD}")
    return hold


def facts_of(
    desk: Desk,
    conversations: Iterable[tuple[str, str]],
    holder: str,
    at: int,
    hold_for: timedelta,
) -> TakeFacts:
    """What the ledger needs to know about conversations, given with their agents."""
    return TakeFacts(holder, at + hold_for // _MOMENT, desk.generations(conversations))


class Delivery:
    """Takes and carries the wakes of one lobby."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    # -- due

    def tick(self, now: datetime | None) -> None:
        """Records what fell due by now, in every room."""
        desk = self.desk
        seen: set[str] = set()  # a room that cannot be used stays due
        while True:
            with desk.lock:
                due = desk.storage.due(desk.time(now), limit=_DUE + len(seen))
            fresh = [stream for stream in due if stream not in seen]
            seen.update(fresh)
            for stream in fresh:
                self._tick(stream, now)
            if len(fresh) < _DUE:
                return

    def _tick(self, stream: str, now: datetime | None) -> None:
        room = stream.partition(":")[2]

        def decide(at: int) -> Decision:
            return Decision({stream: ledger.tick(self.desk.room(room), at)})

        with self.desk.passing_over(room):
            self.desk.record(decide, stream, by=SYSTEM, now=now)

    # -- taking

    def take(
        self,
        *,
        agents: Iterable[str] | None,
        conversations: Sequence[Conversation] | None,
        limit: int,
        hold_for: timedelta,
        holder: str,
        now: datetime | None,
    ) -> list[Wake]:
        """The wakes that can be taken now, at most `limit`."""
        self.tick(now)
        taken: list[Wake] = []
        seen: set[tuple[str, str]] = set()
        for room, names in self._candidates(agents, conversations, holder, limit):
            fresh = [name for name in names if (room, name) not in seen]
            seen.update((room, name) for name in fresh)
            if len(taken) == limit or not fresh:
                continue
            try:
                taken += self._take_in(
                    room,
                    fresh,
                    limit=limit - len(taken),
                    hold_for=hold_for,
                    holder=holder,
                    now=now,
                )
            except StorageError:
                if not taken:
                    raise
                break  # who asks again is told of it; these were taken, and are told
        return taken

    def _candidates(
        self,
        agents: Iterable[str] | None,
        conversations: Sequence[Conversation] | None,
        holder: str,
        limit: int,
    ) -> list[tuple[str, list[str]]]:
        """Rooms, each with the conversations there that may have something to take."""
        desk = self.desk
        wanted = None if conversations is None else {one.id for one in conversations}
        keys = None if agents is None else {name_key(name) for name in agents}
        rooms: dict[str, dict[str, None]] = {}
        with desk.lock:
            for room, one in desk.taken_by(holder):
                if (wanted is None or one.id in wanted) and (
                    keys is None or name_key(one.agent) in keys
                ):
                    rooms.setdefault(room, {})[one.id] = None
            most = max(4 * limit, 100)
            if conversations is None:
                ready = desk.wakes.ready(agents, limit=most)
            else:
                ids = [one.id for one in conversations]
                ready = desk.wakes.ready_for(ids, limit=most)
            for seat in ready:
                if keys is None or seat.agent in keys:
                    rooms.setdefault(seat.room, {})[seat.conversation] = None
        return [(room, list(found)) for room, found in rooms.items()]

    def _take_in(
        self,
        room_id: str,
        names: Sequence[str],
        *,
        limit: int,
        hold_for: timedelta,
        holder: str,
        now: datetime | None,
    ) -> list[Wake]:
        desk, stream = self.desk, room_stream(room_id)
        states: Mapping[str, str] = {}

        def decide(at: int) -> Decision:
            state = desk.room(room_id)
            pairs = [
                (one, state.seats[one].agent) for one in names if one in state.seats
            ]
            facts = facts_of(desk, pairs, holder, at, hold_for)
            asked = TakeFacts(
                facts.holder,
                facts.until,
                facts.generations,
                in_turn=frozenset(n for n, s in states.items() if s == "in_turn"),
                away=frozenset(n for n, s in states.items() if s == "away"),
            )
            return Decision(
                {stream: ledger.take(state, names, asked, now=at, limit=limit)}
            )

        wakes: list[Wake] = []
        with desk.passing_over(room_id):
            states = self._states_of(room_id, names)
            committed = desk.record(decide, stream, by=SYSTEM, now=now)
            facts = () if committed is None else committed.facts[stream]
            wakes = self._shown(room_id, facts, hold_for, holder, now)
            for name in names:
                desk.note_done(room_id, name)
            for wake in wakes:
                desk.note_taken(room_id, wake.conversation, holder)
            self._clean(room_id, names)
        return wakes

    def _shown(
        self,
        room_id: str,
        facts: Sequence[Fact],
        hold_for: timedelta,
        holder: str,
        now: datetime | None,
    ) -> list[Wake]:
        """
        The wakes that were taken, as values.

        Where a message cannot be read, they are given back, and looked at again when
        there is something new.
        """
        try:
            return self._wakes(room_id, facts, hold_for)
        except RoomsError:
            for fact in facts:
                if isinstance(fact.event, WakeTaken):
                    one = self._seated(room_id, fact.event.conversation)
                    wake = record_id(room_id, fact.version)
                    self._give_back(room_id, wake, one, holder, now)
                    with self.desk.lock:
                        self.desk.wakes.feed()
                        self.desk.wakes.forget(room_id, [one.id])
            raise

    def _seated(self, room_id: str, name: str) -> Conversation:
        with self.desk.lock:
            agent = self.desk.room(room_id).seats[name].agent
        return Conversation(name, agent, self.desk)

    def _clean(self, room_id: str, names: Sequence[str]) -> None:
        """Drops the projection's rows of seats that have nothing ready any more."""
        desk = self.desk
        with desk.lock:
            try:
                state: RoomState | None = desk.room(room_id)
            except NotFound:
                state = None
            gone = [
                name
                for name in names
                if state is None
                or name not in state.seats
                or not state.seats[name].has(Lane.READY)
            ]
            desk.wakes.forget(room_id, gone)

    def notices(
        self,
        conversation: Conversation,
        running: Sequence[Wake],
        *,
        now: datetime | None,
    ) -> tuple[Wake, ...]:
        """What a turn of the conversation is told now, one notice a room."""
        desk = self.desk
        with desk.lock:
            desk.check_usable()
            rooms = desk.wakes.rooms_of(conversation.id)
        found: list[Wake] = []
        for room_id in rooms:
            holder = next(
                (w.holder for w in running if w.room.id == room_id), desk.holder
            )
            found += self._notice_in(room_id, conversation, holder, now)
        return tuple(found)

    def _notice_in(
        self, room_id: str, one: Conversation, holder: str, now: datetime | None
    ) -> list[Wake]:
        desk, stream = self.desk, room_stream(room_id)
        hold_for = timedelta(minutes=15)

        def decide(at: int) -> Decision:
            state = desk.room(room_id)
            facts = facts_of(desk, [(one.id, one.agent)], holder, at, hold_for)
            events = ledger.notice(state, one.id, facts, now=at)
            # Opened at once: what is taken here is told by the turn that asks.
            opened = [
                TurnOpened(one.id, record_id(room_id, version), facts.until)
                for version, event in enumerate(events, state.version + 1)
                if isinstance(event, WakeTaken)
            ]
            return Decision({stream: [*events, *opened]})

        wakes: list[Wake] = []
        with desk.passing_over(room_id):
            committed = desk.record(decide, stream, by=SYSTEM, now=now)
            facts = () if committed is None else committed.facts[stream]
            wakes += self._shown(room_id, facts, hold_for, holder, now)
        return wakes

    # -- carrying

    def deliver(self, now: datetime | None) -> Report:
        """Lets what is due happen, and hands to plugins what can be taken."""
        desk = self.desk
        self.tick(now)
        if not desk.hears("rooms_carry"):
            return Report()
        outcome: dict[str, list[Wake]] = {"delivered": [], "settled": [], "": []}
        failures: list[HookFailure] = []
        refused: set[tuple[str, str]] = set()
        holder = desk.new_holder()
        while wakes := self._next(refused, holder, now):
            try:
                while wakes:
                    said, failed = self._carry(wakes[0])
                    failures += failed
                    self._settle(wakes[0], said, now)
                    wake = wakes.pop(0)
                    outcome[said].append(wake)
                    if not said:
                        refused.add((wake.room.id, wake.conversation.id))
            except BaseException:
                for wake in wakes:  # of which nobody knows whether it was told
                    with suppress(RoomsError):
                        self._give_back(
                            wake.room.id, wake.id, wake.conversation, holder, now
                        )
                raise
        return Report(
            tuple(outcome["delivered"]),
            tuple(outcome["settled"]),
            tuple(outcome[""]),
            tuple(failures),
        )

    def _next(
        self, refused: set[tuple[str, str]], holder: str, now: datetime | None
    ) -> list[Wake]:
        found: list[Wake] = []
        for room, names in self._candidates(None, None, holder, 20):
            fresh = [name for name in names if (room, name) not in refused]
            fresh = [name for name in fresh if not self._uncarried(room, name)]
            if fresh:
                found += self._take_in(
                    room,
                    fresh,
                    limit=20,
                    hold_for=timedelta(minutes=15),
                    holder=holder,
                    now=now,
                )
        return found

    def _uncarried(self, room_id: str, name: str) -> bool:
        """Whether plugins were offered all that the seat has, and none carried it."""
        desk = self.desk
        with desk.passing_over(room_id), desk.lock:
            seat = desk.room(room_id).seats.get(name)
            ready = [] if seat is None else seat.entries(Lane.READY)
            if not ready or not desk.uncarried(room_id, name, ready[-1].seq):
                return False
        return True

    def _carry(self, wake: Wake) -> tuple[str, Sequence[HookFailure]]:
        plugins = self.desk.plugins
        if plugins is None:
            return "", ()
        failures: list[HookFailure] = []
        if wake.conversation.threaded and wake.conversation.thread is None:
            failures += self._start(wake)
        outcome = plugins.first("rooms_carry", wake=wake)
        failures += outcome.failures
        said = "" if outcome.answer is None else str(outcome.answer.value)
        return said, failures

    def _start(self, wake: Wake) -> Sequence[HookFailure]:
        """Asks the host for the thread of a conversation that has none yet."""
        plugins = self.desk.plugins
        if plugins is None or not plugins.has("rooms_start_conversation"):
            return ()
        outcome = plugins.first("rooms_start_conversation", start=wake)
        if outcome.answer is None:
            return outcome.failures
        try:
            wake.conversation.bind(str(outcome.answer.value))
        except RoomsError as error:  # no thread of that name can carry it
            plugin, hook = outcome.answer.plugin, "rooms_start_conversation"
            return (*outcome.failures, plugins.reported(plugin, hook, error))
        return outcome.failures

    def _settle(self, wake: Wake, said: str, now: datetime | None) -> None:
        """Records what became of a wake that was handed out."""
        desk, stream = self.desk, room_stream(wake.room.id)
        one = wake.conversation
        if not said:
            newest = wake.messages[-1].seq if wake.messages else 0
            desk.note_uncarried(wake.room.id, one.id, newest)
            self._give_back(wake.room.id, wake.id, one, wake.holder, now)
            return

        def decide(at: int) -> Decision:
            facts = facts_of(
                desk, [(one.id, one.agent)], wake.holder, at, wake.hold_for
            )
            room, told = desk.room(wake.room.id), said == "delivered"
            events = ledger.close(room, wake.id, one.id, facts, now=at, told=told)
            return Decision({stream: events})

        self._end(wake.room.id, one, decide, now)

    def _give_back(
        self, room: str, wake: str, one: Conversation, holder: str, now: datetime | None
    ) -> None:
        """Gives back what was taken and is told to nobody, so that it is owed again."""
        desk = self.desk

        def decide(at: int) -> Decision:
            facts = facts_of(desk, [(one.id, one.agent)], holder, at, _MOMENT)
            events = ledger.give_back(
                desk.room(room), wake, one.id, facts, why="given_back", now=at
            )
            return Decision({room_stream(room): events})

        self._end(room, one, decide, now)

    def _end(
        self,
        room: str,
        one: Conversation,
        decide: Callable[[int], Decision],
        now: datetime | None,
    ) -> None:
        self.desk.note_done(room, one.id)
        with suppress(Conflict, NotFound):  # somebody else holds it, or it is gone
            self.desk.record(decide, room_stream(room), by=SYSTEM, now=now)

    def _states_of(self, room_id: str, names: Sequence[str]) -> Mapping[str, str]:
        """What the host says of the conversations, where it says anything."""
        desk = self.desk
        if not desk.hears("rooms_state") or desk.plugins is None:
            return {}
        with desk.lock:
            state = desk.room(room_id)
            found = [
                Conversation(name, state.seats[name].agent, desk)
                for name in names
                if name in state.seats
            ]
        states = {}
        for one in found:
            outcome = desk.plugins.first("rooms_state", conversation=one)
            if outcome.answer is not None:
                states[one.id] = str(outcome.answer.value)
        return states

    # -- what was taken, as values

    def _wakes(
        self, room_id: str, facts: Sequence[Fact], hold_for: timedelta
    ) -> list[Wake]:
        return [
            self._wake(room_id, fact, hold_for)
            for fact in facts
            if isinstance(fact.event, WakeTaken | Noticed)
        ]

    def _wake(self, room_id: str, fact: Fact, hold_for: timedelta) -> Wake:
        desk = self.desk
        event: Any = fact.event
        noticed = isinstance(event, Noticed)
        with desk.lock:
            state = desk.room(room_id)
            seat = state.seats[event.conversation]
            open_wake = seat.wake
            told = set(event.entries)
            carried = [entry for entry in seat.entries() if entry.seq in told]
            messages = self._messages(room_id, event.entries)
            one = Conversation(event.conversation, seat.agent, desk)
        until = moment(open_wake.until if open_wake else 0) or _LAST
        return Wake(
            event.wake if noticed else record_id(room_id, fact.version),
            one,
            Room(room_id, desk),
            "notice" if noticed else event.kind,
            messages,
            MappingProxyType({entry.seq: entry.why for entry in carried}),
            0 if noticed else event.waited,
            event.hops,
            until,
            open_wake.holder if open_wake else "",
            open_wake.generation if open_wake else 0,
            hold_for,
            direct=frozenset(one.seq for one in carried if one.tag == Tag.DIRECT),
        )

    def _messages(self, room_id: str, seqs: Iterable[int]) -> tuple[Message, ...]:
        desk = self.desk
        found: list[Message] = []
        for first, last in _runs(sorted(seqs)):
            records = desk.storage.messages(
                room_stream(room_id), after=first - 1, limit=last - first + 1
            )
            found += [message_of(desk, room_id, decoded(one)) for one in records]
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
