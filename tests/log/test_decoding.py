"""Decoding: what is read quickly is what a careful look at the record gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from effort import sized
from rooms.errors import CorruptLog
from rooms.lobby.transfer.log import import_log
from rooms.log import events
from rooms.log.events import Fact, Unknown, decoded, followed
from rooms.log.records import GENESIS, Record, chained, changed
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


def folded(records: list[Record]) -> list[Fact]:
    """The facts of records as folding has them, each behind its own beginning."""
    facts = []
    for record in records:
        alone = changed(record, chain=chained(GENESIS, record))
        facts += followed([alone], record.version - 1, GENESIS)
    return facts


def quickly(record: Record) -> tuple[str, Fact | None]:
    try:
        fact = decoded(record)
    except CorruptLog as fault:
        return str(fault), None
    (bare,) = folded([record])
    assert bare[:4] == fact[:4]
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
        b'{"by":"system","rules":1,"paused":true,"keys":"ab"}',
        b'{"by":"system","rules":1,"paused":true,"keys":0}',
        '{"by":"sýstem","rules":1,"paused":true}'.encode(),
        '{"by":"system","rules":1,"paused":true}'.encode("utf-16"),
        b"[" * 100_000,
    ],
)
def test_odd_headers_are_read_alike(header: bytes) -> None:
    form = ("room_paused", 1, True, 5)
    record = Record("room:1", 1, *form, header, None, None, b"", b"")

    assert quickly(record) == outcome(record)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{}", b" {}", b"{} ", b"[]", b'["text"]', b'"text"', b"3", b"{}{}"),
        b'{"text":"a","unresolved":["b",["c",["d"]],{"e":[1]}]}',
        b'{"unresolved":[],"text":"a","correlation":"b"}',
        b'{"text":["a",["b"]],"unresolved":"c"}',
        b'{"text":"a","later":"b"}',
        b'{"text":"a","seq":2}',
        b'{"text":"a","text":"b"}',
        b'{"text":"a","keys":[["b","c"],["d","e"]]}',
        *(b'{"text":"a","keys":%b}' % odd for odd in (b'"bc"', b"0", b"{}", b"null")),
        '{"text":"ä"}'.encode("latin-1"),
    ],
)
def test_odd_words_are_read_alike(body: bytes) -> None:
    header = b'{"by":"system","rules":1,"seq":1,"sender":"","author":"a"%b}'
    form = ("message_posted", 1, True, 5)
    for keys in (b"", b',"keys":[["f","g"]]'):
        place = (*form, header % keys, body, b"salt", b"digest", b"")
        record = Record("room:1", 1, *place)

        assert quickly(record) == outcome(record)


def test_what_is_folded_is_read_alike_without_its_words() -> None:
    for record, bare in zip(RECORDS, folded(RECORDS), strict=True):
        whole = decoded(record)
        assert bare[:4] == whole[:4]
        if isinstance(whole.event, Unknown):
            assert whole == bare
            continue
        header, _ = whole.event.fields()

        assert type(whole.event) is type(bare.event)
        assert [getattr(whole.event, name) for name in header] == [
            getattr(bare.event, name) for name in header
        ]


def test_the_actor_of_a_record_hides_no_field_of_its_event() -> None:
    for kind in events.registered().values():
        header, body = kind.fields()
        assert not {"by", "rules", "keys", "consents"} & {*header, *body}


SPANNING = [
    [b'{"by":"a","rules":1,"paused":[1', b"2]}", b'{"by":"a","rules":1},{"x":2}'],
    [b'{"by":"a","rules":1,"paused":true},{}', b" ", b"{}"],
    [b"3", b"{}", b"{}"],
    [b"", b"{},{}", b"{}"],
    [b"{}] ,[{}", b"{}", b"{}"],
]


@pytest.mark.parametrize("headers", SPANNING)
def test_no_header_ends_in_another(headers: list[bytes]) -> None:
    records: list[Record] = []
    chain = GENESIS
    for version, header in enumerate(headers, 1):
        form = ("room_paused", 1, True, 5)
        record = Record("room:1", version, *form, header, None, None, b"", b"")
        chain = chained(chain, record)
        records.append(changed(record, chain=chain))

    with pytest.raises(CorruptLog):
        followed(records, 0, GENESIS)


def test_nothing_is_followed_behind_what_was_changed() -> None:
    storage = MemoryStorage()
    path = GOLDEN / "turns.jsonl"
    import_log(path.read_text("ascii").splitlines(keepends=True), storage)
    (stream,) = storage.streams("room:")
    records = storage.read(stream)
    assert len(followed(records, 0, GENESIS)) == len(records)
    assert followed(records, 1, GENESIS) == []
    assert followed(records, 0, b"x" * 32) == []
    assert followed([], 0, GENESIS) == []

    at = len(records) // 2
    for field, value in (
        *(("version", at), ("version", None), ("at", records[at].at + 1), ("at", "1")),
        *(("type", "another"), ("type", None), ("schema", 2), ("critical", False)),
        *(("header", b"{}"), ("header", "{}"), ("digest", b"x"), ("chain", b"x")),
    ):
        damaged = [*records]
        damaged[at] = changed(records[at], **{field: value})
        if damaged[at] == records[at]:
            continue

        assert len(followed(damaged, 0, GENESIS)) == at
