"""A file that another command reads is told so: a transcript, a log, an export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

Command = Any

EXAMPLE = Path(__file__).parents[2] / "examples/release_panel.json"
REPLAY = "; `rooms replay` reads a transcript [invalid_json]\n"
CHECK = "; allowed: a transcript; `rooms check` decides a log again [invalid_request]\n"
EVENT = {"speaker": "anä", "content": "Hi."}


@pytest.mark.parametrize(
    "transcript",
    [
        EXAMPLE.read_text("utf-8"),
        json.dumps(EVENT),
        json.dumps([EVENT], ensure_ascii=False),
        "\ufeff" + json.dumps({"roster": ["a"]}),
        "[2026-01-05 09:00] ana: Hi.\n",
    ],
    ids=["printed", "a line an event", "an array", "a header", "a chat"],
)
def test_who_checks_or_imports_a_transcript_is_told_to_replay_it(
    transcript: str, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "transcript"
    path.write_text(transcript, "utf-8")

    checked = rooms("check", path)
    imported = rooms("import", path, tmp_path / "new.db")

    for done in (checked, imported):
        assert (done.returncode, done.stdout) == (2, "")
        assert "line 1 is no line of an export" in done.stderr
        assert done.stderr.endswith(REPLAY)


def test_who_imports_a_lobby_itself_is_told_to_export_it(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    done = rooms("import", team, tmp_path / "new.db")

    assert done.returncode == 2
    assert done.stderr == (
        "rooms import: line 1 is no line of an export;"
        " `rooms export` writes one of a lobby's file [invalid_json]\n"
    )


@pytest.mark.parametrize("command", ["log", "verify", "export", "doctor"])
def test_a_folder_in_the_place_of_a_lobby_is_told(
    command: str, tmp_path: Path, rooms: Command
) -> None:
    done = rooms(command, tmp_path)

    assert done.returncode == 2
    assert "a folder" in done.stderr + done.stdout


def test_who_opens_one_as_a_lobby_is_told_what_reads_it(rooms: Command) -> None:
    for command in ("log", "verify", "export"):
        done = rooms(command, EXAMPLE)

        assert done.returncode == 2
        assert "`rooms import` reads an export, `rooms replay` a transcript" in (
            done.stderr
        )


def test_what_is_neither_or_a_cut_export_is_not_told_so(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    cut = tmp_path / "cut"
    cut.write_text(rooms("export", team).stdout[:30], "utf-8")
    prose = tmp_path / "prose"
    prose.write_text("Dear all,\n", "utf-8")

    for path in (cut, prose, team):
        assert "replay" not in rooms("import", path, tmp_path / "new.db").stderr
    assert "replay" not in rooms("check", cut).stderr


def test_a_later_line_that_is_none_is_not_told_so(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "log.jsonl"
    first, *_ = rooms("export", team).stdout.splitlines(keepends=True)
    path.write_text(first + json.dumps(EVENT), "utf-8")

    done = rooms("check", path)

    assert "line 2 is no line of an export" in done.stderr
    assert "replay" not in done.stderr


@pytest.mark.parametrize("form", ["events", "thread", "chat"])
def test_who_replays_a_log_is_told_to_check_it(
    form: str, team: Path, tmp_path: Path, rooms: Command
) -> None:
    exported = tmp_path / "log.jsonl"
    assert rooms("export", team, exported).returncode == 0

    for path in (team, exported):
        done = rooms("replay", path, "--form", form)

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"rooms replay: file holds a lobby's log{CHECK}"
