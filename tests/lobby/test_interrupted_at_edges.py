"""
An interrupt (Ctrl-C) at the edge of a context of the storage: the context is never
left, and still nothing that is said to be stored later is lost with it.

Python looks for interrupts where a function begins, and where its call comes back. So
the function at the edge raises there, once, before it has done anything or behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from effort import LONG
from rooms import Conversation, Lobby, Room, RoomPolicy, SQLiteStorage
from rooms.errors import StorageError
from rooms.storage.sqlite import database

UNPACED = RoomPolicy(wake_window=None, send_window=None)
EDGES: dict[str, type] = {
    "_Reading.__exit__": database._Reading,
    "_Writing.__exit__": database._Writing,
    "_Holding.__exit__": database._Holding,
    "Database.add": database.Database,
    "Database.add_all": database.Database,
    "Database.ascend": database.Database,
}


class Place:
    """A lobby whose n-th passing of an edge is interrupted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lobby = Lobby(SQLiteStorage(path, durability="relaxed"))
        self.eve = self.lobby.add_agent("eve").conversation()
        self.room = self.lobby.create_room("r", by=self.eve, policy=UNPACED)
        self.room.post("before", by=self.eve)

    def interrupted(
        self,
        patch: pytest.MonkeyPatch,
        edge: str,
        at: int,
        call: Callable[[], Any],
        *,
        behind: bool = False,
    ) -> bool:
        """Makes a call; whether it came to that edge so often."""
        kind, name = EDGES[edge], edge.rpartition(".")[2]
        whole, passed = getattr(kind, name), 0

        def passing(*arguments: Any) -> Any:
            nonlocal passed
            passed += 1
            if passed != at:
                return whole(*arguments)
            if behind:
                whole(*arguments)
            raise KeyboardInterrupt

        with patch.context() as patched:
            patched.setattr(kind, name, passing)
            try:
                call()
            except KeyboardInterrupt:
                return True
        assert passed < at, "an interrupt went missing"
        return False

    def said(self) -> list[str]:
        """What another process reads."""
        with Lobby.open(f"sqlite:///{self.path}?busy_timeout=0") as other:
            eve = other.agent("eve").conversation()
            other.room("r").post("from elsewhere", by=eve)
            return [one.content for one in other.room("r").latest(by=eve, limit=100)]


def check_goes_on(place: Place) -> None:
    """All that is stored from now on is there for everybody, in any thread."""
    place.room.post("after", by=place.eve)
    thread = Thread(
        target=place.room.post, args=["in a thread"], kwargs={"by": place.eve}
    )
    thread.daemon = True
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "the lock is held for ever"
    assert place.said()[-3:] == ["after", "in a thread", "from elsewhere"]
    page = place.room.latest(by=place.eve, limit=100)
    assert [one.content for one in page] == place.said()[:-1]
    assert not any(one.damages for one in place.lobby.verify().values())


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("what", ["post", "batch"])
def test_what_follows_an_interrupt_at_an_edge_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edge: str, what: str
) -> None:
    def post() -> None:
        place.room.post("one", by=place.eve)

    def batch() -> None:
        with place.lobby.batch():
            place.room.post("one", by=place.eve)
            place.room.post("two", by=place.eve)

    call = post if what == "post" else batch
    at = 1
    place = Place(tmp_path / f"{at}.db")
    while place.interrupted(monkeypatch, edge, at, call):
        check_goes_on(place)
        place.lobby.close()
        at += 1 if LONG or what == "post" else 3
        place = Place(tmp_path / f"{at}.db")
    place.lobby.close()


def test_a_batch_that_goes_on_after_an_interrupt_says_that_it_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path / "team.db")

    def caught_inside(room: Room, eve: Conversation) -> None:
        with place.lobby.batch():
            assert place.interrupted(
                monkeypatch, "_Holding.__exit__", 1, lambda: room.post("one", by=eve)
            )
            room.post("two", by=eve)

    with pytest.raises(StorageError) as refused:
        caught_inside(place.room, place.eve)

    assert (refused.value.code, refused.value.recorded) == ("storage_failed", False)
    check_goes_on(place)
    assert not {"one", "two"} & set(place.said())
    place.lobby.close()


@pytest.mark.parametrize("edge", ["Database.add", "Database.add_all"])
@pytest.mark.parametrize("where", ["alone", "in a batch"])
def test_what_follows_an_interrupt_behind_an_edge_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edge: str, where: str
) -> None:
    place = Place(tmp_path / "team.db")
    key = None if edge == "Database.add" else "r-1"  # a key is added with its row

    def post() -> None:
        place.room.post("one", by=place.eve, request_id=key)

    with place.lobby.batch() if where == "in a batch" else nullcontext():
        assert place.interrupted(monkeypatch, edge, 1, post, behind=True)
        place.room.post("two", by=place.eve)

    assert place.said()[:3] == ["before", "one", "two"]
    check_goes_on(place)
    place.lobby.close()
