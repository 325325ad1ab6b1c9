"""Whose a file is, who may read it, and several processes on it."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from rooms.errors import (
    InvalidInput,
    StorageBusy,
    StorageError,
    UnsupportedSchema,
)
from rooms.log.records import Commit
from rooms.log.verification import verify_stream
from rooms.storage import SQLiteStorage, diagnose
from rooms.storage.sqlite.schema import APPLICATION_ID, VERSION
from rooms.testing.conformance import commit_of, record_of

CANARY = "xylophonequartz"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lobby.db"


@pytest.fixture
def storage(path: Path) -> Iterator[SQLiteStorage]:
    with closing(SQLiteStorage(path)) as opened:
        yield opened


def run(programs: int, program: str, *arguments: object) -> list[str]:
    """Run a program several times at once; what each printed."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(number), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(programs)
    ]
    printed = []
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        printed.append(out)
    return printed


def others_may(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o077


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (text)")
        other.commit()


def foreign_with_log(path: Path) -> None:
    foreign(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = WAL")


def foreign_with_id(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA application_id = 77")
        other.execute("CREATE TABLE notes (text)")
        other.commit()


def empty_but_made(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 1")
        other.execute("VACUUM")


def text_file(path: Path) -> None:
    path.write_text("no database at all\n" * 100)


def short_file(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def later_version(path: Path) -> None:
    SQLiteStorage(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
        other.commit()


@pytest.mark.rule("L-STORE-02")
def test_a_later_version_is_named_beside_ours(path: Path) -> None:
    later_version(path)

    with pytest.raises(UnsupportedSchema) as caught:
        SQLiteStorage(path)

    assert str(VERSION) in str(caught.value)
    assert str(VERSION + 1) in str(caught.value)


@pytest.mark.rule("L-STORE-02")
@pytest.mark.parametrize(
    "make",
    [
        foreign,
        foreign_with_log,
        foreign_with_id,
        empty_but_made,
        text_file,
        short_file,
        later_version,
    ],
)
def test_a_file_that_is_not_ours_is_left_as_it_is(
    path: Path, make: Callable[[Path], None]
) -> None:
    make(path)
    path.chmod(0o644)
    before, files = path.read_bytes(), sorted(path.parent.iterdir())

    with pytest.raises(UnsupportedSchema) as caught:
        SQLiteStorage(path)

    assert caught.value.code == "unsupported_schema"
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == files
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON keys BEGIN DELETE FROM records; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE more (x)",
        "DROP TABLE keys",
    ],
)
def test_a_database_with_other_tables_triggers_or_views_is_refused(
    path: Path, statement: str
) -> None:
    SQLiteStorage(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(statement)

    with pytest.raises(UnsupportedSchema):
        SQLiteStorage(path)


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch(0o644)

    with closing(SQLiteStorage(path)) as storage:
        assert storage.append(Commit((record_of("room:a", 1),))) == 1
        assert others_may(path) == 0


def test_only_the_owner_may_read_the_file_and_those_beside_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = os.umask(0)
    try:
        with closing(SQLiteStorage(path)) as storage:
            storage.append(commit_of(storage, "secret"))
            beside = sorted(path.parent.iterdir())

            assert [one.name for one in beside] == [
                "lobby.db",
                "lobby.db-shm",
                "lobby.db-wal",
            ]
            assert [others_may(one) for one in beside] == [0, 0, 0]
    finally:
        os.umask(old)


def test_closing_leaves_one_file(path: Path, storage: SQLiteStorage) -> None:
    storage.append(commit_of(storage, "a"))
    storage.close()

    assert list(path.parent.iterdir()) == [path]


def test_the_header_says_whose_it_is(path: Path, storage: SQLiteStorage) -> None:
    storage.close()
    header = path.read_bytes()[:100]

    assert header[68:72] == b"room" == APPLICATION_ID.to_bytes(4, "big")
    assert int.from_bytes(header[60:64], "big") == VERSION


@pytest.mark.rule("L-STORE-01")
def test_the_settings_are_those_that_are_promised(path: Path) -> None:
    def setting(storage: SQLiteStorage, name: str) -> object:
        connection = storage._database.connection
        assert connection is not None
        return connection.execute(f"PRAGMA {name}").fetchone()[0]

    with closing(SQLiteStorage(path)) as full:
        assert setting(full, "synchronous") == 2  # FULL
        assert setting(full, "journal_mode") == "wal"
        assert setting(full, "secure_delete") == 1
        assert setting(full, "trusted_schema") == 0
        assert setting(full, "cell_size_check") == 1
        assert setting(full, "mmap_size") == 0
    with closing(SQLiteStorage(path, durability="relaxed")) as relaxed:
        assert setting(relaxed, "synchronous") == 1  # NORMAL


@pytest.mark.case("F-128")
def test_memory_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    odd: list[Any] = [":memory:", "", "file:x.db", "a\0b", "\ud83d", b"x", None, 3]
    for path in odd:
        with pytest.raises(InvalidInput):
            SQLiteStorage(path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"durability": "off"},
        {"durability": None},
        {"busy_timeout": -1},
        {"busy_timeout": 1.5},
        {"busy_timeout": True},
        {"busy_timeout": 10**9},
    ],
)
def test_an_unknown_option_is_refused(path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        SQLiteStorage(path, **options)

    assert not path.exists()


@pytest.mark.parametrize("place", ["", "none/lobby.db"])
def test_a_place_where_no_file_can_be_is_a_storage_error(
    tmp_path: Path, place: str
) -> None:
    with pytest.raises(StorageError) as caught:
        SQLiteStorage(tmp_path / place)

    assert caught.value.code == "storage_failed"


def test_a_second_storage_of_a_process_does_not_let_go_of_the_locks_of_the_first(
    path: Path, storage: SQLiteStorage
) -> None:
    """
    A process that opened and closed the file beside SQLite would hold no lock on it any
    more; the next process to close it would take itself for the last one, and delete
    the -wal file under the first.
    """
    log = path.with_name("lobby.db-wal")
    storage.append(commit_of(storage, "one"))
    SQLiteStorage(path).close()
    diagnose(path)
    before = log.stat().st_ino
    program = (
        "import sys; from rooms.storage import SQLiteStorage as S\n"
        "storage = S(sys.argv[2]); print(len(storage.scan())); storage.close()"
    )

    assert run(1, program, path) == ["1\n"]

    assert log.stat().st_ino == before
    storage.append(commit_of(storage, "two"))
    assert run(1, program, path) == ["2\n"]


@pytest.mark.case("F-128")
def test_a_backup_of_an_open_storage_holds_what_was_acknowledged(
    path: Path, storage: SQLiteStorage
) -> None:
    storage.append(commit_of(storage, "one"))
    copy = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as to:
        source.backup(to)

    with closing(SQLiteStorage(copy)) as copied:
        assert copied.scan() == storage.scan()


@pytest.mark.case("F-128")
def test_sqlite3_converts_as_before_for_everybody_else(path: Path) -> None:
    before = dict(sqlite3.adapters), dict(sqlite3.converters)

    SQLiteStorage(path).close()

    assert (dict(sqlite3.adapters), dict(sqlite3.converters)) == before


def test_sqlite_utils_is_loaded_only_for_a_new_file(path: Path) -> None:
    program = (
        "import sys; from rooms.storage import SQLiteStorage as S\n"
        "S(sys.argv[2]).close(); print('sqlite_utils' in sys.modules)"
    )

    assert run(1, program, path) == ["True\n"]
    assert run(1, program, path) == ["False\n"]


def test_four_processes_open_a_new_file_at_once(tmp_path: Path) -> None:
    program = (
        "import sys, time; from rooms.storage import SQLiteStorage as S\n"
        "from rooms.testing.conformance import record_of\n"
        "from rooms.log.records import Commit\n"
        "import sqlite_utils\n"
        "time.sleep(max(0, float(sys.argv[3]) - time.time()))\n"
        "storage = S(sys.argv[2])\n"
        "storage.append(Commit((record_of(f'room:{sys.argv[1]}', 1),)))\n"
        "storage.close()"
    )
    for number in range(2):
        path = tmp_path / f"{number}.db"
        run(4, program, path, time.time() + 1.5)

        with closing(SQLiteStorage(path)) as storage:
            assert storage.streams() == [f"room:{one}" for one in range(4)]
            assert [record.position for record in storage.scan()] == [1, 2, 3, 4]


def test_eight_processes_append_to_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    SQLiteStorage(path).close()
    program = (
        "import sys; from rooms.storage import SQLiteStorage as S\n"
        "from rooms.errors import VersionConflict\n"
        "from rooms.testing.conformance import record_of\n"
        "from rooms.log.records import Commit\n"
        "storage, lost = S(sys.argv[2], durability='relaxed'), 0\n"
        "for number in range(500):\n"
        "    done = False\n"
        "    while not done:\n"
        "        try:\n"
        "            head = storage.head('room:a')\n"
        "            record = record_of('room:a', head.version + 1,\n"
        "                f'{sys.argv[1]} {number}', seq=head.version + 1,\n"
        "                before=head.chain)\n"
        "            key = f'{sys.argv[1]}-{number}'\n"
        "            storage.append(Commit((record,), add={key: 'x'}))\n"
        "            done = True\n"
        "        except VersionConflict:\n"
        "            lost += 1\n"
        "            if lost % 3 == 0:\n"
        "                with storage.writing():\n"
        "                    head = storage.head('room:a')\n"
        "                    record = record_of('room:a', head.version + 1,\n"
        "                        f'{sys.argv[1]} {number}', seq=head.version + 1,\n"
        "                        before=head.chain)\n"
        "                    key = f'{sys.argv[1]}-{number}'\n"
        "                    storage.append(Commit((record,), add={key: 'x'}))\n"
        "                    done = True\n"
        "print(lost)"
    )

    lost = run(8, program, path)

    with closing(SQLiteStorage(path)) as storage:
        found = storage.read("room:a", limit=10_000)
        assert [record.version for record in found] == list(range(1, 4_001))
        assert len({record.body for record in found}) == 4_000
        assert verify_stream(found).damages == ()
    assert sum(map(int, lost)) > 0, "they never met"


def in_files(folder: Path, word: str) -> list[str]:
    return [
        one.name
        for one in folder.iterdir()
        if word.encode() in one.read_bytes().lower()
    ]


@pytest.mark.parametrize("size", [1, 60, 3_000])
@pytest.mark.parametrize("searched", [False, True])
@pytest.mark.parametrize("how", ["erase", "remove"])
def test_words_that_are_gone_are_in_no_file(
    path: Path, storage: SQLiteStorage, how: str, size: int, searched: bool
) -> None:
    for number in range(40):
        words = f"{CANARY} number{number} " * (size if number % 4 == 1 else 2)
        said = words if number % 4 in {1, 2} else f"harmless {number} " * size
        storage.append(commit_of(storage, said))
        if searched and number % 7 == 0:
            storage.search("harmless", ["room:one"])
    storage.append(commit_of(storage, "another room", stream="room:two"))
    if searched:
        assert storage.search(CANARY, ["room:one"])
    assert in_files(path.parent, CANARY)

    if how == "erase":
        storage.erase("room:one", range(1, 41))
    else:
        storage.remove("room:one")

    assert in_files(path.parent, CANARY) == []
    assert storage.search(CANARY, ["room:one"]) == []
    storage.append(commit_of(storage, "and after", stream="room:two"))
    assert storage.search("after another", ["room:two"]) == []
    assert len(storage.search("after", ["room:two"])) == 1
    storage.close()
    assert in_files(path.parent, CANARY) == []


# 34 and 119 found words in the file when a removed stream's rows were deleted.
@pytest.mark.parametrize("seed", [0, 1, 2, 34, 119])
def test_no_copy_of_erased_words_is_left_in_unused_bytes(
    tmp_path: Path, seed: int
) -> None:
    """
    Rows that shrink or go make SQLite move their neighbours, and `secure_delete` leaves
    copies of those behind; words that were erased later were still in the file.
    """
    source = random.Random(seed)
    secrets: dict[str, list[int]] = {"room:a": [], "room:b": []}
    path = tmp_path / "lobby.db"
    with closing(SQLiteStorage(path, durability="relaxed")) as storage:
        for number in range(80):
            stream = source.choice(list(secrets))
            secret = source.random() < 0.4
            word = f"{CANARY}{source.randrange(50)} " if secret else f"plain{number} "
            text = word * source.choice([1, 5, 20, 50])
            storage.append(commit_of(storage, text, stream=stream))
            if secret:
                secrets[stream].append(storage.head(stream).version)
            if source.random() < 0.1:
                storage.search("plain1", [stream])
            if source.random() < 0.1 and secrets[stream]:
                storage.erase(stream, [secrets[stream].pop()])
        assert in_files(tmp_path, CANARY)

        if seed % 4:
            storage.remove("room:b")
        else:
            storage.erase("room:b", secrets["room:b"])
        storage.erase("room:a", secrets["room:a"])

        assert in_files(tmp_path, CANARY) == []
        before = storage.scan(), storage.search("plain1", ["room:a", "room:b"])
        storage.compact()
        assert (
            storage.scan(),
            storage.search("plain1", ["room:a", "room:b"]),
        ) == before
        assert in_files(tmp_path, CANARY) == []
        assert verify_stream(storage.read("room:a")).damages == ()


def test_compacting_gives_space_back_and_no_position_again(
    path: Path, storage: SQLiteStorage
) -> None:
    storage.append(commit_of(storage, "stays", "erased " * 9_000))
    storage.append(commit_of(storage, *["goes " * 9_000] * 9, stream="room:two"))
    storage.erase("room:one", [2])
    storage.remove("room:two")
    before = storage.scan()
    large = path.stat().st_size

    storage.compact()

    assert path.stat().st_size < large / 4
    assert storage.scan() == before
    assert storage.append(commit_of(storage, "next")) == 12
    with pytest.raises(StorageError), storage.writing():
        storage.compact()
    storage.close()
    with closing(SQLiteStorage(path)) as again:
        assert [record.position for record in again.scan()] == [1, 2, 12]


def test_a_stream_that_begins_anew_holds_nothing_of_the_old_one(
    path: Path, storage: SQLiteStorage
) -> None:
    storage.append(commit_of(storage, "old", "old"))
    storage.remove("room:one")
    storage.append(commit_of(storage, "new"))

    with closing(SQLiteStorage(path)) as again:
        assert [record.version for record in again.scan()] == [1]
        assert again.position() == 3


def test_a_row_that_is_half_zeros_is_damaged_and_not_erased(
    path: Path, storage: SQLiteStorage
) -> None:
    storage.append(commit_of(storage, "words"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE records SET body = zeroblob(length(body))")

    found = verify_stream(storage.read("room:one"))

    assert [one.problem for one in found.damages] == ["body"]
    assert found.erased == ()


@pytest.mark.parametrize("size", [1, 30, 40_000])
def test_a_removed_blob_is_in_no_file(
    path: Path, storage: SQLiteStorage, size: int
) -> None:
    harmless = [storage.put_blob([f"harmless {n} ".encode() * 9]) for n in range(40)]
    secret = [
        storage.put_blob([f"{CANARY} {number} ".encode() * size]) for number in range(9)
    ]
    assert in_files(path.parent, CANARY)

    for digest in (*harmless[::3], *secret, *harmless[1::3]):
        storage.remove_blob(digest)

    assert in_files(path.parent, CANARY) == []
    assert b"".join(storage.blob(harmless[2])) == b"harmless 2 " * 9


def test_words_stay_beside_a_reader_and_it_is_said(path: Path, tmp_path: Path) -> None:
    with (
        closing(SQLiteStorage(path, busy_timeout=0)) as storage,
        closing(sqlite3.connect(path, isolation_level=None)) as reader,
    ):
        storage.append(commit_of(storage, CANARY))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchone()

        with pytest.raises(StorageBusy):
            storage.erase("room:one", [1])

        assert storage.read("room:one")[0].body is None
        reader.execute("COMMIT")
        storage.erase("room:one", [1])
        assert in_files(tmp_path, CANARY) == []


def test_beside_a_reader_only_the_erasing_is_late_and_a_later_commit_ends_it(
    path: Path, tmp_path: Path
) -> None:
    with (
        closing(SQLiteStorage(path, busy_timeout=1)) as storage,
        closing(sqlite3.connect(path, isolation_level=None)) as reader,
    ):
        storage.append(commit_of(storage, CANARY))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchone()
        with pytest.raises(StorageBusy):
            storage.erase("room:one", [1])

        began = perf_counter()
        for number in range(2, 5):  # each of them is stored, so none may raise
            storage.append(commit_of(storage, f"word {number}"))
        assert perf_counter() - began < 1  # and none waits for the reader
        assert in_files(tmp_path, CANARY)

        reader.execute("COMMIT")
        storage.append(commit_of(storage, "the next one"))
        assert in_files(tmp_path, CANARY) == []
