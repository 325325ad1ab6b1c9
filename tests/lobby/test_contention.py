"""Several processes, and several threads, use one lobby as if each were alone."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from effort import sized
from lobby.campaign.nursery import start
from rooms import Lobby, MemoryStorage, Posted, Room, RoomPolicy, SQLiteStorage, Storage
from rooms.lobby import Conversation

CROWD = Path(__file__).parent / "campaign" / "crowd.py"
OPEN = RoomPolicy(wake_window=None, send_window=None, default_mode="every_message")
LONGEST_WAIT = 5  # s, as reliability asks of a post among eight writers


def together(kind: str, path: Path, names: Sequence[str], count: int) -> list[Any]:
    """What processes of these names gave, that began at the same moment."""
    started = [start(CROWD, kind, str(path), name, str(count)) for name in names]
    for one in started:
        assert one.stdout.readline() == "[]\n"
    for one in started:
        one.tell("go\n")
    reports = [json.loads(one.stdout.read()) for one in started]
    for one in started:
        with one:
            assert one.wait() == 0
    assert max(report["longest"] for report in reports) < LONGEST_WAIT
    return [report["given"] for report in reports]


def furnished(lobby: Lobby, *names: str) -> tuple[Room, list[Conversation]]:
    members = [lobby.add_agent(name).conversation() for name in names]
    room = lobby.create_room("work", by=members[0], policy=OPEN)
    for one in members:
        room.join(by=one)
    return room, members


def test_eight_processes_post_into_one_room(tmp_path: Path) -> None:
    path, count = tmp_path / "team.db", sized(100, 500, 1_000)
    names = [f"agent-{number}" for number in range(8)]
    with Lobby.open(path) as lobby:
        furnished(lobby, *names)

    given = together("post", path, names, count)

    every = [seq for seqs in given for seq in seqs]
    assert sorted(every) == list(range(1, 8 * count + 1))
    assert all(seqs == sorted(seqs) for seqs in given)
    said = dict(zip(names, given, strict=True))
    with Lobby.open(path) as lobby:
        room = lobby.room("work")
        for message in room.read(by=lobby.person("watcher"), limit=1_000):
            name, _, number = message.content.partition(" ")
            assert said[name][int(number)] == message.seq
        assert room.position == 8 * count
        assert not any(one.damages for one in lobby.verify().values())


def test_processes_that_race_on_one_request_leave_one_post(tmp_path: Path) -> None:
    path, count, many = tmp_path / "team.db", sized(25, 50, 1_000), 8
    with Lobby.open(path) as lobby:
        furnished(lobby, "shared", "other")

    given = together("race", path, [f"process-{one}" for one in range(many)], count)

    for number in range(count):
        results = [told[number] for told in given]
        assert len({(seq, message) for seq, message, _ in results}) == 1
        assert Counter(again for _, _, again in results) == {True: many - 1, False: 1}
    with Lobby.open(path) as lobby:
        room = lobby.room("work")
        page = room.read(by=lobby.person("watcher"), limit=1_000)
        assert [(one.seq, one.id) for one in page] == sorted(
            (seq, message) for seq, message, _ in given[0]
        )
        assert [one.seq for one in page] == list(range(1, count + 1))
        assert room.position == count


def test_four_processes_take_each_wake_once(tmp_path: Path) -> None:
    path, rooms, members = tmp_path / "team.db", 50, 20
    owed = Counter[tuple[str, str]]()
    with Lobby.open(f"sqlite:///{path}?durability=relaxed") as lobby:
        watcher = lobby.person("watcher")
        for number in range(rooms):
            room = lobby.create_room(f"room {number}", by=watcher, policy=OPEN)
            # Every other room has the same members, whose turns are told of both.
            for place in range(members):
                agent = lobby.add_agent(f"agent-{number // 2 * members + place}")
                room.join(by=agent.conversation())
                owed[agent.id, room.id] += 1
            room.post("to all", by=watcher)

    given = together("drain", path, [f"process-{number}" for number in range(4)], 0)

    taken = [(agent, room) for wakes in given for agent, room, _ in wakes]
    assert Counter(taken) == owed
    assert len(taken) == 1_000
    assert all(seqs == [1] for wakes in given for _, _, seqs in wakes)
    with Lobby.open(path) as lobby:
        assert lobby.take_wakes() == []


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "memory":
        return MemoryStorage()
    return SQLiteStorage(tmp_path / "team.db", durability="relaxed")


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What the work gave in each of so many threads; the first error is raised."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


@pytest.fixture
def busy_switching() -> Any:
    """Threads change places far more often than they do by themselves."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy_switching")
def test_eight_threads_post_on_one_handle(storage: Storage) -> None:
    count = sized(25, 50, 500)
    with Lobby(storage) as lobby:
        room, members = furnished(lobby, *(f"agent-{number}" for number in range(8)))

        def work(number: int) -> list[Posted]:
            return [
                room.post(str(each), by=members[number], request_id=f"r-{each}")
                for each in range(count)
            ]

        given = in_threads(8, work)

        seqs = [posted.message.seq for part in given for posted in part]
        assert sorted(seqs) == list(range(1, 8 * count + 1))
        for member, part in zip(members, given, strict=True):
            assert [one.message.sender for one in part] == [member] * count
            assert [one.message.content for one in part] == list(map(str, range(count)))
            assert all(len(one.woken) == 7 for one in part)


@pytest.mark.usefixtures("busy_switching")
def test_eight_threads_take_each_message_once_on_one_handle(storage: Storage) -> None:
    count = sized(15, 25, 250)
    with Lobby(storage) as lobby:
        room, members = furnished(lobby, *(f"agent-{number}" for number in range(8)))
        watcher = lobby.person("watcher")
        posting = [True]

        def work(number: int) -> list[tuple[str, int]]:
            if not number:
                for each in range(count):
                    room.post(str(each), by=watcher)
                posting.clear()
                return []
            told: list[tuple[str, int]] = []
            more = True
            while posting or more:
                more = bool(posting)
                for wake in lobby.take_wakes(limit=3):
                    more = True
                    with lobby.turn(wake) as turn:
                        for mail in (wake, *turn.notices):
                            one = mail.conversation.agent
                            told += [(one, said.seq) for said in mail.messages]
            return told

        told = Counter(each for part in in_threads(8, work) for each in part)

        assert told == Counter(
            (member.agent, seq) for member in members for seq in range(1, count + 1)
        )


@pytest.mark.usefixtures("busy_switching")
def test_threads_that_race_on_one_request_leave_one_post(storage: Storage) -> None:
    with Lobby(storage) as lobby:
        room, (one, _) = furnished(lobby, "one", "two")

        def work(_: int) -> Posted:
            return room.post("once", by=one, request_id="r-1")

        given = in_threads(8, work)

        assert Counter(posted.duplicate for posted in given) == {True: 7, False: 1}
        assert {posted.message for posted in given} == {given[0].message}
        assert room.position == 1
