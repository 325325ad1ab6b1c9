"""Decoding: what is read quickly is what a careful look at the record gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from effort import sized
from rooms.errors import CorruptLog
from rooms.lobby.transfer import import_log
from rooms.log import events
from rooms.log.events import Fact, Unknown, decoded
from rooms.log.records import Record, changed
from rooms.storage import MemoryStorage

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def recorded() -> list[Record]:
    records: list[Record] = []
    for path in sorted(GOLDEN.glob("*.jsonl")):
        storage = MemoryStorage()
        import_log(path.read_text("ascii").splitlines(keepends=True), storage)
        records += storage.scan(limit=10_000)
    return records


RECORDS = recorded()


def outcome(record: Record) -> tuple[str, Fact | None]:
    """The fact of a record and its text, as the careful look has it; or its fault."""
    try:
        fact = events._carefully(record)
    except CorruptLog as fault:
        return str(fault), None
    return repr(fact), fact


def quickly(record: Record) -> tuple[str, Fact | None]:
    try:
        fact = decoded(record)
    except CorruptLog as fault:
        return str(fault), None
    return repr(fact), fact


def test_every_golden_record_is_read_alike() -> None:
    for record in RECORDS:
        assert quickly(record) == outcome(record)


def test_nearly_all_are_read_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    careful = events._carefully
    slow: list[Record] = []

    def look(record: Record) -> Fact:
        slow.append(record)
        return careful(record)

    monkeypatch.setattr(events, "_carefully", look)
    for record in RECORDS:
        decoded(record)

    assert len(slow) < len(RECORDS) / 20


def test_what_is_damaged_is_read_alike() -> None:
    random = Random(7)
    for _ in range(sized(3_000, 20_000)):
        record = random.choice(RECORDS)
        field = random.choice(["header", "body"])
        content = bytearray(getattr(record, field) or b"{}")
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(content) + 1)
            content[place : place + random.randint(0, 2)] = random.choice(
                [b"", b" ", b"]", b"[", b'"', b"{", b"}", b",", b"0", b"\xff", b"null"]
            )
        damaged = changed(record, **{field: bytes(content)})

        assert quickly(damaged) == outcome(damaged)


@pytest.mark.parametrize(
    "header",
    [
        *(b"", b" ", b"[]", b"3", b'"x"', b"null", b'{"by":1', b"{}", b" {}"),
        b'\xef\xbb\xbf{"by":"system","rules":1,"paused":true}',
        b'{"by":"system","rules":1,"paused":true} ',
        b' {"by":"system","rules":1,"paused":true}',
        b'{"by":"system","rules":1,"paused":true}{}',
        b'{"by":"system","rules":1,"paused":true,"paused":false}',
        b'{"by":"system","rules":1}',
        b'{"rules":1,"paused":true}',
        b'{"by":"system","rules":1,"paused":true,"later":[1]}',
        b'{"by":"system","rules":1,"paused":true,"TYPE":"x","fields":0}',
        b'{"by":"system","rules":1,"paused":[[1]],"keys":[["a","b"]]}',
        '{"by":"sýstem","rules":1,"paused":true}'.encode(),
        '{"by":"system","rules":1,"paused":true}'.encode("utf-16"),
        b"[" * 100_000,
    ],
)
def test_odd_headers_are_read_alike(header: bytes) -> None:
    form = ("room_paused", 1, True, 5)
    record = Record("room:1", 1, *form, header, None, None, b"", b"")

    assert quickly(record) == outcome(record)


def test_only_folding_goes_without_words() -> None:
    for record in RECORDS:
        whole, bare = decoded(record), decoded(record, words=False)
        if isinstance(whole.event, Unknown):
            assert whole == bare
            continue
        header, _ = whole.event.fields()

        assert whole._replace(event=bare.event) == bare
        assert [getattr(whole.event, name) for name in header] == [
            getattr(bare.event, name) for name in header
        ]
