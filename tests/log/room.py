"""
A room without a storage: commands at given seconds, folded as a shell would fold them.

After every command three laws are asserted: deciding changed nothing, whether it
answered or refused; the facts from the first one on give the state, and so do the
snapshot before and the facts after it; and each event is what its record reads back.

Conversations are named by what they are called: `eve` for a single agent, `Eve/acme`
for a conversation of a threaded one; whoever else posts is a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from datetime import timedelta
from operator import attrgetter
from typing import Any

from attrs import define, evolve, field, fields, frozen

from rooms.addressing import Author, name_key, parse_address
from rooms.hearing import Subscription
from rooms.log import agents as talking
from rooms.log import erasing, folding, ledger, posting, records, seats, snapshots
from rooms.log import rooms as rooms_
from rooms.log.actors import Actor
from rooms.log.agents import AgentState
from rooms.log.directory import AgentEntry
from rooms.log.events import RULES_VERSION, Event, Fact, decoded, encoded
from rooms.log.ledger import TakeFacts
from rooms.log.records import Record
from rooms.log.state import Entry, OpenWake, RoomState, Seat
from rooms.policy import RoomPolicy

SECOND = 1_000_000
HOUR = 3_600 * SECOND
HOLDER = "h1"


@frozen
class Posted:
    """What became of a message at its post, for each conversation that it touched."""

    seq: int
    id: str
    ready: list[str]
    held: list[str]
    digest: list[str]
    riders: list[str]
    started: list[str]
    why: dict[str, str]


@frozen
class Taken:
    """A wake as it was taken."""

    conversation: str
    id: str
    kind: str
    messages: list[int]
    waited: int
    hops: int


@define
class Room:
    """A room, its facts, and the little that a shell knows beside it."""

    state: RoomState = field(factory=RoomState)
    facts: list[Fact] = field(factory=list)
    agents: dict[str, AgentEntry] = field(factory=dict)
    talks: dict[str, AgentState] = field(factory=dict)
    authors: dict[str, Author] = field(factory=dict)
    generations: dict[str, tuple[int, int]] = field(factory=dict)
    now: int = 0
    started: int = 0
    checked: bool = True

    # -- folding

    def do(
        self,
        decide: Callable[[], list[Event]],
        *,
        at: float | None = None,
        by: str = "system",
    ) -> list[Event]:
        """Decides and folds; the time only rises."""
        if at is not None:
            self.now = max(self.now, round(at * SECOND))
        before = snapshots.encode(self.state) if self.checked else b""
        try:
            events = decide()
        finally:
            assert not self.checked or snapshots.encode(self.state) == before
        added = [
            Fact(self.state.version + place, self.now, by, RULES_VERSION, event)
            for place, event in enumerate(events, 1)
        ]
        for fact in added:
            folding.evolve(self.state, fact)
        self.facts += added
        if self.checked:
            self.check(before, added)
        return events

    def check(self, before: bytes, added: Iterable[Fact]) -> None:
        """The laws of folding, after a command."""
        state = snapshots.encode(self.state)
        for fact in added:
            assert decoded(record_of(fact)) == fact
        again = folding.folded(self.facts)
        assert again == self.state
        assert snapshots.encode(again) == state
        onwards = snapshots.decode(before, RoomState)
        assert onwards is not None
        for fact in added:
            folding.evolve(onwards, fact)
        assert onwards == self.state
        assert snapshots.encode(onwards) == state
        assert onwards.deadline() == self.state.deadline() == again.deadline()

    def clone(self) -> Room:
        """A room that goes its own way from here."""
        return Room(
            clone_state(self.state),
            list(self.facts),
            dict(self.agents),
            self.talks,
            dict(self.authors),
            dict(self.generations),
            self.now,
            self.started,
            self.checked,
        )

    # -- who is here

    def seat(self, conversation: str) -> Seat:
        return self.state.seats[conversation]

    def entry(self, conversation: str, seq: int) -> Entry:
        found = self.seat(conversation).entry(seq)
        assert found is not None, f"{conversation} is owed nothing for {seq}"
        return found

    def lanes(self, conversation: str) -> dict[int, str]:
        """Where everything stands that a seat is owed."""
        return {one.seq: lane for lane, one in self.seat(conversation).placed()}

    def introduce(self, conversation: str) -> tuple[str, bool]:
        """The agent of a conversation, with the conversation's name as its label."""
        agent, slash, label = conversation.partition("/")
        entry = AgentEntry(agent, bool(slash), "", "" if slash else conversation)
        self.agents.setdefault(name_key(agent), entry)
        if slash and conversation not in self.talk(agent).talks:
            self.say(agent, talking.start(self.talk(agent), conversation, label=label))
        return agent, bool(slash)

    def talk(self, agent: str) -> AgentState:
        return self.talks.setdefault(agent, AgentState())

    def say(self, agent: str, events: Iterable[Event]) -> list[Event]:
        """Folds events into an agent's own stream."""
        told = list(events)
        for event in told:
            state = self.talk(agent)
            fact = Fact(state.version + 1, self.now, "system", RULES_VERSION, event)
            talking.evolve(state, fact)
        return told

    def actor(self, name: str, *, wake: str = "") -> Actor:
        agent = name.partition("/")[0]
        if name_key(agent) not in self.agents:
            return Actor("person", name)
        return Actor("conversation", name, agent, wake=wake)

    # -- commands

    def join(
        self,
        conversation: str,
        mode: str | None = None,
        *,
        minutes: int = 15,
        tagged_only: bool = False,
        at: float | None = None,
    ) -> list[Event]:
        agent, threaded = self.introduce(conversation)
        subscription = None
        if mode is not None:
            subscription = Subscription(mode, timedelta(minutes=minutes), tagged_only)
        return self.do(
            lambda: seats.join(
                self.state,
                conversation,
                agent=agent,
                threaded=threaded,
                subscription=subscription,
            ),
            at=at,
            by=conversation,
        )

    def post(
        self,
        by: str,
        *to: str,
        text: str = "a word",
        reply_to: Posted | str | None = None,
        confirm: bool = False,
        wake: str = "",
        at: float | None = None,
    ) -> Posted:
        answered = reply_to.id if isinstance(reply_to, Posted) else reply_to
        draft = posting.Draft(
            text, tuple(parse_address(one) for one in to), answered, confirm
        )
        given = posting.PostFacts(
            agents=self.agents,
            talks=self.talks,
            replied=self.authors.get(answered or ""),
            conversations=[f"new/{self.started + place}" for place in range(1, 9)],
        )
        actor = self.actor(by, wake=wake)
        events = self.do(
            lambda: posting.post(self.state, draft, given, by=actor, now=self.now),
            at=at,
            by=actor.recorded,
        )
        message = events[-1]
        assert isinstance(message, posting.MessagePosted)
        self.started += len(message.started)
        return self.posted(message, actor)

    def posted(self, message: posting.MessagePosted, actor: Actor) -> Posted:
        name = records.record_id(self.state.id, self.state.version)
        self.authors[name] = Author(actor.agent or None, actor.conversation)

        def lane(wanted: str) -> list[str]:
            return [one[0] for one in message.owed if one[4] == wanted]

        return Posted(
            message.seq,
            name,
            lane("ready"),
            lane("held"),
            lane("digest"),
            lane("rider"),
            [one for one, _ in message.started],
            {one[0]: one[3] for one in message.owed},
        )

    def facts_of_take(
        self,
        holder: str = HOLDER,
        *,
        hold: float = 900,
        in_turn: Iterable[str] = (),
        away: Iterable[str] = (),
    ) -> TakeFacts:
        until = self.now + round(hold * SECOND)
        return TakeFacts(
            holder, until, dict(self.generations), frozenset(in_turn), frozenset(away)
        )

    def take(
        self,
        *conversations: str,
        holder: str = HOLDER,
        hold: float = 900,
        in_turn: Iterable[str] = (),
        away: Iterable[str] = (),
        limit: int = 99,
        at: float | None = None,
    ) -> list[Taken]:
        """Takes for these, or for all."""
        first = self.state.version
        events = self.do(
            lambda: ledger.take(
                self.state,
                conversations or list(self.state.seats),
                self.facts_of_take(holder, hold=hold, in_turn=in_turn, away=away),
                now=self.now,
                limit=limit,
            ),
            at=at,
        )
        return self.wakes(events, first)

    def wakes(self, events: Iterable[Event], first: int) -> list[Taken]:
        return [
            Taken(
                event.conversation,
                records.record_id(self.state.id, first + place),
                event.kind,
                list(event.entries),
                event.waited,
                event.hops,
            )
            for place, event in enumerate(events, 1)
            if isinstance(event, ledger.WakeTaken)
        ]

    def wake(self, conversation: str, *, at: float | None = None) -> Taken:
        """The one wake of a seat."""
        [taken] = self.take(conversation, at=at)
        return taken

    def on_wake(
        self,
        command: Callable[..., list[Event]],
        conversation: str,
        *,
        wake: str | None = None,
        holder: str | None = None,
        hold: float = 900,
        at: float | None = None,
        **more: Any,
    ) -> list[Event]:
        """A command on a seat's open wake, or on the one named."""
        opened = self.seat(conversation).wake
        wake = wake if wake is not None else opened.id if opened else "none"
        holder = holder if holder is not None else opened.holder if opened else HOLDER
        return self.do(
            lambda: command(
                self.state,
                wake,
                conversation,
                self.facts_of_take(holder, hold=hold),
                now=self.now,
                **more,
            ),
            at=at,
        )

    def open(self, conversation: str, **how: Any) -> list[Event]:
        return self.on_wake(ledger.open_turn, conversation, **how)

    def close(self, conversation: str, **how: Any) -> list[Event]:
        return self.on_wake(ledger.close, conversation, **how)

    def fail(self, conversation: str, **how: Any) -> list[Event]:
        return self.on_wake(ledger.give_back, conversation, why="raised", **how)

    def give_back(self, conversation: str, **how: Any) -> list[Event]:
        return self.on_wake(ledger.give_back, conversation, why="given_back", **how)

    def renew(self, conversation: str, **how: Any) -> list[Event]:
        return self.on_wake(ledger.renew, conversation, **how)

    def turn(self, conversation: str, *, at: float | None = None) -> Taken:
        """Takes a seat's wake, and runs its turn to a good end."""
        taken = self.wake(conversation, at=at)
        self.open(conversation)
        self.close(conversation)
        return taken

    def notice(
        self, conversation: str, *, holder: str = HOLDER, at: float | None = None
    ) -> list[int]:
        """The messages that a turn which is there anyway is told."""
        events = self.do(
            lambda: ledger.notice(
                self.state, conversation, self.facts_of_take(holder), now=self.now
            ),
            at=at,
        )
        return [
            seq
            for event in events
            if isinstance(event, ledger.Noticed | ledger.WakeTaken)
            for seq in event.entries
        ]

    def read(
        self, conversation: str, first: int, last: int, *, at: float | None = None
    ) -> list[Event]:
        return self.do(
            lambda: ledger.settle_read(
                self.state,
                self.seat(conversation),
                first=first,
                last=last,
                now=self.now,
                seen_again=6 * HOUR,
            ),
            at=at,
            by=conversation,
        )

    def ack(
        self, conversation: str, *seqs: int, at: float | None = None
    ) -> list[Event]:
        return self.do(
            lambda: ledger.acknowledge(
                self.seat(conversation), {seq: seq for seq in seqs}
            ),
            at=at,
            by=conversation,
        )

    def erase(self, seq: int, *, at: float | None = None) -> list[Event]:
        """What the erasing of a message records."""
        [(version, message)] = [
            (one.version, one.event)
            for one in self.facts
            if isinstance(one.event, posting.MessagePosted) and one.event.seq == seq
        ]
        return self.do(lambda: erasing.erase(self.state, message, version), at=at)

    def subscribe(
        self,
        conversation: str,
        mode: str,
        *,
        minutes: int = 15,
        tagged_only: bool = False,
        at: float | None = None,
    ) -> list[Event]:
        subscription = Subscription(mode, timedelta(minutes=minutes), tagged_only)
        return self.do(
            lambda: seats.subscribe(self.seat(conversation), subscription),
            at=at,
            by=conversation,
        )

    def leave(
        self, conversation: str, *, why: str = "left", at: float | None = None
    ) -> list[Event]:
        return self.do(
            lambda: seats.leave(self.seat(conversation), why=why),
            at=at,
            by=conversation,
        )

    def rest(
        self, conversation: str, resting: bool = True, *, at: float | None = None
    ) -> list[Event]:
        return self.do(
            lambda: seats.rest(self.seat(conversation), resting=resting), at=at
        )

    def pause(self, paused: bool = True, *, at: float | None = None) -> list[Event]:
        return self.do(lambda: rooms_.pause(self.state, paused=paused), at=at)

    def change(self, policy: RoomPolicy, *, at: float | None = None) -> list[Event]:
        return self.do(lambda: rooms_.change_policy(self.state, policy), at=at)

    def claim(self, conversation: str, *, at: float | None = None) -> int:
        """A newer runtime claims the conversation; the room hears of it at a take."""
        self.now = self.now if at is None else max(self.now, round(at * SECOND))
        generation, _ = self.generations.get(conversation, (0, 0))
        self.generations[conversation] = (generation + 1, self.now)
        return generation + 1

    def tick(self, *, at: float | None = None) -> list[Event]:
        return self.do(lambda: ledger.tick(self.state, self.now), at=at)

    def deadline(self) -> float | None:
        """The room's deadline, in seconds."""
        at = self.state.deadline()
        return None if at is None else at / SECOND


