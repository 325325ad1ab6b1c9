"""
Long random walks over planned rooms, with everything that hosts do to them, and planted
mistakes that the same walks have to find.

After each step: at most one floor, a seat that can take it, and no turn used up twice.
At the end of a walk, once its hosts do their part: every activity that was opened has
ended, nobody waits, and each message that was said with the floor is one turn's.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import pytest

from effort import sized
from lobby.place import Place
from log import invariants
from log.invariants import Walk
from log.room import Room as Walked
from rooms import Conversation, Lobby, Room, RoomPolicy, RoomsError, Turn, presets
from rooms.hooks import hookimpl
from rooms.lobby.access import seating
from rooms.lobby.recording.streams import room_stream
from rooms.log import floors, folding
from rooms.log.events import Event, Fact, decoded
from rooms.log.floors import ending, opening, planning
from rooms.log.ledger import ending as ledger_ending
from rooms.log.ledger import folding as ledger_folding
from rooms.log.ledger import taking, turns
from rooms.log.state import RoomState

WALKS = sized(24, 200, 2_000)
STEPS = 40
NAMES = ("eve", "ada", "bo")

POLICIES: tuple[Callable[[], RoomPolicy], ...] = (
    lambda: presets.panel(on_failure="retry"),
    lambda: presets.panel(interrupt="queue", on_failure="drop"),
    lambda: presets.thread(interrupt="restart", max_rounds=2),
    lambda: presets.thread(on_failure="retry", default_responder="ada"),
    lambda: RoomPolicy(planner="roster", max_messages=7),
)


class CarriesNothing:
    """A plugin to which wakes are handed, and that is nobody's carrier."""

    @hookimpl
    def rooms_carry(self) -> None:
        return None


class Walker:
    """A planned room, its hosts, and a draw that says what they do."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.place = Place("memory:")
        self.lobby: Lobby = self.place.open()
        self.ops = self.lobby.person("ops")
        policy = POLICIES[seed % len(POLICIES)]()
        self.room: Room = self.lobby.create_room("r", by=self.ops, policy=policy)
        for name in NAMES:
            self.room.join(by=self.lobby.add_agent(name).conversation())
        self.turns: list[Turn] = []
        self.lobby.register(CarriesNothing())

    def seat(self) -> Conversation:
        return self.lobby.agent(self.draw.choice(NAMES)).conversation()

    def state(self) -> RoomState:
        with self.lobby._desk.lock:
            return self.lobby._desk.room(self.room.id)

    def facts(self) -> list[Fact]:
        records = self.place.storage.read(room_stream(self.room.id), limit=10_000)
        return [decoded(record) for record in records]

    # -- what may happen

    def step(self) -> None:
        steps: list[tuple[int, Callable[[], Any]]] = [
            (3, self.person),
            (6, self.take),
            (3, self.say),
            (5, self.end),
            (2, self.fail),
            (1, lambda: self.room.rest(by=self.seat())),
            (2, lambda: self.room.resume(by=self.seat())),
            (1, lambda: self.room.leave(by=self.seat())),
            (2, lambda: self.room.join(by=self.seat())),
            (1, lambda: self.seat().claim()),
            (1, lambda: self.room.post("by the way", by=self.seat())),
            (1, lambda: self.room.read(by=self.seat())),
            (2, self.later),
            (1, self.lobby.deliver),
        ]
        weights = [weight for weight, _ in steps]
        [(_, happens)] = self.draw.choices(steps, weights)
        with suppress(RoomsError):  # whatever is refused has changed nothing
            happens()

    def person(self) -> None:
        called = self.draw.sample(NAMES, self.draw.randint(0, 3))
        text = " ".join([*(f"@{name}" for name in called), "go"])
        self.room.post(text, by=self.ops)

    def take(self) -> None:
        holder = self.draw.choice(["h-1", "h-2"])
        for wake in self.lobby.take_wakes(holder=holder):
            turn = self.lobby.turn(wake)
            if self.draw.random() < 0.8:
                turn.__enter__()
            self.turns.append(turn)

    def say(self) -> None:
        if self.turns:
            self.draw.choice(self.turns[-3:]).reply(f"@{self.draw.choice(NAMES)}?")

    def end(self, *, failed: bool = False) -> None:
        if self.turns:
            self.turns.pop(self.draw.randrange(len(self.turns))).end(failed=failed)

    def fail(self) -> None:
        self.end(failed=True)

    def later(self) -> None:
        self.place.clock.advance(minutes=self.draw.choice([1, 15]))

    # -- what holds

    def check(self) -> None:
        walk = Walk(Walked(state=self.state()))
        invariants.one_floor_is_there_at_most_and_whoever_has_it_can_take_it(
            walk, None, walk
        )
        activity, floor = self.state().activity, self.state().floor
        if floor is not None and not floor.wake:
            assert activity is not None
            assert activity.opener == floor.activity
        if activity is not None:
            had = Counter((one.conversation, one.round) for one in activity.turns)
            assert not had or max(had.values()) == 1, had

    def settle(self) -> None:
        """Every host does its part, and the room comes to rest."""
        for name in NAMES:
            one = self.lobby.agent(name).conversation()
            self.room.join(by=one).resume(by=one)
        for turn in self.turns:
            turn.end()
        for _ in range(200):
            self.place.clock.advance(minutes=15)
            for wake in self.lobby.take_wakes(holder="last"):
                with self.lobby.turn(wake):
                    pass
            self.check()
            state = self.state()
            if state.activity is None and state.floor is None:
                break
        state = self.state()
        assert (state.activity, state.floor, state.openers) == (None, None, [])

    def balance(self) -> None:
        """The books of the whole walk."""
        opened, ended = Counter[int](), Counter[int]()
        asked, given, over = set[int](), Counter[str](), Counter[str]()
        in_turns = Counter[int]()
        taken = ""
        spoke: set[int] = set()
        for fact in self.facts():
            event: Any = fact.event
            match event:
                case floors.ActivityOpened():
                    opened[event.opener] += 1
                    asked.discard(event.opener)
                case floors.OpenerQueued():
                    asked.add(event.opener)
                case floors.ActivityEnded():
                    ended[event.opener] += 1
                case floors.FloorGiven():
                    given[event.conversation] += 1
                case floors.FloorEnded():
                    over[event.conversation] += event.outcome != "absent" or bool(
                        given[event.conversation] > over[event.conversation]
                    )
                    in_turns.update(event.seqs)
                    taken = ""
                    assert event.used or not event.seqs
            if type(event).__name__ == "WakeTaken" and event.kind == "floor":
                taken = event.conversation
            if type(event).__name__ == "WakeReturned" and event.why == "given_back":
                taken = "" if event.conversation == taken else taken
            if type(event).__name__ == "MessagePosted" and taken == event.sender != "":
                spoke.add(event.seq)
        assert opened == ended
        assert max(opened.values(), default=1) == 1
        assert asked == set()
        assert given == over
        assert set(in_turns) == spoke
        assert max(in_turns.values(), default=1) == 1


def walk_all(seeds: Iterable[int]) -> list[int]:
    return [walk(seed) for seed in seeds]


def walk(seed: int) -> int:
    """Plays a walk, of which the walker checks every step; how many turns it had."""
    walker = Walker(seed)
    for _ in range(STEPS):
        walker.step()
        walker.check()
    walker.settle()
    walker.balance()
    turns = sum(isinstance(fact.event, floors.FloorEnded) for fact in walker.facts())
    walker.place.close()
    return turns


@pytest.mark.parametrize("share", range(4))
def test_whatever_happens_every_activity_ends_and_no_turn_is_lost_or_repeated(
    share: int,
) -> None:
    assert max(walk_all(range(share, WALKS, 4))) > 0


Plant = Callable[[pytest.MonkeyPatch], None]
Real = Callable[..., Any]


def nothing(*_: Any, **__: Any) -> list[Any]:
    return []


def in_all(name: str, mistake: Real) -> Plant:
    """The mistake in every module of the ledger that calls the function."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        for module in (ledger_ending, taking, turns):
            if hasattr(module, name):
                patch.setattr(module, name, mistake)

    return plant


