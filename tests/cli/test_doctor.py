"""`rooms doctor`: what is to be said about a file, the worst first."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

Command = Any


def levels(done: Any) -> dict[str, str]:
    findings = json.loads(done.stdout)["findings"]
    return {one["code"]: one["level"] for one in findings}


def test_a_sound_file_has_no_error(team: Path, rooms: Command) -> None:
    done = rooms("doctor", team)

    assert (done.returncode, done.stderr) == (0, "")
    safe = sqlite3.sqlite_version_info >= (3, 51, 3)
    worst = "nothing" if safe else "warning"
    assert done.stdout.splitlines()[-1] == f"{team}: worst found: {worst}"
    assert set(levels(rooms("doctor", team, "--json"))) <= {"sqlite_wal_reset"}


def test_a_warning_is_no_error(team: Path, rooms: Command) -> None:
    team.chmod(0o644)

    done = rooms("doctor", team)

    assert done.returncode == 0
    assert "warning: readable_by_others: team.db has mode 0044" in done.stdout
    assert levels(rooms("doctor", team, "--json"))["readable_by_others"] == "warning"


def test_damage_is_an_error(team: Path, rooms: Command) -> None:
    content = bytearray(team.read_bytes())
    for page in range(1, len(content) // 4_096):
        content[page * 4_096 : page * 4_096 + 8] = b"\xff" * 8
    team.write_bytes(content)

    done = rooms("doctor", team)

    assert done.returncode == 1
    assert done.stdout.startswith("error: damaged: ")
    assert done.stdout.endswith("worst found: error\n")


def test_a_file_that_cannot_be_used_is_another_matter(
    tmp_path: Path, rooms: Command
) -> None:
    foreign = tmp_path / "notes.txt"
    foreign.write_text("Not a database.\n" * 99, encoding="utf-8")

    told = levels(rooms("doctor", foreign, "--json"))
    assert told.pop("sqlite_wal_reset", "warning") == "warning"  # it is not of the file
    assert told == {"foreign": "error"}
    assert rooms("doctor", foreign).returncode == 2
    assert rooms("doctor", tmp_path / "none").returncode == 2


def test_a_files_own_name_moves_no_cursor(team: Path, rooms: Command) -> None:
    odd = team.rename(team.with_name("a\x1b[2J\nerror: x.db"))
    odd.chmod(0o644)

    done = rooms("doctor", odd)

    assert "\x1b" not in done.stdout
    assert not any(line.startswith("error") for line in done.stdout.splitlines())
