"""
What a record's fields may be, one by one: the same alone, behind another one in a
commit, and in either storage.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.log.records import Commit, Record, changed
from rooms.storage import MemoryStorage, SQLiteStorage
from rooms.testing.conformance import record_of

ROOM = "room:one"
LARGEST = 2**63 - 1


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Content(bytes):
    pass


class Further(Record):
    __slots__ = ()


GOOD: tuple[tuple[str, Any], ...] = (
    ("type", ""),
    ("type", "é"),
    ("schema", 0),
    ("schema", LARGEST),
    ("critical", True),
    ("critical", False),
    ("at", 0),
    ("at", LARGEST),
    ("at", -LARGEST),
    ("header", b""),
    ("body", None),
    ("body", b"\1"),
    ("body", b"\1\0"),
    ("body", b"\xff"),
    ("salt", None),
    ("salt", b""),
    ("digest", b""),
    ("chain", b""),
    ("seq", None),
    ("seq", 1),
    ("seq", LARGEST - 1),
)
BAD: tuple[tuple[str, Any], ...] = (
    *((name, None) for name in ("stream", "version", "type", "schema", "at")),
    *((name, None) for name in ("critical", "header", "digest", "chain")),
    *((name, Text("room:one")) for name in ("stream", "type")),
    *((name, b"room:one") for name in ("stream", "type")),
    *((name, "\ud83d") for name in ("stream", "type")),
    *((name, True) for name in ("version", "schema", "at", "seq")),
    *((name, 2.0) for name in ("version", "schema", "at", "seq")),
    *((name, "2") for name in ("version", "schema", "at", "seq")),
    *((name, Number(2)) for name in ("version", "schema", "at", "seq")),
    *((name, LARGEST + 1) for name in ("version", "schema", "at", "seq")),
    *((name, 2**64) for name in ("version", "schema", "at", "seq")),
    *((name, -1) for name in ("version", "schema", "seq")),
    ("version", 0),
    ("at", -LARGEST - 1),
    ("seq", 0),
    ("seq", LARGEST),
    ("critical", 1),
    ("critical", 0),
    *((name, "x") for name in ("header", "body", "salt", "digest", "chain")),
    *((name, bytearray(b"x")) for name in ("header", "body", "salt", "digest")),
    *((name, Content(b"x")) for name in ("header", "body", "salt", "digest")),
    *((name, memoryview(b"x")) for name in ("body", "salt", "chain")),
    ("chain", Content(b"x")),
    ("body", b""),
    ("body", b"\0"),
    ("body", b"\0x"),
)


def commits(record: Any) -> tuple[Commit, ...]:
    """A record of version 2 alone, and as the first or the second of two."""
    one = record_of(ROOM, 1)
    return (
        Commit((record,)),
        Commit((record, record_of(ROOM, 3))),
        Commit((one, record)),
    )


def storages(path: Path) -> list[Any]:
    return [MemoryStorage(), SQLiteStorage(path / "lobby.db", durability="relaxed")]


@pytest.mark.parametrize(("name", "value"), GOOD)
def test_what_a_field_may_be_is_read_as_it_was(
    tmp_path: Path, name: str, value: Any
) -> None:
    fields = {"seq": 7, "body": b"{}", name: value}
    for place in range(3):
        (tmp_path / str(place)).mkdir()
        for storage in storages(tmp_path / str(place)):
            with closing(storage):
                if place < 2:
                    storage.append(Commit((record_of(ROOM, 1),)))
                record = changed(record_of(ROOM, 2, "x", seq=7), **fields)

                storage.append(commits(record)[place])

                [found] = storage.read(ROOM, after=1, limit=1)
                assert found == changed(record, position=2)
                assert [type(one) for one in found] == [
                    type(one) for one in changed(record, position=2)
                ]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_what_a_field_may_not_be_is_refused(
    tmp_path: Path, name: str, value: Any
) -> None:
    bad = changed(record_of(ROOM, 2, "x", seq=7), **{name: value})
    for storage in storages(tmp_path):
        with closing(storage):
            storage.append(Commit((record_of("room:two", 1),)))
            alone, first, second = commits(bad)
            with pytest.raises(InvalidInput):
                storage.append(second)
            storage.append(Commit((record_of(ROOM, 1),)))
            for commit in (alone, first):
                with pytest.raises(InvalidInput):
                    storage.append(commit)

            assert storage.position() == 2
            assert storage.append(Commit((record_of(ROOM, 2),))) == 3


@pytest.mark.parametrize(
    "bad",
    [
        None,
        tuple(record_of(ROOM, 2)),
        list(record_of(ROOM, 2)),
        Further(*record_of(ROOM, 2)),
        SimpleNamespace(**record_of(ROOM, 2)._asdict()),
    ],
    ids=["none", "a tuple", "a list", "a subclass", "a likeness"],
)
def test_what_is_no_record_is_refused(tmp_path: Path, bad: Any) -> None:
    for storage in storages(tmp_path):
        with closing(storage):
            storage.append(Commit((record_of(ROOM, 1),)))
            for commit in (Commit((bad,)), Commit((bad, bad))):
                with pytest.raises(InvalidInput):
                    storage.append(commit)

            assert storage.position() == 1


def test_what_is_no_commit_is_refused(tmp_path: Path) -> None:
    likeness: Any = SimpleNamespace(
        records=(record_of(ROOM, 1),), guards={}, add={}, release=(), due={}
    )
    for storage in storages(tmp_path):
        with closing(storage):
            for bad in (likeness, None, record_of(ROOM, 1), (record_of(ROOM, 1),)):
                with pytest.raises(InvalidInput):
                    storage.append(bad)

            assert storage.position() == 0
