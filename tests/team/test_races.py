"""Several at once, each with a handle of its own on one file: exactly one wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from lobby.place import Place
from rooms import Lobby
from rooms.errors import RoomsError
from team.scene import Host, Scene

AT_ONCE = 4


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    place = Place(f"sqlite:///{tmp_path / 'team.db'}?durability=relaxed")
    yield Scene(place)
    place.close()


def all_at_once(scene: Scene, act: Callable[[Lobby], Any]) -> list[str]:
    """What each of several handles comes to that do the same at one moment."""
    lobbies = [scene.place.open() for _ in range(AT_ONCE)]
    barrier = Barrier(AT_ONCE)

    def run(lobby: Lobby) -> str:
        barrier.wait()
        try:
            act(lobby)
        except RoomsError as refused:
            return refused.code
        return "done"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sorted(pool.map(run, lobbies))


@pytest.mark.rule("S-STATUS-04")
def test_of_several_starts_one_wins(scene: Scene) -> None:
    scene.prepared()

    outcomes = all_at_once(scene, lambda lobby: scene.team(lobby).start())

    # One that comes when another is through starts the ready team anew; whoever that
    # overtakes, after its grant, is told what it met: a team that moved on, or members
    # whose conversations are not those that it started.
    moves = [one.what for one in scene.team().timeline()]
    assert moves.count("team_granted") >= outcomes.count("done") >= 1
    assert set(outcomes) <= {"done", "invalid_transition", "unknown_address"}
    assert scene.team().status == "ready"


@pytest.mark.rule("S-STATUS-04", "S-SURFACE-06")
def test_a_start_that_is_asked_for_several_times_is_one(scene: Scene) -> None:
    scene.prepared()

    outcomes = all_at_once(
        scene, lambda lobby: scene.team(lobby).start(request_id="s-1")
    )

    assert outcomes == ["done"] * AT_ONCE
    moves = [one.what for one in scene.team().timeline()]
    assert moves.count("team_granted") == 1
    assert len(scene.lobby.take_wakes()) == 1


@pytest.mark.rule("S-STATUS-04", "S-DELIVER-08")
def test_of_several_finishes_one_is_sent(scene: Scene) -> None:
    scene.started()
    host, lead = Host(), scene.conversation("lead")

    def finish(lobby: Lobby) -> None:
        lobby.register(host, "host")
        lobby.member(by=lobby.agent("lead").conversation()).finish("Done.")

    outcomes = all_at_once(scene, finish)

    assert str(lead) == "agent:lead"
    assert outcomes.count("done") == 1
    assert set(outcomes) <= {
        *("done", "invalid_transition", "room_finished", "not_a_member"),
    }
    assert host.sent() == ["workspace_files"]
    assert scene.team().status == "completed"


@pytest.mark.rule("S-SURFACE-06", "S-DELIVER-08")
def test_a_finish_that_is_asked_for_several_times_is_sent_once(scene: Scene) -> None:
    scene.started()
    host = Host()
    members = []

    def finish(lobby: Lobby) -> None:
        lobby.register(host, "host")
        members.append(lobby.member(by=lobby.agent("lead").conversation()))
        ready.wait()
        members.pop().finish("Done.", request_id="f-1")

    ready = Barrier(AT_ONCE)
    outcomes = all_at_once(scene, finish)

    assert outcomes == ["done"] * AT_ONCE
    assert host.sent() == ["workspace_files"]


@pytest.mark.rule("S-STATUS-04", "S-STATUS-06")
def test_a_pause_and_a_cancel_at_once_leave_a_team_that_is_over(scene: Scene) -> None:
    scene.started()
    turns = iter((True, False) * AT_ONCE)

    def act(lobby: Lobby) -> None:
        team = scene.team(lobby)
        _ = team.pause() if next(turns) else team.cancel()

    outcomes = all_at_once(scene, act)

    assert scene.team().status == "cancelled"
    assert outcomes.count("done") in {1, 2}
    assert scene.lobby.take_wakes() == []
