"""Teams in a simulated run: a person starts them, limits stop them, results go once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from effort import sized
from rooms import presets
from rooms.cli import main
from rooms.errors import InvalidInput, NotFound
from rooms.log.ledger import TurnOpened
from rooms.log.team import (
    LimitSet,
    MemberPlaced,
    TeamDrafted,
    TeamMoved,
    TurnCounted,
    UsageReported,
)
from rooms.simulation import (
    Call,
    Faults,
    Heard,
    Part,
    Run,
    Say,
    Scenario,
    erratic,
    load_scenario,
    reactive,
    scripted,
    silent,
    simulate,
)
from rooms.simulation.ceilings import _Counted
from rooms.team import Blueprint, Destination, MemberPlan, TeamLimits

FINISH = Call("team_finish", {"text": "They are moved."})
START = ("ana", "Move the orders.")


def stood(run: Run, *what: str) -> list[tuple[int, str, str, str]]:
    """After how many seconds who stood how, and why."""
    begins = run.scenario.begins
    return [
        (
            (row["at"] - begins) // timedelta(seconds=1),
            row["who"],
            row["how"],
            row["why"],
        )
        for row in run.records("team")
        if row["what"] in (what or ("team",))
    ]


def team_of(run: Run) -> Any:
    [team] = run.teams.values()
    return team


# -- a life, worked out by hand


def test_a_team_is_started_by_a_person_works_and_delivers() -> None:
    run = simulate(
        {
            "lead": scripted(Say("Write it.", "builder"), FINISH, cost="0.2"),
            "builder": scripted("It is written.", cost=1, tokens=10, latency="3s"),
        },
        policy="team",
        start=START,
    )

    assert stood(run, "team", "result") == [
        (0, "", "drafted", ""),
        (0, "", "starting", ""),
        (0, "", "ready", ""),
        (0, "", "running", ""),
        (5, "", "sent", "workspace_files"),
        (5, "", "completing", ""),
        (5, "", "delivered", ""),
        (5, "", "completed", ""),
    ]
    assert [
        (row["who"], row["cost"], row["tokens"]) for row in run.records("usage")
    ] == [
        ("lead", Decimal("0.2"), 0),
        ("builder", Decimal(1), 10),
        ("lead", Decimal("0.2"), 0),
    ]
    assert [
        (row["who"], row["outcome"], row["said"]) for row in run.records("turns")
    ] == [("lead", "ended", [2]), ("builder", "ended", [3]), ("lead", "completed", [])]
    assert team_of(run).problem == "Move the orders."
    assert repr(run) == (
        "<Run seed=0: 3 messages, 3 turns, 0 holds; team completed, cost 1.4;"
        " quiet after 5s>"
    )
    assert [(note.what, note.detail) for note in run.notes] == [
        ("delivered", "workspace_files")
    ]


def test_a_limit_on_the_cost_stops_new_turns_and_says_so() -> None:
    names = ("lead", "builder")
    run = simulate(
        {
            name: reactive(lambda heard: Say("go on", heard.others), cost="0.75")
            for name in names
        },
        policy="team",
        team=Blueprint(limits=TeamLimits(max_cost=2, max_member_cost=2)),
        start=START,
    )

    # Three turns of 0.75, a second each: the third one reaches the limit.
    assert len(run.records("turns")) == 3
    assert stood(run)[-2:] == [
        (3, "", "pausing", "limit_reached"),
        (3, "", "paused", "limit_reached"),
    ]
    assert run.reason == "quiet"
    assert run.records("team")[-2]["text"] == "max_cost is reached: 2.000000"
    assert "team paused (limit_reached), cost 2.25; quiet" in repr(run)


def asking(heard: Heard) -> Call | None:
    """Wants more at once, and says something whenever it is woken."""
    more = {"kind": "request_expansion", "limit": "max_cost", "value": 8}
    return Call("team_propose", more) if heard.turn == 0 else FINISH


@pytest.mark.parametrize(
    ("approves", "ends"),
    [
        (1, ["pausing", "paused", "running", "completing", "completed"]),
        (0, ["pausing", "paused"]),
    ],
)
def test_the_person_answers_a_minute_later_and_a_yes_lets_the_team_go_on(
    approves: float, ends: list[str]
) -> None:
    run = simulate(
        {
            "lead": reactive(asking, cost=1),
            "builder": reactive(lambda _: Say("done", "lead"), cost=1, every="10s"),
        },
        policy="team",
        team=Blueprint(limits=TeamLimits(max_cost=1, max_member_cost=8)),
        start=START,
        approves=approves,
        until="10m",
    )

    answered = [row for row in stood(run, "approval") if row[2] != "asked"]
    assert answered == [(61, "", ["rejected", "approved"][int(approves)], "")]
    assert [how for at, _, how, _ in stood(run) if at > 0] == ends
    assert team_of(run).limits.max_cost == (8 if approves else 1)


def test_a_question_ends_the_turn_and_its_answer_wakes_the_asker() -> None:
    run = simulate(
        {
            "lead": scripted(Say("Write it.", "builder"), "The new one.", FINISH),
            "builder": scripted(
                [
                    Call("team_ask", {"content": "Which table?", "to": ["lead"]}),
                    Say("never said", "lead"),
                ],
                Say("done", "lead"),
            ),
        },
        policy="team",
        start=START,
    )

    said = [row["text"] for row in run.records("messages")]
    assert said == [
        *("Move the orders.", "Write it.", "Which table?", "The new one.", "done")
    ]
    assert stood(run, "question") == [
        (2, "builder", "asked", "lead"),
        (3, "", "settled", "answered"),
    ]
    assert team_of(run).status == "completed"


def test_a_member_that_fails_three_times_is_out() -> None:
    run = simulate(
        {"lead": scripted(Say("Go.", "hand")), "hand": silent(fails=1)},
        policy="team",
        start=START,
    )

    assert ("hand", "failed") in [(who, how) for _, who, how, _ in stood(run, "member")]
    outcomes = [row["outcome"] for row in run.records("turns") if row["who"] == "hand"]
    assert outcomes == ["raised"] * 3


def test_a_result_outside_needs_the_persons_yes() -> None:
    asks = Call("team_request_delivery_approval", {"text": "They are moved."})
    run = simulate(
        {"lead": reactive(lambda heard: FINISH if heard.turn else asks)},
        policy="team",
        team=Blueprint(delivery=Destination("email_send", {"to": "ana@example.org"})),
        start=START,
    )

    assert stood(run, "approval")[:2] == [
        (1, "", "asked", "external_write"),
        (61, "", "approved", ""),
    ]
    assert team_of(run).status == "completed"
    assert ("delivered", "email_send") in [(one.what, one.detail) for one in run.notes]


def test_what_a_person_says_later_goes_to_the_members_it_names() -> None:
    run = simulate(
        {
            "lead": scripted(Call("team_request_attention", {"content": "Help."})),
            "eye": silent(),
        },
        policy="team",
        start=[START, ("ana", Say("Here I am.", "lead", at="5m"))],
    )

    assert ("paused", "awaiting_user") in [(how, why) for _, _, how, why in stood(run)]
    [_, _, said, *_] = run.records("messages")
    assert (said["sender"], said["to"], said["text"]) == ("ana", ["lead"], "Here I am.")
    assert (300, "", "running", "") in stood(run)
    begins = run.scenario.begins
    assert ("lead", timedelta(minutes=5)) in [
        (row["who"], row["at"] - begins) for row in run.records("turns")
    ]


def test_another_person_has_nothing_to_say_to_a_team() -> None:
    run = simulate(
        {"lead": silent()},
        policy="team",
        start=[
            START,
            ("bo", Say("Stop.", at="1m")),
            ("ana", Say("On.", "all", at="2m")),
        ],
    )

    assert [row["text"] for row in run.records("messages")][:1] == ["Move the orders."]
    assert "On." in [row["text"] for row in run.records("messages")]
    [row] = run.records("refusals")
    assert (row["who"], row["code"], row["text"]) == ("bo", "room_not_found", "Stop.")


def test_members_have_keys_levels_and_conversations_of_their_own() -> None:
    run = simulate(
        {"Eve": scripted(Say("hello", "reader"), threaded=True), "cy": silent()},
        policy="team",
        team=Blueprint(
            title="Orders",
            members=[
                MemberPlan(
                    key="reader", agent="cy", access="read_only", tools=["read"]
                ),
                MemberPlan(key="boss", agent="Eve", lead=True),
            ],
        ),
        start=START,
    )

    assert list(run.teams) == ["Orders"]
    team = team_of(run)
    assert [(one.key, one.lead, one.access, one.tools) for one in team.members] == [
        ("boss", True, "edit_workspace", ("room",)),
        ("reader", False, "read_only", ("room", "read")),
    ]
    boss = team.members[0].conversation
    assert run.records("turns")[0]["who"] == f"Eve/{boss.label}"
    assert run.records("messages")[1]["woken"] == ["cy"]
    assert str(run.explain(2, "cy")).startswith("agent:cy: woken, by tagged")


def test_every_room_of_a_scenario_is_a_team_of_its_own() -> None:
    run = simulate(
        {"a": scripted(FINISH), "b": silent(), "c": scripted(FINISH)},
        policy="team",
        rooms={"one": ["a", "b"], "two": ["c"]},
        start=[("ana", "x"), ("bo", Say("y", room="two", at="1m"))],
    )

    assert {room: team.status for room, team in run.teams.items()} == {
        "one": "completed",
        "two": "completed",
    }
    assert "; one completed; two completed; quiet after 1m1s>" in repr(run)


def test_members_speak_of_themselves_only_while_the_team_works() -> None:
    run = simulate(
        {"lead": silent(), "hand": reactive(lambda _: Say("hi", "lead"), every="1m")},
        policy="team",
        start=START,
        until="2h",
    )

    stopped = next(at for at, _, how, _ in stood(run) if how == "paused")
    begins = run.scenario.begins
    said = [row["at"] - begins for row in run.records("messages")]
    assert said[-1] < timedelta(seconds=stopped + 1) < timedelta(hours=1)
    assert not run.records("refusals")


def test_nobody_speaks_of_itself_once_the_team_is_over() -> None:
    run = simulate(
        {"lead": scripted(FINISH), "hand": reactive(lambda _: "hi", every="1m")},
        policy="team",
        start=START,
        until="2h",
    )

    assert (team_of(run).status, run.reason) == ("completed", "quiet")
    assert not run.records("refusals")


def test_members_listen_as_their_parts_say() -> None:
    run = simulate(
        {
            "lead": scripted(Say("To work.", "room")),
            "ear": silent(mode="every_message"),
            "hand": silent(),
        },
        policy="team",
        start=START,
        until="1m",
    )

    assert ("ear", "every_message") in [
        (row["who"], row["what"]) for row in run.records("seats")
    ]
    assert run.records("messages")[1]["woken"] == ["ear"]


def test_a_member_reads_the_brief_of_its_team_and_others_have_none() -> None:
    seen: list[Any] = []

    def look(heard: Heard) -> None:
        seen.append(heard.brief and heard.brief.objective)

    simulate({"lead": reactive(look)}, policy="team", start=START, until="1m")
    simulate({"eve": reactive(look)}, start=("ana", "go", "eve"))

    assert seen[0] == "What the problem asks for."
    assert seen[-1] is None


# -- what goes wrong


def busy(heard: Heard) -> list[Say | Call]:
    work = {"title": f"piece {heard.turn}", "owner": heard.who}
    return [Say("and you?", heard.others), Call("team_update_work", work)]


def faulty() -> Scenario:
    agents: dict[str, Part] = {
        name: reactive(busy, cost=("0.01", "0.2"), latency=("30s", "3m"))
        for name in ("lead", "hand", "eye")
    }
    return Scenario(
        agents=agents,
        policy="team",
        start=START,
        until="1h",
        faults=Faults(crash_every="4m", busy=0.05, unknown=0.05, plugin=0.1),
    )


@pytest.mark.parametrize("seed", range(sized(1, 1, 100)))
def test_a_seed_gives_one_trace_whatever_fails_around_a_team(seed: int) -> None:
    first, second = faulty().run(seed), faulty().run(seed)

    assert first.trace_hash == second.trace_hash
    assert {note.what for note in first.notes} & {"crashed", "storage_failed"}
    assert len(first.records("turns")) > 3


def test_what_a_turn_cost_is_reported_once_however_often_that_fails() -> None:
    scenario = Scenario(
        agents={"lead": reactive(lambda heard: f"turn {heard.turn}", cost=1)},
        policy="team",
        team=Blueprint(limits=TeamLimits(max_cost=900)),
        start=[START, *(("ana", Say("and?", at=f"{n * 20}s")) for n in range(1, 12))],
        faults=Faults(unknown=0.2),
    )

    runs = [scenario.run(seed) for seed in range(6)]

    # A turn that spoke was ended, and what it cost was told until that was heard.
    spoke = [sum(bool(row["said"]) for row in run.records("turns")) for run in runs]
    assert sum(spoke) > 12
    assert [team_of(run).usage.cost for run in runs] == spoke


def test_a_file_has_the_log_that_memory_has_of_a_team(tmp_path: Path) -> None:
    kept = faulty().run(1, path=tmp_path / "run.db")

    assert kept.log() == faulty().run(1).log()
    kept.lobby.close()


def test_a_result_that_a_failure_left_under_way_is_settled_by_the_person() -> None:
    scenario = Scenario(
        agents={"lead": reactive(lambda _: FINISH)},
        policy="team",
        start=START,
        faults=Faults(busy=0.4),
    )

    runs = [scenario.run(seed) for seed in range(20)]

    assert {team_of(run).status for run in runs} == {"completed"}
    late = [run for run in runs if stood(run)[-1][0] > 60]
    assert late, "no seed had the settling of a result fail"
    assert all(len(stood(run, "result")) == 2 for run in runs)


def drafted() -> TeamDrafted:
    return TeamDrafted({"limits": TeamLimits(max_active_turns=1).recorded()}, {})


def opened(wake: str) -> TurnOpened:
    return TurnOpened("c1", wake, 0)


@pytest.mark.parametrize(
    ("events", "broken"),
    [
        ([TeamMoved("paused", "pause"), opened("w")], "began while it was paused"),
        ([opened("w"), opened("v")], "2 turns ran at once, and 1 may"),
        ([UsageReported("lead", 5_000_000), opened("w")], "lead began at max_cost"),
        (
            [UsageReported("lead", 2_500_000), opened("w")],
            "lead began at max_member_cost",
        ),
        ([UsageReported("x", 0, 2_000_000), opened("w")], "lead began at max_tokens"),
        ([TurnCounted("lead", "good")] * 30 + [opened("w")], "at max_member_turns"),
        ([LimitSet("max_cost", 0), opened("w")], "lead began at max_cost"),
    ],
)
def test_the_check_finds_a_turn_beyond_a_limit(events: list[Any], broken: str) -> None:
    begun = [drafted(), MemberPlaced("lead", "c1"), TeamMoved("running", "turn")]

    found = list(_Counted().broken([*begun, *events]))

    assert any(broken in one for one in found), found
    assert not list(_Counted().broken([*begun, opened("w")]))


# -- a file says the same

WRITTEN = """
policy = "team"
until = "2h"
approves = 0.5

