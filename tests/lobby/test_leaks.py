"""What a lobby took of a process while it was open, it gives back when it is closed."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from effort import sized
from rooms import Lobby, RoomPolicy, RoomsError

ROUNDS = sized(5, 5, 2_000)
UNPACED = RoomPolicy(wake_window=None, send_window=None)


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
