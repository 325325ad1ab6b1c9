"""
A process that is killed at any moment loses nothing that it was told is stored.

Beside what the processes reported, the log itself is the oracle (`campaign/oracle.py`).
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import define, field

from effort import sized
from lobby.campaign.oracle import owed_by_the_log
from lobby.campaign.worker import open_room
from rooms import Lobby, Message, Person, Room

WORKER = Path(__file__).parent / "campaign" / "worker.py"
AFTER_ALL_CLAIMS = timedelta(hours=1)
LONGEST = 0.3  # s, from the first call on: a few hundred posts


@define
class Told:
    """What processes had reported before they were killed."""

    asked: dict[str, str] = field(factory=dict)
    acked: dict[str, tuple[int, str]] = field(factory=dict)
    settled: dict[str, set[int]] = field(factory=lambda: defaultdict(set))
    errors: list[Any] = field(factory=list)

    def note(self, output: Iterable[str]) -> None:
        """Takes in the lines of one process; the last one may be cut off."""
        for line in output:
            if not line.endswith("\n"):
                return
            match json.loads(line):
                case "asked", request, agent:
                    self.asked[request] = agent
                case "acked", request, seq, message:
                    known = self.acked.setdefault(request, (seq, message))
                    assert known == (seq, message), "a retry gave another message"
                case "settled", agent, seqs:
                    self.settled[agent].update(seqs)
                case "error", *words:
                    self.errors.append(words)


def start(path: Path, seed: int, name: str, *alone: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), str(path), str(seed), name, *alone]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_one(path: Path, seed: int, name: str, told: Told) -> None:
    """Runs a process alone and kills it at a moment that the seed chooses."""
    random = Random(seed)
    with start(path, seed, name, "alone") as process:
        assert process.stdout is not None
        if random.random() < 0.1:  # while it makes the file, or opens it
            time.sleep(random.uniform(0.15, 0.35))
        else:
            assert process.stdout.readline() == '["ready"]\n'
            time.sleep(random.uniform(0, LONGEST))
        process.kill()
        told.note(process.stdout)


def messages_of(room: Room, reader: Person) -> Iterator[Message]:
    after: int | None = 0
    while after is not None:
        page = room.read(by=reader, after=after, limit=1_000)
        yield from page
        after = page.next_cursor


def assert_nothing_is_lost(path: Path, told: Told) -> None:
    """Reopens the file and holds it against what was reported."""
    assert told.errors == []
    lobby, room, members = open_room(str(path))
    with lobby:
        watcher = lobby.person("watcher")
        check_posts(room, watcher, told)
        check_retries(room, members, told)
        contents = Counter(one.content for one in messages_of(room, watcher))
        assert contents == Counter(told.asked.keys())
        check_wakes(lobby, room, watcher, told)
        assert all(not one.damages for one in lobby.verify().values())
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def check_posts(room: Room, watcher: Person, told: Told) -> None:
    stored = list(messages_of(room, watcher))
    assert [one.seq for one in stored] == list(range(1, room.position + 1))
    by_seq = {one.seq: (one.content, one.id) for one in stored}
    for request, (seq, message) in told.acked.items():
        assert by_seq[seq] == (request, message), "an acknowledged post is lost"


def check_retries(room: Room, members: Iterable[Any], told: Told) -> None:
    by_agent = {one.agent: one for one in members}
    for request, agent in told.asked.items():
        posted = room.post(request, by=by_agent[agent], request_id=request)
        if request in told.acked:
            assert posted.duplicate
            assert (posted.message.seq, posted.message.id) == told.acked[request]


def check_wakes(lobby: Lobby, room: Room, watcher: Person, told: Told) -> None:
    """What is owed comes again once the claims of the dead have run out."""
    room.post("wake up, all of you", by=watcher)
    owed = owed_by_the_log(lobby._desk.storage)
    later = datetime.now(UTC) + AFTER_ALL_CLAIMS
    taken: dict[str, list[int]] = defaultdict(list)
    while wakes := lobby.take_wakes(now=later):
        for wake in wakes:
            taken[wake.conversation.id] += [one.seq for one in wake.messages]
            settled = told.settled[wake.conversation.agent]
            assert settled.isdisjoint(taken[wake.conversation.id])
            lobby.turn(wake, now=later).__enter__().end(now=later)
    assert {one: sorted(seqs) for one, seqs in owed.items() if seqs} == {
        one: sorted(seqs) for one, seqs in taken.items()
    }


@pytest.mark.parametrize("seed", range(sized(5, 18, 150)))
def test_a_killed_process_loses_nothing(tmp_path: Path, seed: int) -> None:
    told = Told()
    kill_one(tmp_path / "team.db", seed, "one", told)
    assert_nothing_is_lost(tmp_path / "team.db", told)


@pytest.mark.parametrize("row", range(sized(1, 1, 10)))
def test_a_file_survives_kills_in_a_row(tmp_path: Path, row: int) -> None:
    told = Told()
    for turn in range(10):
        kill_one(tmp_path / "team.db", 1_000 + 10 * row + turn, f"n{turn}", told)
    assert_nothing_is_lost(tmp_path / "team.db", told)


@pytest.mark.parametrize("seed", range(sized(1, 1, 20)))
def test_the_others_go_on_when_one_of_several_is_killed(
    tmp_path: Path, seed: int
) -> None:
    path, told, random = tmp_path / "team.db", Told(), Random(seed)
    open_room(str(path))[0].close()
    working = [start(path, 10 * seed + place, f"w{place}") for place in range(3)]
    for process in working:
        assert process.stdout is not None
        assert process.stdout.readline() == '["ready"]\n'
    for process in working:
        time.sleep(random.uniform(0, LONGEST))
        process.kill()
    for process in working:
        with process:
            assert process.stdout is not None
            told.note(process.stdout)
    assert_nothing_is_lost(path, told)
