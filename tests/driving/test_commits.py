"""What a turn costs a storage, and what observers hear of it."""

from __future__ import annotations

from typing import Any

import pytest

from driving.scene import Scene
from rooms.driving import drive
from rooms.errors import StorageError
from rooms.hooks import hookimpl


class Appending:
    """A storage that notes what each commit holds."""

    def __init__(self, kept: Any) -> None:
        self._kept = kept
        self.commits: list[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def append(self, commit: Any) -> int:
        self.commits.append([one.type for one in commit.records])
        position: int = self._kept.append(commit)
        return position


class Hearing:
    """An observer that notes who recorded what."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, list[str]]] = []

    @hookimpl
    def rooms_committed(self, commit: Any) -> None:
        for facts in commit.facts.values():
            self.heard.append((commit.by, [fact.event.TYPE for fact in facts]))


@pytest.mark.rule("P-RUN-10")
@pytest.mark.parametrize("preset", ["panel", "thread"])
def test_a_turn_is_two_commits_its_take_and_its_end_with_the_next_floor(
    preset: str,
) -> None:
    scene = Scene()
    room = scene.room(preset, max_rounds=1)
    kept = Appending(scene.storage)
    driving = scene.open(kept)
    ops = driving.person("ops")
    kept.commits.clear()

    driving.room(room.id).post("@eve @ada @bo Go.", by=ops)

    [asked] = kept.commits
    assert asked[-1] == "floor_given"
    kept.commits.clear()

    driven = drive(driving.room(room.id), scene.says(eve="E", ada="A", bo="B"))

    assert [one.text for one in driven.turns] == ["E", "A", "B"]
    assert driven.reason in {"settled", "round_cap"}
    takes, ends = kept.commits[::2], kept.commits[1::2]
    assert takes == [["wake_taken", "turn_opened"]] * 3
    assert [one[-1] for one in ends] == ["floor_given", "floor_given", "activity_ended"]
    assert all("message_posted" in one for one in ends)


def test_observers_hear_the_floor_as_a_commit_of_the_rooms_own() -> None:
    scene = Scene()
    room = scene.room("panel")
    hearing = Hearing()
    scene.lobby.register(hearing, "hearing")

    scene.ask(room)

    (who, said), (planner, gave) = hearing.heard
    assert (who, said[-1]) == ("person:ops", "message_posted")
    assert (planner, gave) == ("system", ["floor_given"])


@pytest.mark.parametrize("before", [0, 3])
def test_a_commit_that_is_not_stored_gives_nobody_the_floor(before: int) -> None:
    """By the whole way, and along one that is known by then."""
    scene = Scene()
    room = scene.room("panel")
    failing = Appending(scene.storage)
    driving = scene.open(failing)
    for _ in range(before):
        driving.room(room.id).post("Go.", by=driving.person("ops"))
        drive(driving.room(room.id), scene.says())
    failing.append = lambda _: 1 / 0  # type: ignore[assignment, method-assign, return-value]

    with pytest.raises(ZeroDivisionError):
        driving.room(room.id).post("Go.", by=driving.person("ops"))

    with driving._desk.lock:
        state = driving._desk.room(room.id)
    assert (state.activity, state.floor, state.seq) == (None, None, before)


def test_a_turn_that_is_not_stored_can_be_ended_again() -> None:
    """Nothing of it is folded, along a known way too; it is still its holder's."""
    scene = Scene()
    room = scene.room("panel", "eve", max_rounds=1)
    failing = Appending(scene.storage)
    driving = scene.open(failing)
    append = failing.append

    def last(_: Any) -> str:
        failing.append = refuse  # type: ignore[method-assign]
        return "lost"

    def refuse(commit: Any) -> int:
        del commit
        raise StorageError("storage_full", "no space is left")

    for _ in range(3):
        driving.room(room.id).post("Go.", by=driving.person("ops"))
        drive(driving.room(room.id), scene.says(eve="E"))
    driving.room(room.id).post("Go.", by=driving.person("ops"))
    lost = drive(driving.room(room.id), scene.says(eve=last), holder="g")
    failing.append = append  # type: ignore[method-assign]
    again = drive(driving.room(room.id), scene.says(eve="kept"), holder="g")

    assert [(one.outcome, one.text) for one in lost.turns] == [("unrecorded", "lost")]
    assert [(one.outcome, one.text) for one in again.turns] == [("spoke", "kept")]
    assert [words for _, words in scene.said(room)] == ["Go.", "E"] * 3 + [
        "Go.",
        "kept",
    ]
