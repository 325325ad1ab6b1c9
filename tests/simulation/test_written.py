"""Scenarios in files, and the command that plays them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from rooms import Lobby, RateWindow
from rooms.cli import main
from rooms.errors import InvalidInput
from rooms.hearing import Mode
from rooms.simulation import load_scenario

WHOLE = """
policy = "hall"
until = "2h"
begins = 2026-03-29T00:30:00+01:00

[options]
max_hops = 6
wake_window = { limit = 2, period = "10m" }

[agents.eve]
part = "chatty"
to = "ben"
latency = ["1s", "2m"]
every = "30m"

[agents.ben]
part = "erratic"
speaks = 0.25
mode = "digest"
fails = 0.5
threaded = true

[agents.cy]
part = "scripted"
lines = ["one", "two"]

[rooms]
work = ["eve", "ben"]
rest = ["cy"]

[[start]]
who = "eve"
text = "go"
to = "ben"
room = "work"
at = "1m"

[faults]
crash_every = "3h"
down_for = "1m"
busy = 0.25
"""


HUGE = "0x" + "f" * 6_000  # a number of more digits than Python writes


def written(path: Path, text: str) -> Path:
    file = path / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_says_what_a_scenario_says(tmp_path: Path) -> None:
    scenario = load_scenario(written(tmp_path, WHOLE))

    assert scenario.policy.people == "watch"
    assert scenario.policy.wake_window == RateWindow(2, timedelta(minutes=10))
    assert scenario.policy.max_hops == 6
    assert scenario.agents["eve"].latency == (
        timedelta(seconds=1),
        timedelta(minutes=2),
    )
    assert scenario.agents["eve"].every == timedelta(minutes=30)
    assert scenario.agents["ben"].mode is Mode.DIGEST
    assert (scenario.agents["ben"].fails, scenario.agents["ben"].threaded) == (
        0.5,
        True,
    )
    assert scenario.rooms == {"work": ("eve", "ben"), "rest": ("cy",)}
    [opening] = scenario.start
    assert (opening.who, opening.say.text, opening.say.to) == ("eve", "go", ("ben",))
    assert (opening.say.room, opening.say.at) == ("work", timedelta(minutes=1))
    assert scenario.faults.crash_every == timedelta(hours=3)
    assert (scenario.faults.down_for, scenario.faults.busy) == (
        timedelta(minutes=1),
        0.25,
    )
    assert scenario.begins.isoformat() == "2026-03-28T23:30:00+00:00"
    assert (
        scenario.run(1).command == f"rooms simulate {tmp_path}/scenario.toml --seed 1"
    )


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("path", "agents = ["),
        ("path", "x = " + "[" * 5_000),
        ("scenario", "agent = 1"),
        ("agents", "until = '1h'"),
        ("agents", "agents = 3"),
        ("agents.eve.part", "[agents.eve]\npart = 'talkative'"),
        ("agents.eve", "[agents.eve]\npart = 'silent'\nlines = []"),
        ("agents.eve.lines", "[agents.eve]\npart = 'scripted'\nlines = 'one'"),
        ("options", "[agents.eve]\npart = 'silent'\n[options]\nhops = 3"),
        (
            "options.max_hops",
            "[agents.eve]\npart = 'silent'\n[options]\nmax_hops = 'x'",
        ),
        ("options.wake_window", "[agents]\n[options]\nwake_window = {most = 1}"),
        ("start", "[agents.eve]\npart = 'silent'\n[start]\nwho = 'x'"),
        ("start[0]", "[agents.eve]\npart = 'silent'\n[[start]]\nwhom = 'x'"),
        ("start[0].who", "[agents.eve]\npart = 'silent'\n[[start]]\ntext = 'x'"),
        ("faults", "[agents.eve]\npart = 'silent'\n[faults]\nfire = 1"),
        ("faults.busy", "[agents.eve]\npart = 'silent'\n[faults]\nbusy = 2"),
        ("policy", "policy = 3\n[agents.eve]\npart = 'silent'"),
        ("begins", "begins = 2026-01-01T00:00:00\n[agents.eve]\npart = 'silent'"),
        ("begins", "begins = 9999-12-31T23:00:00Z\n[agents.eve]\npart = 'silent'"),
        ("approves", f"approves = {HUGE}\n[agents.eve]\npart = 'silent'"),
        ("faults.busy", f"[agents.eve]\npart = 'silent'\n[faults]\nbusy = {HUGE}"),
        (
            "options.max_hops",
            f"[agents.eve]\npart = 'silent'\n[options]\nmax_hops = {HUGE}",
        ),
        ("path", "#" * (2**20 + 1)),
    ],
)
def test_what_is_no_scenario_is_refused_by_its_table(
    field: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as raised:
        load_scenario(written(tmp_path, text))

    assert raised.value.details["field"] == field


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(InvalidInput, match="path is of type NoneType"):
        load_scenario(None)  # type: ignore[arg-type]


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_scenario(tmp_path / "nothing.toml")
    large = written(tmp_path, "#" * (2**20 + 1))
    with pytest.raises(InvalidInput, match="above 1 MiB"):
        load_scenario(large)


SMALL = """
[agents.eve]
part = "scripted"
lines = ["one"]
[[start]]
who = "ana"
text = "go"
to = "eve"
"""


def test_the_command_plays_seeds_and_tells_each(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "rooms",
            "simulate",
            str(file),
            "--seeds",
            "2",
            "--json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["seed"] for run in runs] == [0, 1]
    assert runs[0] | {"trace_hash": ""} == {
        "seed": 0,
        "reason": "quiet",
        "ended": "2026-01-05T09:00:01+00:00",
        "messages": 2,
        "wakes": 1,
        "turns": 1,
        "holds": 0,
        "trace_hash": "",
        "teams": [],
        "refusals": [],
    }


def test_rows_are_printed_on_request_and_the_lobby_kept(
    tmp_path: Path, capsys: Any
) -> None:
    file, kept = written(tmp_path, SMALL), tmp_path / "run.db"

    code = main(
        ["simulate", str(file), "--records", "turns", "--database", str(kept), "--json"]
    )

    [turn] = map(json.loads, capsys.readouterr().out.splitlines())
    assert (code, turn["who"], turn["outcome"]) == (0, "eve", "ended")
    with Lobby.open(kept) as lobby:
        assert lobby.room("room").position == 2


def test_rows_of_several_seeds_begin_with_their_seed(
    tmp_path: Path, capsys: Any
) -> None:
    file = str(written(tmp_path, SMALL))

    assert main(["simulate", file, "--seeds", "2", "--records", "turns"]) == 0
    plain = capsys.readouterr().out.splitlines()
    assert main(["simulate", file, "--seeds", "2", "--records", "seats", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [line.partition(" ")[0] for line in plain] == ["seed=0", "seed=1"]
    assert {row["seed"] for row in rows} == {0, 1}


def test_a_seed_that_fails_is_told_with_its_command(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise AssertionError("a promise was broken")

    monkeypatch.setattr("rooms.simulation.world.check", broken)
    file = written(tmp_path, SMALL)

    assert main(["simulate", str(file), "--seed", "4"]) == 1
    assert capsys.readouterr().out == (
        f"seed 4: a promise was broken\n  repeat it: rooms simulate {file} --seed 4\n"
    )


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        (["--seeds", "0"], "--seeds"),
        (["--seeds", "2", "--database", "x.db"], "--database"),
        (["--records", "wake", "--database", "x.db"], "--records is 'wake'"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(
    extra: list[str],
    problem: str,
    tmp_path: Path,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = written(tmp_path, SMALL)
    monkeypatch.chdir(tmp_path)

    assert main(["simulate", str(file), *extra]) == 2
    assert problem in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("scenario has no key 'agent'; the closest is 'agents'", "agent = 1"),
        (
            "agents.eve has no key 'latancy'; the closest is 'latency'",
            "[agents.eve]\npart = 'silent'\nlatancy = '1s'",
        ),
        (
            "agents.eve.latency falls",
            "[agents.eve]\npart = 'silent'\nlatency = ['2m', '1s']",
        ),
        (
            "until is of type int; allowed: a timedelta, or text such as 90s",
            "until = 60\n[agents.eve]\npart = 'silent'",
        ),
        ("scenario.toml is no TOML: ", "until = soon"),
        (
            "start[0].who is missing",
            "[agents.eve]\npart = 'silent'\n[[start]]\ntext = 'y'",
        ),
        (
            "start[0].text is missing",
            "[agents.eve]\npart = 'silent'\n[[start]]\nwho = 'x'",
        ),
        (
            "faults.crash_every is no span: 'soon'",
            "[agents.eve]\npart = 'silent'\n[faults]\ncrash_every = 'soon'",
        ),
        (
            "start[0].at is no span",
            "[agents.eve]\npart = 'silent'\n[[start]]\nwho = 'x'\ntext = 'y'\nat = 'z'",
        ),
    ],
)
def test_a_slip_is_told_by_its_place_and_the_closest_key(
    told: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as raised:
        load_scenario(written(tmp_path, text))

    assert told in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nosuch\.toml cannot be read: No such"):
        load_scenario(tmp_path / "nosuch.toml")
