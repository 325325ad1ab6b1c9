"""
A process that is killed at any moment loses nothing that it was told is stored.

Beside what the processes reported, the log itself is the oracle (`campaign/oracle.py`).
"""

from __future__ import annotations

import json
import sqlite3
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import define, field

from effort import LONG, sized
from lobby.campaign.history import anomalies, messages_of
from lobby.campaign.nursery import Child, start
from lobby.campaign.oracle import claimed_by_the_log, drained, owed_by_the_log
from lobby.campaign.worker import open_room
from rooms import Conversation, Lobby, Person, Room

WORKER = Path(__file__).parent / "campaign" / "worker.py"
LONGEST_PAUSE = 1  # s, as reliability asks of the next post after a kill
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
AFTER_ALL_CLAIMS = timedelta(hours=1)
READY = '["ready"]\n'
LONGEST = 0.3  # s, from the first call on: a few hundred posts


@define
class Told:
    """What processes had reported before they were killed."""

    asked: dict[str, str] = field(factory=dict)
    acked: dict[str, tuple[int, str]] = field(factory=dict)
    times: list[float] = field(factory=list)
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
                case "acked", request, seq, message, at:
                    self.times.append(at)
                    known = self.acked.setdefault(request, (seq, message))
                    assert known == (seq, message), "a retry gave another message"
                case "settled", agent, seqs:
                    self.settled[agent].update(seqs)
                case "error", *words:
                    self.errors.append(words)


def worker(path: Path, seed: int, name: str, *how: str) -> Child:
    return start(WORKER, str(path), str(seed), name, *how)


def kill_one(path: Path, seed: int, name: str, told: Told) -> None:
    """Runs a process alone and kills it at a moment that the seed chooses."""
    random = Random(seed)
    with worker(path, seed, name, "alone") as process:
        if random.random() < 0.1:  # while it makes the file, or opens it
            time.sleep(random.uniform(0, 0.05))
        else:
            assert process.stdout.readline() == READY
            time.sleep(random.uniform(0, LONGEST))
        process.kill()
        told.note(process.stdout)


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
        check_wakes(lobby, room, members, told)
        assert all(not one.damages for one in lobby.verify().values())
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def check_posts(room: Room, watcher: Person, told: Told) -> None:
    stored = list(messages_of(room, watcher))
    assert [one.seq for one in stored] == list(range(1, room.position + 1))
    by_seq = {one.seq: (one.content, one.id) for one in stored}
    for request, (seq, message) in told.acked.items():
        assert by_seq[seq] == (request, message), "an acknowledged post is lost"


def check_retries(room: Room, members: Iterable[Conversation], told: Told) -> None:
    by_agent = {one.agent: one for one in members}
    for request, agent in told.asked.items():
        posted = room.post(request, by=by_agent[agent], request_id=request)
        if request in told.acked:
            assert posted.duplicate
            assert (posted.message.seq, posted.message.id) == told.acked[request]


def check_wakes(
    lobby: Lobby, room: Room, members: Iterable[Conversation], told: Told
) -> None:
    """What is owed comes again as soon as the claims of the dead run out."""
    room.post("wake up, all of you", by=lobby.person("watcher"))
    owed = owed_by_the_log(lobby._desk.storage)
    claimed = claimed_by_the_log(lobby._desk.storage)
    held = sorted(
        (one for one in members if one.id in claimed), key=lambda one: claimed[one.id]
    )
    ends = [EPOCH + claimed[one.id] * MICROSECOND for one in held]
    if held:
        before = ends[0] - MICROSECOND
        assert lobby.take_wakes(conversations=held, now=before) == []
    for one, end in zip(held, ends, strict=True):
        [_] = lobby.take_wakes(conversations=[one], now=end)
    taken = drained(lobby, datetime.now(UTC) + AFTER_ALL_CLAIMS)
    for one in members:
        assert told.settled[one.agent].isdisjoint(taken.get(one.id, ()))
    assert {one: sorted(seqs) for one, seqs in owed.items() if seqs} == {
        one: sorted(seqs) for one, seqs in taken.items()
    }


@pytest.mark.parametrize("seed", range(sized(5, 18, 400)))
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


class Crowd:
    """Writers and readers of one file, of which some are killed and come back."""

    def __init__(self, path: Path, random: Random, *, readers: int) -> None:
        self.path, self.random, self.readers = path, random, readers
        self.told = Told()
        self.histories: list[list[Any]] = []
        self.kills: list[float] = []
        self._numbers = count(1)
        self._heard: dict[int, tuple[Child, Future[list[str]]]] = {}

    @contextmanager
    def working(self, many: int) -> Iterator[None]:
        """So many processes go on until the end, however many die meanwhile."""
        with ThreadPoolExecutor(many) as self._pool, ExitStack() as self._children:
            every = [self._started(place) for place in range(many)]
            for place, child in enumerate(every):
                assert child.stdout.readline() == READY
                self._listen(place, child)
            yield
            for place in range(many):
                self._kill(place)

    def _started(self, place: int) -> Child:
        number = next(self._numbers)
        how = ["reads"] if place < self.readers else []
        child = worker(self.path, number, f"w{number}", *how)
        return self._children.enter_context(child)

    def _listen(self, place: int, child: Child) -> None:
        """Takes in what a process says, from now on: its pipe is never full."""
        self._heard[place] = child, self._pool.submit(list, child.stdout)

    def _kill(self, place: int) -> None:
        child, heard = self._heard[place]
        child.kill()
        lines = heard.result()
        self.told.note(lines)
        self.histories.append([*history(lines)])

    def lose_one(self) -> None:
        """Kills one at random, whose place another one takes."""
        place = self.random.randrange(len(self._heard))
        self.kills.append(time.monotonic())
        self._kill(place)
        self._listen(place, self._started(place))


def history(lines: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    """The operations of a process, as `campaign/history.py` has them."""
    posted: set[str] = set()
    for line in lines:
        if not line.endswith("\n"):
            return
        match json.loads(line):
            case "asked", request, _:
                yield "asked", request
            case "acked", request, seq, *_ if request not in posted:
                posted.add(request)
                yield "post", request, seq
            case "read", *page:
                yield "read", *page


@pytest.mark.parametrize("seed", range(sized(1, 1, 20)))
def test_writers_and_readers_go_on_while_others_are_killed(
    tmp_path: Path, seed: int
) -> None:
    path, kills = tmp_path / "team.db", sized(6, 12, 50)
    lobby, room, _ = open_room(str(path))
    with lobby:
        watcher = lobby.person("watcher")
        crowd = Crowd(path, Random(seed), readers=2)

        with crowd.working(10):
            for _ in range(kills):
                time.sleep(crowd.random.uniform(0, LONGEST / 2))
                crowd.lose_one()
            time.sleep(2 * LONGEST_PAUSE if LONG else LONGEST)

        said = [(one.seq, one.content) for one in messages_of(room, watcher)]
    assert anomalies(crowd.histories, said) == []
    assert {one[0] for each in crowd.histories for one in each} == {
        *("asked", "post", "read")
    }
    assert_nothing_is_lost(path, crowd.told)
    assert max(crowd.told.times) > min(crowd.kills)
    if LONG:
        assert max(pauses(crowd.kills, crowd.told.times)) < LONGEST_PAUSE


def pauses(kills: Iterable[float], posts: Iterable[float]) -> Iterator[float]:
    """How long after each kill somebody's post returned."""
    times = sorted(posts)
    for at in kills:
        following = bisect_right(times, at)
        assert following < len(times), "nobody posted any more"
        yield times[following] - at
