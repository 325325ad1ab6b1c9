"""
What a lobby took of a process while it was open, it gives back when it is closed; and
while it is open, it takes no more however much was done.
"""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from effort import sized
from rooms import Lobby, RoomPolicy, RoomsError
from rooms.testing import FakeClock

ROUNDS = sized(5, 5, 10_000)
UNPACED = RoomPolicy(default_mode="every_message", wake_window=None, send_window=None)
BUSY_ROUNDS = sized(40, 40, 2_500)
CALLS = 5  # a busy round, at least
PER_CALL = 2**20 / 100_000  # bytes: a MiB for a hundred thousand
# Bytes, of what is cleared up only now and then: the driver notes 200 cursors, of 80
# bytes each, before it forgets those that are gone.
SLACK = sized(24, 24, 48) * 2**10


def held() -> tuple[list[str], int]:
    """The files that this process has open, and how many threads it has."""
    gc.collect()
    folder = Path("/proc/self/fd")
    opened = []
    for one in folder.iterdir():
        try:
            opened.append(str(one.readlink()))
        except FileNotFoundError:  # of the folder itself, which was read
            continue
    return sorted(one for one in opened if "team.db" in one), threading.active_count()


def used(path: Path) -> None:
    """A lobby that is opened, used and closed."""
    with Lobby.open(f"sqlite:///{path}?durability=relaxed") as lobby:
        room = lobby.room("r")
        eve = lobby.conversation("eve")
        room.post("x", by=eve)
        room.search("x", by=eve)
        assert lobby.take_wakes() == []


def refused(path: Path) -> None:
    """A file that cannot be opened as it is none of ours."""
    other = path.with_name("other-team.db")
    other.write_text("no database")
    with pytest.raises(RoomsError):
        Lobby.open(other)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc here")
@pytest.mark.parametrize("use", [used, refused])
def test_no_file_and_no_thread_is_left(
    tmp_path: Path, use: Callable[[Path], None]
) -> None:
    path = tmp_path / "team.db"
    with Lobby.open(path) as lobby:
        eve = lobby.add_agent("eve").conversation()
        lobby.create_room("r", by=eve, policy=UNPACED)
    before = held()
    assert before[0] == []

    for _ in range(ROUNDS):
        use(path)

    assert held() == before


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def taken() -> int:
    """How many bytes this process has been given since they are traced."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.usefixtures("traced")
def test_a_lobby_in_use_takes_no_more_memory_whatever_was_done(tmp_path: Path) -> None:
    clock = FakeClock()
    url = f"sqlite:///{tmp_path / 'team.db'}?durability=relaxed"
    with Lobby.open(url, clock=clock) as lobby:
        ana = lobby.person("ana")
        one, two = (lobby.add_agent(name).conversation() for name in ("one", "two"))
        room = lobby.create_room("r", by=ana, policy=UNPACED)
        room.join(by=one).join(by=two)

        def busy(rounds: range) -> None:
            for number in rounds:
                clock.advance(timedelta(seconds=1))
                room.post(f"word {number}", by=one, request_id=f"r-{number}")
                for wake in lobby.take_wakes():
                    with lobby.turn(wake):
                        room.latest(by=two, limit=5)
                if not number % 20:
                    room.search("word", by=ana)
                    lobby.list_rooms(by=ana)
                    lobby.deliver()
                    lobby.sweep()

        busy(range(BUSY_ROUNDS))
        before = taken()
        busy(range(BUSY_ROUNDS, 2 * BUSY_ROUNDS))

        assert taken() - before < SLACK + CALLS * BUSY_ROUNDS * PER_CALL
        assert room.position == 2 * BUSY_ROUNDS
