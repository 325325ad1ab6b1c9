"""What stops a team: cost, working time, tokens, turns and failures; and slots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import timedelta
from decimal import ROUND_UP, Context, Decimal, Inexact, Rounded, localcontext
from typing import Any

import pytest
from attrs import evolve

from lobby.place import Place
from rooms import Turn, Wake
from rooms.errors import RoomsError
from rooms.lobby import Team
from rooms.log.ledger.claims import TakeFacts
from rooms.log.team import selected
from rooms.team import Blueprint, Envelope, TeamLimits
from team.scene import BLUEPRINT, Scene, member

MINUTE = 60


def limited(scene: Scene, **limits: Any) -> Team:
    """A started team with these limits."""
    given = TeamLimits(**limits)
    return scene.started(evolve(BLUEPRINT, limits=given), Envelope(limits=given))


def refused(call: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(RoomsError) as error:
        call(*given, **more)
    return error.value.code


def turn_of(scene: Scene, key: str) -> Turn:
    """An open turn of a member that something woke."""
    scene.team().intervene("Go on.", to=[key])
    [wake] = scene.lobby.take_wakes(conversations=[scene.conversation(key)])
    turn = scene.lobby.turn(wake)
    turn.__enter__()
    return turn


# -- the clock


@pytest.mark.rule("S-LIMIT-06", "S-LIMIT-02")
def test_story_5_the_working_clock_stops_while_paused(scene: Scene) -> None:
    team = limited(scene, max_time=timedelta(minutes=60))
    clock = scene.place.clock
    clock.advance(days=3)  # ready: free
    turn = turn_of(scene, "lead")
    clock.advance(50 * MINUTE)
    turn.end()
    team.pause()
    clock.advance(days=9)
    team.resume()
    turn = turn_of(scene, "lead")
    clock.advance(9 * MINUTE)
    scene.lobby.deliver()

    assert (team.status, team.usage.worked) == ("running", timedelta(minutes=59))

    clock.advance(MINUTE)
    assert scene.lobby.next_deadline() == clock.now
    scene.lobby.deliver()

    assert str(team.standing) == "pausing (limit_reached)"
    assert "max_time" in team.standing.text
    turn.end()
    assert str(team.standing) == "paused (limit_reached)"
    assert scene.lobby.take_wakes() == []


@pytest.mark.rule("S-LIMIT-06")
def test_the_time_in_which_turns_end_counts(scene: Scene) -> None:
    team = limited(scene)
    turn = turn_of(scene, "lead")
    scene.place.clock.advance(MINUTE)
    team.pause()
    scene.place.clock.advance(MINUTE)
    turn.end()
    scene.place.clock.advance(MINUTE)

    assert team.usage.worked == timedelta(minutes=2)


@pytest.mark.rule("S-LIMIT-07")
@pytest.mark.parametrize(("away", "uncertain"), [(30, 30), (60, 60), (9_000, 60)])
def test_after_a_crash_what_nobody_saw_counts_for_nothing(
    scene: Scene, away: int, uncertain: int
) -> None:
    limited(scene)
    turn_of(scene, "lead")
    scene.place.clock.advance(5 * MINUTE)
    scene.acts("builder").send("Half.", to=["lead"])  # the log's last word
    scene.place.clock.advance(away)

    lobby = scene.place.crash()
    lobby.recover_teams()

    used = scene.team(lobby).usage
    assert (used.worked, used.uncertain) == (
        timedelta(minutes=5),
        timedelta(seconds=uncertain),
    )
    scene.place.clock.advance(MINUTE)
    assert scene.team(lobby).usage.worked == timedelta(minutes=6)


# -- cost and tokens


@pytest.mark.rule("S-LIMIT-02", "S-LIMIT-03")
def test_a_cost_that_reaches_the_limit_stops_new_turns(scene: Scene) -> None:
    team = limited(scene, max_cost=1, max_member_cost=1)
    turn = turn_of(scene, "lead")

    scene.lobby.report_usage(turn, cost="0.9")
    assert team.status == "running"
    scene.lobby.report_usage(turn, cost=0.1)

    assert str(team.standing) == "pausing (limit_reached)"
    assert team.usage.cost == 1
    scene.acts("lead").send("More.", to=["builder"])  # what runs goes on
    turn.end()
    assert team.status == "paused"
    assert refused(team.resume) == "limit_reached"


@pytest.mark.rule("S-LIMIT-02", "S-LIMIT-01")
def test_a_raised_limit_lets_it_go_on(scene: Scene) -> None:
    team = limited(scene, max_tokens=100, max_member_tokens=100)
    with suppress(RoomsError), scene.turn("lead") as turn:
        scene.lobby.report_usage(turn, tokens=100)
    assert str(team.standing) == "paused (limit_reached)"

    change = scene.acts("lead").propose(
        "request_expansion", limit="max_tokens", value=500
    )
    assert refused(team.resume) == "limit_reached"
    assert change.approval is not None
    team.resolve_approval(change.approval, approved=True)

    assert team.resume().status == "running"


@pytest.mark.rule("S-LIMIT-04")
def test_the_first_limit_that_is_reached_is_told(scene: Scene) -> None:
    team = limited(
        scene, max_cost=1, max_tokens=10, max_member_cost=1, max_member_tokens=10
    )
    turn = turn_of(scene, "lead")

    scene.lobby.report_usage(turn, cost=5, tokens=50)

    assert team.standing.text.startswith("max_cost")


@pytest.mark.rule("S-LIMIT-05")
@pytest.mark.parametrize(
    ("limits", "used"),
    [
        ({"max_member_cost": 1}, {"cost": 1}),
        ({"max_member_tokens": 10}, {"tokens": 10}),
        ({"max_member_turns": 1}, {}),
    ],
)
def test_a_member_over_its_limit_has_no_turns_and_others_go_on(
    scene: Scene, limits: dict[str, Any], used: dict[str, Any]
) -> None:
    limited(scene, **limits)
    turn = turn_of(scene, "builder")
    scene.lobby.report_usage(turn, **used)
    turn.end()

    scene.team().intervene("All of you.")
    woken = [one.conversation for one in scene.lobby.take_wakes()]

    assert scene.conversation("builder") not in woken
    assert scene.conversation("scout") in woken


@pytest.mark.parametrize(
    ("cost", "tokens"),
    [
        *((-1, 0), (float("nan"), 0), (float("inf"), 0), ("1e400", 0), (True, 0)),
        *((None, 0), ("a lot", 0), (10**10, 0), (0, -1), (0, 1.5), (0, 10**13)),
        (Decimal("sNaN"), 0),
    ],
)
@pytest.mark.rule("S-LIMIT-02")
def test_a_report_that_is_none_changes_nothing(
    scene: Scene, cost: Any, tokens: Any
) -> None:
    limited(scene)
    turn = turn_of(scene, "lead")
    before = list(scene.lobby.export())

    assert refused(scene.lobby.report_usage, turn, cost=cost, tokens=tokens) == (
        "invalid_request"
    )
    assert list(scene.lobby.export()) == before


def test_a_report_counts_once_and_may_come_late(scene: Scene) -> None:
    team = limited(scene)
    turn = turn_of(scene, "lead")
    scene.lobby.report_usage(turn, cost=1, request_id="r-1")
    scene.lobby.report_usage(turn, cost=1, request_id="r-1")
    turn.end()
    scene.lobby.report_usage(turn, tokens=5)
    team.cancel()
    scene.lobby.report_usage(scene.conversation("lead"), tokens=6)

    assert (team.usage.cost, team.usage.tokens) == (Decimal(1), 11)
    assert team.usage.members["lead"].cost == 1
    eve = scene.lobby.add_agent("eve").conversation()
    assert refused(scene.lobby.report_usage, eve, cost=1) == "not_a_member"
    assert refused(scene.lobby.report_usage, scene.ana, cost=1) == "not_a_member"


# -- failures


@pytest.mark.rule("S-LIMIT-12")
def test_who_fails_too_often_in_a_row_is_out(scene: Scene) -> None:
    team = limited(scene, max_failures=2)

    def fails(key: str) -> None:
        turn = turn_of(scene, key)
        turn.end(failed=True)

    fails("builder")
    with scene.turn("builder"):
        pass
    assert team.usage.members["builder"].failures == 0
    fails("builder")
    turn_of(scene, "builder")
    scene.lobby.recover_teams()  # an abort
    assert scene.status("builder") == "idle"
    assert team.usage.members["builder"].failures == 1
    fails("builder")

    assert scene.status("builder") == "failed"
    assert team.usage.members["builder"].retries == 3
    assert team.status == "running"


@pytest.mark.rule("S-LIMIT-12")
def test_a_conductor_that_fails_stops_the_team(scene: Scene) -> None:
    team = limited(scene, max_failures=1)

    turn_of(scene, "lead").end(failed=True)

    assert scene.status("lead") == "failed"
    assert str(team.standing) == "paused (conductor_failed)"
    before = list(scene.lobby.export())
    with pytest.raises(RoomsError) as error:  # there is no substitute
        team.resume()
    assert error.value.code == "invalid_transition"
    assert list(scene.lobby.export()) == before
    assert team.cancel().status == "cancelled"


def test_a_hosts_decimal_context_changes_no_amount(scene: Scene) -> None:
    with localcontext(Context(prec=3, rounding=ROUND_UP, traps=[Inexact, Rounded])):
        team = limited(scene, max_cost="123.456789")
        scene.lobby.report_usage(scene.conversation("builder"), cost="12.3456785")

        assert team.limits.max_member_cost == Decimal("61.728394")
        assert team.usage.cost == Decimal("12.345678")
        reopened = scene.team(scene.place.open())
        assert reopened.limits == team.limits
        assert reopened.usage == team.usage


# -- slots


WORKERS = Blueprint(
    **{
        name: getattr(BLUEPRINT, name)
        for name in ("title", "objective", "approach", "success_criteria")
    },
    members=[
        BLUEPRINT.members[0],
        *(member(f"w{n}", agent="Scouts", access="read_only") for n in range(4)),
    ],
)


@pytest.mark.rule("S-SCHED-01", "S-SCHED-02", "S-SCHED-10")
def test_a_take_marks_as_many_as_there_are_slots(scene: Scene) -> None:
    given = TeamLimits(max_active_turns=3)
    scene.started(evolve(WORKERS, limits=given), Envelope(limits=given))
    scene.team().intervene("All of you.")

    first = scene.lobby.take_wakes()

    assert {scene.status(f"w{n}") for n in range(2)} == {"working"}
    assert len(first) == 3
    assert scene.conversation("lead") in [one.conversation for one in first]
    assert scene.lobby.take_wakes(holder="another") == []


@pytest.mark.rule("S-SCHED-07", "S-SCHED-08", "S-SCHED-09")
def test_a_freed_slot_is_taken_at_once_by_what_waited(scene: Scene) -> None:
    given = TeamLimits(max_active_turns=2)
    scene.started(evolve(WORKERS, limits=given), Envelope(limits=given))
    with scene.turn("lead"):
        pass
    for n in range(3):
        scene.place.clock.advance(1)
        scene.team().intervene("Go on.", to=[f"w{n}"])
    order: list[Wake] = []
    with ExitStack() as turns:
        for _ in range(3):
            [wake] = scene.lobby.take_wakes()
            order.append(wake)
            turns.enter_context(scene.lobby.turn(wake))
            assert scene.lobby.take_wakes() == []
            turns.close()

    assert [one.conversation for one in order] == [
        scene.conversation(f"w{n}") for n in range(3)
    ]
    assert scene.lobby.next_deadline() is not None  # a look, and no wake of its own


@pytest.mark.rule("S-SCHED-06")
def test_an_urgent_member_is_woken_before_others(scene: Scene) -> None:
    given = TeamLimits(max_active_turns=2)
    scene.started(evolve(WORKERS, limits=given), Envelope(limits=given))
    with scene.turn("lead"):
        scene.acts("lead").send("Work.", to=["w0"])
    scene.place.clock.advance(1)
    scene.team().intervene("You.", to=["w1"])

    [wake] = scene.lobby.take_wakes()

    assert wake.conversation == scene.conversation("w1")


def calls_of(act: Callable[[], object]) -> int:
    """How many calls something makes, Python's and built-in ones."""
    calls = 0

    def counting(_: Any, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(counting)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.rule("S-SCHED-06")
def test_choosing_among_many_costs_what_there_are_members() -> None:
    """A hundred members and a thousand signals are no more than twenty times five."""

    def chosen(members: int, each: int) -> int:
        place = Scene(Place("memory:"))
        plans = [BLUEPRINT.members[0]]
        plans += [member(f"m{n}", agent="Scouts") for n in range(1, members)]
        given = TeamLimits(max_members=members)
        drawn = evolve(BLUEPRINT, members=plans, limits=given)
        place.started(drawn, Envelope(limits=given))
        for n in range(each):
            place.team().intervene(f"{n}")
        room = place.lobby._desk.room(place.room)
        facts = TakeFacts("a host", room.at + 1)
        return calls_of(lambda: selected(room, tuple(room.seats), facts, room.at))

    assert chosen(100, 10) <= 20 * chosen(5, 2)


@pytest.mark.rule("S-LIMIT-13")
def test_messages_are_bounded_and_windows_refuse(scene: Scene) -> None:
    limited(scene)
    lead = scene.acts("lead")
    assert refused(lead.send, "x" * 4_001, to=["builder"]) == "message_too_long"
    for n in range(20):
        lead.send(f"{n}", to=["builder"])
    assert refused(lead.send, "one more", to=["builder"]) == "send_rate"
    scene.place.clock.advance(61)
    for n in range(20):
        lead.send(f"{n}", to=["builder"])
    scene.place.clock.advance(61)
    for n in range(10):
        lead.send(f"{n}", to=["builder"])

    skipped = lead.send("too much", to=["builder", "scout"])

    assert [dict(one.data) for one in skipped.notices] == [{"agents": "builder"}]


@pytest.mark.rule("S-SCHED-06")
def test_whom_work_is_put_on_is_woken_for_it(scene: Scene) -> None:
    limited(scene)
    with scene.turn("lead"):
        made = scene.acts("lead").update_work(title="Migrate.", owner="builder")
        scene.acts("builder").update_work(title="My own.")
        scene.acts("lead").update_work(made, title="Migrate!", owner="builder")

    [wake] = scene.lobby.take_wakes(conversations=[scene.conversation("builder")])

    assert [one.content for one in wake.messages] == ["lead gave you work: Migrate."]
    assert wake.reasons == ("assigned",)


@pytest.mark.rule("S-LIMIT-01")
@pytest.mark.parametrize("retries", [0, 1])
def test_a_turn_is_tried_again_as_often_as_the_limit_says(
    scene: Scene, retries: int
) -> None:
    limited(scene, max_retries=retries, max_failures=9)
    one = scene.conversation("builder")
    scene.team().intervene("Go on.", to=["builder"])

    tried = 0
    while wakes := scene.lobby.take_wakes(conversations=[one]):
        turn = scene.lobby.turn(wakes[0])
        turn.__enter__()
        turn.end(failed=True)
        tried += 1

    assert tried == 1 + retries


@pytest.mark.rule("S-LIMIT-10", "S-LIMIT-11")
def test_the_limit_of_roster_changes_stops_these_alone(scene: Scene) -> None:
    limited(scene, max_roster_changes=1)
    lead = scene.acts("lead")
    assert lead.propose("retire_member", "builder").verdict == "applied"

    refused_one = lead.propose("retire_member", "scout")
    added = lead.propose("add_member")

    assert (refused_one.verdict, refused_one.why) == ("refused", "roster_change_limit")
    assert (added.verdict, added.why) == ("refused", "members_fixed")
    with scene.turn("scout"):
        assert scene.status("scout") == "working"


@pytest.mark.rule("S-SCHED-09", "S-SCHED-10")
def test_two_hosts_that_take_at_once_hand_out_no_more(scene: Scene) -> None:
    given = TeamLimits(max_active_turns=2)
    scene.started(evolve(WORKERS, limits=given), Envelope(limits=given))
    scene.team().intervene("All of you.")
    other = scene.place.open()

    taken = [one.take_wakes(limit=1) for one in (scene.lobby, other, scene.lobby)]

    assert [len(wakes) for wakes in taken] == [1, 1, 0]
