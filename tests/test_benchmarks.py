"""The rows of the benchmarks run at tiny sizes; how fast is nothing for a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent.parent))

from benchmarks import __main__ as command
from benchmarks import (
    aio,
    broker,
    claims,
    driving,
    growth,
    importing,
    lobby,
    memory,
    paired,
    planning,
    processes,
    scene,
    storage,
    turns,
    views,
)
from benchmarks.paired import Pair, Row
from rooms import MemoryStorage

JUDGED = {  # rows with a must, without those that need the peer
    "planning": 1,
    "mentions": 1,
    "importing": 1,
    "claims": 2,
    "turns": 1,
    "storage": 8,
    "lobby": 7,
    "growth": 9,
    "broker": 3,
    "views": 13,
    "processes": 2,
    "aio": 1,
    "driving": 1,
    "memory": 3,
    "frameworks": 0,  # which are installed in a session of their own alone
}


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paired, "ROUNDS", 1)
    monkeypatch.setattr(paired, "SHORTEST_ROUND", 1)
    monkeypatch.setattr(planning, "AT_LENGTH", {20: (1, 1)})
    monkeypatch.setattr(importing, "ROUNDS", 1)
    monkeypatch.setattr(claims, "HOLDERS", 2)
    monkeypatch.setattr(turns, "MANY", (5, 10))
    monkeypatch.setattr(storage, "TIMERS", 20)
    monkeypatch.setattr(storage, "PAGES", 2)
    monkeypatch.setattr(lobby, "MESSAGES", 110)
    for name in (
        "LONG",
        "SHORT",
        "SEATS",
        "MANY",
        "SOME",
        "FEW",
        "TIMERS",
        "TURNS",
        "WAITING",
    ):
        monkeypatch.setattr(growth, name, 25 if name == "LONG" else 5)
    for name in (
        *("LONG", "SHORT", "SEATS", "ROOMS", "FEW", "SAID"),
        *("MANY_SEATS", "FEW_SEATS"),
    ):
        monkeypatch.setattr(views, name, 5 if name != "FEW_SEATS" else 4)
    for name in ("FULL", "SMALL", "REQUESTS", "PAGE", "ACKED"):
        monkeypatch.setattr(broker, name, 20 if name == "FULL" else 4)
    monkeypatch.setattr(scene, "A_COMMIT", 10)
    monkeypatch.setattr(processes, "POSTS", {"relaxed": 2, "full": 2})
    monkeypatch.setattr(processes, "ROUNDS", 1)
    monkeypatch.setattr(aio, "ROUNDS", 1)
    monkeypatch.setattr(aio, "POSTS", 1)
    monkeypatch.setattr(driving, "TURNS", 20)
    monkeypatch.setattr(processes, "WORKERS", 2)
    for name in ("ROOMS", "SEATS", "OWED"):
        monkeypatch.setattr(memory, name, 3)
    yield
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", command.GROUPS)
def test_every_group_gives_its_rows(name: str) -> None:
    rows = list(command.GROUPS[name].rows(None))

    assert all(isinstance(row, Row) and row.pair.ratio > 0 for row in rows)
    assert sum(row.must is not None for row in rows) == JUDGED[name]


def test_the_table_is_printed_for_the_groups_that_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command.main(["memory"])

    printed = capsys.readouterr().out
    assert printed.startswith("python -m benchmarks memory: ")
    assert "| an idle open room with 5 seats, in memory | bytes " in printed
    assert "3 rows with a must" in printed


def test_a_group_that_is_not_there_is_named() -> None:
    with pytest.raises(SystemExit, match="no group 'lobbby'; there are planning, "):
        command.main(["lobbby"])


@pytest.mark.parametrize(
    ("ratio", "more_is_better", "verdict"),
    [
        (1.0, False, "stretch"),
        (1.5, False, "must"),
        (2.5, False, "MISSED"),
        (2.5, True, "stretch"),
        (1.5, True, "MISSED"),
    ],
)
def test_a_row_says_what_it_reaches(
    ratio: float, more_is_better: bool, verdict: str
) -> None:
    must, stretch = (2.0, 2.2) if more_is_better else (2.0, 1.2)
    row = Row("ours", "theirs", Pair(ratio), must, stretch, more_is_better)

    assert row.verdict == verdict


def test_a_long_room_is_a_log_that_verifies() -> None:
    storage = MemoryStorage()
    made = scene.Scene(storage)
    made.post()

    scene.lengthen(storage, made.room.id, 25)

    again = scene.Scene.again(storage)
    assert again.room.position == 26
    assert again.post().message.seq == 27
    assert [one.damages for one in again.lobby.verify().values()] == [()] * 5
