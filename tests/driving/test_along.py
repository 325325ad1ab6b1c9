"""
Turns along known ways: they leave just what they leave by the whole way.

Two lobbies play the same programs with the same clock, ids and salts; in one of them no
way is ever known, and nothing is remembered of what was heard. Whatever either shows,
answers, refuses or records is the same, byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from driving.scene import Scene
from effort import sized
from lobby.place import Clock
from rooms import (
    Conversation,
    Lobby,
    MemoryStorage,
    Room,
    RoomPolicy,
    RoomsError,
    presets,
)
from rooms.driving import Reply, TurnFailed, View, drive
from rooms.lobby.floors import speaking
from rooms.lobby.floors.heard import Heard
from rooms.lobby.posting.routed import Planned, learn
from rooms.pacing import RateWindow
from rooms.testing import CountingIds

PROGRAMS = sized(16, 60, 2_000)
STEPS = 40

NAMES = ("eve", "ada", "bo")
POLICIES: tuple[Callable[..., RoomPolicy], ...] = (
    lambda: RoomPolicy(planner="roster", max_rounds=2),
    lambda: RoomPolicy(planner="roster", max_rounds=9, max_messages=6, lead="ada"),
    lambda: presets.panel(interrupt="queue", on_failure="drop"),
    lambda: presets.panel(on_failure="retry", max_hops=2, mentions="off"),
    lambda: presets.thread(interrupt="restart", max_rounds=2),
    lambda: presets.thread(default_responder="ada", history="since_join"),
    lambda: presets.thread(lead="bo", retention=timedelta(hours=1)),
    lambda: RoomPolicy(planner="roster", max_unread=3, max_message_chars=12),
    lambda: RoomPolicy(
        planner="roster", send_window=RateWindow(2, timedelta(minutes=1))
    ),
)
TEXTS = (*["go"] * 6, "@eve go", "@ada @bo go", "and a long text at last", " ")
LINES = (*["said"] * 8, "@ada?", "pass", "", "a line that is far too long here")


class Play:
    """A program in one lobby: what was seen on the way, and the log that it left."""

    def __init__(self, seed: str, *, plain: bool) -> None:
        self.draw, self.plain = random.Random(seed), plain
        self.storage, self.clock, self.ids = MemoryStorage(), Clock(), CountingIds()
        self.lobby = self.open()
        self.ops = self.lobby.person("ops")
        policy = self.draw.choice(POLICIES)()
        self.room: Room = self.lobby.create_room("r", by=self.ops, policy=policy)
        for name in NAMES:
            self.room.join(by=self.lobby.add_agent(name).conversation())
        self.other = self.open()
        self.seen: list[Any] = []
        for _ in range(STEPS):
            self.step(MEDDLING if self.draw.random() < 0.15 else ("ask", "drive"))

    def open(self) -> Lobby:
        """A handle; what is planned in vain takes a salt, so all salts are alike."""
        return Lobby(
            self.storage, clock=self.clock, ids=self.ids, salt=lambda: b"s" * 16
        )

    def step(self, steps: tuple[str, ...]) -> None:
        name = self.draw.choice(steps)
        try:
            self.seen.append((name, getattr(self, name)()))
        except RoomsError as error:
            self.seen.append((name, error.code, str(error)))

    def seat(self, lobby: Lobby | None = None) -> Conversation:
        return (lobby or self.lobby).agent(self.draw.choice(NAMES)).conversation()

    # -- what may happen

    def ask(self) -> Any:
        text, to = self.draw.choice(TEXTS), self.draw.choice([(), (), ("agent:eve",)])
        request = self.draw.choice([None, None, "r-1"])
        posted = self.room.post(text, by=self.ops, to=to, request_id=request)
        return str(posted), posted.message.id

    def drive(self) -> Any:
        limit = self.draw.choice([1, 2, 9, 9])
        driven = drive(self.room, self.speak, holder="gateway", limit=limit)
        turns = [(one.name, one.outcome, one.text, one.error) for one in driven.turns]
        return turns, driven.reason, driven.problem, dict(driven.ends)

    def speak(self, _: Conversation, view: View) -> Any:
        shown = [(one.seq, one.content) for one in view.missed]
        self.seen.append((view.name, view.text, shown, view.omitted, view.delegated))
        if self.draw.random() < 0.04:
            self.step(MEDDLING)
        if self.draw.random() < 0.1:
            raise TurnFailed("down")
        line = self.draw.choice(LINES)
        return Reply(passed=True) if line == "pass" else line

    def say(self) -> Any:
        return str(self.room.post("by the way", by=self.seat()))

    def interrupt(self) -> Any:
        return str(self.room.post("stop", by=self.ops))

    def from_elsewhere(self) -> Any:
        there = self.other.room(self.room.id)
        return str(there.post("me too", by=self.seat(self.other)))

    def rest(self) -> Any:
        return str(self.room.rest(by=self.seat()))

    def resume(self) -> Any:
        return str(self.room.resume(by=self.seat()))

    def leave(self) -> Any:
        return str(self.room.leave(by=self.seat()))

    def join(self) -> Any:
        return str(self.room.join(by=self.seat()))

    def subscribe(self) -> Any:
        mode = self.draw.choice(["every_message", "when_tagged", "on_demand"])
        return str(self.room.subscribe(by=self.seat(), mode=mode))

    def disable(self) -> Any:
        name, enabled = self.draw.choice(NAMES), self.draw.random() < 0.7
        return str(self.lobby.agent(name).change(enabled=enabled))

    def erase(self) -> Any:
        for message in self.room.latest(by=self.ops).items[-1:]:
            self.room.erase(message, by=self.ops)

    def change_policy(self) -> Any:
        policy = self.draw.choice(POLICIES)()
        return str(self.room.change_policy(policy, by=self.ops))

    def later(self) -> Any:
        self.clock.advance(minutes=self.draw.choice([1, 15, 90]))
        self.lobby.deliver()


MEDDLING = (
    *("say", "say", "interrupt", "from_elsewhere", "rest", "resume", "resume"),
    *("leave", "join", "join", "subscribe", "disable", "erase", "change_policy"),
    "later",
)


@pytest.fixture
def whole_ways(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Whether no way may be known now, and how many turns took one."""
    seen: dict[str, Any] = {"plain": False, "along": 0}
    between = Planned.decide

    def learning(*given: Any, **more: Any) -> None:
        if not seen["plain"]:
            learn(*given, **more)

    def along(*given: Any, **more: Any) -> Any:
        events = between(*given, **more)
        seen["along"] += events is not None
        return events

    monkeypatch.setattr("rooms.lobby.posting.commanding.learn", learning)
    monkeypatch.setattr(Planned, "decide", along)
    return seen


