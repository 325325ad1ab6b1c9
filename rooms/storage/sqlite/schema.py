"""
The tables of a database, how they came to be, and whose database a file is.

Three laws. A file that is not ours, or of a later version, is never written to. Each
step of `MIGRATIONS` is final once released: a change is a further step. And the steps
run inside one BEGIN IMMEDIATE, so that of several processes one makes the tables and
the others find them.

sqlite-utils keeps the list of steps that were applied; it is loaded only where one is
missing, and runs no plugins of other people on the connection.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from rooms.errors import UnsupportedSchema

if TYPE_CHECKING:
    from sqlite_utils import Database

__all__ = ["APPLICATION_ID", "VERSION", "check", "is_behind", "migrate", "refuse"]

APPLICATION_ID = int.from_bytes(b"room", "big")
"""What stands in the header of every database of ours."""


def _first(database: Database) -> None:
    """
    Streams and records, keys, snapshots, projections, blobs and the text index.

    A row of `records` never shrinks and never goes: SQLite would move its neighbours
    together and leave copies of their words in the unused bytes of a page, where
    erasing them later does not reach, whatever `secure_delete` says. Words are written
    over in their place; the row of a stream that was removed belongs to none, since a
    number of `streams` is given once. The pieces of blobs go; their `pad` fills the
    part of a row that SQLite moves.

    `records.seq` has an index of its own, of messages alone: a page of them costs what
    it shows. `words` keeps no text, only where each word stands; a stream's mark in it
    lets the index itself leave out the messages of other streams. The one row of
    `marks` says up to where words are indexed.
    """
    database.executescript(_TABLES)


_TABLES = """
CREATE TABLE streams (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, due INTEGER
) STRICT;
CREATE INDEX streams_due ON streams (due, name) WHERE due IS NOT NULL;
CREATE TABLE records (
  position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL,
  type TEXT NOT NULL, schema INTEGER NOT NULL, critical INTEGER NOT NULL,
  at INTEGER NOT NULL, header BLOB NOT NULL, body BLOB, salt BLOB,
  digest BLOB NOT NULL, chain BLOB NOT NULL, seq INTEGER, UNIQUE (stream, version)
) STRICT;
CREATE INDEX records_seq ON records (stream, seq) WHERE seq IS NOT NULL;
CREATE TABLE keys (key TEXT PRIMARY KEY, holder TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
  stream INTEGER PRIMARY KEY, version INTEGER NOT NULL, chain BLOB NOT NULL,
  schema INTEGER NOT NULL, state BLOB NOT NULL, digest BLOB NOT NULL
) STRICT;
CREATE TABLE projections (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, position INTEGER NOT NULL
) STRICT;
CREATE TABLE rows (
  projection INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (projection, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE pieces (
  blob INTEGER NOT NULL, number INTEGER NOT NULL, pad BLOB NOT NULL,
  content BLOB NOT NULL, UNIQUE (blob, number)
) STRICT;
CREATE VIRTUAL TABLE words USING fts5(
  stream, text, content='', columnsize=0, tokenize='ascii tokenchars _'
);
CREATE TABLE marks (
  id INTEGER PRIMARY KEY CHECK (id = 0), indexed INTEGER NOT NULL
) STRICT;
INSERT INTO marks (id, indexed) VALUES (0, 0);
"""

MIGRATIONS = (_first,)
VERSION = len(MIGRATIONS)

_OURS = frozenset(
    {
        *("streams", "records", "keys", "snapshots", "projections", "rows"),
        *("blobs", "pieces", "words", "marks", "sqlite_sequence"),
        "_sqlite_migrations",
        *("words_data", "words_idx", "words_config"),
    }
)
# SQLite keeps each statement as it was written.
_AS_MADE = frozenset(
    statement
    for part in _TABLES.split(";")
    if (statement := part.strip()).startswith("CREATE")
)


def is_behind(connection: sqlite3.Connection) -> bool:
    """
    Whether tables are missing.

    Raises:
        UnsupportedSchema: `unsupported_schema`, for a database that is not ours, or
            one of a later version.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    refuse(version, application, is_empty=tables == 0)
    return bool(version < VERSION)


def refuse(version: int, application: int, *, is_empty: bool) -> None:
    """Raise for a header that is not ours, or of a later version."""
    if application != APPLICATION_ID and not (is_empty and application == version == 0):
        raise UnsupportedSchema(
            "unsupported_schema",
            "the file is a database of another program",
            application_id=application,
        )
    if not 0 <= version <= VERSION:
        raise UnsupportedSchema(
            "unsupported_schema",
            f"the database has schema {version}, this version reads up to {VERSION}",
            schema=version,
            known=VERSION,
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the steps that are missing; the caller holds the writers' lock."""
    from sqlite_utils import Database, Migrations  # noqa: PLC0415 - 180 ms, and rare

    steps = Migrations("rooms")
    for step in MIGRATIONS:
        steps(name=step.__name__)(step)
    steps.apply(Database(connection, execute_plugins=False))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    connection.execute(f"PRAGMA user_version = {VERSION:d}")


def check(connection: sqlite3.Connection) -> None:
    """
    Refuse a database that holds other than our tables: one with triggers or views
    would run what its author wrote (S17).
    """
    found = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    odd = [kind for kind, _, _ in found if kind not in {"table", "index"}]
    tables = {name for kind, name, _ in found if kind == "table"}
    changed = _AS_MADE - {sql for _, _, sql in found}
    if odd or changed or tables != _OURS:
        raise UnsupportedSchema(
            "unsupported_schema",
            "the database holds other tables than ours, or triggers or views",
            missing=sorted(_OURS - tables),
            unknown=len(odd) + len(tables - _OURS),
            changed=len(changed),
        )
