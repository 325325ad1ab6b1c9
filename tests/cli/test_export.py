"""`rooms export`: the whole log, or the file that was there before."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rooms.lobby import Lobby
from rooms.storage import SQLiteStorage

Command = Any


def test_the_log_goes_to_the_standard_output(team: Path, rooms: Command) -> None:
    done = rooms("export", team)

    with Lobby.open(team) as lobby:
        assert done.stdout == "".join(lobby.export())
    assert done.returncode == 0
    assert done.stderr == f"{team}: 9 records in 3 streams\n"
    assert rooms("export", team, "-").stdout == done.stdout


def test_a_file_is_its_owners_alone(team: Path, tmp_path: Path, rooms: Command) -> None:
    whole = rooms("export", team).stdout
    path = tmp_path / "log.jsonl"

    done = rooms("export", team, path, "--json")

    assert (done.returncode, done.stderr) == (0, "")
    counted = json.loads(done.stdout)
    assert (counted["records"], counted["streams"]) == (9, 3)
    assert counted["sum"] == json.loads(whole.splitlines()[-1])["sum"]
    assert path.read_bytes().decode() == whole
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o600


def test_a_sum_beside_the_log_is_json_too(team: Path, rooms: Command) -> None:
    assert json.loads(rooms("export", team, "--json").stderr)["records"] == 9


def test_a_damaged_log_is_no_export_and_replaces_none(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("the last good one", encoding="utf-8")
    storage = SQLiteStorage(team)
    with storage._database.writing as run:
        run("UPDATE records SET type = 'seat_left' WHERE position = 6")
    storage.close()

    done = rooms("export", team, path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("rooms export: room:room_3 2: chain is damaged")
    assert path.read_text("utf-8") == "the last good one"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["log.jsonl", "team.db"]
    cut = rooms("export", team)
    assert cut.returncode == 1
    assert len(cut.stdout.splitlines()) == 6  # the first line, and five that are sound


def test_a_newer_export_takes_the_place_of_the_older_one(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    path, link = tmp_path / "log.jsonl", tmp_path / "link"
    path.write_text("older", encoding="utf-8")
    link.symlink_to(path)

    assert rooms("export", team, link).returncode == 0
    assert link.is_symlink()
    assert path.read_text("utf-8") == rooms("export", team).stdout


def test_the_lobby_itself_is_never_replaced(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    before = team.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(team)

    for target in (team, link):
        done = rooms("export", team, target)
        assert done.returncode == 2
        assert "is the lobby itself" in done.stderr
    assert team.read_bytes() == before


@pytest.mark.parametrize("target", ["nowhere/log.jsonl", "", "x" * 999])
def test_a_file_that_cannot_be_written_is_said_to_be(
    target: str, team: Path, rooms: Command
) -> None:
    done = rooms("export", team, target)

    assert done.returncode == 2
    assert done.stderr.startswith("rooms export: FILE cannot be written")


@pytest.mark.skipif(os.name != "posix", reason="devices are files on POSIX")
def test_a_device_is_written_to_and_not_replaced(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert rooms("export", team, pipe).returncode == 0
        assert reader.stdout is not None
        told = reader.stdout.read().decode()

    assert told == rooms("export", team).stdout
    assert pipe.is_fifo()


def test_a_reader_who_has_seen_enough_is_no_fault(team: Path, unread: Command) -> None:
    code, told = unread("export", team)

    assert code == 0
    assert b"Traceback" not in told
