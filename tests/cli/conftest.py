"""A lobby in a file, and the commands as a person runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cli.readied import Readied
from rooms.lobby import Lobby
from rooms.storage import SQLiteStorage

EVIL = "Hi\n     9  forged\r\x1b[2J\u2028\u202e\u0085 end"
Done = subprocess.CompletedProcess[str]
Command = Callable[..., Done]
ENVIRONMENT = {"PYTHONUTF8": "1", "PATH": ""}


def made(path: Path, *, rooms: int = 1) -> Path:
    """
    A lobby of nine records: ana, ben and his conversation; a room, listed, and ben's
    seat in it; three messages, the first one evil, the second one erased.
    """
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    count = 0

    def new_id(prefix: str) -> str:
        nonlocal count
        count += 1
        return f"{prefix}_{count}"

    storage = SQLiteStorage(path, durability="relaxed")
    with Lobby(storage, clock=lambda: now, ids=new_id, salt=lambda: bytes(16)) as lobby:
        ana, ben = lobby.person("ana"), lobby.add_agent("ben").conversation()
        for _ in range(rooms):
            now += timedelta(seconds=1)
            room = lobby.create_room(f"Orders {count}", by=ana, request_id=f"{count}")
            room.join(by=ben)
            for text in (EVIL, "To be erased.", "Last."):
                room.post(text, by=ana, to=[ben])
            storage.erase(f"room:{room.id}", [4])
    return path


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """The file of such a lobby."""
    return made(tmp_path / "team.db")


@pytest.fixture(scope="session")
def readied() -> Iterator[Readied | None]:
    """The process whose forks the commands are; none where nothing forks."""
    if not hasattr(os, "fork"):
        yield None
        return
    with Readied(ENVIRONMENT | _found_at()) as process:
        yield process


@pytest.fixture
def rooms(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, readied: Readied | None
) -> Command:
    """`rooms("log", path)`: the command in a process and a folder of its own."""
    streams = tmp_path_factory.mktemp("streams")

    def run(*arguments: str | Path, given: str = "") -> Done:
        words = [*map(str, arguments)]
        if readied is not None:
            return readied.run(words, folder=tmp_path, given=given, streams=streams)
        return subprocess.run(
            [sys.executable, "-m", "rooms", *words],
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=ENVIRONMENT | _found_at(),
            cwd=tmp_path,
            check=False,
        )

    return run


def _found_at() -> dict[str, str]:
    """Where this process was told to find the library, if it was."""
    path = os.environ.get("PYTHONPATH")
    return {} if path is None else {"PYTHONPATH": path}


@pytest.fixture
def unread() -> Callable[..., tuple[int, bytes]]:
    """`unread("log", path)`: how a command ends whose reader has gone."""

    def run(*arguments: str | Path) -> tuple[int, bytes]:
        with subprocess.Popen(
            [sys.executable, "-m", "rooms", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            told = process.stderr.read()
        return process.returncode, told

    return run
