"""
Records as rows of a SQLite file.

Two laws. Each statement is a constant, prepared once, and every value is bound. And
what was erased is zeros of the same length in its place (see `schema`): no body begins
with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rooms.log.records import Record, erased

__all__ = [
    "DROP_DEAD",
    "ERASE",
    "INSERT",
    "MESSAGES",
    "MESSAGES_BACK",
    "READ",
    "READ_HEADERS",
    "REMOVE",
    "SCAN",
    "records_of",
    "rows_of",
    "scanned",
    "without_words",
]

_COLUMNS = (
    "version, type, schema, critical, at, header, body, salt, digest, chain, seq,"
    " position"
)
_OF_STREAM = (
    f"SELECT {_COLUMNS} FROM streams CROSS JOIN records"  # noqa: S608 - constants
    " ON records.stream = streams.id WHERE streams.name = ?"
)

READ = f"{_OF_STREAM} AND version > ? ORDER BY version LIMIT ?"
READ_HEADERS = (
    "SELECT version, type, schema, critical, at, header, digest, chain"
    " FROM streams CROSS JOIN records ON records.stream = streams.id"
    " WHERE streams.name = ? AND version > ? ORDER BY version LIMIT ?"
)
MESSAGES = f"{_OF_STREAM} AND seq > ? ORDER BY seq LIMIT ?"
MESSAGES_BACK = f"{_OF_STREAM} AND seq < ? ORDER BY seq DESC LIMIT ?"
SCAN = (
    f"SELECT streams.name, {_COLUMNS} FROM records CROSS JOIN streams"  # noqa: S608
    " ON streams.id = records.stream WHERE position > ? ORDER BY position LIMIT ?"
)
INSERT = (
    f"INSERT INTO records ({_COLUMNS}, stream)"  # noqa: S608 - constants
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
"""Takes the fields of a record in their order, its position, its stream's number."""

ERASE = (
    "UPDATE records SET body = zeroblob(length(body)), salt = zeroblob(length(salt))"
    " WHERE stream = ? AND version = ? AND body IS NOT NULL"
)
REMOVE = (
    "UPDATE records SET header = zeroblob(length(header)),"
    " digest = zeroblob(length(digest)), chain = zeroblob(length(chain)),"
    " body = CASE WHEN body IS NULL THEN NULL ELSE zeroblob(length(body)) END,"
    " salt = CASE WHEN salt IS NULL THEN NULL ELSE zeroblob(length(salt)) END"
    " WHERE stream = ?"
)
# The last row stays: its position is never given again.
_DROP_REMOVED = (
    "DELETE FROM records WHERE stream NOT IN (SELECT id FROM streams)"
    " AND position < (SELECT max(position) FROM records)"
)
_DROP_ERASED = (
    "UPDATE records SET body = NULL, salt = NULL WHERE substr(body, 1, 1) = x'00'"
    " AND trim(hex(body) || coalesce(hex(salt), ''), '0') = ''"
)
DROP_DEAD = (_DROP_REMOVED, _DROP_ERASED)
"""To be followed by writing the file anew, or copies of words would stay."""


def rows_of(
    records: Iterable[Record], position: int, streams: Mapping[str, int]
) -> list[tuple[Any, ...]]:
    """What `INSERT` takes, of records from a position on, each of a numbered stream."""
    return [
        record[1:-1] + (place, streams[record[0]])  # noqa: RUF005 - twice as long
        for place, record in enumerate(records, position)
    ]


def records_of(stream: str, rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    """The records of rows that a query of one stream gave."""
    make = tuple.__new__  # calling the class takes twice as long
    return [
        make(Record, (stream, v, t, f, c == 1, at, header, body, salt, d, chain, s, p))
        if type(body) is not bytes or body[:1] != b"\0"
        else _without_zeros(
            Record(stream, v, t, f, c == 1, at, header, body, salt, d, chain, s, p)
        )
        for v, t, f, c, at, header, body, salt, d, chain, s, p in rows
    ]


def without_words(stream: str, rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    """The records of rows that `READ_HEADERS` gave."""
    make = tuple.__new__  # as above
    return [
        make(Record, (stream, v, t, f, c == 1, at, head, None, None, d, chain, None, 0))
        for v, t, f, c, at, head, d, chain in rows
    ]


def scanned(rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    """The records of rows that `SCAN` gave, each with its stream's name."""
    return [record for name, *row in rows for record in records_of(name, [tuple(row)])]


def _without_zeros(record: Record) -> Record:
    """The record as erased; with any other byte left it is damaged, and stays so."""
    parts = (record.body or b"", record.salt or b"")
    zeros = all(type(part) is bytes and not part.strip(b"\0") for part in parts)
    return erased(record) if zeros else record
