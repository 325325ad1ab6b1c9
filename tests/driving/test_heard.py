"""What a driver heard: it is read once, and again after whatever anybody else did."""

from __future__ import annotations

from typing import Any

import pytest

from driving.scene import Scene
from rooms import MemoryStorage
from rooms.driving import Reply, View
from rooms.log.records import Record


class Counting(MemoryStorage):
    """A storage that counts who reads messages."""

    asked = 0

    def messages(self, stream: str, **asked: Any) -> list[Record]:
        self.asked += 1
        return super().messages(stream, **asked)


def test_what_a_driver_heard_is_not_read_anew_at_each_turn() -> None:
    storage = Counting()
    scene = Scene(storage)
    room = scene.room("thread", max_rounds=3)
    seen: list[list[str]] = []

    def look(view: View) -> Any:
        seen.append([one.content for one in view.missed])
        if len(seen) == 5:  # by now everybody follows the room
            storage.asked = 0
        if len(seen) in {2, 8}:  # a turn that leaves no words
            return Reply(passed=True)
        return f"line {len(seen)}"

    scene.ask(room, "All?", to=("agent:eve", "agent:ada", "agent:bo"))
    scene.drive(room, eve=look, ada=look, bo=look)

    assert seen == [
        [],
        ["All?", "line 1"],
        ["All?", "line 1"],
        ["line 3"],
        ["All?", "line 1", "line 3", "line 4"],
        ["line 4", "line 5"],
        ["line 5", "line 6"],
        ["line 6", "line 7"],
        ["line 7"],
    ]
    assert storage.asked == 0


@pytest.mark.rule("R-CATCHUP-02")
@pytest.mark.parametrize("others", ["erase", "post"])
def test_whatever_anybody_else_recorded_is_seen_at_the_next_turn(
    scene: Scene, others: str
) -> None:
    room = scene.room("panel", "eve", "ada", "bo", interrupt="queue")
    ops = scene.lobby.person("ops")
    scene.ask(room)

    def meddle(_: View) -> str:
        if others == "post":
            room.post("And this?", by=ops)
        else:
            room.erase(room.read(by=ops).items[1], by=ops)
        return "mine"

    seen: list[str] = []

    def look(view: View) -> str:
        seen.extend(one.content for one in view.missed)
        return "last"

    scene.drive(room, eve=["B", "b"], ada=meddle, bo=[look, ""])

    words = {"post": ["Go.", "B", "And this?", "mine"], "erase": ["Go.", "mine"]}
    assert seen == words[others]


@pytest.mark.parametrize("preset", ["thread", "panel"])
def test_what_was_said_since_the_last_driver_is_not_read_either(preset: str) -> None:
    """By nobody: neither for a view, nor a wake, nor a planner that reads it."""
    storage = Counting()
    scene = Scene(storage)
    room = scene.room(preset, "eve", "ada", max_rounds=1)
    seen: list[list[str]] = []

    def look(view: View) -> Any:
        seen.append([view.text, *(one.content for one in view.missed)])
        return view.name

    scene.ask(room, "First?", to=("agent:eve", "agent:ada"))
    scene.drive(room, eve=look, ada=look)
    storage.asked = 0
    scene.ask(room, "Second?", to=("agent:eve", "agent:ada"))
    scene.drive(room, eve=look, ada=look)

    assert seen[2:] == [["Second?", "ada"], ["Second?", "Second?", "eve"]]
    assert storage.asked == 0


def test_nothing_that_was_erased_is_kept() -> None:
    storage = Counting()
    scene = Scene(storage)
    room = scene.room("panel", "eve", "ada")
    ops = scene.lobby.person("ops")
    scene.ask(room, "A secret.")
    scene.drive(room, eve="E", ada="A")

    room.erase(room.read(by=ops).items[0], by=ops)

    kept = list(scene.lobby._desk.heard._rooms.values())
    assert kept == []


def test_what_is_not_stored_after_all_is_not_heard() -> None:
    storage = MemoryStorage()
    scene = Scene(storage)
    room = scene.room("thread", "eve", max_rounds=1)
    seen: list[list[str]] = []

    def look(view: View) -> str:
        seen.append([view.text, *(one.content for one in view.missed)])
        return "E"

    scene.ask(room, "First?", to=("agent:eve",))
    scene.drive(room, eve=look)
    kept = storage.append
    storage.append = lambda _: 1 / 0  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(ZeroDivisionError):
        scene.ask(room, "Never.", to=("agent:eve",))
    storage.append = kept  # type: ignore[method-assign]
    scene.ask(room, "Second?", to=("agent:eve",))
    scene.drive(room, eve=look)

    assert seen == [["First?"], ["Second?"]]
