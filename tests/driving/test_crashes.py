"""A driver that dies behind any commit, and one that goes on where it stopped."""

from __future__ import annotations

from typing import Any

import pytest

from driving.scene import Scene
from rooms import Room
from rooms.driving import Reply, View, drive

ASKED = "What broke?"


class Died(BaseException):
    """The process is gone; nothing of it says another word."""


class Mortal:
    """A storage that dies with its process behind the commit of a number."""

    def __init__(self, kept: Any, *, after: int) -> None:
        self._kept, self._left, self._dead = kept, after, False

    def __getattr__(self, name: str) -> Any:
        if self._dead:
            raise Died
        return getattr(self._kept, name)

    def die(self, _: View) -> None:
        self._dead = True
        raise Died

    def append(self, commit: Any) -> int:
        if self._dead:
            raise Died
        position: int = self._kept.append(commit)
        self._left -= 1
        if not self._left:
            self._dead = True
            raise Died
        return position


def played(preset: str, holder: str | None) -> tuple[Scene, Room]:
    scene = Scene()
    room = scene.room(preset, max_rounds=3)
    scene.ask(room, f"@eve @ada @bo {ASKED}")
    return scene, room


def speaker(scene: Scene) -> Any:
    """Deterministic: eve and bo call each other in every round, and ada passes."""

    def speak(_: Any, view: View) -> Any:
        scene.asked.append((view.name, view.round))
        if view.name == "ada":
            return Reply(passed=True)
        return f"{view.name} in {view.round}: @bo @eve"

    return speak


def undisturbed(
    preset: str,
) -> tuple[list[tuple[str, str]], list[tuple[str, int]], int]:
    scene, room = played(preset, None)
    before = scene.storage.position()
    drive(room, speaker(scene))
    return scene.said(room), scene.asked, scene.storage.position() - before


@pytest.mark.rule("P-RUN-10", "P-PLAN-02")
@pytest.mark.parametrize("preset", ["panel", "thread"])
@pytest.mark.parametrize("how", ["the same holder", "when the claim ran out"])
def test_stopped_behind_any_commit_and_resumed_the_transcript_is_the_same(
    preset: str, how: str
) -> None:
    said, asked, commits = undisturbed(preset)
    assert len(asked) >= 7  # three rounds
    stops = 0
    for after in range(1, commits + 1):
        scene, room = played(preset, None)
        dying = scene.open(Mortal(scene.storage, after=after))
        holder = "gateway" if how == "the same holder" else None
        try:
            drive(dying.room(room.id), speaker(scene), holder=holder)
        except Died:
            stops += 1
        else:
            break  # it had fewer commits than records
        if holder is None:
            scene.clock.advance(minutes=15)
        heir = scene.open()

        drive(heir.room(room.id), speaker(scene), holder=holder)

        assert scene.said(room) == said, f"behind commit {after}"
        extra = [one for one in asked if one not in scene.asked]
        assert not extra
        assert len(scene.asked) <= len(asked) + 1
    assert stops >= 2 * len(asked)  # behind each take, and behind each end


@pytest.mark.parametrize("preset", ["panel", "thread"])
def test_a_turn_that_kills_its_driver_three_times_counts_as_failed(preset: str) -> None:
    scene, room = played(preset, None)
    for _ in range(3):
        mortal = Mortal(scene.storage, after=99)
        dying = scene.open(mortal)
        with pytest.raises(Died):
            drive(dying.room(room.id), scene.says(eve=mortal.die), holder="g")

    driven = drive(room, scene.says(ada="A", bo="B"), holder="g")

    assert scene.asked[:3] == [("eve", 0)] * 3
    assert [one.name for one in driven.turns][:2] == ["ada", "bo"]
