"""The examples run, offline, and say what they say; the docs show the loop as it is."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def shown_by(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_the_panel_runs_offline(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown_by("panel.py", capsys) == [
        "round 0  planner   One page, one form. @coder, please write it.",
        "round 0  coder     Written.",
        "round 0  reviewer  @coder, the button has no name.",
        "round 1  coder     Renamed, as @reviewer asked.",
        "round 2  reviewer  Fine now.",
        "settled",
    ]


def test_the_docs_show_the_loop_as_it_stands_in_the_code() -> None:
    code = (ROOT / "rooms/driving/loop.py").read_text("utf-8")
    page = (ROOT / "docs/how-to/drive-a-planned-room.md").read_text("utf-8")
    start = code.index("def turns(")

    assert code[start : code.index("\n\n\n", start)] in page
    assert len(code.splitlines()) < 150


def test_a_worker_of_the_broker_dies_and_goes_on_from_its_checkpoint() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "broker.py")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [
        "lea: assigned 3 tasks",
        "ben: done so far: nothing",
        "ben: migrate the table",
        "ben: update the docs",
        "ben: done so far: migrate the table",
        "ben: update the docs",
        "ben: tell the users",
        "lea: ben has seen: migrate the table, update the docs, tell the users",
        "lea: ben reports: done: migrate the table",
        "lea: ben reports: done: update the docs",
        "lea: ben reports: done: tell the users",
        "lea: answers that are awaited: 0",
    ]
    assert done.stderr == ""


def test_the_thread_runs_offline(capsys: pytest.CaptureFixture[str]) -> None:
    assert [line for line in shown_by("thread.py", capsys) if line] == [
        "ana> @proto @reviewer what broke?",
        "proto: The session cookie has no path.",
        "reviewer: Agreed, and it is set twice.",
        "ana> @prato why?",
        "Nobody is called prato. Available: proto, reviewer, docs.",
        "ana> @docs write it down",
        "docs failed: no route to docs.example",
        "ana> @docs again, please",
        "Noted.",
        "in the cast: proto, reviewer, docs",
    ]
