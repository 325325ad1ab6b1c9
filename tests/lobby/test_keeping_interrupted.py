"""A sweep that is interrupted, killed, or in somebody's way is finished by the next."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lobby.broker import added, code_of
from lobby.place import NOON, Clock, Place
from lobby.test_keeping import CANARY, in_files
from rooms import Lobby, Room, RoomPolicy, SQLiteStorage, StorageError
from rooms.lobby.keeping import expiring

DAY = timedelta(days=1)


def kept_room(lobby: Lobby, name: str = "kept") -> Room:
    (ann,) = added(lobby, "ann")
    return lobby.create_room(name, by=ann, policy=RoomPolicy(retention=DAY))


def test_a_sweep_that_fails_half_way_has_done_nothing(
    lobby: Lobby, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = kept_room(lobby)
    ann = lobby.conversation("ann")
    room.post("one", by=ann, request_id="r", attachments={"a.txt": b"a"})
    clock.advance(days=1)
    storage = lobby._desk.storage
    real, before = storage.erase, storage.scan()

    def fails(*given: Any) -> None:
        real(*given)
        raise StorageError("storage_failed", "the disk went away")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "erase", fails)
        assert code_of(lobby.sweep) == "storage_failed"

    assert storage.scan() == before
    files = {"a.txt": b"a"}
    assert room.post("one", by=ann, request_id="r", attachments=files).duplicate
    assert room.files.read("a.txt", by=ann).content == "a"
    assert lobby.sweep().messages == 1


def test_more_than_one_commit_takes_at_once_goes_in_one_sweep(
    place: Place, lobby: Lobby, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = kept_room(lobby)
    ann = lobby.conversation("ann")
    other = place.open()
    monkeypatch.setattr(expiring, "_BATCH", 3)
    for number in range(10):
        room.post(str(number), by=ann, request_id=f"r-{number}")
        room.read(by=ann)
    clock.advance(days=1)
    last = room.post("stays", by=ann).message

    assert lobby.sweep().messages == 10
    assert other.sweep().messages == 0

    assert [one.id for one in room.read(by=ann)] == [last.id]
    assert not lobby.verify()[f"room:{room.id}"].damages


def test_where_a_reader_is_in_the_way_the_next_sweep_takes_the_words_out_of_the_log(
    tmp_path: Path,
) -> None:
    clock = Clock()

    def opened() -> Lobby:
        storage = SQLiteStorage(tmp_path / "team.db", busy_timeout=0)
        return Lobby(storage, clock=clock)

    with opened() as lobby:
        room = kept_room(lobby)
        room.post(f"The {CANARY} sings.", by=lobby.conversation("ann"))
        lobby.sweep()  # all is clean before
        clock.advance(days=1)
        with closing(sqlite3.connect(tmp_path / "team.db")) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM records").fetchone()

            assert code_of(lobby.sweep) == "storage_busy"

            assert list(room.read(by=lobby.conversation("ann"))) == []
            assert in_files(tmp_path)
            assert code_of(lobby.sweep) == "storage_busy"
            with opened() as other:  # nothing is due any more, and it is not clean yet
                assert code_of(other.sweep) == "storage_busy"
        with opened() as other:
            assert other.sweep().messages == 0
            assert in_files(tmp_path) == []


KILLED = """
import os, sys
from datetime import datetime, timedelta
from rooms import Lobby, SQLiteStorage

class Dies(SQLiteStorage):
    def erase(self, stream, versions):
        super().erase(stream, versions)
        os._exit(7)

at = datetime.fromisoformat(sys.argv[2])
lobby = Lobby(Dies(sys.argv[1]), clock=lambda: at)
lobby.sweep()
"""


def test_a_process_that_is_killed_in_a_sweep_leaves_all_of_it_to_the_next(
    tmp_path: Path,
) -> None:
    path, clock = tmp_path / "team.db", Clock()
    with Lobby(SQLiteStorage(path), clock=clock) as lobby:
        room = kept_room(lobby)
        room.post(f"The {CANARY} sings.", by=lobby.conversation("ann"))
    late = NOON + DAY
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), late.isoformat()], check=False
    )
    assert killed.returncode == 7
    clock.advance(days=1)
    with Lobby(SQLiteStorage(path), clock=clock) as lobby:
        ann = lobby.conversation("ann")
        again = lobby.room(room.id)
        assert [one.content for one in again.read(by=ann)] == [f"The {CANARY} sings."]

        assert lobby.sweep().messages == 1

        assert list(again.read(by=ann)) == []
        assert in_files(tmp_path) == []
        assert not lobby.verify()[f"room:{room.id}"].damages
