"""A stream that was changed is told by record and problem; erasing is no damage."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rooms.errors import CorruptLog, UnsupportedSchema
from rooms.log.records import (
    GENESIS,
    Commit,
    Record,
    body_digest,
    canonical,
    chained,
    changed,
    erased,
)
from rooms.log.verification import Damage, verify_stream
from rooms.storage import SQLiteStorage

ROOM = "room:one"
FLIPS = 200


def stream_of(count: int, stream: str = ROOM) -> list[Record]:
    """Every second record is a message."""
    before, records = GENESIS, []
    for version in range(1, count + 1):
        body = canonical({"text": f"words of {version} " * 5})
        salt = b"salt%12d" % version
        seq = version // 2 if version % 2 == 0 else None
        draft = Record(
            stream=stream,
            version=version,
            type="message_posted" if seq else "noted",
            schema=1,
            critical=version % 3 == 0,
            at=1_000 + version,
            header=canonical({"by": "c-1", **({"seq": seq} if seq else {})}),
            body=body if seq else None,
            salt=salt if seq else None,
            digest=body_digest(body if seq else None, salt if seq else None),
            chain=b"",
            seq=seq,
            position=version,
        )
        records.append(changed(draft, chain=chained(before, draft)))
        before = records[-1].chain
    return records


def problems(records: list[Record]) -> list[tuple[int, str]]:
    return [(one.version, one.problem) for one in verify_stream(records).damages]


def test_a_good_stream_has_no_damage() -> None:
    records = stream_of(9)

    found = verify_stream(records)

    assert found.damages == ()
    assert found.erased == ()
    assert found.records == 9
    assert found.chain == records[-1].chain


def test_erased_words_are_told_and_are_no_damage() -> None:
    records = stream_of(9)
    records[3] = erased(records[3])

    found = verify_stream(iter(records))

    assert found.damages == ()
    assert found.erased == (4,)


@pytest.mark.parametrize(
    ("version", "change", "problem"),
    [
        (4, {"header": b"{}"}, "chain"),
        (4, {"type": "noted"}, "chain"),
        (4, {"schema": 2}, "chain"),
        (4, {"critical": True}, "chain"),
        (4, {"at": 1_003}, "chain"),
        (4, {"stream": "room:two"}, "chain"),
        (4, {"body": b'{"text":"forged"}'}, "body"),
        (4, {"salt": b"another"}, "body"),
        (4, {"salt": None}, "body"),
        (4, {"salt": b"more than 16 bytes"}, "body"),
        (4, {"body": None}, "body"),
        (3, {"body": b"{}"}, "body"),
        (4, {"seq": None}, "seq"),
        (4, {"position": 3}, "order"),
        (4, {"header": "text"}, "fields"),
        (4, {"version": "4"}, "fields"),
        (4, {"body": 7}, "fields"),
    ],
)
def test_one_changed_field_is_one_report(
    version: int, change: dict[str, Any], problem: str
) -> None:
    records = stream_of(9)
    records[version - 1] = changed(records[version - 1], **change)

    assert problems(records)[0] == (version, problem)
    assert {at for at, _ in problems(records)} <= {version, version + 1, version + 2}


def test_a_number_of_the_transcript_that_was_changed_is_told() -> None:
    records = stream_of(9)
    records[3] = changed(records[3], seq=7)

    assert problems(records) == [(4, "seq"), (6, "seq")]


def test_a_digest_that_was_changed_with_its_body_breaks_the_chain() -> None:
    records = stream_of(9)
    body = b'{"text":"forged"}'
    records[3] = changed(
        records[3], body=body, digest=body_digest(body, records[3].salt)
    )

    assert problems(records) == [(4, "chain")]


def test_records_that_are_gone_doubled_or_swapped_are_told() -> None:
    good = stream_of(9)

    assert problems(good[:3] + good[4:])[0] == (5, "gap")
    assert problems(good[:4] + good[3:])[0] == (4, "gap")
    assert problems([good[0], good[2], good[1], *good[3:]])[0] == (3, "gap")


def test_a_time_that_falls_is_told() -> None:
    one = stream_of(1)[0]
    draft = changed(one, version=2, at=one.at - 1, chain=b"", position=2)
    two = changed(draft, chain=chained(one.chain, draft))

    assert verify_stream([one, two]).damages == (Damage(ROOM, 2, "time"),)


def everything(path: Path) -> dict[str, list[Record]]:
    storage = SQLiteStorage(path)
    try:
        return {name: storage.read(name) for name in storage.streams()}
    finally:
        storage.close()


def test_no_flipped_bit_passes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    storage = SQLiteStorage(path)
    for stream in ("room:a", "room:b"):
        storage.append(Commit(tuple(stream_of(200, stream))))
    storage.close()
    good = everything(path)
    content = path.read_bytes()
    source = random.Random(20_261)
    noticed = unchanged = 0

    for number in range(FLIPS):
        at, bit = source.randrange(100, len(content)), source.randrange(8)
        flipped = bytearray(content)
        flipped[at] ^= 1 << bit
        damaged = tmp_path / f"{number}.db"
        damaged.write_bytes(flipped)
        try:
            found = everything(damaged)
        except (CorruptLog, UnsupportedSchema):
            noticed += 1
            continue
        reports = {
            name: verify_stream(records).damages for name, records in found.items()
        }
        for name, records in good.items():
            if found.get(name) == records:
                assert reports[name] == ()
                continue
            whole = len(found.get(name, [])) == len(records)
            assert reports.get(name) or not whole, (number, at, bit)
            noticed += 1
        unchanged += found == good

    assert noticed > FLIPS / 3  # the others hit indexes and free space
    assert noticed + unchanged >= FLIPS


def test_a_changed_record_is_named_and_the_other_stream_is_well(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    storage = SQLiteStorage(path)
    for stream in ("room:a", "room:b"):
        storage.append(Commit(tuple(stream_of(60, stream))))
    storage.close()
    changed = path.read_bytes().replace(b"words of 42 ", b"words of 43 ", 1)
    path.write_bytes(changed)

    found = everything(path)

    assert verify_stream(found["room:a"]).damages == (Damage("room:a", 42, "body"),)
    assert verify_stream(found["room:b"]).damages == ()


def test_a_text_that_is_no_utf8_any_more_names_its_record(tmp_path: Path) -> None:
    path = tmp_path / "lobby.db"
    storage = SQLiteStorage(path)
    storage.append(Commit(tuple(stream_of(5))))
    storage.close()
    with sqlite3.connect(path) as opened:
        opened.execute(
            "UPDATE records SET type = CAST(x'6eff' AS TEXT) WHERE version = 3"
        )
    opened.close()

    assert problems(everything(path)[ROOM]) == [(3, "chain")]

    storage = SQLiteStorage(path)
    with sqlite3.connect(path) as opened:
        opened.execute("UPDATE keys SET key = 'x'")
        opened.execute("INSERT INTO keys VALUES ('k', CAST(x'ff' AS TEXT))")
    opened.close()
    with pytest.raises(CorruptLog):
        storage.find("k")
    storage.close()
