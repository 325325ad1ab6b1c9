"""At full durability no loss of power loses what was acknowledged; relaxed it may."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from attrs import define

from effort import sized
from rooms.errors import StorageError
from rooms.log.verification import verify_stream
from rooms.storage import SQLiteStorage
from rooms.testing.conformance import commit_of

pytest.importorskip("apsw")
from storage.power import Log, RecordedStorage, image

IMAGES = sized(50, 100, 500)
COMMITS = 120
ROOM = "room:one"


@define
class Tally:
    """What became of the images."""

    lost: int = 0
    damaged: int = 0


def work(path: Path, durability: str, *, off: bool = False) -> Log:
    """Commits of several kinds, with a checkpoint every few of them."""
    storage = RecordedStorage(path, durability=durability, pages=30)
    if off:
        connection = storage._database.connection
        assert connection is not None
        connection.execute("PRAGMA synchronous = OFF")
    for number in range(1, COMMITS + 1):
        text = f"message {number} " * (1 + number % 40)
        storage.append(commit_of(storage, text, keys={f"k-{number}": "x"}))
        storage.acknowledged(number)
        if number % 20 == 0:
            storage.search("message", [ROOM])
        if number % 33 == 0:
            storage.erase(ROOM, [number - 1])
    log = storage.log
    storage.close()
    return log


def tally(log: Log, folder: Path, seed: int) -> Tally:
    source = random.Random(seed)
    tally = Tally()
    for number in range(IMAGES):
        path = folder / f"{number}.db"
        cut = source.randrange(len(log.events) + 1)
        image(log, cut, source, path)
        found = survived(path)
        if found is None:
            tally.damaged += 1
        elif found < log.acked(cut):
            tally.lost += 1
        for one in folder.glob(f"{number}.db*"):
            one.unlink()
    return tally


def survived(path: Path) -> int | None:
    """How many messages an image holds, without a gap; None where it is broken."""
    try:
        with closing(sqlite3.connect(path)) as opened:
            if opened.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                return None
        with closing(SQLiteStorage(path)) as storage:
            records = storage.read(ROOM)
            held = [storage.find(f"k-{record.version}") for record in records]
            storage.search("message", [ROOM])
    except (sqlite3.Error, StorageError):
        return None
    whole = verify_stream(records).damages == () and held == ["x"] * len(records)
    return len(records) if whole else None


def test_full_durability_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    log = work(tmp_path / "full.db", "full")

    assert tally(log, tmp_path, 1) == Tally(lost=0, damaged=0)


def test_relaxed_durability_loses_the_last_and_damages_nothing(tmp_path: Path) -> None:
    log = work(tmp_path / "relaxed.db", "relaxed")

    found = tally(log, tmp_path, 2)

    assert found.damaged == 0
    assert found.lost > 0, "the harness proves nothing"


def test_without_any_sync_files_are_damaged(tmp_path: Path) -> None:
    log = work(tmp_path / "off.db", "relaxed", off=True)

    assert tally(log, tmp_path, 3).damaged > 0, "the harness proves nothing"
