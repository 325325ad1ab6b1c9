"""Stopped after any commit, a team ends with the same result, sent at most once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Place
from rooms import Lobby, Turn, Wake
from rooms.hooks import hookimpl
from rooms.lobby import Team
from team.scene import BLUEPRINT, Scene


class Killed(BaseException):
    """The process is gone."""


class Host:
    """A host whose world outlives it: what was placed and sent stays so."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.placed: set[str] = set()

    @hookimpl
    def rooms_place_member(self, place: Any) -> str:
        self.placed.add(place.key)
        return f"/trees/{place.key}"

    @hookimpl
    def rooms_release_member(self, place: Any, keep: bool) -> bool:
        if not keep:
            self.placed.discard(place.key)
        return True

    @hookimpl
    def rooms_deliver(self, sending: Any) -> str:
        self.sent.append(sending.text)
        return f"post {len(self.sent)}"


class Cut:
    """Kills the process behind a commit, by its number; counts them otherwise."""

    def __init__(self, lobby: Lobby, at: int | None) -> None:
        self.count = 0
        storage: Any = lobby._desk.storage
        append: Callable[..., Any] = storage.append

        def cut(*given: Any, **more: Any) -> Any:
            answer = append(*given, **more)
            self.count += 1
            if self.count == at:
                raise Killed
            return answer

        self._storage, self._append = storage, append
        storage.append = cut

    def undo(self) -> None:
        self._storage.append = self._append


def drive(lobby: Lobby, host: Host) -> Team:
    """A host's loop, from wherever a team stands to its end."""
    teams = lobby.teams(by=lobby.person("ana"))
    team = teams.prepare("Move the orders.", BLUEPRINT, request_id="p-1")
    assert isinstance(team, Team)
    for _ in range(12):
        match team.status:
            case "draft":
                team.start()
            case "ready" | "running":
                for wake in lobby.take_wakes():
                    with lobby.turn(wake) as turn:
                        act(lobby, turn, wake)
            case "paused":
                team.resume(request_id="resume")
            case "completing":  # ana looks whether it arrived
                team.settle_completion(delivered=bool(host.sent))
            case _:
                return team
    raise AssertionError(team.standing)


def act(lobby: Lobby, turn: Turn, wake: Wake) -> None:
    me = lobby.member(by=turn)
    told = (wake, *turn.notices)
    words = [message.content for each in told for message in each.messages]
    if me.itself.key == "builder":
        me.claim_paths(["src"])
        work = me.update_work(title="Move it.", request_id="work")
        what = ("patch", "The move")
        me.publish_artifact(*what, content="+ it", work=work, request_id="patch")
        me.send("Built.", to=["lead"], request_id="built")
    elif "Built." in words:
        me.finish("All moved.", request_id="finish")
    elif me.itself.lead:
        me.send("Build it.", to=["builder"], request_id="build")


def result(team: Team) -> dict[str, Any]:
    told = {one.what: one.told for one in team.timeline()}
    return {
        "standing": team.standing.status,
        "text": told["team_finished"]["text"],
        "members": [(one.key, one.status, one.tools) for one in team.members],
        "work": [(one.title, one.owner, len(one.artifacts)) for one in team.work],
        "artifacts": [(one.title, team.read_artifact(one)) for one in team.artifacts],
        "claims": (team.claims, [one.pattern for one in team.released_claims]),
        "posts": [one.content for one in team.room.read(by=team_person(team))],
    }


def team_person(team: Team) -> Any:
    return team._by


def run(place: Place, at: int | None) -> tuple[int, dict[str, Any], Host]:
    """A run that is killed behind one commit, or not; how many commits it had."""
    Scene(place)
    host, lobby = Host(), place.open()
    lobby.register(host, "host")
    cut = Cut(lobby, at)
    try:
        team = drive(lobby, host)
    except Killed:
        cut.undo()
        lobby = place.crash()
        lobby.register(host, "host")
        lobby.recover_teams()
        team = drive(lobby, host)
    else:
        cut.undo()
    return cut.count, result(team), host


def test_both_storages_hold_the_same_log_of_a_team(tmp_path: Path) -> None:
    places = [
        Place("memory:"),
        Place(f"sqlite:///{tmp_path / 'team.db'}?durability=relaxed"),
    ]

    logs = []
    for place in places:
        _, whole, _ = run(place, None)
        assert whole["standing"] == "completed"
        again = place.crash()  # which folds it from the log
        logs.append(list(again.export()))
    for place in places:
        place.close()

    assert logs[0] == logs[1]


@pytest.mark.rule("S-RECOVER-01", "S-RECOVER-04", "S-DELIVER-08")
def test_stopped_after_any_commit_a_team_ends_with_the_same_result() -> None:
    commits, whole, host = run(Place("memory:"), None)
    assert (whole["standing"], whole["text"]) == ("completed", "All moved.")
    assert whole["posts"] == ["Move the orders.", "Build it.", "Built."]
    assert whole["work"] == [("Move it.", "builder", 1)]
    assert whole["artifacts"] == [("The move", "+ it")]
    assert whole["claims"] == ((), ["src"])
    assert host.sent == ["All moved."]
    assert commits > 12

    for at in range(1, commits + 1):
        _, found, world = run(Place("memory:"), at)

        assert found == whole, at
        assert len(world.sent) <= 1, at
        assert world.placed == host.placed, at
