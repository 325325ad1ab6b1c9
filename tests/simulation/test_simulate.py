"""A simulated run: who says what when, the same for the same seed, and what broke."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from effort import sized
from rooms import Lobby, RateWindow, RoomPolicy, presets
from rooms.errors import InvalidInput, NotFound
from rooms.simulation import (
    Faults,
    Heard,
    Opening,
    Part,
    Run,
    Say,
    Scenario,
    SimulationFailed,
    chatty,
    checking,
    erratic,
    reactive,
    scripted,
    silent,
    simulate,
)
from rooms.testing import assert_replays, record_digest


def said(run: Run) -> list[tuple[int, str, str]]:
    """When, in seconds from the beginning, who said what."""
    begins = run.scenario.begins
    return [
        ((row["at"] - begins) // timedelta(seconds=1), row["sender"], row["text"])
        for row in run.records("messages")
    ]


# -- the notebook user's program


def test_the_notebook_program_runs_as_it_stands() -> None:
    run = simulate(
        {"eve": chatty(to="ben"), "ben": chatty(to="eve"), "cy": silent()},
        policy=RoomPolicy(max_hops=6),
        start=("ana", "go", "eve"),
        until="1h",
        seed=7,
    )

    wakes = run.records("wakes")
    told = run.explain(message=12, who="cy")

    assert [(wake["who"], wake["woken_by"]) for wake in wakes[:3]] == [
        ("eve", ["ana"]),
        ("ben", ["eve"]),
        ("eve", ["ben"]),
    ]
    assert str(told).startswith("agent:cy: read only, by not_tagged (derived)")
    assert run.reason == "time"
    assert "seed=7" in repr(run)


# -- time and order, worked out by hand


def test_an_answer_takes_its_time_and_is_asked_in_turn() -> None:
    run = simulate(
        {
            "eve": scripted(Say("over to you", "ben"), latency="10s"),
            "ben": scripted("done", latency="30s"),
        },
        start=("ana", "go", "eve"),
    )

    assert said(run) == [
        (0, "ana", "go"),
        (10, "eve", "over to you"),
        (40, "ben", "done"),
    ]
    assert [
        (turn["who"], turn["at"] - run.scenario.begins, turn["outcome"], turn["said"])
        for turn in run.records("turns")
    ] == [
        ("eve", timedelta(0), "ended", [2]),
        ("ben", timedelta(seconds=10), "ended", [3]),
        ("eve", timedelta(seconds=40), "ended", []),  # ben's answer woke its author
    ]
    assert run.reason == "quiet"


def test_the_third_message_waits_for_a_place_and_the_row_says_so() -> None:
    run = simulate(
        {"eve": silent(), "ben": silent()},
        policy=RoomPolicy(wake_window=RateWindow(2, timedelta(minutes=5))),
        start=[("eve", Say(f"m{n}", "ben", at=f"{10 * n}s")) for n in range(3)],
    )

    begins = run.scenario.begins
    [hold] = run.records("holds")
    assert (hold["who"], hold["message"], hold["released_by"]) == ("ben", 3, "place")
    assert hold["at"] == begins + timedelta(seconds=20)
    assert hold["until"] == begins + timedelta(minutes=5)
    assert run.records("messages")[2]["held"] == ["ben"]
    assert run.explain(3, "ben").filled_by == (1, 2)  # type: ignore[union-attr]


def test_a_digest_comes_every_quarter_of_an_hour() -> None:
    run = simulate(
        {"eve": silent(), "ben": silent(mode="digest")},
        start=[("ana", Say("one", at="1m")), ("ana", Say("two", at="20m"))],
    )

    begins = run.scenario.begins
    assert [
        (wake["at"] - begins, wake["messages"]) for wake in run.records("wakes")
    ] == [(timedelta(minutes=15), [1]), (timedelta(minutes=30), [2])]
    assert [row["released_by"] for row in run.records("digests")] == ["digest"] * 2


def test_what_outlasts_the_time_of_the_run_is_not_seen() -> None:
    run = simulate({"eve": scripted("late", latency="2h")}, start=("ana", "go", "eve"))

    [turn] = run.records("turns")
    assert (turn["until"], turn["outcome"]) == (None, None)
    assert run.ended == run.scenario.begins + timedelta(hours=1)


def test_a_long_turn_keeps_its_claim() -> None:
    run = simulate(
        {"eve": scripted("done", latency="2h")}, start=("ana", "go", "eve"), until="3h"
    )

    assert said(run) == [(0, "ana", "go"), (7_200, "eve", "done")]


def test_a_failed_turn_is_owed_again_three_times() -> None:
    run = simulate({"eve": silent(fails=1)}, start=("ana", "go", "eve"))

    assert [turn["outcome"] for turn in run.records("turns")] == ["raised"] * 3


# -- parts


def test_a_reactive_part_hears_what_it_is_told_and_draws_from_its_own_source() -> None:
    heard: list[Heard] = []

    def answer(told: Heard) -> list[str | Say]:
        heard.append(told)
        return [told.last_text.upper(), Say("and you?", told.others)]

    run = simulate(
        {"eve": reactive(answer), "ben": silent()}, start=("ana", "a", "eve")
    )

    assert [text for _, _, text in said(run)] == ["a", "A", "and you?"]
    assert (heard[0].who, heard[0].others, heard[0].turn) == ("eve", ("ben",), 0)
    assert [message.content for message in heard[0].messages] == ["a"]


def test_a_part_begins_anew_in_each_run() -> None:
    scenario = Scenario(
        agents={"eve": scripted("one", "two")}, start=("ana", "go", "eve")
    )

    assert [len(scenario.run(seed).records("messages")) for seed in (1, 2)] == [2, 2]


def test_threaded_agents_take_part_with_one_conversation_and_start_others() -> None:
    run = simulate(
        {"eve": scripted("hello", threaded=True), "ben": silent()},
        start=[("ana", "go", "eve"), ("ana", Say("you too", "agent:eve/new", at="1m"))],
    )

    assert [turn["who"] for turn in run.records("turns")] == [
        "eve/main",
        run.records("messages")[2]["started"][0],
    ]
    assert run.explain(1, "eve") == run.explain(1, "eve/main")


def test_agents_speak_up_of_themselves_about_so_often() -> None:
    run = simulate({"eve": chatty(every="10m"), "ben": silent()}, until="10d", seed=3)

    count = len(run.records("messages"))
    assert 1_250 < count < 1_630  # 1,440 on average; five deviations are 190


def test_erratic_agents_speak_to_others_alone() -> None:
    names = ("a", "b", "c")
    run = simulate(
        {name: erratic(1, every="10m") for name in names}, until="1h", seed=1
    )

    rows = run.records("messages")
    assert {row["to"][0] for row in rows} == set(names)
    assert all(row["to"] != [row["sender"]] for row in rows)


def test_members_of_a_room_are_those_that_are_named() -> None:
    run = simulate(
        {"eve": silent(), "ben": silent()},
        rooms={"one": ["eve"], "two": ["ben", "eve"]},
        start=[("ana", Say("x", "all", room="two")), ("ben", Say("y", "all"))],
    )

    assert [(row["room"], row["woken"]) for row in run.records("messages")] == [
        ("two", ["ben", "eve"]),
        ("two", ["eve"]),
    ]


@pytest.mark.parametrize("policy", [*presets.NAMES, None])
def test_every_preset_can_be_played(policy: str | None) -> None:
    every = "1m" if policy == "team" else "20m"  # only talk ends a team's work soon
    agents = {"eve": erratic(0.9, every=every), "ben": erratic(0.9, every=every)}
    start = ("eve", "hello", "ben") if policy == "hall" else ("ana", "@eve hello")

    run = simulate(agents, policy=policy, start=start, until="2h", seed=5)

    assert len(run.records("messages")) > 5


# -- determinism


FAULTY = Faults(crash_every="40m", busy=0.05, unknown=0.05, plugin=0.1)
TALK = {
    "eve": chatty(to="ben", latency=("1s", "5m"), fails=0.1),
    "ben": erratic(0.8, every="10m"),
    "cy": silent(mode="digest"),
}


@pytest.mark.parametrize("seed", range(sized(3, 40, 1_000)))
def test_a_seed_gives_one_trace_whatever_fails(seed: int) -> None:
    scenario = Scenario(
        agents=TALK, start=("ana", "go", "eve"), until="3h", faults=FAULTY
    )

    first, second = scenario.run(seed), scenario.run(seed)

    assert first.trace_hash == second.trace_hash
    assert first.log() == second.log()
    assert {note.what for note in first.notes} & {"crashed", "storage_failed"}


def test_a_file_has_the_log_that_memory_has(tmp_path: Path) -> None:
    scenario = Scenario(
        agents=TALK, start=("ana", "go", "eve"), until="3h", faults=FAULTY
    )

    kept = scenario.run(11, path=tmp_path / "run.db")

    assert kept.log() == scenario.run(11).log()
    kept.lobby.close()
    with Lobby.open(tmp_path / "run.db") as lobby:
        assert list(lobby.export()) == scenario.run(11).log()


def test_two_seeds_differ() -> None:
    scenario = Scenario(agents=TALK, start=("ana", "go", "eve"), until="1h")

    assert scenario.run(1).trace_hash != scenario.run(2).trace_hash


def test_a_run_is_a_log_that_replays(tmp_path: Path) -> None:
    run = simulate(TALK, start=("ana", "go", "eve"), faults=FAULTY, seed=2)
    path = tmp_path / "run.jsonl"
    path.write_text("".join(run.log()), encoding="utf-8")

    record_digest(path)
    assert_replays(path)


# -- what has to hold in every run


def test_a_broken_promise_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Run) -> None:
        raise AssertionError("a promise was broken")

    monkeypatch.setattr("rooms.simulation.world.check", broken)

    with pytest.raises(
        SimulationFailed, match=r"promise was broken \(0s into"
    ) as raised:
        simulate({"eve": silent()}, seed=5)

    assert raised.value.command == "scenario.run(seed=5)"
    assert str(raised.value).endswith(
        "repeat it: scenario.run(seed=5), or simulate(..., seed=5)"
    )


def test_a_part_that_answers_nonsense_is_told_what_it_may_answer() -> None:
    wrong: Any = lambda _: 5  # noqa: E731 - as a notebook has it

    with pytest.raises(
        SimulationFailed, match="answer is of type int; allowed: text, a Say"
    ):
        simulate({"eve": reactive(wrong)}, start=("ana", "go", "eve"))


def test_a_part_that_raises_is_told_with_its_name_and_the_seed() -> None:
    def wrong(_: Heard) -> str:
        raise ValueError("no idea")

    with pytest.raises(
        SimulationFailed, match="part of eve raised ValueError: no idea"
    ):
        simulate({"eve": reactive(wrong)}, start=("ana", "go", "eve"), seed=9)


def test_a_part_that_cannot_begin_is_told_likewise() -> None:
    def begin() -> Any:
        raise KeyError("no model")

    with pytest.raises(SimulationFailed, match="the part of eve raised KeyError") as it:
        simulate({"eve": Part(begin=begin)}, seed=3)

    assert it.value.seed == 3


def test_whatever_else_goes_wrong_names_the_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("rooms.simulation.host.Host.serve", broken)

    with pytest.raises(ZeroDivisionError) as raised:
        simulate({"eve": silent()}, start=("ana", "go", "eve"), seed=5)

    assert raised.value.__notes__ == ["repeat it: scenario.run(seed=5)"]


def test_the_check_finds_what_it_is_there_for(monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulate(
        {"eve": silent(), "ben": silent()},
        policy=RoomPolicy(wake_window=RateWindow(1, timedelta(minutes=5))),
        start=[("eve", "x", "ben"), ("eve", Say("y", "ben", at="1m"))],
    )
    checking.check(run)

    run.acknowledged["lost"] = ("room", "nowhere")  # type: ignore[index]
    with pytest.raises(
        AssertionError, match="lost was acknowledged and stands 0 times"
    ):
        checking.check(run)
    del run.acknowledged["lost"]  # type: ignore[attr-defined]

    late = run.chronicle.charges[1]
    late["at"] -= timedelta(minutes=1)
    with pytest.raises(AssertionError, match="ben was woken 2 times within 5m"):
        checking.check(run)
    late["at"] += timedelta(minutes=1)

    row = run.chronicle.messages[0]
    run.chronicle.messages.extend(dict(row, seq=n, id=str(n)) for n in range(3, 34))
    with pytest.raises(AssertionError, match="eve posted 31 times within 5m in room"):
        checking.check(run)
    del run.chronicle.messages[2:]

    run.chronicle.wakes[0]["who"] = "eve"
    with pytest.raises(AssertionError, match="eve was woken by its own #1"):
        checking.check(run)
    run.chronicle.wakes[0]["who"] = "ben"

    run.chronicle.messages[1]["seq"] = 3
    with pytest.raises(AssertionError, match="room has no message 2"):
        checking.check(run)


# -- whom nobody is called


def test_who_said_what_to_nobody_is_told_where_the_run_is_seen() -> None:
    run = simulate(
        {
            "eve": reactive(lambda _: Say("over to you", "bem"), every="20m"),
            "ben": silent(),
        },
        start=("ana", "go", "eve"),
        until="1h",
        seed=2,
    )

    [row] = run.records("refusals")
    count = len(run.records("notes"))
    assert count > 1
    assert (row["who"], row["to"], row["code"], row["count"], row["text"]) == (
        *("eve", ["bem"], "unknown_address", count, "over to you"),
    )
    assert row["problem"].startswith("'agent:bem' reaches nobody here")
    first, told = repr(run).splitlines()
    assert f", {count} refused; time after 1h>" in first
    assert told == (
        f"  eve to bem, {count} times: unknown_address, first 'over to you'"
    )
    bundle = run._repr_mimebundle_()
    assert told.replace("'", "&#x27;") in bundle["text/html"]


@pytest.mark.parametrize(
    ("policy", "say"),
    [("hall", Say("hello", "bem")), ("thread", Say("@bem hello"))],
)
def test_words_that_a_room_takes_and_that_reach_nobody_are_told(
    policy: str, say: Say
) -> None:
    who = "ben" if policy == "hall" else "ana"
    start = Say("@eve go") if policy == "thread" else Say("go", "eve")
    run = simulate(
        {"eve": reactive(lambda _: say), "ben": silent()},
        policy=getattr(presets, policy)(mentions_from="any"),
        start=(who, start),
    )

    assert [
        (row["who"], row["to"], row["code"]) for row in run.records("refusals")
    ] == [("eve", ["bem"], "unresolved")]
    assert ", 1 unresolved; " in repr(run)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "body_empty"),
        ("  \n", "body_empty"),
        (Say("hi", "::"), "bad_address"),
        (Say("hi", "agent:" + "x" * 1_000), "bad_address"),
        (Say("hi", room="nowhere"), "room_not_found"),
    ],
)
def test_what_no_room_takes_stops_no_run(answer: Any, code: str) -> None:
    run = simulate(
        {"eve": reactive(lambda _: answer)},
        start=[("ana", "go", "eve"), Opening("ana", Say("and?", "eve", at="5m"))],
    )

    assert [row["text"] for row in run.records("messages")] == ["go", "and?"]
    [row] = run.records("refusals")
    assert (row["who"], row["code"], row["count"]) == ("eve", code, 2)


def test_an_opening_without_words_is_told_and_the_run_goes_on() -> None:
    run = simulate({"eve": scripted("yes")}, start=[("ana", ""), ("ana", "x", "eve")])

    assert [text for _, _, text in said(run)] == ["x", "yes"]
    assert [row["code"] for row in run.records("refusals")] == ["body_empty"]


def test_many_refusals_are_told_in_few_lines() -> None:
    names = [f"x{n}" for n in range(7)]
    run = simulate(
        {"eve": reactive(lambda _: [Say("?", name) for name in names])},
        start=("ana", "go", "eve"),
    )

    assert len(run.records("refusals")) == 7
    assert repr(run).splitlines()[6:] == ["  2 more: run.records('refusals')"]


def lone() -> Iterator[tuple[str, str, dict[str, Any]]]:
    eve = {"eve": chatty(to="eve")}
    yield "agents['eve'].to", "ben", {"agents": {"eve": chatty(to="bem")}}
    yield "agents['eve'].to", "", {"agents": {"eve": scripted(Say("x", "agent:Bo/x"))}}
    yield "agents['eve'].to", "", {"agents": {"eve": scripted([Say("x", "no"), "y"])}}
    yield "start[1].to", "eve", {"start": [("ana", "x"), ("ana", "x", "evee")]}
    yield "start[0].to", "eve", {"start": ("eve", "x", "Eve"), "policy": "hall"}
    yield "start[0].to", "", {"agents": eve, "start": ("ana", "x", "agent:")}
    yield "start[0].to", "", {"start": ("ana", "x", "ana")}


@pytest.mark.parametrize(("field", "closest", "given"), list(lone()))
def test_who_can_never_be_there_is_refused_with_the_scenario(
    field: str, closest: str, given: dict[str, Any]
) -> None:
    agents = {"eve": silent(), "ben": silent()}

    with pytest.raises(InvalidInput) as raised:
        Scenario(**{"agents": agents | given.pop("agents", {})} | given)

    assert raised.value.details["field"] == field
    assert ("the closest is" in str(raised.value)) == bool(closest)
    assert f"the closest is {closest!r}" in str(raised.value) or not closest


@pytest.mark.parametrize(
    "to",
    [
        *("eve", "EVE", "agent:eve", "agent:Eve/later", "agent:eve/new"),
        *("agent:eve/all", "all", "room", "person:zoe", ("eve", "ben")),
    ],
)
def test_who_may_be_there_later_is_taken(to: Any) -> None:
    agents = {"eve": silent(threaded=True), "ben": chatty(to=to)}

    assert Scenario(agents=agents, start=("ana", "x", to)).start[0].say.to


def test_in_a_hall_who_speaks_may_be_named_alone() -> None:
    agents = {"eve": chatty(to="ana")}

    assert Scenario(agents=agents, policy="hall", start=("ana", "x")).start


# -- bad input


HUGE = 10**6_000  # more digits than Python writes


def bad() -> Iterator[tuple[str, dict[str, Any]]]:
    one = {"eve": silent()}
    yield "agents", {"agents": {}}
    yield "agents", {"agents": None}
    yield "agents['eve']", {"agents": {"eve": "chatty"}}
    yield "until", {"agents": one, "until": "soon"}
    yield "until", {"agents": one, "until": "1h1h"}
    yield "until", {"agents": one, "until": "999999999d"}
    yield "until", {"agents": one, "until": timedelta(-1)}
    yield "policy", {"agents": one, "policy": "hal"}
    yield "start", {"agents": one, "start": "go"}
    yield "start[0]", {"agents": one, "start": [("ana",)]}
    yield "start[0].room", {"agents": one, "start": ("ana", Say("x", room="no"))}
    yield "text", {"agents": one, "start": ("ana", "\ud800")}
    yield "rooms['r']", {"agents": one, "rooms": {"r": ["ben"]}}
    yield "rooms", {"agents": one, "rooms": {}}
    yield "seed", {"agents": one, "seed": 1.5}
    yield "faults", {"agents": one, "faults": {"busy": 1}}
    yield "approves", {"agents": one, "approves": HUGE}
    yield "agents", {"agents": {"\ud800": silent()}}
    yield "agents", {"agents": {"a b": silent()}}
    yield "agents", {"agents": {"Eve": silent(), "eve": silent()}}
    yield "rooms", {"agents": one, "rooms": {"A b": ["eve"], "ab": ["eve"]}}
    yield "rooms", {"agents": one, "rooms": {"\0": ["eve"]}}
    yield "rooms['r']", {"agents": one, "rooms": {"r": []}, "policy": "hall"}
    yield "start[0].who", {"agents": one, "start": ("a/b", "x")}
    yield "start[1].who", {"agents": one, "start": [("ana", "x"), ("a\nb", "x")]}
    yield "path", {"agents": one, "path": 5}
    yield "path", {"agents": one, "path": b"x.db"}


@pytest.mark.parametrize(("field", "given"), list(bad()))
def test_what_is_no_scenario_is_refused(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as raised:
        simulate(**given)

    assert raised.value.details["field"] == field


@pytest.mark.parametrize(
    ("field", "manner"),
    [
        ("latency", {"latency": ("2s", "1s")}),
        ("latency", {"latency": ("2s", "1s", "1s")}),
        ("fails", {"fails": float("nan")}),
        ("fails", {"fails": True}),
        ("mode", {"mode": "loud"}),
        ("every", {"every": "0s"}),
        ("keyword", {"colour": "red"}),
        ("threaded", {"threaded": 1}),
        ("latency", {"latency": "29d1s"}),
        ("fails", {"fails": -HUGE}),
        ("tokens", {"tokens": HUGE}),
    ],
)
def test_what_is_no_manner_is_refused(field: str, manner: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as raised:
        silent(**manner)

    assert raised.value.details["field"] == field


@pytest.mark.parametrize(
    ("field", "made"),
    [
        ("say", lambda: Opening("ana", "go")),  # type: ignore[arg-type]
        ("who", lambda: Opening(5, Say("go"))),  # type: ignore[arg-type]
        ("who", lambda: Opening("", Say("go"))),
        ("room", lambda: Say("go", room=5)),  # type: ignore[arg-type]
        ("busy", lambda: Faults(busy=HUGE)),
        ("most", lambda: Scenario(agents={"eve": silent()}, most=HUGE)),
        ("max_hops", lambda: RoomPolicy(max_hops=HUGE)),
        ("limit", lambda: RateWindow(HUGE, timedelta(1))),
        (
            "begins",
            lambda: Scenario(
                agents={"eve": silent()}, begins=datetime.max.replace(tzinfo=UTC)
            ),
        ),
    ],
)
def test_what_could_not_be_played_is_refused_at_once(field: str, made: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        made()

    assert raised.value.details["field"] == field


def test_a_number_below_all_bounds_is_told_by_the_open_end() -> None:
    with pytest.raises(InvalidInput, match=r"most is 0; allowed: >= 1 "):
        Scenario(agents={"eve": silent()}, most=0)
    with pytest.raises(InvalidInput, match=r"most is a huge number; allowed: 1 to 92"):
        Scenario(agents={"eve": silent()}, most=2**63)


def test_the_last_day_on_which_a_run_may_begin_can_be_played() -> None:
    begins = datetime(9000, 1, 1, tzinfo=UTC)
    run = Scenario(
        agents={"eve": chatty(latency="29d"), "ben": chatty(mode="digest")},
        policy="hall",
        start=("eve", "go", "ben"),
        begins=begins,
        until="3660d",
        most=200,
    ).run()

    assert run.records("messages")[0]["at"] == begins


def test_a_turn_may_take_as_long_as_a_claim_holds() -> None:
    run = simulate(
        {"eve": scripted("done", latency="29d")},
        start=("ana", "go", "eve"),
        until="30d",
    )

    assert said(run)[1:] == [(29 * 86_400, "eve", "done")]


def test_what_is_of_another_type_is_told_what_it_is() -> None:
    one: Any = ["eve"]
    with pytest.raises(InvalidInput, match="agents is of type list"):
        simulate(one)
    with pytest.raises(InvalidInput, match="type dict; allowed: a RoomPolicy, or"):
        simulate({"eve": silent()}, policy={"max_hops": 2})  # type: ignore[arg-type]


def test_columns_are_the_keys_of_every_row_in_their_order() -> None:
    def speak(told: Heard) -> list[Say]:
        return [Say("over to you", "ben"), Say("and you", "bem")]

    hall = simulate(
        {"eve": reactive(speak), "ben": chatty(to="eve"), "cy": silent(mode="digest")},
        start=("ana", "go", "eve"),
        until="1h",
    )
    team = simulate(
        {"lead": scripted(Say("Write it.", "cy"), cost=1), "cy": scripted("Done.")},
        policy="team",
        start=("ana", "Move the orders."),
    )
    kinds = [
        *("messages", "wakes", "turns", "holds", "digests", "charges", "seats"),
        *("notes", "refusals", "team", "usage"),
    ]

    for kind in kinds:
        rows = (team if kind in {"team", "usage"} else hall).records(kind)
        assert rows, kind
        assert {tuple(row) for row in rows} == {tuple(Run.columns(kind))}, kind


def test_what_has_no_rows_has_its_columns() -> None:
    run = simulate({"eve": silent()}, start=("ana", "go", "eve"))

    assert run.records("holds") == []
    assert run.columns("holds") == [
        *("at", "room", "who", "message", "why", "until", "released_by"),
    ]
    assert run.columns() == run.columns("messages")
    assert "woken" in run.columns()
    with pytest.raises(InvalidInput, match="messages, wakes, turns"):
        run.columns("wake")


def test_an_unknown_kind_message_or_agent_is_refused(tmp_path: Path) -> None:
    run = simulate({"eve": silent()}, start=("ana", "go", "eve"))

    with pytest.raises(InvalidInput, match="messages, wakes, turns"):
        run.records("wake")
    with pytest.raises(NotFound, match="no message 2"):
        run.explain(2)
    with pytest.raises(NotFound, match="'ben' was not in room then; there were eve"):
        run.explain(1, "ben")
    with pytest.raises(InvalidInput, match="message is of type list"):
        run.explain([1])  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="who is of type list"):
        run.explain(1, ["eve"])  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=f"{tmp_path.name} is there already"):
        simulate({"eve": silent()}, path=tmp_path)


def test_a_part_of_ones_own_may_remember() -> None:
    def begin() -> Any:
        heard: list[str] = []

        def speak(told: Heard) -> str:
            heard.append(told.last_text)
            return f"so far {len(heard)}"

        return speak

    start = [("ana", "x", "eve"), ("ana", Say("y", "eve", at="1m"))]
    run = simulate({"eve": Part(begin=begin)}, start=start)

    assert [text for _, _, text in said(run)] == ["x", "so far 1", "y", "so far 2"]


def test_what_is_owed_and_forgotten_is_found() -> None:
    run = simulate({"eve": silent()}, start=("ana", "go", "eve"))
    run.lobby.room("room").post("and?", by=run.lobby.person("ana"), to=["eve"])

    with pytest.raises(AssertionError, match="#2 is ready for eve in room"):
        checking.check(evolve(run))  # read anew, as if it had ended so


def test_progress_is_told() -> None:
    seen: list[timedelta] = []

    simulate({"eve": silent()}, start=("ana", "go", "eve"), progress=seen.append)

    assert seen == [timedelta(0), timedelta(seconds=1)]