def forgets_words(room: Any, seat: Any, wake: Any, end: Any) -> Any:
    if room.floor is not None and room.floor.seqs:
        real, room.floor.seqs = room.floor.seqs, ()
        try:
            return ending.floor_ended(room, seat, wake, end)
        finally:
            room.floor.seqs = real
    return ending.floor_ended(room, seat, wake, end)


def attribute(module: Any, name: str, mistake: Any) -> Plant:
    return lambda patch: patch.setattr(module, name, mistake)


def folded(kind: type[Event], mistake: Any) -> Plant:
    return lambda patch: patch.setitem(folding._OWING, kind, mistake)


def keeps_the_floor(room: Any, fact: Any) -> None:
    if room.activity is not None:
        room.activity.aside.extend(fact.event.seqs)


def without_withdrawing(room: Any, reason: str) -> list[Any]:
    activity = room.activity
    return [floors.ActivityEnded(activity.opener, reason)] if activity else []


def names_whoever_rests(room: Any, plan: Any, roster: Any) -> list[Any]:
    if plan.speaker is None:
        return floors.given(room, plan, roster)
    one = roster.get(plan.speaker, plan.speaker)
    return [floors.FloorGiven(one, room.activity.opener, plan.round)]


MISTAKES: dict[str, Plant] = {
    "no floor ends with its wake": in_all("floor_ended", nothing),
    "what was said before the end is forgotten": in_all("floor_ended", forgets_words),
    "a floor that was lost stays in hand": attribute(
        ledger_folding, "_untake", lambda *_: None
    ),
    "whoever leaves keeps the floor": attribute(seating, "absent", nothing),
    "a queued opener is lost": attribute(planning, "next_activity", nothing),
    "a floor is not withdrawn": attribute(opening, "stopped", without_withdrawing),
    "no turn is ever used up": attribute(ending, "_used", lambda *_: False),
    "a floor that ended is still there": folded(floors.FloorEnded, keeps_the_floor),
    "who is away is named": attribute(floors, "given", names_whoever_rests),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    MISTAKES[mistake](monkeypatch)

    with pytest.raises((AssertionError, KeyError, RecursionError)):
        walk_all(range(60))
