"""Records and commits to try a storage with, and all that a commit can change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rooms.log.records import (
    GENESIS,
    Commit,
    Record,
    body_digest,
    canonical,
    chained,
    changed,
)
from rooms.storage.protocol import Storage

__all__ = ["HOSTILE", "OTHER", "ROOM", "commit_of", "kept", "placed", "record_of"]

ROOM, OTHER = "room:one", "room:two"
HOSTILE = ('"', "a\0b", "NEAR(a b)", "stream:x", "*", "a OR", "ﬃ\u0301" * 50, "💥")


def record_of(
    stream: str,
    version: int,
    text: str | None = None,
    *,
    seq: int | None = None,
    before: bytes = GENESIS,
    at: int = 0,
) -> Record:
    """A good record: a message where it has a text and a seq."""
    body = None if text is None else canonical({"text": text})
    salt = None if body is None else b"salt of 16 bytes"
    record = Record(
        stream=stream,
        version=version,
        type="noted" if text is None else "message_posted",
        schema=1,
        critical=version % 2 == 0,
        at=at or version,
        header=canonical({"by": "c-1", "n": version}),
        body=body,
        salt=salt,
        digest=body_digest(body, salt),
        chain=b"",
        seq=seq,
    )
    return changed(record, chain=chained(before, record))


def commit_of(
    storage: Storage,
    *texts: str | None,
    stream: str = ROOM,
    keys: Mapping[str, str] | None = None,
    release: Sequence[str] = (),
    guards: Mapping[str, int] | None = None,
    due: Mapping[str, int | None] | None = None,
) -> Commit:
    """A commit of one record for each text, after what the stream holds now."""
    head = storage.head(stream)
    last = storage.messages(stream, newest_first=True, limit=1)
    seq = (last[0].seq or 0) if last else 0
    version, before = head.version, head.chain
    records = []
    for text in texts:
        version += 1
        seq += text is not None
        record = record_of(
            stream,
            version,
            text,
            seq=None if text is None else seq,
            before=before,
        )
        before = record.chain
        records.append(record)
    return Commit(
        tuple(records),
        add=dict(keys or {}),
        release=tuple(release),
        guards=dict(guards or {}),
        due=dict(due or {}),
    )


def kept(storage: Storage) -> list[Any]:
    """All that a commit can change."""
    return [
        storage.scan(),
        storage.streams(),
        [storage.find(key) for key in ("k-1", "k-2", "k-3")],
        storage.due(1_000_000),
        storage.next_due(),
        [storage.head(stream) for stream in (ROOM, OTHER)],
    ]


def placed(record: Record, position: int) -> Record:
    """The record as it is read at a position."""
    return changed(record, position=position)
