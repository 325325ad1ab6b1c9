"""The doctor says what is wrong with a file, and touches nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rooms.errors import InvalidInput
from rooms.storage import Finding, SQLiteStorage, diagnose
from rooms.storage.doctor import _of_sqlite
from rooms.testing.conformance import commit_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lobby.db"
    with closing(SQLiteStorage(path)) as storage:
        storage.append(commit_of(storage, "a" * 5_000, "b" * 5_000))
    return path


def codes(path: Path) -> set[str]:
    """What is said of the file; of SQLite itself another test speaks."""
    before = path.read_bytes() if path.is_file() else b""
    found = {finding.code for finding in diagnose(path)}

    assert (path.read_bytes() if path.is_file() else b"") == before
    return found - {"sqlite_wal_reset"}


def test_a_good_file_has_no_findings(path: Path) -> None:
    assert codes(path) == set()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((3, 36, 0), ["sqlite_too_old"]),
        ((3, 37, 0), ["sqlite_wal_reset"]),
        ((3, 51, 2), ["sqlite_wal_reset"]),
        ((3, 51, 3), []),
        ((3, 54, 1), []),
    ],
)
def test_a_sqlite_with_the_reset_fault_is_warned_of(
    version: tuple[int, ...], expected: list[str]
) -> None:
    assert [finding.code for finding in _of_sqlite(version)] == expected


def test_a_file_that_others_may_read_is_warned_of(path: Path) -> None:
    path.chmod(0o644)

    assert codes(path) == {"readable_by_others"}


def test_what_is_no_database_or_not_ours_is_foreign(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("no database " * 100)
    text.chmod(0o644)
    with closing(sqlite3.connect(other)) as opened:
        opened.execute("CREATE TABLE notes (text)")
    other.chmod(0o644)

    assert codes(text) == codes(other) == {"foreign"}
    assert codes(tmp_path / "none") == {"missing"}
    assert codes(tmp_path) == {"missing"}


def test_triggers_of_others_are_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as opened:
        opened.execute(
            "CREATE TRIGGER t AFTER INSERT ON keys BEGIN DELETE FROM records; END"
        )

    assert codes(path) == {"foreign"}


def test_of_what_no_opening_takes_nothing_is_said_but_that(path: Path) -> None:
    path.chmod(0o644)
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA user_version = 999")
        opened.execute("PRAGMA journal_mode = DELETE")

    assert codes(path) == {"foreign"}


def test_a_damaged_structure_is_an_error(path: Path) -> None:
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    for page in range(2, len(content) // size):
        content[page * size : page * size + 8] = b"\xff" * 8
    path.write_bytes(content)

    (worst, *_) = diagnose(path)

    assert (worst.level, worst.code) == ("error", "damaged")


def test_a_log_that_was_left_is_told(path: Path) -> None:
    with closing(SQLiteStorage(path)) as storage:
        storage.append(commit_of(storage, "in the log"))

        assert codes(path) == {"wal_left"}


def test_another_journal_mode_and_free_pages_are_told(path: Path) -> None:
    with closing(SQLiteStorage(path)) as storage:
        digest = storage.put_blob([b"x" * 9_000_000])
        storage.remove_blob(digest)
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")

    assert codes(path) == {"no_wal", "free_pages"}


def test_the_worst_comes_first(path: Path) -> None:
    path.write_text("no database " * 100)
    path.chmod(0o666)

    found = diagnose(path)

    assert [finding.level for finding in found] == sorted(
        (finding.level for finding in found), key=["error", "warning", "notice"].index
    )
    assert found[0] == Finding("error", "foreign", "the file is no database")


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(InvalidInput):
        diagnose(":memory:")
