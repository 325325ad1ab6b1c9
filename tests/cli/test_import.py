"""`rooms import`: all of an export or nothing, whatever comes in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from rooms.cli import main
from rooms.lobby import Lobby
from rooms.log.lines import Writer, read_record
from rooms.log.records import chained
from rooms.storage import SQLiteStorage

Command = Any


@pytest.fixture
def exported(team: Path, tmp_path: Path, rooms: Command) -> Path:
    path = tmp_path / "log.jsonl"
    assert rooms("export", team, path).returncode == 0
    return path


def test_a_lobby_comes_back(exported: Path, tmp_path: Path, rooms: Command) -> None:
    done = rooms("import", exported, tmp_path / "new.db")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{tmp_path / 'new.db'}: 9 records in 3 streams, 1 of them without their"
        " words\n"
    )
    assert rooms("export", tmp_path / "new.db").stdout == exported.read_text("utf-8")
    with Lobby.open(tmp_path / "new.db") as lobby:
        ana, room = lobby.person("ana"), lobby.room("Orders 2")
        assert [one.content for one in room.read(by=ana)][2] == "Last."
        assert [wake.waited for wake in lobby.take_wakes()] == [0]
        assert lobby.create_room("Orders 2", by=ana, request_id="2") == room


def test_the_standard_input_is_read(
    exported: Path, tmp_path: Path, rooms: Command
) -> None:
    given = exported.read_text("utf-8")

    done = rooms("import", "-", tmp_path / "new.db", "--json", given=given)

    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "records": 9,
        "streams": 3,
        "keys": 2,
        "contents": 0,
        "erased": 1,
        "unknown": [],
        "read_only": [],
    }


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        ("", 2, "line 1 is no line of an export, or was cut: it is empty ["),
        ("\n{}\n", 2, "line 1 is no line of an export, or was cut: it is empty ["),
        ("no export\n", 2, "line 1 is no line of an export"),
        ("\x00\xff\n", 2, "line 1 is no line of an export"),
        ('{"speaker": "ana"}\n', 2, "line 1 is no line of an export"),
    ],
)
def test_what_is_no_export_is_refused(
    text: str, code: int, problem: str, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(text.encode("latin-1"))

    done = rooms("import", path, tmp_path / "new.db")

    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"rooms import: {problem}")
    assert [one.name for one in tmp_path.iterdir()] == ["log.jsonl"]


def test_a_cut_or_changed_export_makes_no_lobby(
    exported: Path, tmp_path: Path, rooms: Command
) -> None:
    lines = exported.read_text("utf-8").splitlines(keepends=True)
    cut = "".join(lines[:-1])
    changed = "".join(lines).replace("Last.", "Lost.")

    for text, line in ((cut, 11), (changed, 10)):
        done = rooms("import", "-", tmp_path / "new.db", given=text)
        assert done.returncode == 1
        assert f"line {line}" in done.stderr
        assert done.stderr.endswith("[corrupt_log]\n")
        assert not list(tmp_path.glob("new.db*"))


def test_a_lobby_that_holds_anything_is_left_as_it_is(
    exported: Path, team: Path, rooms: Command
) -> None:
    before = rooms("export", team).stdout

    done = rooms("import", exported, team)

    assert done.returncode == 2
    assert done.stderr.endswith("[not_empty]\n")
    assert rooms("export", team).stdout == before


def test_a_lobby_that_holds_nothing_is_filled_or_stays(
    exported: Path, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "new.db"
    Lobby.open(path).close()

    assert rooms("import", "-", path, given="no export").returncode == 2
    assert path.exists()
    assert rooms("import", exported, path).returncode == 0


def test_no_file_and_no_place_for_one_are_said_to_be(
    exported: Path, tmp_path: Path, rooms: Command
) -> None:
    done = rooms("import", "none\x1b[2J.jsonl", "new.db")
    nowhere = rooms("import", exported, tmp_path / "nowhere" / "new.db")
    foreign = rooms("import", exported, exported)

    assert done.returncode == nowhere.returncode == foreign.returncode == 2
    assert r"none\x1b[2J.jsonl cannot be read" in done.stderr
    assert "storage_failed" in nowhere.stderr
    assert "unsupported_schema" in foreign.stderr
    assert not list(tmp_path.glob("new.db*"))
    assert rooms("import", tmp_path, "new.db").returncode == 2


def test_whatever_is_unknown_is_told(
    team: Path, tmp_path: Path, rooms: Command
) -> None:
    storage = SQLiteStorage(team)
    with Lobby(storage) as lobby:
        lines = list(lobby.export())
    # The type of the last message, and with it its chain, as a later version's.
    every = [json.loads(line) for line in lines]
    for fields in every:
        del fields["sum"]
    every[9]["type"] = "of_tomorrow"
    before = bytes.fromhex(every[8]["chain"])
    every[9]["chain"] = chained(before, read_record(every[9], 10)).hex()
    writer = Writer()
    text = "".join(writer.line(fields) for fields in every)

    done = rooms("import", "-", tmp_path / "new.db", given=text)

    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [
        "types that this version does not know, kept: of_tomorrow",
        "read only because of them: room:room_3",
    ]


class Halfway:
    """An import into a new lobby whose input is half there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with Lobby.in_memory() as lobby:
            ana = lobby.person("ana")
            room = lobby.create_room("r", by=ana, policy="thread")
            for number in range(1_300):
                room.post(str(number), by=ana)
            *self.lines, self.last = lobby.export()

    def __enter__(self) -> subprocess.Popen[bytes]:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rooms", "import", "-", str(self.path)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        self.process.stdin.write("".join(self.lines).encode())
        self.process.stdin.flush()
        until = monotonic() + 30
        while not self.begun() and monotonic() < until:
            sleep(0.01)
        sleep(0.2)
        return self.process

    def begun(self) -> list[Path]:
        return list(self.path.parent.glob(f".{self.path.name}.*-wal"))

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a kill of POSIX")
def test_a_process_killed_in_the_middle_leaves_no_lobby(
    exported: Path, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "new.db"
    with Halfway(path) as process:
        process.send_signal(signal.SIGKILL)

    assert process.returncode == -signal.SIGKILL
    assert not list(tmp_path.glob("new.db*"))
    assert rooms("import", exported, path).returncode == 0
    assert rooms("export", path).stdout == exported.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX")
def test_an_interrupt_leaves_nothing_and_is_told_in_a_line(tmp_path: Path) -> None:
    with Halfway(tmp_path / "new.db") as process:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)

    assert (process.returncode, told) == (130, b"rooms import: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_lobby_that_somebody_else_made_meanwhile_stays(
    is_whole: bool, exported: Path, tmp_path: Path, rooms: Command
) -> None:
    path = tmp_path / "new.db"
    halfway = Halfway(path)
    with halfway as process:
        assert rooms("import", exported, path).returncode == 0
        _, told = process.communicate(halfway.last.encode() if is_whole else b"")

    assert process.returncode == (2 if is_whole else 1)
    assert told.endswith(b"[not_empty]\n" if is_whole else b"[corrupt_log]\n")
    assert rooms("export", path).stdout == exported.read_text("utf-8")
    assert not list(tmp_path.glob(".new.db*"))


def test_what_is_left_of_another_lobby_is_no_part_of_the_new_one(
    exported: Path, tmp_path: Path, rooms: Command
) -> None:
    left = tmp_path / "new.db-wal"
    left.write_bytes(b"of another")

    done = rooms("import", exported, tmp_path / "new.db")

    assert done.returncode == 2
    assert f"DB is gone, and {left} is left of it" in done.stderr
    assert not (tmp_path / "new.db").exists()


def test_a_lobby_is_made_where_there_are_no_links(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", none)

    assert main(["import", str(exported), str(tmp_path / "new.db")]) == 0
    with Lobby.open(tmp_path / "new.db") as lobby:
        assert "".join(lobby.export()) == exported.read_text("utf-8")
    assert not list(tmp_path.glob(".new.db*"))