def play(seed: str, seen: dict[str, Any], patch: pytest.MonkeyPatch) -> None:
    plays = []
    for plain in (False, True):
        seen["plain"] = plain
        with patch.context() as patched:
            if plain:
                forgets_what_it_heard(patched)
            plays.append(Play(seed, plain=plain))
    one, other = plays
    for step, (there, here) in enumerate(zip(one.seen, other.seen, strict=True)):
        assert there == here, (seed, step)
    logs = [each.storage.scan(limit=10**6) for each in plays]
    assert logs[0] == logs[1]  # every column of every record
    assert one.lobby.next_deadline() == other.lobby.next_deadline()


def forgets_what_it_heard(patch: pytest.MonkeyPatch) -> None:
    real = speaking.take_floor

    def take_floor(desk: Any, *given: Any, **more: Any) -> Any:
        desk.heard = Heard(desk)
        return real(desk, *given, **more)

    patch.setattr("rooms.driving.table.take_floor", take_floor)
    patch.setattr(Heard, "known", lambda *_: None)


def test_a_turn_along_a_way_comes_to_what_the_whole_way_comes_to(
    whole_ways: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(PROGRAMS):
        play(f"along {seed}", whole_ways, monkeypatch)
    assert whole_ways["along"] > 4 * PROGRAMS


# -- what a way may not pass over


def learnt(preset: str, whole_ways: dict[str, Any], **options: Any) -> tuple[Any, Room]:
    """A planned room in which everybody's way is known."""
    scene = Scene()
    room = scene.room(preset, *NAMES, max_rounds=1, **options)
    for _ in range(3):
        scene.ask(room, to=tuple(f"agent:{name}" for name in NAMES))
        scene.drive(room, eve="E", ada="A", bo="B")
    assert whole_ways["along"] >= len(NAMES)
    return scene, room


def newest(scene: Scene, room: Room) -> Any:
    page = room.latest(by=scene.lobby.person("ops"))
    return page.items[-1].fact.event


def test_an_answer_to_what_expired_meanwhile_says_so(
    whole_ways: dict[str, Any],
) -> None:
    scene, room = learnt("thread", whole_ways, retention=timedelta(hours=1))
    eve = scene.lobby.agent("eve").conversation()

    def slow(view: View) -> str:
        del view
        scene.clock.advance(minutes=90)
        scene.lobby.sweep()
        for _ in range(3):  # the way is known again
            room.post("by the way", by=eve)
        return "at last"

    scene.ask(room, to=("agent:eve",))
    drive(room, scene.says(eve=slow), hold_for=timedelta(hours=3))

    said = newest(scene, room)
    assert (said.text, said.reply_gone) == ("at last", True)


def test_an_answer_to_the_lead_is_for_the_lead(whole_ways: dict[str, Any]) -> None:
    scene, room = learnt("thread", whole_ways, lead="bo")
    bo = scene.lobby.agent("bo").conversation()

    room.post("yours", by=bo, to=("agent:eve",))
    scene.drive(room, eve="done")

    said = newest(scene, room)
    assert (said.text, said.owed) == (
        "done",
        ((bo.id, "rider", "direct", "planned", "rider"),),
    )


def test_whom_a_speaker_may_write_to_is_seen_at_its_next_turn(
    whole_ways: dict[str, Any],
) -> None:
    scene, room = learnt("panel", whole_ways)
    scene.ask(room)
    scene.lobby.agent("eve").change(allowed_recipients=["ada"])

    drive(room, scene.says(eve="for ada"), limit=1)

    reached = [scene.lobby.agent("ada").conversation().id]
    assert [one[0] for one in newest(scene, room).owed] == reached


def test_an_activity_of_which_everybody_left_ends(whole_ways: dict[str, Any]) -> None:
    scene, room = learnt("thread", whole_ways)
    scene.ask(room, to=tuple(f"agent:{name}" for name in NAMES))

    def alone(_: View) -> str:
        for name in NAMES:
            room.leave(by=scene.lobby.agent(name).conversation())
        return "bye"

    assert scene.drive(room, eve=alone).reason == "empty_roster"
