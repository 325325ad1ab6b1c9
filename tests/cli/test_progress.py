"""How far long work is: told to whoever watches or asks, and to nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest

from rooms.cli import main, progress

SCENARIO = """
[agents.eve]
part = "scripted"
lines = ["one"]
[[start]]
who = "ana"
text = "go"
to = "eve"
"""
PANEL = Path(__file__).parents[2] / "examples/release_panel.json"
LONG = ("replay", "simulate", "check", "verify", "doctor", "export", "import")


@pytest.fixture
def command(team: Path) -> Callable[[str], list[str]]:
    """The arguments of a command that has something to do."""
    folder = team.parent
    (folder / "play.toml").write_text(SCENARIO)
    exported = folder / "exported.jsonl"
    assert main(["export", str(team), str(exported)]) == 0
    arguments = {
        "replay": [PANEL],
        "simulate": [folder / "play.toml"],
        "check": [exported],
        "verify": [team],
        "doctor": [team],
        "export": [team, folder / "again.jsonl"],
        "import": [exported, folder / "copy.db"],
    }
    return lambda name: [name, *map(str, arguments[name])]


@pytest.fixture
def terminal() -> Iterator[tuple[TextIO, Callable[[], str]]]:
    """A terminal to write to, and what is shown there when nobody writes any more."""
    watched, written = os.openpty()
    shown: list[bytes] = []

    def watch() -> None:
        try:
            while some := os.read(watched, 4_096):
                shown.append(some)
        except OSError:  # Linux: nobody has the other side any more
            pass

    watching = threading.Thread(target=watch)
    watching.start()
    stream = os.fdopen(written, "w", encoding="ascii")

    def closed() -> str:
        stream.close()
        watching.join()
        return b"".join(shown).decode("ascii")

    yield stream, closed
    closed()
    os.close(watched)


def called(name: str) -> str:
    return "seed 0" if name == "simulate" else name


def is_gone(shown: str) -> bool:
    """Whether the last line of a terminal is blank, and the cursor first in it."""
    *_, blank, nothing = shown.split("\r")
    return not blank.strip() and not nothing


@pytest.mark.parametrize("name", LONG)
def test_whoever_watches_a_terminal_is_told_and_finds_no_trace(
    name: str,
    command: Callable[[str], list[str]],
    terminal: tuple[TextIO, Callable[[], str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream, shown = terminal
    capsys.readouterr()

    monkeypatch.setattr(sys, "stderr", stream)
    code = main([*command(name), "--json"])
    monkeypatch.undo()

    assert code == 0
    assert shown().startswith(f"\r{called(name)}: 0 ")
    assert is_gone(shown())
    assert json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", LONG)
def test_whoever_asks_is_told_in_lines_and_nobody_else(
    name: str, command: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, tells = command(name), called(name)
    made = Path(arguments[-1])
    capsys.readouterr()

    assert main(arguments) == 0
    alone, quiet = capsys.readouterr()
    if name == "import":
        made.unlink()
    assert main([*arguments, "--progress"]) == 0
    asked, told = capsys.readouterr()

    assert quiet == ""
    assert asked == alone
    first, *_, last = told.splitlines()
    assert first.startswith(f"{tells}: ")
    assert last == f"{tells}: done"


def test_a_process_tells_its_terminal_and_prints_the_same_bytes(
    team: Path, terminal: tuple[TextIO, Callable[[], str]]
) -> None:
    stream, shown = terminal

    done = subprocess.run(
        [sys.executable, "-m", "rooms", "export", str(team), "--json"],
        stdout=subprocess.PIPE,
        stderr=stream,
        text=True,
        check=True,
    )

    *told, counted = shown().split("\r\n")[0].split("\r")
    assert told[1] == "export: 0 %"
    assert json.loads(counted) == json.loads(done.stdout.splitlines()[-1])


def test_a_process_whose_errors_nobody_reads_does_its_work(team: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-m", "rooms", "verify", str(team), "--progress"],
        stdout=subprocess.PIPE,
        stderr=writing,
        text=True,
        check=False,
    )

    os.close(writing)
    assert done.returncode == 0
    assert done.stdout.endswith(": all as they were written\n")


def test_lines_on_a_terminal_are_not_mixed_with_how_far_they_are(
    team: Path,
    terminal: tuple[TextIO, Callable[[], str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream, shown = terminal

    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["export", str(team)]) == 0
    monkeypatch.undo()

    assert "%" not in shown()


def test_what_would_stand_beside_a_json_object_is_refused(
    team: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(team), "--json", "--progress"]) == 2

    out, problem = capsys.readouterr()
    assert out == ""
    assert "--progress goes where the sum goes; allowed: a FILE" in problem


def test_work_that_fails_is_not_done(
    team: Path, command: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    name, exported, made = command("import")
    cut = Path(exported)
    cut.write_text("".join(cut.read_text("ascii").splitlines(keepends=True)[:-1]))
    capsys.readouterr()

    assert main([name, exported, made, "--progress"]) == 1

    first, *others = capsys.readouterr().err.splitlines()
    assert first == "import: 0 %"
    assert "import: done" not in others


# -- how often, and how far


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def worked(
    monkeypatch: pytest.MonkeyPatch, *, total: int, seconds: float, watched: bool
) -> Iterator[int]:
    clock = Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    work = progress.Work("work", shown=True, on_terminal=watched)
    work.expect(lambda: total)
    for item in work.passing(range(10)):
        clock.now += seconds
        yield item
    work.finish()
    work.clear()


def test_lines_come_once_a_second(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(worked(monkeypatch, total=10, seconds=0.5, watched=False)) == [
        *range(10)
    ]

    told = capsys.readouterr().err.splitlines()
    assert told == [*(f"work: {n} %" for n in range(0, 100, 20)), "work: done"]


def test_a_terminal_is_told_ten_times_a_second_of_what_has_no_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    list(worked(monkeypatch, total=0, seconds=0.05, watched=True))

    *told, blank, nothing = capsys.readouterr().err.split("\r")
    assert told == ["", *(f"work: {n}" for n in range(0, 10, 2))]
    assert (blank, nothing) == (" " * len("work: 8"), "")


def test_more_than_was_expected_is_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    list(worked(monkeypatch, total=5, seconds=1, watched=False))

    assert capsys.readouterr().err.splitlines()[-2:] == ["work: 100 %", "work: done"]


def test_nobody_is_told_where_the_standard_error_was_closed(
    team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)

    assert main(["verify", str(team), "--progress"]) == 0
    sys.stderr.close()  # what stands in for it
