"""What a storage that fails at the very end of a commit leaves: nothing, anywhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from rooms import Conversation, Lobby, Room, RoomPolicy, SQLiteStorage, hookimpl
from rooms.errors import Conflict, CorruptLog, StorageError
from rooms.storage import diagnose
from rooms.storage.sqlite.records import MESSAGES

UNPACED = RoomPolicy(wake_window=None, send_window=None)


class Connection:
    """A connection of which one statement is interrupted or fails, before or after."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self.real = real
        self.at = ""
        self.error: BaseException = KeyboardInterrupt()
        self.after = False

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if not self.at or not sql.startswith(self.at):
            return self.real.execute(sql, *parameters)
        self.at = ""
        if self.after:
            self.real.execute(sql, *parameters)
        raise self.error

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def io_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    error.sqlite_errorname = "SQLITE_IOERR"
    return error


class Place:
    """A lobby on a file, whose connection fails when it is told to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        storage = SQLiteStorage(path, durability="relaxed")
        database: Any = storage._database
        self.connection = Connection(database.connection)
        database.connection = self.connection
        self.lobby = Lobby(storage)
        self.eve = self.lobby.add_agent("eve").conversation()
        self.room = self.lobby.create_room("r", by=self.eve, policy=UNPACED)

    @contextmanager
    def failing(
        self, at: str, error: BaseException, *, after: bool = False
    ) -> Iterator[None]:
        connection = self.connection
        connection.at, connection.error, connection.after = at, error, after
        with pytest.raises((StorageError, KeyboardInterrupt)):
            yield
        assert connection.at == "", "the statement was never run"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "team.db")
    yield made
    made.lobby.close()


def contents(room: Room, by: Conversation) -> list[str]:
    return [message.content for message in room.read(by=by)]


@pytest.mark.parametrize("at", ["BEGIN", "INSERT INTO records", "COMMIT"])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("error", [io_error(), KeyboardInterrupt()])
def test_a_post_that_raised_leaves_nothing_and_others_go_on(
    place: Place, at: str, after: bool, error: BaseException
) -> None:
    stands = at == "COMMIT" and after  # it was stored, and nobody could be told
    place.room.post("before", by=place.eve)
    with place.failing(at, error, after=after):
        place.room.post("raised", by=place.eve)
    with Lobby.open(place.path) as other:
        other.room("r").post("other", by=other.agent("eve").conversation())

        place.room.post("after", by=place.eve)

        expected = ["before", *(["raised"] if stands else []), "other", "after"]
        assert contents(place.room, place.eve) == expected
        assert not any(one.damages for one in other.verify().values())
    with Lobby.open(place.path) as again:
        eve = again.agent("eve").conversation()
        assert contents(again.room("r"), eve) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.lobby.add_agent("cy"),
        lambda one: one.lobby.person("zoe"),
        lambda one: one.room.subscribe(by=one.eve, mode="every_message"),
        lambda one: one.room.rest(by=one.eve),
        lambda one: one.lobby.create_room("another", by=one.eve),
    ],
)
def test_what_is_done_again_after_a_failed_commit_is_stored(
    place: Place, change: Callable[[Place], Any]
) -> None:
    with place.failing("COMMIT", io_error()):
        change(place)
    before = list(place.lobby.export())

    change(place)

    assert len(list(place.lobby.export())) > len(before)


def test_a_lobby_that_is_closed_in_a_batch_says_that_nothing_is_stored(
    place: Place,
) -> None:
    def closes() -> None:
        with place.lobby.batch():
            place.room.post("acknowledged too early", by=place.eve)
            place.lobby.close()

    with pytest.raises(StorageError) as caught:
        closes()

    assert caught.value.code == "closed"


def test_closing_does_not_fail_for_a_snapshot(place: Place) -> None:
    place.room.post("x", by=place.eve)
    place.connection.at = "INSERT OR REPLACE INTO snapshots"
    place.connection.error = io_error()

    place.lobby.close()

    assert place.connection.at == ""


def test_a_transaction_that_an_interrupt_left_open_is_undone(place: Place) -> None:
    place.room.post("before", by=place.eve)
    place.connection.real.execute("BEGIN IMMEDIATE")  # as between it and its context

    place.room.post("after", by=place.eve)

    with Lobby.open(f"sqlite:///{place.path}?busy_timeout=1") as other:
        eve = other.agent("eve").conversation()
        other.room("r").post("other", by=eve)
        assert contents(other.room("r"), eve) == ["before", "after", "other"]


DAMAGED: dict[str, Callable[[list[Any]], list[Any]]] = {
    "lacks the last": lambda page: page[:-1],
    "lacks the first": lambda page: page[1:],
    "lacks one": lambda page: [*page[:2], *page[3:]],
    "doubles one": lambda page: [*page[:2], page[1], *page[2:]],
    "swaps two": lambda page: [page[1], page[0], *page[2:]],
    "is empty": lambda page: [],
}


@pytest.mark.parametrize("what", DAMAGED)
@pytest.mark.parametrize("call", ["read", "latest"])
def test_a_page_of_a_damaged_index_is_refused(
    what: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Lobby.in_memory() as lobby:
        eve = lobby.add_agent("eve").conversation()
        room = lobby.create_room("r", by=eve, policy=UNPACED)
        for number in range(5):
            room.post(f"m{number}", by=eve)
        read = getattr(room, call)
        assert [message.seq for message in read(by=eve)] == [1, 2, 3, 4, 5]
        storage = lobby._desk.storage
        whole = storage.messages

        def damaged(*args: Any, **options: Any) -> list[Any]:
            return DAMAGED[what](whole(*args, **options))

        monkeypatch.setattr(storage, "messages", damaged)
        with pytest.raises(CorruptLog) as caught:
            read(by=eve)
        assert caught.value.details["where"] == f"room:{room.id}"


def test_the_doctor_compares_indexes_with_their_tables(tmp_path: Path) -> None:
    path = tmp_path / "team.db"
    with Lobby.open(path) as lobby:
        eve = lobby.add_agent("eve").conversation()
        room = lobby.create_room("r", by=eve, policy=UNPACED)
        for number in range(30):
            room.post(f"m{number}", by=eve)
    assert not [one for one in diagnose(path) if one.code == "damaged"]
    with closing(sqlite3.connect(path)) as raw:
        ((page,),) = raw.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'records_seq'"
        ).fetchall()
        ((size,),) = raw.execute("PRAGMA page_size").fetchall()
    content = bytearray(path.read_bytes())
    content[content.rindex(b"\x1e", (page - 1) * size, page * size)] = 0x7F
    path.write_bytes(content)

    assert [one for one in diagnose(path) if one.code == "damaged"]


def test_a_turn_that_has_ended_has_nobodys_word(tmp_path: Path) -> None:
    with Lobby.in_memory() as lobby:
        ana = lobby.person("ana")
        lobby.add_agent("eve", threaded=True, owner="ana")
        eve = lobby.conversation("eve", thread="t-1")
        with lobby.turn(eve, word_of=ana) as old:
            room = lobby.create_room("r", by=old, policy="hall")
        with pytest.raises(Conflict) as caught:
            room.delete(by=old)
        assert caught.value.code == "stale_wake"
        assert lobby.rooms == (room,)


class Heard:
    """Notes what it is told was committed."""

    def __init__(self) -> None:
        self.types: list[str] = []

    @hookimpl
    def rooms_committed(self, commit: Any) -> None:
        for facts in commit.facts.values():
            self.types += [type(one.event).__name__ for one in facts]


@contextmanager
def long_reader(path: Path) -> Iterator[None]:
    """Somebody who reads the file all the time."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM records").fetchone()
        yield
        other.execute("ROLLBACK")