[options]
max_hops = 12

[team]
title = "Orders"
approach = "Read, move."
delivery = { name = "email_send", params = { to = "ana@example.org" } }

[team.limits]
max_cost = 2
max_time = "30m"

[team.members.builder]
key = "hand"
access = "read_only"
tools = ["read"]

[agents.lead]
part = "scripted"
cost = 0.25
lines = [
  [{ text = "Write it.", to = "builder" }, "and soon"],
  { tool = "team_finish", arguments = { text = "Done." } },
]

[agents.builder]
part = "erratic"
cost = [0.1, 0.5]
tokens = 100

[[start]]
who = "ana"
text = "Move the orders."
"""


def test_a_file_says_what_a_scenario_says_of_a_team(
    tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "team.toml"
    file.write_text(WRITTEN, "utf-8")
    same = Scenario(
        agents={
            "lead": scripted(
                [Say("Write it.", "builder"), "and soon"],
                Call("team_finish", {"text": "Done."}),
                cost="0.25",
            ),
            "builder": erratic(cost=("0.1", "0.5"), tokens=100),
        },
        policy=presets.team(max_hops=12),
        until="2h",
        approves=0.5,
        team=Blueprint(
            title="Orders",
            approach="Read, move.",
            members=[
                MemberPlan(
                    key="hand", agent="builder", access="read_only", tools=["read"]
                )
            ],
            limits=TeamLimits(max_cost=2, max_time=timedelta(minutes=30)),
            delivery=Destination("email_send", {"to": "ana@example.org"}),
        ),
        start=START,
    ).run(3)

    run = load_scenario(file).run(3)

    assert run.trace_hash == same.trace_hash
    assert run.command == f"rooms simulate {file} --seed 3"
    assert main(["simulate", str(file), "--seed", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    [team] = told["teams"]
    assert (team["room"], team["status"]) == ("Orders", team_of(run).status)
    assert team["cost"] == str(team_of(run).usage.cost)
    assert [row["code"] for row in told["refusals"]] == ["approval_needed"]
    assert main(["simulate", str(file), "--seed", "3", "--records", "usage"]) == 0
    assert "who=lead cost=0.250000 tokens=0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("team", "team = 3"),
        ("team", "[team]\ncolour = 'red'"),
        ("team.limits", "[team.limits]\nmax_money = 3"),
        ("team.limits.max_time", "[team.limits]\nmax_time = 'soon'"),
        ("team.members.lead", "[team.members.lead]\nleads = true"),
        ("team.members[0].agent", "[team.members.bo]\nlead = true"),
        ("team.delivery", "[team]\ndelivery = { to = 'x' }"),
        ("team.members.lead.access", "[team.members.lead]\naccess = 'all'"),
        ("approves", "approves = 2"),
        ("agents.lead.lines[0]", "[agents.lead]\npart='scripted'\nlines=[{say='x'}]"),
        ("agents.lead.lines[0].text", "[agents.lead]\npart='scripted'\nlines=[{}]"),
        ("agents.lead.cost", "[agents.lead]\npart='silent'\ncost = [2, 1]"),
        ("agents.lead.tokens", "[agents.lead]\npart='silent'\ntokens = -1"),
    ],
)
def test_what_is_no_team_is_refused_by_its_table(
    field: str, text: str, tmp_path: Path
) -> None:
    file = tmp_path / "team.toml"
    start = "\n[[start]]\nwho = 'ana'\ntext = 'x'\n"
    lead = "" if "agents.lead" in text else "\n[agents.lead]\npart = 'silent'\n"
    file.write_text(f"policy = 'team'\n{text}{lead}{start}", "utf-8")

    with pytest.raises(InvalidInput) as raised:
        load_scenario(file)

    assert raised.value.details["field"] == field


def bad() -> Iterator[tuple[str, str, dict[str, Any]]]:
    six = {f"a{n}": silent() for n in range(6)}
    yield "start", "invalid_request", {"start": ()}
    yield "start", "invalid_request", {"start": ("lead", "x")}
    yield "start[0].to", "invalid_request", {"start": ("ana", "x", "ana")}
    yield "team", "invalid_request", {"team": {"title": "x"}}
    yield "team", "invalid_request", {"team": Blueprint(), "policy": "hall"}
    yield "team", "invalid_blueprint", {"agents": six, "team": Blueprint()}
    yield "team", "invalid_blueprint", {"agents": {"9": silent()}}


@pytest.mark.parametrize(("field", "code", "given"), list(bad()))
def test_a_team_that_cannot_start_is_refused(
    field: str, code: str, given: dict[str, Any]
) -> None:
    usual: dict[str, Any] = {
        "agents": {"lead": silent()},
        "policy": "team",
        "start": START,
    }

    with pytest.raises(InvalidInput) as raised:
        Scenario(**usual | given)

    assert (raised.value.details["field"], raised.value.code) == (field, code)


@pytest.mark.parametrize("title", ["\a", "a  b", " a", "x" * 121, "room_x"])
def test_a_title_that_names_no_room_is_refused(title: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        simulate(
            {"lead": silent()},
            policy="team",
            team=Blueprint(title=title),
            start=("ana", "Go."),
        )

    assert raised.value.details["field"] == "team.title"


def test_a_call_that_nobody_could_make_is_refused_at_once() -> None:
    with pytest.raises(NotFound, match="the closest is team_finish"):
        Call("team_finnish", {"text": "x"})
    with pytest.raises(InvalidInput, match=r"team_finish takes text \(required\)"):
        Call("team_finish", {"words": "x"})
    with pytest.raises(InvalidInput, match="arguments is of type list"):
        Call("team_finish", ["x"])


def test_what_a_tool_refuses_stops_no_run_and_is_told() -> None:
    run = simulate(
        {"lead": scripted(Call("team_send", {"content": "x", "to": ["bildr"]}))},
        policy="team",
        start=START,
        until="1m",
    )

    [row] = run.records("refusals")
    assert (row["who"], row["to"], row["code"], row["text"]) == (
        *("lead", ["bildr"], "unknown_member", "x"),
    )


# -- pictures


def test_pictures_show_when_a_team_stood_still_and_what_it_cost() -> None:
    run = simulate(
        {"lead": scripted(None, cost="1.5"), "hand": silent()},
        policy="team",
        team=Blueprint(limits=TeamLimits(max_cost="1.5", max_member_cost=3)),
        start=START,
    )

    drawn = run.svg()
    assert "(the team)" in drawn
    assert "paused, limit_reached: max_cost is reached: 1.500000" in drawn
    costs = run.svg("costs")
    assert [word in costs for word in (">team<", ">lead<", ">hand<")] == [
        *(True, True, False)
    ]
    assert "limit 1.5" in costs
    assert costs in run._repr_mimebundle_()["text/html"]
    without = simulate({"eve": silent()}, start=("ana", "go", "eve"))
    assert "nothing was paid" in without.svg("costs")
    assert "nothing was paid" not in without._repr_mimebundle_()["text/html"]
