"""
Records as rows of a SQLite file.

One law: each statement is a constant, prepared once, and every value is bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rooms.log.records import Record

__all__ = [
    "INSERT",
    "MESSAGES",
    "MESSAGES_BACK",
    "READ",
    "SCAN",
    "records_of",
    "row_of",
]

_COLUMNS = (
    "version, type, schema, critical, at, header, body, salt, digest, chain, seq,"
    " position"
)
_OF_STREAM = (
    f"SELECT ?1, {_COLUMNS} FROM records WHERE stream ="  # noqa: S608 - constants
    " (SELECT id FROM streams WHERE name = ?1)"
)

READ = f"{_OF_STREAM} AND version > ?2 ORDER BY version LIMIT ?3"
MESSAGES = f"{_OF_STREAM} AND seq > ?2 ORDER BY seq LIMIT ?3"
MESSAGES_BACK = f"{_OF_STREAM} AND seq < ?2 ORDER BY seq DESC LIMIT ?3"
SCAN = (
    f"SELECT streams.name, {_COLUMNS} FROM records CROSS JOIN streams"  # noqa: S608
    " ON streams.id = records.stream WHERE position > ? ORDER BY position LIMIT ?"
)
INSERT = (
    f"INSERT INTO records (stream, {_COLUMNS})"  # noqa: S608 - constants
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def row_of(stream: int, record: Record, position: int) -> tuple[Any, ...]:
    """The values that `INSERT` takes."""
    return (
        stream,
        record.version,
        record.type,
        record.schema,
        record.critical,
        record.at,
        record.header,
        record.body,
        record.salt,
        record.digest,
        record.chain,
        record.seq,
        position,
    )


def records_of(rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    """The records of rows that a query of this module gave."""
    return [
        # In the order of the fields: by name it takes half as long again.
        Record(stream, v, kind, form, critical == 1, at, header, body, salt, d, c, s, p)
        for stream, v, kind, form, critical, at, header, body, salt, d, c, s, p in rows
    ]
