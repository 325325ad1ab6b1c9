"""A storage that was closed, or came with a fork, refuses whoever is on his way in."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest

from rooms.errors import StorageError
from rooms.log.records import Commit
from rooms.storage import MemoryStorage, SQLiteStorage, Storage, WritersLock
from rooms.testing.conformance import commit_of, record_of

ROOM = "room:one"
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "memory":
        return MemoryStorage()
    return SQLiteStorage(tmp_path / "lobby.db", busy_timeout=0)


def refused(call: Callable[[], Any]) -> str:
    """The code with which a call is refused."""
    with pytest.raises(StorageError) as caught:
        call()
    return caught.value.code


def in_a_child(do: Callable[[], None]) -> int:
    """How a child ends that does so and no more: 0, or 9 where it hung."""
    child = os.fork()
    if not child:  # leave without pytest's own end
        code = 1
        with suppress(BaseException):  # the code tells that it did not end well
            do()
            code = 0
        os._exit(code)
    until = monotonic() + 20
    while monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 9


def test_who_waits_for_the_lock_while_it_is_closed_is_refused(storage: Storage) -> None:
    storage.append(commit_of(storage, "one"))
    codes: list[str] = []
    calls: list[Callable[[], Any]] = [
        lambda: storage.append(Commit((record_of(ROOM, 1),))),
        lambda: storage.append(Commit((record_of(ROOM, 2),))),
        lambda: storage.append(Commit((record_of("room:new", 1),), add={"k": "x"})),
        storage.position,
        lambda: storage.read(ROOM),
        storage.next_due,
        lambda: storage.find("k"),
        lambda: storage.blob("00"),
    ]
    waiting = [
        Thread(target=lambda call=call: codes.append(refused(call)), daemon=True)
        for call in calls
    ]

    with suppress(StorageError), storage.writing():
        for thread in waiting:
            thread.start()
        sleep(0.2)  # so that all of them stand at the lock
        storage.close()
    for thread in waiting:
        thread.join(20)

    assert codes == ["closed"] * len(calls)


@forks
def test_a_child_is_refused_at_once_where_another_thread_held_the_lock(
    storage: Storage,
) -> None:
    storage.append(commit_of(storage, "one"))
    inside, done = Event(), Event()

    def hold() -> None:
        with storage.writing():
            inside.set()
            done.wait(60)

    holder = Thread(target=hold, daemon=True)
    holder.start()
    inside.wait(20)

    def ask() -> None:
        assert refused(storage.position) == "closed"
        assert refused(lambda: storage.append(commit_of(storage, "two"))) == "closed"
        assert refused(lambda: storage.writing().__enter__()) == "closed"
        storage.close()

    ended = in_a_child(ask)
    done.set()
    holder.join(20)

    assert ended == 0
    assert storage.append(commit_of(storage, "two")) == 2
    storage.close()


@forks
def test_a_child_of_a_closed_storage_may_close_it_where_the_lock_is_held(
    tmp_path: Path,
) -> None:
    storage = SQLiteStorage(tmp_path / "lobby.db")
    lock = storage._database._lock
    storage.close()
    inside, done = Event(), Event()

    def hold() -> None:
        with lock:
            inside.set()
            done.wait(60)

    holder = Thread(target=hold, daemon=True)
    holder.start()
    inside.wait(20)
    ended = in_a_child(storage.close)
    done.set()
    holder.join(20)

    assert ended == 0


@forks
def test_a_child_that_leaves_a_context_commits_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    with closing(SQLiteStorage(path)) as storage:
        for whole in (False, True):
            context = storage.writing(whole=whole)

            def leave(context: WritersLock = context) -> None:
                left = refused(lambda: context.__exit__(None, None, None))
                assert left == "closed"

            with context:
                storage.append(commit_of(storage, "one"))
                ended = in_a_child(leave)
            assert ended == 0

    with closing(SQLiteStorage(path)) as again:
        assert [record.version for record in again.read(ROOM)] == [1, 2]


@forks
def test_a_grandchild_is_refused_too(storage: Storage) -> None:
    def again() -> None:
        def ask() -> None:
            assert refused(storage.position) == "closed"

        assert in_a_child(ask) == 0

    assert in_a_child(again) == 0
    assert storage.append(commit_of(storage, "the parent goes on")) == 1
    storage.close()
