"""
A lobby whose machine loses power keeps every post that it acknowledged.

The disk is the recording one of the storages' tests; what is looked at is what a host
sees: messages, requests, and what is owed.
"""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import define

from effort import sized
from lobby.campaign.oracle import owed_by_the_log
from lobby.campaign.scene import Clock
from rooms import Lobby, NotFound, RoomPolicy, RoomsError, SQLiteStorage

pytest.importorskip("apsw")
from storage.power import Log, RecordedStorage, image

IMAGES = sized(50, 100, 500)
POSTS = 60
AGENTS = ("eve", "ben", "cy")
ALL = RoomPolicy(default_mode="every_message", wake_window=None, send_window=None)


@define
class Tally:
    """What became of the images."""

    lost: int = 0
    damaged: int = 0


def work(path: Path, durability: str) -> Log:
    """Posts, turns that end, fail or are left open, reads, claims and searches."""
    storage = RecordedStorage(path, durability=durability, pages=40)
    with Lobby(storage, clock=Clock()) as lobby:
        members = [lobby.add_agent(name).conversation() for name in AGENTS]
        room = lobby.create_room("work", by=members[0], policy=ALL)
        for one in members:
            room.join(by=one)
        storage.acknowledged(0)
        for number in range(1, POSTS + 1):
            by = members[number % 3]
            room.post(f"m-{number}", by=by, request_id=f"r-{number}")
            storage.acknowledged(number)
            if number % 4 == 0:
                first, *_ = lobby.take_wakes(limit=2, holder=f"h-{number}")
                with lobby.turn(first):
                    pass
            if number % 7 == 0:
                room.read(by=by, after=number - 3)
            if number % 13 == 0:
                by.claim()
            if number % 17 == 0:
                room.search("m", by=by)
    return storage.log


def tally(log: Log, folder: Path, seed: int) -> Tally:
    source = random.Random(seed)
    first = next(
        place for place, one in enumerate(log.events) if one.kind == "acked"
    )  # before that the room is not there yet
    tally = Tally()
    for number in range(IMAGES):
        path = folder / f"{number}.db"
        cut = source.randrange(first + 1, len(log.events) + 1)
        image(log, cut, source, path)
        try:
            tally.lost += not survived(path, log.acked(cut))
        except NotFound:  # the room itself is gone
            tally.lost += 1
        except RoomsError:
            tally.damaged += 1
        for one in folder.glob(f"{number}.db*"):
            one.unlink()
    return tally


def survived(path: Path, acknowledged: int) -> bool:
    """Whether all that was acknowledged is there; a retry posts only what is not."""
    clock = Clock()
    with closing(SQLiteStorage(path)) as storage:
        lobby = Lobby(storage, clock=clock)
        assert not any(one.damages for one in lobby.verify().values())
        room = lobby.room("work")
        members = [lobby.conversation(name) for name in AGENTS]
        page = room.read(by=lobby.person("watcher"), limit=1_000)
        said = [one.content for one in page]
        assert said == [f"m-{number}" for number in range(1, len(said) + 1)]
        if len(said) < acknowledged:
            return False
        for number in range(1, acknowledged + 2):
            again = room.post(
                f"m-{number}", by=members[number % 3], request_id=f"r-{number}"
            )
            assert again.message.seq == number
            assert again.duplicate == (number <= len(said))
        room.post("wake up, all of you", by=lobby.person("watcher"))
        owed = {one: seqs for one, seqs in owed_by_the_log(storage).items() if seqs}
        clock.advance(timedelta(hours=1))
        taken: dict[str, set[int]] = defaultdict(set)
        for wake in lobby.take_wakes(limit=1_000):
            taken[wake.conversation.id] |= {one.seq for one in wake.messages}
        assert taken == owed
    return True


def test_full_durability_loses_no_acknowledged_post(tmp_path: Path) -> None:
    log = work(tmp_path / "full.db", "full")

    assert tally(log, tmp_path, 1) == Tally(lost=0, damaged=0)


def test_relaxed_durability_loses_posts_and_damages_nothing(tmp_path: Path) -> None:
    log = work(tmp_path / "relaxed.db", "relaxed")

    found = tally(log, tmp_path, 2)

    assert found.damaged == 0
    assert found.lost > 0, "the harness proves nothing"