def room(
    *conversations: str,
    policy: RoomPolicy | None = None,
    modes: Mapping[str, str] | None = None,
) -> Room:
    """A room made by a person at second 0, with these in it from then on."""
    made = Room()
    chosen = policy or RoomPolicy()
    made.do(
        lambda: rooms_.create(
            "room_r",
            "the room",
            access="open",
            policy=chosen,
            owner="",
            by=Actor("system"),
        )
    )
    for conversation in conversations:
        made.join(conversation, (modes or {}).get(conversation))
    return made


def record_of(fact: Fact) -> Record:
    """The record of a fact, as a shell would write it but for its chain."""
    header, body = encoded(fact.event, by=fact.by, rules=fact.rules)
    kind = type(fact.event)
    return Record(
        stream="room:room_r",
        version=fact.version,
        type=kind.TYPE,
        schema=kind.SCHEMA,
        critical=kind.CRITICAL,
        at=fact.at,
        header=header,
        body=body,
        salt=None,
        digest=b"",
        chain=b"",
    )


def clone_state(state: RoomState) -> RoomState:
    """A state of its own that is equal in everything, orders too."""
    other = copy(state)
    other.seats = {name: clone_seat(seat) for name, seat in state.seats.items()}
    other.members = {}
    for name, member in state.members.items():
        if isinstance(member, Seat):
            other.members[name] = other.seats[member.conversation]
        else:
            here = list(member.conversations)
            other.members[name] = evolve(member, conversations=here)
    if state.some_follow is not None:
        other.some_follow = dict(state.some_follow)
    other.hearing_all = dict(state.hearing_all)
    other.takeable = dict(state.takeable)
    other.agenda = list(state.agenda)
    return other


def clone_seat(seat: Seat) -> Seat:
    other = Seat.of(_FIELDS_OF_SEAT(seat))
    if seat.wake is not None:
        other.wake = OpenWake(*_FIELDS_OF_WAKE(seat.wake))
    if seat.owed is not None:
        other.owed = {lane: dict(entries) for lane, entries in seat.owed.items()}
    return other


def _fields_of(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*(one.name for one in fields(kind)))


# Much quicker than `copy`, which the exploration would spend most of its time in.
_FIELDS_OF_SEAT = attrgetter(*Seat.FIELDS)
_FIELDS_OF_WAKE = _fields_of(OpenWake)
