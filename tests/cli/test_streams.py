"""Standard streams that are closed, and an interrupt: one line, the right exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

import pytest

Command = Any

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")


def closed(streams: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command with streams closed, as a shell says it."""
    script = f'exec "$0" -m rooms "$@" {streams}'
    command = ["/bin/sh", "-c", script, sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_log_without_a_standard_error_is_the_log_alone(
    team: Path, rooms: Command
) -> None:
    done = closed("2>&-", "export", team)

    assert (done.returncode, done.stdout) == (0, rooms("export", team).stdout)


def test_a_problem_without_a_standard_error_is_told_by_the_exit_code(
    tmp_path: Path,
) -> None:
    done = closed("2>&-", "log", tmp_path / "none.db")

    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("arguments", [("import", "-", "new.db"), ("replay", "-")])
def test_a_standard_input_that_is_closed_is_empty(arguments: tuple[str, ...]) -> None:
    done = closed("<&-", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert not Path("new.db").exists()


def test_an_interrupt_is_told_in_a_line(tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        "until = '3000d'\n[agents.eve]\npart = 'chatty'\nto = 'eve'\nevery = '1s'\n"
        "[options]\nself_address = 'allow'\n",
        "utf-8",
    )
    with subprocess.Popen(
        [sys.executable, "-m", "rooms", "simulate", str(scenario), "--progress"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("seed 0: ")
        sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, told = process.communicate(timeout=30)

    assert (process.returncode, out) == (130, "")
    assert told.splitlines()[-1] == "rooms simulate: interrupted"
    assert "Traceback" not in told
