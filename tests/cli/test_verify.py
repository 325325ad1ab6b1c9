"""`rooms verify`: every change is named, and the file stays as it is."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from rooms.errors import (
    CorruptLog,
    InvalidInput,
    StorageBusy,
    StorageError,
    UnsupportedSchema,
)
from rooms.lobby import Lobby
from rooms.storage import SQLiteStorage
from rooms.storage.sqlite.reading import reading

Command = Any

READERS = ("log", "verify", "doctor", "export")


def change(path: Path, sql: str) -> None:
    storage = SQLiteStorage(path)
    with storage._database.writing as run:
        run(sql)
    storage.close()


def test_a_sound_log_is_called_so(team: Path, rooms: Command) -> None:
    done = rooms("verify", team)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{team}: 9 records in 3 streams, 1 of them without their words:"
        " all as they were written\n"
    )


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        (
            "UPDATE records SET body = x'7b7d' WHERE position = 9",
            "room:room_3 5: body: its words were changed",
        ),
        (
            "UPDATE records SET type = 'seat_left' WHERE position = 6",
            "room:room_3 2: chain: its header or a fixed field was changed",
        ),
        (
            "DELETE FROM records WHERE position = 7",
            "room:room_3 4: gap: records are missing or doubled",
        ),
        (
            "UPDATE records SET seq = 7 WHERE position = 9",
            "room:room_3 5: seq: its number is not the transcript's next",
        ),
    ],
)
def test_a_changed_record_is_named(
    sql: str, line: str, team: Path, rooms: Command
) -> None:
    change(team, sql)

    done = rooms("verify", team)

    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == line
    assert done.stdout.endswith(": DAMAGED\n")


def test_one_json_object_says_the_same(team: Path, rooms: Command) -> None:
    whole = json.loads(rooms("verify", team, "--json").stdout)
    change(team, "UPDATE records SET type = 'seat_left' WHERE position = 6")
    done = rooms("verify", team, "--json")

    report = json.loads(done.stdout)
    assert whole["intact"] is True
    assert whole["streams"]["room:room_3"]["erased"] == [4]
    assert done.returncode == 1
    assert (report["intact"], report["unreadable"]) == (False, {})
    room = report["streams"]["room:room_3"]
    assert (room["records"], len(room["chain"])) == (5, 64)
    assert room["damages"] == [{"version": 2, "problem": "chain"}]
    assert report["streams"]["lobby"]["damages"] == []


def test_a_torn_file_is_damage_too(team: Path, rooms: Command) -> None:
    content = bytearray(team.read_bytes())
    page = 4_096
    for number in range(1, len(content) // page):  # all pages but the first
        content[number * page : number * page + 8] = b"\xff" * 8
    team.write_bytes(content)

    done = rooms("verify", team)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr


# -- of all commands that read


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_is_not_there_is_not_made(
    command: str, tmp_path: Path, rooms: Command
) -> None:
    done = rooms(command, tmp_path / "none.db")

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", READERS)
def test_a_file_of_somebody_else_is_refused_as_it_is(
    command: str, tmp_path: Path, rooms: Command
) -> None:
    for name, content in {"text": b"no database" * 99, "empty": b""}.items():
        path = tmp_path / name
        path.write_bytes(content)
        done = rooms(command, path)
        assert done.returncode == (0 if (command, name) == ("doctor", "empty") else 2)
        assert path.read_bytes() == content
    assert rooms(command, tmp_path).returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "text"]


@pytest.mark.parametrize("command", READERS)
def test_what_is_read_is_not_changed(command: str, team: Path, rooms: Command) -> None:
    before, at = team.read_bytes(), team.stat().st_mtime_ns

    assert rooms(command, team).returncode == 0
    assert (team.read_bytes(), team.stat().st_mtime_ns) == (before, at)
    assert [path.name for path in team.parent.iterdir()] == [team.name]


@pytest.mark.parametrize("command", READERS)
def test_what_was_left_by_a_crash_is_read_and_left(
    command: str, team: Path, tmp_path: Path, rooms: Command
) -> None:
    with Lobby.open(team) as lobby:
        lobby.room("Orders 2").post("In the -wal.", by=lobby.person("ana"))
        left = tmp_path / "left"
        left.mkdir()
        for name in ("team.db", "team.db-wal"):
            shutil.copyfile(tmp_path / name, left / name)
    files = [left / "team.db", left / "team.db-wal"]
    before = [path.read_bytes() for path in files]
    options = ["--words"] if command == "log" else []

    done = rooms(command, left / "team.db", *options)

    assert done.returncode == 0
    assert [path.read_bytes() for path in files] == before
    assert command in {"verify", "doctor"} or "In the -wal." in done.stdout


@pytest.mark.parametrize("command", READERS)
def test_a_lobby_in_use_can_be_read(command: str, team: Path, rooms: Command) -> None:
    with Lobby.open(team) as lobby:
        room, ana = lobby.room("Orders 2"), lobby.person("ana")
        room.post("Before.", by=ana)
        done = rooms(command, team)
        after = room.post("After.", by=ana)

    assert done.returncode == 0
    assert after.message.seq == 5
    if command == "verify":
        assert ": 10 records" in done.stdout


def test_a_read_that_may_be_torn_is_said_to_be(team: Path) -> None:
    def touch() -> None:
        now = team.stat().st_mtime_ns
        os.utime(team, ns=(now + 10**9, now + 10**9))

    def read(*, torn: bool) -> None:
        with reading(team) as storage:
            assert len(storage.scan()) == 9
            touch()
            if torn:
                raise CorruptLog("corrupt_log", "what a torn page looks like")

    for torn in (False, True):
        with pytest.raises(StorageBusy) as caught:
            read(torn=torn)
        assert caught.value.code == "storage_busy"


def test_a_reader_writes_nothing(team: Path) -> None:
    with reading(team) as storage:
        for write in (
            lambda: storage.erase("lobby", [1]),
            lambda: storage.remove("lobby"),
            lambda: storage.put_blob([b"x"]),
        ):
            with pytest.raises(StorageError):
                write()
        assert len(storage.scan()) == 9


@pytest.mark.parametrize("path", ["", ":memory:", "a\0b", "\ud800", None, 5, "x" * 999])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(InvalidInput), reading(path):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe of POSIX")
@pytest.mark.parametrize("command", ["log", "verify", "export", "why"])
def test_a_pipe_is_no_lobby_and_nobody_waits_for_it(
    command: str, tmp_path: Path, rooms: Command
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    more = ["1"] if command == "why" else []

    done = rooms(command, pipe, *more)

    assert done.returncode == 2
    assert "it is a pipe or a device, and no file" in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe of POSIX")
def test_nobody_waits_for_a_pipe_where_a_lobby_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UnsupportedSchema, match="and no file"):
        SQLiteStorage(tmp_path / "pipe")