CHANGES: dict[str, Callable[[Lobby, Room, Any], Any]] = {
    "RoomUnlisted": lambda _, room, ana: room.delete(by=ana),
    "MessageErased": lambda _, room, ana: room.erase(room.read(by=ana)[0], by=ana),
}


@pytest.mark.parametrize("event", CHANGES)
@pytest.mark.parametrize("batch", [False, True])
def test_what_is_recorded_beside_a_long_reader_says_so(
    tmp_path: Path, event: str, batch: bool
) -> None:
    path, heard = tmp_path / "team.db", Heard()
    with Lobby(SQLiteStorage(path, busy_timeout=0)) as lobby:
        ana = lobby.person("ana")
        lobby.register(heard)
        room = lobby.create_room("r", by=ana)
        other = lobby.create_room("other", by=ana)
        room.post("words that go", by=ana)
        with long_reader(path):
            with (
                pytest.raises(StorageError) as caught,
                lobby.batch() if batch else nullcontext(),
            ):
                CHANGES[event](lobby, room, ana)

            assert (caught.value.code, caught.value.recorded) == ("storage_busy", True)
            assert heard.types[-1] == event
            other.post("goes on, and says nothing of it", by=ana)
        assert b"words that go" in path.with_name("team.db-wal").read_bytes()
        other.post("nobody reads any more", by=ana)
        assert b"words that go" not in path.with_name("team.db-wal").read_bytes()


def test_a_wake_that_the_storage_could_not_show_is_taken_the_next_time(
    place: Place,
) -> None:
    place.room.subscribe(by=place.eve, mode="every_message")
    place.room.post("hello", by=place.lobby.person("ana"))
    with place.failing(MESSAGES, io_error()):
        place.lobby.take_wakes()

    (wake,) = place.lobby.take_wakes()

    assert [one.content for one in wake.messages] == ["hello"]
