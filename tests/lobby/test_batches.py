"""A batch: many calls, one commit of the storage, and each call as it is alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from lobby.place import Place
from rooms import (
    Conversation,
    Lobby,
    MemoryStorage,
    NotAllowed,
    Room,
    RoomPolicy,
    SQLiteStorage,
)
from rooms.errors import StorageError
from rooms.hooks import hookimpl

UNPACED = RoomPolicy(wake_window=None, send_window=None)


def said(room: Room, by: Conversation) -> list[str]:
    return [message.content for message in room.read(by=by).items]


def test_what_a_batch_records_is_there_when_it_is_opened_again(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    with lobby.batch():
        posted = [hall.post(f"m{n}", by=eve, to=[ben]) for n in range(5)]

    assert [one.message.seq for one in posted] == [1, 2, 3, 4, 5]
    assert {one.woken for one in posted} == {(ben,)}
    assert said(hall, ben) == ["m0", "m1", "m2", "m3", "m4"]


def test_what_is_refused_in_a_batch_changes_nothing_else(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    stranger = lobby.add_agent("stranger").conversation()

    def all_of_it() -> None:
        with lobby.batch():
            hall.post("one", by=eve)
            with pytest.raises(NotAllowed):
                hall.post("no", by=stranger)
            hall.post("two", by=eve)
            hall.post("no", by=stranger)

    with pytest.raises(NotAllowed):
        all_of_it()

    assert said(hall, ben) == ["one", "two"]  # what was accepted stands
    assert not any(one.damages for one in lobby.verify().values())


def test_a_batch_inside_a_batch_is_a_part_of_it(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    with lobby.batch():
        hall.post("one", by=eve)
        with lobby.batch():
            hall.post("two", by=eve)
        hall.post("three", by=eve)

    assert said(hall, ben) == ["one", "two", "three"]


def test_observers_are_told_after_the_batch_with_nothing_held(
    lobby: Lobby, hall: Room, eve: Conversation
) -> None:
    told: list[str] = []

    class Observer:
        @hookimpl
        def rooms_committed(self, commit: Any) -> None:
            other = Thread(target=lambda: told.append(str(hall.position)))
            other.start()  # would wait for ever for whoever holds the lock
            other.join(10)
            assert not other.is_alive()

    lobby.register(Observer())
    with lobby.batch():
        hall.post("one", by=eve)
        hall.post("two", by=eve)
        assert told == []

    assert told == ["2", "2"]


def test_where_a_plugin_is_asked_each_call_is_a_commit_of_its_own(
    lobby: Lobby, hall: Room, eve: Conversation
) -> None:
    seen: list[int] = []

    class Decider:
        @hookimpl
        def rooms_check_draft(self, draft: Any) -> None:
            other = Thread(target=lambda: seen.append(hall.position))
            other.start()
            other.join(10)
            assert not other.is_alive()

    lobby.register(Decider())
    with lobby.batch():
        hall.post("one", by=eve)
        hall.post("two", by=eve)

    assert seen == [0, 1]


class Breaking:
    """A connection that fails at its next COMMIT."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self._real = real

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if sql == "COMMIT":
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            error.sqlite_errorname = "SQLITE_IOERR"
            raise error
        return self._real.execute(sql, *parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def test_a_batch_that_cannot_be_committed_left_nothing(tmp_path: Path) -> None:
    storage = SQLiteStorage(tmp_path / "team.db", durability="relaxed")
    told: list[Any] = []

    class Observer:
        @hookimpl
        def rooms_committed(self, commit: Any) -> None:
            told.append(commit)

    with Lobby(storage) as lobby:
        eve = lobby.add_agent("eve").conversation()
        room = lobby.create_room("r", by=eve)
        room.post("before", by=eve)
        lobby.register(Observer())
        database: Any = storage._database
        real = database.connection

        def fails() -> None:
            with lobby.batch():
                room.post("lost", by=eve)
                room.post("lost too", by=eve)
                database.connection = Breaking(real)

        with pytest.raises(StorageError):
            fails()
        database.connection = real

        assert told == []
        assert room.post("after", by=eve).message.seq == 2
        assert said(room, eve) == ["before", "after"]
        assert not any(one.damages for one in lobby.verify().values())


@pytest.mark.parametrize("durability", ["memory", "relaxed"])
def test_another_thread_waits_for_the_end_of_a_batch(
    durability: str, tmp_path: Path
) -> None:
    storage = (
        MemoryStorage()
        if durability == "memory"
        else SQLiteStorage(tmp_path / "team.db", durability=durability)
    )
    begun, order = Event(), list[str]()
    with Lobby(storage) as lobby:
        eve = lobby.add_agent("eve").conversation()
        room = lobby.create_room("r", by=eve)

        def other() -> None:
            begun.wait(10)
            room.post("other", by=eve)
            order.append("other")

        thread = Thread(target=other)
        thread.start()
        with lobby.batch():
            room.post("one", by=eve)
            begun.set()
            room.post("two", by=eve)
            order.append("batch")
        thread.join(10)

        assert order == ["batch", "other"]
        assert said(room, eve) == ["one", "two", "other"]


def test_a_batch_waits_for_the_disk_once(tmp_path: Path) -> None:
    counted: list[str] = []

    def commits(work: Callable[[], None]) -> int:
        counted.clear()
        work()
        return counted.count("COMMIT")

    storage = SQLiteStorage(tmp_path / "team.db", durability="relaxed")
    with Lobby(storage) as lobby:
        eve = lobby.add_agent("eve").conversation()
        room = lobby.create_room("r", by=eve, policy=UNPACED)
        connection = storage._database.connection
        assert connection is not None
        connection.set_trace_callback(counted.append)

        def alone() -> None:
            for number in range(20):
                room.post(f"m{number}", by=eve)

        def together() -> None:
            with lobby.batch():
                alone()

        assert commits(alone) == 20
        assert commits(together) == 1
