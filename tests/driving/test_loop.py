"""The loop: what it records, what it shows, when it stops, and what it survives."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from driving.scene import Scene, turns
from rooms import Conflict, InvalidInput, Lobby, NotFound, RoomPolicy, SQLiteStorage
from rooms.driving import (
    Driven,
    Reply,
    TurnFailed,
    View,
    by_name,
    drive,
    open_panel,
    outcomes_of,
    quorum,
)
from rooms.hooks import hookimpl

# -- the panel


@pytest.mark.rule("P-RUN-01", "P-RUN-08")
def test_a_message_is_drained_until_nobody_is_next(scene: Scene) -> None:
    room = scene.room("panel")
    scene.ask(room)

    driven = scene.drive(room, eve="@bo, look", ada=Reply(passed=True), bo="Looked.")

    assert turns(driven) == [
        ("eve", 0, "spoke"),
        ("ada", 0, "passed"),
        ("bo", 0, "spoke"),
        ("bo", 1, "spoke"),
    ]
    assert driven.reason == "settled"
    assert [one.content for one in driven.messages] == [
        "@bo, look",
        "Looked.",
        "Looked.",
    ]
    assert scene.said(room)[0] == ("ops", "Go.")
    assert drive(room, scene.says()).turns == ()


@pytest.mark.rule("P-RUN-03")
def test_each_agent_is_shown_the_whole_history_as_lines(scene: Scene) -> None:
    room = scene.room("panel", "eve", "ada")
    scene.ask(room, "one")
    scene.drive(room, eve="A", ada="")
    scene.ask(room, "two")
    shown: list[str] = []

    def look(view: View) -> str:
        shown.append(view.lines())
        return "B"

    scene.drive(room, eve=look, ada="C")

    assert shown == ["ops: one\neve: A\nops: two"]


@pytest.mark.rule("P-RUN-04")
def test_an_agent_that_nobody_is_behind_passes(scene: Scene) -> None:
    room = scene.room("panel", "eve", "ghost", "bo")
    scene.ask(room)

    driven = drive(room, by_name({"eve": lambda _: "A", "bo": lambda _: "B"}))

    assert turns(driven)[1] == ("ghost", 0, "passed")
    assert driven.reason == "settled"


@pytest.mark.rule("P-RUN-06")
def test_an_exception_leaves_the_panels_drain_and_its_agent_is_asked_again(
    scene: Scene,
) -> None:
    room = scene.room("panel")
    scene.ask(room)

    with pytest.raises(ZeroDivisionError):
        scene.drive(room, eve="A", ada=ZeroDivisionError())

    assert scene.said(room) == [("ops", "Go."), ("eve", "A")]
    assert turns(scene.drive(room, ada="B", bo="C")) == [
        ("ada", 0, "spoke"),
        ("bo", 0, "spoke"),
    ]


@pytest.mark.rule("P-RUN-02")
def test_two_drivers_of_one_room_run_one_turn_at_a_time(
    tmp_path: Path,
) -> None:
    place = Scene(SQLiteStorage(tmp_path / "r.db", durability="relaxed"))
    room = place.room("panel")
    place.ask(room)
    other = place.open(SQLiteStorage(tmp_path / "r.db", durability="relaxed"))
    seen: list[Driven] = []

    def speak(_: Any, view: View) -> str:
        theirs = other.room(room.id)
        seen.append(drive(theirs, lambda *_: "never"))
        if view.name == "eve" and not view.round and len(seen) == 1:
            theirs.post("And this?", by=other.person("ops"))
        return "mine"

    driven = drive(room, speak)

    assert {one.reason for one in seen} == {"busy"}
    assert {one.until for one in seen} == {place.clock.at(900)}
    # Eve's first turn ended within the activity that gave it; the other opened anew.
    assert [one[0] for one in turns(driven)] == ["eve", "eve", "ada", "bo"]
    other.close()
    place.close()


@pytest.mark.rule("P-RUN-09")
def test_a_panel_is_opened_from_a_configuration(scene: Scene) -> None:
    ops = scene.lobby.person("ops")
    config = {"name": "p", "agents": ["x"], "roster": ["bo", "eve"], "max_rounds": "2"}

    room = open_panel(scene.lobby, config, by=ops)

    assert [one.id for one in room.members] == ["bo", "eve"]
    assert (room.policy.max_rounds, room.policy.max_messages) == (2, 20)
    assert open_panel(scene.lobby, {"name": "q", "roster": None}, by=ops).members == ()


def test_a_panel_is_opened_again_under_its_request_id(scene: Scene) -> None:
    ops = scene.lobby.person("ops")
    few, more = {"name": "p", "roster": ["eve"]}, {"name": "p", "roster": ["eve", "bo"]}
    room = open_panel(scene.lobby, few, by=ops, request_id="p")

    again = open_panel(scene.lobby, more, by=ops, request_id="p")

    assert again == room
    assert [one.id for one in again.members] == ["eve", "bo"]
    with pytest.raises(Conflict) as capped:
        open_panel(scene.lobby, {**more, "max_rounds": 9}, by=ops, request_id="p")
    assert capped.value.code == "idempotency_conflict"
    with pytest.raises(Conflict, match=r"lobby\.room\(name\)") as taken:
        open_panel(scene.lobby, more, by=ops)
    assert taken.value.code == "room_exists"


@pytest.mark.rule("P-RUN-09")
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"roster": "eve"}, "roster"),
        ({"roster": {"eve": 1}}, "roster"),
        ({"roster": [1]}, "roster[0]"),
        ({"planner": "auto"}, "planner"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"max_messages": "many"}, "max_messages"),
        ({"rooster": []}, "config"),
    ],
)
def test_a_configuration_that_says_something_else_is_refused(
    scene: Scene, wrong: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_panel(scene.lobby, {"name": "p", **wrong}, by=scene.lobby.person("ops"))

    assert refused.value.field == field


# -- where it stops


def test_why_it_stopped_is_told(scene: Scene) -> None:
    room = scene.room("panel", "eve", max_rounds=2)
    assert scene.drive(room).reason == "no_person"
    scene.ask(room)
    assert scene.drive(room, eve="@eve on").reason == "round_cap"
    scene.ask(room)
    assert drive(room, scene.says(eve="@eve"), limit=1).reason == "turn_cap"
    room.pause(by=scene.lobby.person("ops"))
    assert scene.drive(room).reason == "paused"
    room.unpause(by=scene.lobby.person("ops"))
    room.change_policy(RoomPolicy(planner="nobodys"), by=scene.lobby.person("ops"))
    scene.ask(room)
    stopped = scene.drive(room)
    assert (stopped.reason, stopped.problem) == ("unplanned", "unknown_planner")
    room.delete(by=scene.lobby.person("ops"))
    assert scene.drive(room).reason == "room_deleted"


@pytest.mark.parametrize("limit", [0, -1, True, "1"])
def test_a_limit_that_is_none_is_refused(scene: Scene, limit: Any) -> None:
    with pytest.raises(InvalidInput):
        drive(scene.room("panel"), scene.says(), limit=limit)


def test_only_a_room_is_driven() -> None:
    with pytest.raises(InvalidInput) as refused:
        drive("room_1", lambda *_: "")  # type: ignore[arg-type]

    assert refused.value.field == "room"


# -- what a speaker may do wrong, on each storage


@pytest.mark.parametrize(
    ("line", "outcome", "kind"),
    [
        (lambda _: None, "failed", "no_reply"),
        (lambda _: b"bytes", "failed", "no_reply"),
        (lambda _: ["a"], "failed", "no_reply"),
        (RuntimeError("sk-secret"), "failed", "error"),
        (TimeoutError(), "timed_out", "timeout"),
        (TurnFailed("nobody home", kind="unreachable"), "failed", "unreachable"),
        ("x" * 10_000_000, "failed", "message_too_long"),
        ("half \ud800", "failed", "invalid_request"),
        ("  \n", "empty", ""),
        (Reply("I would say", passed=True), "passed", ""),
        ("pass", "spoke", ""),
    ],
)
def test_whatever_a_speaker_does_its_turn_has_an_outcome_and_the_others_go_on(
    on_both: Scene, line: Any, outcome: str, kind: str
) -> None:
    room = on_both.room("panel", "eve", "ada", on_failure="drop")
    on_both.ask(room)

    driven = on_both.drive(room, eve=[line], ada="A")

    first, second = driven.turns
    assert (first.outcome, first.kind) == (outcome, kind)
    assert (second.outcome, driven.reason) == ("spoke", "settled")
    assert "sk-secret" not in str(on_both.said(room))
    with_words = outcome == "spoke" or kind in {
        *("no_reply", "error", "timeout", "unreachable"),
    }
    assert (first.message is not None) == with_words
    assert on_both.state(room).seats[first.conversation.id].wake is None


def test_a_speaker_that_posts_by_itself_has_spoken_and_may_not_pass_as_well(
    on_both: Scene,
) -> None:
    room = on_both.room("panel", "eve", "ada")
    on_both.ask(room)
    eve = on_both.lobby.agent("eve").conversation()

    def post(_: View) -> Reply:
        room.post("Use plan B, @ada.", by=eve)
        return Reply(passed=True)

    driven = on_both.drive(room, eve=post, ada="Yes.")

    assert on_both.said(room)[1:] == [
        ("eve", "Use plan B, @ada."),
        *[("ada", "Yes.")] * 2,
    ]
    assert [one[:2] for one in turns(driven)] == [("eve", 0), ("ada", 0), ("ada", 1)]


def test_a_room_may_be_deleted_under_the_driver(on_both: Scene) -> None:
    room = on_both.room("panel")
    on_both.ask(room)

    def delete(_: View) -> str:
        room.delete(by=on_both.lobby.person("ops"))
        return "too late"

    driven = on_both.drive(room, eve=delete)

    assert turns(driven) == [("eve", 0, "late")]
    assert driven.reason == "room_deleted"


def test_the_roster_may_change_in_mid_activity(on_both: Scene) -> None:
    room = on_both.room("panel")
    on_both.ask(room)
    bo, eve = (on_both.lobby.agent(name).conversation() for name in ("bo", "eve"))

    def change(_: View) -> str:
        room.leave(by=bo).join(by=on_both.lobby.add_agent("cy").conversation())
        room.leave(by=eve)
        return "and I go"

    driven = on_both.drive(room, eve=change, ada="A", cy="C")

    assert turns(driven) == [
        ("eve", 0, "failed"),
        ("ada", 0, "spoke"),
        ("cy", 0, "spoke"),
    ]
    assert driven.turns[0].kind == "not_a_member"


def test_a_late_answer_is_the_members_own_message_and_no_turn(scene: Scene) -> None:
    room = scene.room("panel", "eve", "ada")
    scene.ask(room)

    def slow(_: View) -> str:
        scene.clock.advance(minutes=15)
        other = drive(scene.lobby.room(room.id), scene.says(eve="again", ada="A"))
        assert other.reason == "settled"
        return "@ada at last"

    driven = drive(room, scene.says(eve=slow))

    assert turns(driven) == [("eve", 0, "late")]
    [late] = driven.messages
    assert (late.content, late.late) == ("@ada at last", True)
    assert driven.reason == "settled"


def test_a_plugin_may_refuse_what_is_said(scene: Scene) -> None:
    class NoSwearing:
        @hookimpl
        def rooms_check_draft(self, draft: Any) -> str | None:
            return "no" if "damn" in draft.text else None

    room = scene.room("panel", "eve", "ada", on_failure="drop")
    scene.ask(room)
    scene.lobby.register(NoSwearing())

    driven = scene.drive(room, eve="damn", ada="A")

    assert turns(driven) == [("eve", 0, "failed"), ("ada", 0, "spoke")]
    assert driven.turns[0].kind == "draft_refused"


# -- counting


@pytest.mark.case("F-20")
def test_the_silent_stay_in_a_quorums_denominator(scene: Scene) -> None:
    names = ("eve", "ada", "bo", "cy", "dee")
    room = scene.room("thread", *names, max_rounds=1)
    scene.ask(room, "@eve @ada @bo @cy @dee yes?")

    driven = scene.drive(
        room,
        eve="yes",
        ada="yes",
        bo=Reply(passed=True),
        cy=TimeoutError(),
        dee=RuntimeError(),
    )

    assert driven.outcomes() == {
        "eve": "spoke",
        "ada": "spoke",
        "bo": "passed",
        "cy": "timed_out",
        "dee": "failed",
    }
    had = outcomes_of(room, room.read(by=scene.lobby.person("ops")).items[0])
    assert {one.name: one.outcome for one in had} == driven.outcomes()
    assert quorum(names, had, 3) == quorum(names, driven.turns, 3)
    counted = quorum(names, driven.turns, 3)
    assert (counted.seats, counted.answered, counted.met) == (5, ("eve", "ada"), False)
    assert quorum(names, driven.turns, 2).met
    for wrong in (0, 6):
        with pytest.raises(InvalidInput):
            quorum(names, driven.turns, wrong)


def test_who_is_absent_has_an_outcome_and_a_restart_forgets_none(scene: Scene) -> None:
    room = scene.room("thread", "eve", "ada", "bo", max_rounds=1)
    opener = scene.ask(room, "@eve @ada @bo yes?")
    room.rest(by=scene.lobby.agent("ada").conversation())
    drive(room, scene.says(eve="yes"), limit=1)
    heir = scene.open().room(room.id)

    drive(heir, scene.says(bo=TurnFailed("down", kind="unreachable")))

    had = outcomes_of(heir, opener.id)
    assert [(one.name, one.outcome, one.kind) for one in had] == [
        ("eve", "spoke", ""),
        ("ada", "absent", ""),
        ("bo", "failed", "unreachable"),
    ]
    assert not quorum(("eve", "ada", "bo"), had, 2).met
    with pytest.raises(NotFound):
        outcomes_of(heir, "1.00000001")


def test_ten_thousand_messages_before_cost_a_turn_nothing(scene: Scene) -> None:
    """What a view holds is bounded by the settings, whatever the history."""
    room = scene.room("thread", "eve", max_rounds=1, send_window=None)
    for number in range(700):
        scene.ask(room, f"m{number}")
    scene.ask(room, "@eve what was said?")
    seen: list[View] = []

    def look(view: View) -> str:
        seen.append(view)
        return "All of it."

    scene.drive(room, eve=look)

    [view] = seen
    assert (len(view.missed), view.omitted, view.clipped) == (40, 660, True)
    assert [one.content for one in view.missed][-1] == "m699"


def test_the_lobbys_own_handle_must_be_open(scene: Scene) -> None:
    room = scene.room("panel")
    lobby: Lobby = scene.lobby
    lobby.close()

    with pytest.raises(Exception, match="closed"):
        drive(room, scene.says(), hold_for=timedelta(minutes=1))
