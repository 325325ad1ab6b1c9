"""No error of the driver leaves a storage, and after each the storage works again."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from rooms.errors import (
    CODES,
    CorruptLog,
    InvalidInput,
    KeyHeld,
    StorageBusy,
    StorageError,
    StorageFull,
    VersionConflict,
)
from rooms.log.records import Commit, changed
from rooms.storage import SQLiteStorage, diagnose
from rooms.storage.protocol import Change, Snapshot
from rooms.storage.sqlite.faults import of_file, translated
from rooms.testing.conformance import commit_of, record_of

ROOM = "room:one"


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[SQLiteStorage]:
    with closing(SQLiteStorage(tmp_path / "lobby.db", busy_timeout=0)) as opened:
        yield opened


def connection_of(storage: SQLiteStorage) -> sqlite3.Connection:
    connection = storage._database.connection
    assert connection is not None
    return connection


def fault(code: int | None, words: str = "words") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(words)
    if code is not None:
        error.sqlite_errorcode = code
        error.sqlite_errorname = "NAME"
    return error


@pytest.mark.parametrize(
    ("code", "kind", "ours"),
    [
        (sqlite3.SQLITE_BUSY, StorageBusy, "storage_busy"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StorageBusy, "storage_busy"),
        (sqlite3.SQLITE_BUSY_RECOVERY, StorageBusy, "storage_busy"),
        (sqlite3.SQLITE_LOCKED, StorageBusy, "storage_busy"),
        (sqlite3.SQLITE_FULL, StorageFull, "storage_full"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, StorageFull, "storage_full"),
        (sqlite3.SQLITE_CORRUPT, CorruptLog, "corrupt_log"),
        (sqlite3.SQLITE_CORRUPT_VTAB, CorruptLog, "corrupt_log"),
        (sqlite3.SQLITE_NOTADB, CorruptLog, "corrupt_log"),
        (sqlite3.SQLITE_IOERR, StorageError, "storage_failed"),
        (sqlite3.SQLITE_IOERR_FSYNC, StorageError, "storage_failed"),
        (sqlite3.SQLITE_READONLY, StorageError, "storage_failed"),
        (sqlite3.SQLITE_CANTOPEN, StorageError, "storage_failed"),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, StorageError, "storage_failed"),
        (None, StorageError, "storage_failed"),
    ],
)
def test_each_code_of_sqlite_has_one_of_ours(
    code: int | None, kind: type[StorageError], ours: str
) -> None:
    error = translated(fault(code, "a secret of the row"))

    assert type(error) is kind
    assert error.code == ours
    assert ours in CODES
    assert "secret" not in str(error) + repr(error.details)


def test_a_text_that_is_no_utf8_is_a_corrupt_log() -> None:
    error = translated(
        fault(None, "Could not decode to UTF-8 column 'x' with text 'y'")
    )

    assert type(error) is CorruptLog


def test_a_message_of_the_driver_that_is_no_utf8_is_a_corrupt_log() -> None:
    error = translated(UnicodeDecodeError("utf-8", b"\xc5", 0, 1, "words"))

    assert type(error) is CorruptLog


@pytest.mark.parametrize("bad", [b"\xc5", b"\x00", b"Q"])
def test_a_damaged_schema_is_a_storage_error(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "lobby.db"
    SQLiteStorage(path).close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE keys", bad * 17))

    with pytest.raises(StorageError):
        SQLiteStorage(path)
    assert {one.level for one in diagnose(path)} >= {"error"}


@pytest.mark.parametrize(
    ("number", "ours"),
    [
        (errno.ENOSPC, "storage_full"),
        (errno.EACCES, "storage_failed"),
        (None, "storage_failed"),
    ],
)
def test_errors_of_the_file_system_are_storage_errors(
    number: int | None, ours: str
) -> None:
    error = OSError(number, "words") if number else OSError("words")

    assert of_file(error).code == ours


WRITES = (
    lambda it: it.append(commit_of(it, "late")),
    lambda it: it.save_snapshot(
        Snapshot.sealed(ROOM, 1, chain=b"", schema=1, state=b"x" * 100)
    ),
    lambda it: it.erase(ROOM, [1]),
    lambda it: it.remove(ROOM),
    lambda it: it.project("p", expected=0, position=1, changes=[Change((1,), b"x")]),
    lambda it: it.forget_projection("p"),
    lambda it: it.search("unfed", [ROOM]),
    lambda it: it.put_blob([b"content"]),
    lambda it: it.remove_blob("00"),
    lambda it: it.compact(),
    lambda it: it.writing().__enter__(),
)


@pytest.mark.parametrize("write", WRITES)
def test_a_lock_of_another_process_is_busy_and_reading_goes_on(
    storage: SQLiteStorage, write: Any
) -> None:
    storage.append(commit_of(storage, "unfed"))
    with closing(sqlite3.connect(storage.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StorageBusy) as caught:
            write(storage)

        assert caught.value.code == "storage_busy"
        assert len(storage.read(ROOM)) == 1
        assert storage.projected_to("p") == 0
        other.execute("ROLLBACK")

    assert storage.append(commit_of(storage, "goes on")) == 2
    assert len(storage.search("unfed", [ROOM])) == 1


def test_a_full_disk_records_nothing_and_reading_goes_on(
    storage: SQLiteStorage,
) -> None:
    storage.append(commit_of(storage, "before", keys={"k": "x"}))
    run = connection_of(storage).execute
    (pages,) = run("PRAGMA page_count").fetchone()
    run(f"PRAGMA max_page_count = {pages + 2}")
    acknowledged = 1

    def fill() -> None:
        nonlocal acknowledged
        for number in range(1_000):
            keys = {f"k-{number}": "x"}
            storage.append(
                commit_of(storage, "long " * 1_000, keys=keys, due={ROOM: 5})
            )
            acknowledged += 1

    with pytest.raises(StorageFull) as caught:
        fill()

    assert caught.value.code == "storage_full"
    before = storage.scan()
    assert [record.version for record in before] == list(range(1, acknowledged + 1))
    assert storage.find(f"k-{acknowledged - 1}") is None
    assert len(storage.messages(ROOM, limit=1_000)) == acknowledged
    with pytest.raises(StorageFull):
        storage.put_blob([b"x" * 100_000])
    with pytest.raises(StorageFull):
        storage.project(
            "p", expected=0, position=1, changes=[Change((1,), b"x" * 100_000)]
        )
    with pytest.raises(StorageFull), storage.writing():
        storage.append(commit_of(storage, "long " * 10_000))
    assert storage.scan() == before
    assert storage.projected_to("p") == 0

    run("PRAGMA max_page_count = 1000000")

    assert storage.append(commit_of(storage, "long " * 10_000)) == acknowledged + 1
    assert len(storage.search("long", [ROOM], limit=1_000)) == acknowledged


class Failing:
    """A connection whose statement fails once, before or after it was run."""

    def __init__(self, real: sqlite3.Connection, part: str, code: int) -> None:
        self._real, self._part, self._code = real, part, code

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        self._fail_at(sql)
        return self._real.execute(sql, *parameters)

    def executemany(self, sql: str, rows: Any) -> sqlite3.Cursor:
        self._fail_at(sql)
        return self._real.executemany(sql, rows)

    def _fail_at(self, sql: str) -> None:
        if self._part and sql.startswith(self._part):
            self._part = ""
            raise fault(self._code)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


PARTS = (
    "BEGIN",
    "PRAGMA data_version",
    "SELECT coalesce(max(position)",
    "SELECT id, (SELECT max(version)",
    "DELETE FROM keys",
    "INSERT INTO keys",
    "INSERT INTO records",
    "UPDATE streams",
    "COMMIT",
)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL])
def test_a_statement_that_fails_leaves_nothing_and_the_next_try_succeeds(
    storage: SQLiteStorage, part: str, code: int
) -> None:
    storage.append(commit_of(storage, "first", keys={"k-0": "x"}))
    commit = commit_of(
        storage, "a", "b", keys={"k-1": "x"}, release=["k-0"], due={ROOM: 5}
    )
    before = storage.scan(), storage.find("k-0"), storage.next_due()
    storage._known_at = None  # as after the commit of another process
    real = connection_of(storage)
    failing: Any = Failing(real, part, code)
    storage._database.connection = failing

    with pytest.raises(StorageError):
        storage.append(commit)

    assert failing._part == "", "the statement was never run"
    assert not real.in_transaction
    assert (storage.scan(), storage.find("k-0"), storage.next_due()) == before
    assert storage.append(commit) == 3
    assert storage.find("k-1") == "x"


def test_a_part_that_fails_inside_writing_leaves_the_parts_before_it(
    storage: SQLiteStorage,
) -> None:
    with storage.writing():
        storage.append(commit_of(storage, "one"))
        real = connection_of(storage)
        storage.read(ROOM)  # what was added before is inserted
        failing: Any = Failing(real, "INSERT INTO records", sqlite3.SQLITE_IOERR)
        storage._database.connection = failing
        with pytest.raises(StorageError):
            storage.append(commit_of(storage, "two", keys={"k": "x", "l": "x"}))
        storage.append(commit_of(storage, "three"))

    assert [record.version for record in storage.read(ROOM)] == [1, 2]


def in_room(version: int) -> Commit:
    """The commit of one record, made without looking into the storage."""
    return Commit((record_of(ROOM, version),))


def check_undone(storage: SQLiteStorage, real: sqlite3.Connection) -> None:
    """Nothing stands but the first record, and the next one follows it."""
    assert not real.in_transaction
    assert [record.version for record in storage.read(ROOM)] == [1]
    assert storage.position() == 1
    assert storage.append(in_room(2)) == 2


@pytest.mark.parametrize("last", [2, 4])
def test_records_that_cannot_be_inserted_undo_their_context_which_says_so(
    storage: SQLiteStorage, last: int
) -> None:
    storage.append(in_room(1))
    real = connection_of(storage)

    def add() -> None:
        with storage.writing():
            for version in range(2, last + 1):
                storage.append(in_room(version))
            failing: Any = Failing(real, "INSERT INTO records", sqlite3.SQLITE_FULL)
            storage._database.connection = failing

    with pytest.raises(StorageFull):
        add()

    check_undone(storage, real)


def test_a_read_that_cannot_insert_what_was_added_undoes_its_context(
    storage: SQLiteStorage,
) -> None:
    storage.append(in_room(1))
    real = connection_of(storage)

    def add() -> None:
        with storage.writing():
            storage.append(in_room(2))
            failing: Any = Failing(real, "INSERT INTO records", sqlite3.SQLITE_FULL)
            storage._database.connection = failing
            with pytest.raises(StorageFull):
                storage.find("k")

    with pytest.raises(StorageError, match="undid"):
        add()

    check_undone(storage, real)


def test_nothing_is_stored_in_a_context_that_was_undone_until_it_ends(
    storage: SQLiteStorage,
) -> None:
    storage.append(in_room(1))
    real = connection_of(storage)

    def add() -> None:
        with storage.writing():
            storage.append(in_room(2))
            real.execute("ROLLBACK")  # as SQLite does where the disk fails
            for keys in ({}, {}, {"k-1": "x"}, {"k-2": "x"}):
                with pytest.raises(StorageError, match="undid"):
                    storage.append(Commit((record_of(ROOM, 2),), add=keys))
            with pytest.raises(StorageError, match="undid"):
                storage.writing().__enter__()

    with pytest.raises(StorageError, match="undid"):
        add()

    assert [record.version for record in storage.read(ROOM)] == [1]
    assert storage.find("k-1") is None
    assert storage.append(in_room(2)) == 2
    assert not real.in_transaction


@pytest.mark.parametrize("keys", [1, 2])
def test_a_key_that_cannot_be_held_leaves_what_was_before_it(
    storage: SQLiteStorage, keys: int
) -> None:
    storage.append(in_room(1))
    new = {f"k-{number}": "x" for number in range(keys)}
    real = connection_of(storage)
    with storage.writing():
        storage.append(in_room(2))
        storage._database.connection = cast(
            "Any", Failing(real, "INSERT INTO keys", sqlite3.SQLITE_IOERR)
        )
        with pytest.raises(StorageError):
            storage.append(Commit((record_of(ROOM, 3),), add=new))
        assert storage.find("k-0") is None
        storage.append(Commit((record_of(ROOM, 3),), add={"held": "by it"}))
        with pytest.raises(KeyHeld, match="held"):
            storage.append(Commit((record_of(ROOM, 4),), add={"held": "again"}))
        with pytest.raises(KeyHeld, match="held"):
            storage.append(Commit((record_of(ROOM, 4),), add={**new, "held": "again"}))
        assert storage.find("k-0") is None
        storage.append(in_room(4))

    assert [record.version for record in storage.read(ROOM)] == [1, 2, 3, 4]
    assert storage.find("held") == "by it"


def test_what_is_added_in_a_context_is_read_there(storage: SQLiteStorage) -> None:
    storage.append(in_room(1))
    with storage.writing():
        assert storage.append(in_room(2)) == 2
        assert storage.position() == 2
        assert [record.version for record in storage.read(ROOM)] == [1, 2]
        storage.append(in_room(3))
        assert storage.head(ROOM).version == 3
        storage.append(in_room(4))
        with storage.writing(whole=True):
            storage.append(in_room(5))
        with suppress(ZeroDivisionError), storage.writing(whole=True):
            storage.append(in_room(6))
            raise ZeroDivisionError
        assert storage.position() == 5
        storage.append(in_room(6))
    assert [record.position for record in storage.scan()] == [1, 2, 3, 4, 5, 6]


def test_several_records_and_their_instant_are_added_or_not_at_all(
    storage: SQLiteStorage,
) -> None:
    def run_of(first: int, last: int, due: int | None) -> Commit:
        versions = range(first, last + 1)
        return Commit(tuple(record_of(ROOM, one) for one in versions), due={ROOM: due})

    storage.append(in_room(1))
    with storage.writing():
        assert storage.append(run_of(2, 3, 7)) == 3
        assert storage.append(in_room(4)) == 4
        assert storage.next_due() == 7
        real = connection_of(storage)
        failing: Any = Failing(real, "UPDATE streams", sqlite3.SQLITE_IOERR)
        storage._database.connection = failing
        with pytest.raises(StorageError):
            storage.append(run_of(5, 6, 8))
        assert failing._part == "", "the statement was never run"
        with pytest.raises(VersionConflict):
            storage.append(run_of(7, 8, 8))
        assert (storage.position(), storage.next_due()) == (4, 7)
        assert storage.append(run_of(5, 7, None)) == 7
        assert storage.next_due() is None
        with suppress(ZeroDivisionError), storage.writing(whole=True):
            assert storage.append(run_of(8, 9, 9)) == 9
            raise ZeroDivisionError
        assert storage.append(run_of(8, 9, 10)) == 9

    assert [record.position for record in storage.read(ROOM)] == list(range(1, 10))
    assert storage.next_due() == 10


@pytest.mark.parametrize("name", ["add", "add_all"])
@pytest.mark.parametrize("held", [False, True])
def test_a_storage_goes_on_behind_records_whose_call_was_interrupted(
    storage: SQLiteStorage, monkeypatch: pytest.MonkeyPatch, name: str, *, held: bool
) -> None:
    storage.append(in_room(1))
    two = Commit((record_of(ROOM, 2), record_of(ROOM, 3)), due={ROOM: 5})
    whole = getattr(storage._database, name)

    def interrupted(*arguments: Any) -> None:
        whole(*arguments)
        raise KeyboardInterrupt

    def add() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(storage._database, name, interrupted)
            with pytest.raises(KeyboardInterrupt), storage.writing():
                storage.append(in_room(2) if name == "add" else two)

    last = 2 if name == "add" else 3
    with storage.writing() if held else nullcontext():
        add()
        with storage.writing():
            assert storage.position() == last
        with pytest.raises(VersionConflict):
            storage.append(in_room(last))
        assert storage.append(in_room(last + 1)) == last + 1

    assert [one.position for one in storage.scan()] == list(range(1, last + 2))
    assert storage.append(in_room(last + 2)) == last + 2


def test_what_is_added_is_inserted_before_it_is_too_much(
    storage: SQLiteStorage,
) -> None:
    storage.append(in_room(1))
    waiting: list[int] = []
    with storage.writing():
        for version in range(2, 1_003):
            storage.append(in_room(version))
            waiting.append(len(storage._database.added))
    assert (max(waiting), waiting[-1]) == (999, 1)
    assert storage.head(ROOM).version == 1_002


@pytest.mark.parametrize("whole", [False, True])
def test_a_commit_after_one_that_was_undone_stands_where_that_began(
    storage: SQLiteStorage, *, whole: bool
) -> None:
    with storage.writing(whole=whole):
        storage.append(commit_of(storage, "one"))
        for _ in range(2):
            bad = commit_of(storage, "undone", due={"room:none": 5})
            with pytest.raises(InvalidInput):
                storage.append(bad)
            with pytest.raises(VersionConflict):
                storage.append(Commit((record_of(ROOM, 3),)))
            assert storage.position() == 1

        assert storage.append(Commit((record_of(ROOM, 2),))) == 2
        assert storage.append(Commit((record_of(ROOM, 3),))) == 3
        assert storage.position() == 3

    assert [one.position for one in storage.read(ROOM)] == [1, 2, 3]


def test_a_held_key_inside_a_context_leaves_the_parts_before_it(
    storage: SQLiteStorage,
) -> None:
    storage.append(commit_of(storage, "one", keys={"k-1": "x"}))
    with storage.writing():
        storage.append(commit_of(storage, "two", keys={"k-2": "y"}))
        for keys in ({"k-3": "z", "k-1": "z"}, {"k-3": "z", "k-2": "z"}):
            for version in (3, 4):  # a held key is told before a version that moved
                with pytest.raises(KeyHeld):
                    storage.append(Commit((record_of(ROOM, version),), add=keys))
        with pytest.raises(VersionConflict):
            storage.append(Commit((record_of(ROOM, 4),), add={"k-3": "z"}))
        with pytest.raises(InvalidInput):
            storage.append(Commit((record_of(ROOM, 3),), add={"k-3": "\ud83d"}))
        assert storage.find("k-3") is None
        storage.append(commit_of(storage, "three", keys={"k-3": "z"}))

    assert [storage.find(f"k-{one}") for one in (1, 2, 3)] == ["x", "y", "z"]
    assert [one.position for one in storage.read(ROOM)] == [1, 2, 3]


@pytest.mark.parametrize("guard", [1, 2])
def test_of_several_records_each_stream_and_guard_is_expected(
    storage: SQLiteStorage, guard: int
) -> None:
    storage.append(Commit((record_of(ROOM, 1), record_of("room:two", 1))))
    records = (record_of(ROOM, 2), record_of("room:two", 2), record_of(ROOM, 3))
    with storage.writing():
        storage.append(Commit((record_of("room:guarded", 1),)))
        commit = Commit(records, guards={"room:guarded": guard})
        if guard == 1:
            assert storage.append(commit) == 6
        else:
            with pytest.raises(VersionConflict):
                storage.append(commit)
        with pytest.raises(VersionConflict):
            storage.append(Commit((record_of(ROOM, 9), record_of("room:two", 9))))
        for stream, count in ((ROOM, 3), ("room:two", 2)):
            version = count + 1 if guard == 1 else 2
            storage.append(Commit((record_of(stream, version),)))

    assert [one.position for one in storage.scan()] == list(
        range(1, 9 if guard == 1 else 6)
    )


def test_what_sqlite_undid_by_itself_inside_writing_is_said(
    storage: SQLiteStorage,
) -> None:
    def lose_all() -> None:
        with storage.writing():
            storage.append(commit_of(storage, "lost"))
            connection_of(storage).execute("ROLLBACK")  # as after an I/O error
            with pytest.raises(StorageError):
                storage.append(Commit((record_of(ROOM, 9),)))

    with pytest.raises(StorageError) as caught:
        lose_all()

    assert caught.value.code == "storage_failed"
    assert storage.scan() == []
    assert storage.append(commit_of(storage, "goes on")) == 1


def test_a_removed_and_remade_stream_is_not_taken_for_the_old_one(
    storage: SQLiteStorage,
) -> None:
    storage.append(commit_of(storage, "a", "b"))
    with closing(SQLiteStorage(storage.path)) as other:
        other.remove(ROOM)
        other.append(commit_of(other, "c"))

        with pytest.raises(VersionConflict):
            storage.append(Commit((changed(record_of(ROOM, 3), seq=3),)))

        assert storage.append(commit_of(storage, "d")) == 4


def test_the_streams_that_are_known_are_bounded(
    storage: SQLiteStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rooms.storage.sqlite.store._MOST_STREAMS_KNOWN", 5)
    for round_ in range(3):
        for number in range(12):
            name = f"room:{number}"
            storage.append(commit_of(storage, "x", stream=name))
            assert len(storage._known) <= 6
            assert storage.head(name).version == round_ + 1
