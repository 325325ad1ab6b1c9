"""
The floor that a storage is compared with: the same rows, written by bare statements.

A floor writes what a record needs and knows nothing: no stream's version, no chain, no
key. Its file stands in the working folder, on the disk where the other side's is.
"""

from __future__ import annotations

import sqlite3
from itertools import count
from pathlib import Path
from typing import Any

from rooms.log.records import Record, canonical

__all__ = ["Floor", "record"]

HEADER = canonical(
    {
        "by": "c-17",
        "seq": 123_456,
        "woken": [["c-2", "tagged"], ["c-3", "tagged"]],
        "to": ["agent:ben-web", "agent:Eve/acme-renewal"],
        "hops": 1,
    }
)
BODY = canonical({"text": "Leave the connector alone for an hour, please. " * 3})
SALT, DIGEST, CHAIN = b"s" * 16, b"d" * 32, b"c" * 32
AT = 1_700_000_000_000_000
TABLE = """
CREATE TABLE events (
  position INTEGER PRIMARY KEY, stream INTEGER, version INTEGER, type TEXT,
  schema INTEGER, critical INTEGER, at INTEGER, header BLOB, body BLOB, salt BLOB,
  digest BLOB, chain BLOB, seq INTEGER, UNIQUE (stream, version)
)
"""
INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
PAGE = """
SELECT version, type, schema, critical, at, header, body, salt, digest, chain, seq,
  position FROM events WHERE stream = 1 AND version > ? ORDER BY version LIMIT 50
"""


def record(stream: str, version: int, seq: int | None) -> Record:
    """A record as wide as a message's, whose chain fits nothing."""
    body, salt = (BODY, SALT) if seq else (None, None)
    form = ("message_posted", 1, False, AT + version)
    return Record(stream, version, *form, HEADER, body, salt, DIGEST, CHAIN, seq)


class Floor:
    """A bare database with prepared statements, as durable as it is asked to be."""

    def __init__(self, path: Path, durability: str, *, stream: int = 1) -> None:
        self.raw = sqlite3.connect(path, isolation_level=None, timeout=60)
        self.raw.execute("PRAGMA journal_mode = WAL")
        synchronous = {"full": "FULL", "relaxed": "NORMAL"}[durability]
        self.raw.execute(f"PRAGMA synchronous = {synchronous}")
        self.raw.execute(TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
        self._stream, self._versions = stream, count(1)

    def insert(self, size: int = 1) -> None:
        """So many rows in one commit."""
        values = []
        for _ in range(size):
            at = next(self._versions)
            row = (None, self._stream, at, "message_posted", 1, 0, AT + at)
            values.append((*row, HEADER, BODY, SALT, DIGEST, CHAIN, at))
        self.raw.execute("BEGIN IMMEDIATE")
        if size == 1:
            self.raw.execute(INSERT, values[0])
        else:
            self.raw.executemany(INSERT, values)
        self.raw.execute("COMMIT")

    def page(self, after: int) -> list[Any]:
        """The 50 rows behind a place."""
        return self.raw.execute(PAGE, (after,)).fetchall()

    def close(self) -> None:
        self.raw.close()
