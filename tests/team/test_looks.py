"""A team that stands still: who is nudged, who is told, and when it is stopped."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attrs import evolve

from rooms.errors import RoomsError
from rooms.lobby import Team
from rooms.team import Envelope, TeamLimits
from team.scene import BLUEPRINT, Scene
from team.test_questions import asks, taken

MINUTE = 60


@pytest.fixture
def running(scene: Scene) -> Scene:
    """A team whose conductor had its first turn and was nudged once."""
    scene.started()
    with scene.turn("lead"):
        pass
    return scene


def looked(scene: Scene) -> list[tuple[str, str]]:
    """Who is nudged by a look now, and why."""
    before = len(nudges(scene))
    scene.lobby.deliver()
    return nudges(scene)[before:]


def nudges(scene: Scene) -> list[tuple[str, str]]:
    return [
        (one.told["key"], one.told["why"])
        for one in reversed(scene.team().timeline())
        if one.what == "member_nudged"
    ]


def has_turn(scene: Scene, key: str) -> None:
    """A member has a turn, if something woke it, and does nothing."""
    taken(scene, key)


@pytest.mark.rule("S-SCHED-11", "S-SCHED-08")
def test_a_quiet_team_nudges_whom_it_helps_each_once(running: Scene) -> None:
    running.acts("lead").send("For later.", to=["scout"], wake=False)
    question = asks(running, "builder", ["scout"])
    has_turn(running, "scout")  # it is told both, and answers neither

    assert looked(running) == [("scout", "owes_answer")]
    assert looked(running) == []  # once
    has_turn(running, "scout")
    running.acts("lead").send("For later.", to=["scout"], wake=False)
    running.acts("scout").reply(question, "The new one.")
    has_turn(running, "builder")

    assert looked(running) == [("scout", "unread")]
    has_turn(running, "scout")
    assert looked(running) == [("lead", "idle")]
    has_turn(running, "lead")
    assert looked(running) == []
    assert running.team().status == "running"


@pytest.mark.rule("S-SCHED-11")
def test_who_waits_for_the_person_alone_pauses_the_team(running: Scene) -> None:
    running.acts("builder").request_attention("A key, please.")
    assert looked(running) == [("lead", "idle")]
    assert running.team().status == "running"
    has_turn(running, "lead")
    looked(running)

    assert str(running.team().standing) == "paused (awaiting_user)"
    assert "builder" in running.team().standing.text

    running.team().intervene("It is in the safe.", to=["builder"])
    assert running.team().status == "running"
    assert taken(running, "builder") == ["It is in the safe."]


@pytest.mark.rule("S-QUESTION-10")
def test_who_does_not_answer_when_reminded_lets_the_asker_go_on(running: Scene) -> None:
    asks(running, "builder", ["scout"])
    has_turn(running, "scout")
    looked(running)
    assert running.status("builder") == "waiting"
    has_turn(running, "scout")

    looked(running)

    assert running.status("builder") == "idle"
    [told] = taken(running, "builder")
    assert "No answer" in told
    assert "scout" in told


@pytest.mark.rule("S-QUESTION-09", "S-LIMIT-09")
def test_a_cycle_is_told_to_the_conductor_and_then_stops_the_team(
    running: Scene,
) -> None:
    asks(running, "builder", ["scout"])
    asks(running, "scout", ["builder"])
    looked(running)
    assert running.team().status == "running"
    [told] = taken(running, "lead")
    assert "builder, scout" in told

    looked(running)

    assert str(running.team().standing) == "paused (deadlock)"
    assert running.status("builder") == "waiting"


@pytest.mark.rule("S-QUESTION-09")
def test_a_cycle_in_a_team_that_had_no_turn_is_told_to_the_conductor(
    scene: Scene,
) -> None:
    team = scene.started()
    scene.lobby.deliver()
    for asker, asked in (("lead", "builder"), ("builder", "lead"), ("scout", "lead")):
        scene.acts(asker).ask("Well?", to=[asked])
    assert [one.status for one in team.members] == ["waiting"] * 3
    assert team.status == "ready"

    looked(scene)

    assert scene.status("lead") == "idle"
    [wake] = scene.lobby.take_wakes()
    assert wake.conversation == scene.conversation("lead")
    with scene.lobby.turn(wake):
        assert team.status == "running"


@pytest.mark.rule("S-QUESTION-09")
def test_a_question_to_somebody_free_is_no_deadlock(running: Scene) -> None:
    asks(running, "builder", ["scout", "lead"])
    asks(running, "scout", ["builder"])

    looked(running)

    assert [one.what for one in running.team().timeline()].count("conductor_told") == 0


@pytest.mark.rule("S-QUESTION-09")
def test_a_conductor_in_the_cycle_is_told_and_let_go(running: Scene) -> None:
    asks(running, "lead", ["builder"])
    asks(running, "builder", ["lead"])

    looked(running)

    assert running.status("lead") == "idle"
    assert running.status("builder") == "waiting"
    assert any("wait for each other" in one for one in taken(running, "lead"))


def idle(scene: Scene) -> Team:
    given = TeamLimits(max_idle=timedelta(minutes=5))
    team = scene.started(evolve(BLUEPRINT, limits=given), Envelope(limits=given))
    with scene.turn("lead"):
        pass
    assert looked(scene) == [("lead", "idle")]
    with scene.turn("lead"):
        pass
    return team


@pytest.mark.rule("S-LIMIT-08", "S-LIMIT-09")
def test_without_progress_the_conductor_is_told_and_then_the_team_stops(
    scene: Scene,
) -> None:
    team = idle(scene)
    assert scene.lobby.next_deadline() == scene.place.clock.at(5 * MINUTE)
    scene.place.clock.advance(4 * MINUTE)
    scene.acts("lead").send("Talk is no progress.", to=["builder"])
    has_turn(scene, "builder")
    assert looked(scene) == [("lead", "idle")]
    has_turn(scene, "lead")
    scene.place.clock.advance(MINUTE)
    looked(scene)
    assert team.status == "running"
    [told] = taken(scene, "lead")
    assert "Nothing has come" in told

    looked(scene)

    assert str(team.standing) == "paused (no_progress)"


@pytest.mark.rule("S-LIMIT-08", "S-LIMIT-09")
def test_progress_starts_the_clock_anew(scene: Scene) -> None:
    team = idle(scene)
    scene.place.clock.advance(5 * MINUTE)
    looked(scene)
    with scene.turn("lead"):
        scene.acts("lead").propose("change_strategy", text="Otherwise.")
    looked(scene)

    assert team.status == "running"
    assert ("conductor_told", "no_progress") in [
        (one.what, one.told.get("why")) for one in team.timeline()
    ]


@pytest.mark.rule("S-LIMIT-08")
def test_a_pause_is_no_idleness(scene: Scene) -> None:
    team = idle(scene)
    team.pause()
    scene.place.clock.advance(days=1)
    team.resume()
    looked(scene)

    assert team.status == "running"
    assert scene.lobby.next_deadline() == scene.place.clock.now or (
        "conductor_told" not in [one.what for one in team.timeline()]
    )


@pytest.mark.rule("S-LIMIT-08")
def test_a_team_in_which_a_turn_runs_is_not_idle(scene: Scene) -> None:
    team = idle(scene)
    with scene.turn("builder"):
        scene.place.clock.advance(10 * MINUTE)
        looked(scene)
        assert "conductor_told" not in [one.what for one in team.timeline()]


def test_what_the_library_tells_is_shown_as_nobodys(running: Scene) -> None:
    with pytest.raises(RoomsError):
        running.lobby.person("system:team")
    running.lobby.deliver()
    [wake] = running.lobby.take_wakes()

    shown = wake.render()

    assert "Nobody in the team works. Go on, or finish." in str(shown)
    assert "system:team" in str(shown)
    assert str(wake.messages[0].sender) == "person:system:team"
    with running.lobby.turn(wake) as turn:
        assert turn.reply("Going on.").woken == ()
