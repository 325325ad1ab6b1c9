"""
Projections in a SQLite file: ordered rows, and the position that each has reached.

One law: rows and position move in one commit, or not at all (S9).
"""

from __future__ import annotations

from collections.abc import Sequence

from rooms.storage import arguments
from rooms.storage.ordering import AFTER_ALL, packed, unpacked
from rooms.storage.protocol import Change, Key, Row
from rooms.storage.sqlite.database import Database

__all__ = ["Projections"]

_POSITION = "SELECT position FROM projections WHERE name = ?"
_RANGE = (
    "SELECT key, value FROM rows WHERE projection ="
    " (SELECT id FROM projections WHERE name = ?) AND key >= ? AND key < ?"
    " ORDER BY key LIMIT ?"
)
_RANGE_BACK = (
    "SELECT key, value FROM rows WHERE projection ="
    " (SELECT id FROM projections WHERE name = ?) AND key >= ? AND key < ?"
    " ORDER BY key DESC LIMIT ?"
)


class Projections:
    """The projections of one database; see `rooms.storage.Storage` for each call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def position(self, name: str) -> int:
        """The position that a projection has reached; 0 at first."""
        arguments.name("name", name)
        with self._database.reading as run:
            found = run(_POSITION, (name,)).fetchone()
        return found[0] if found else 0

    def move(
        self, name: str, *, expected: int, position: int, changes: Sequence[Change]
    ) -> bool:
        """Apply changes where the projection stands at `expected`, else say False."""
        arguments.name("name", name)
        arguments.number("expected", expected)
        arguments.number("position", position)
        checked = arguments.changes(changes)
        with self._database.writing as run:
            found = run(
                "SELECT id, position FROM projections WHERE name = ?", (name,)
            ).fetchone()
            identity, current = found or (None, 0)
            if current != expected:
                return False
            if identity is None:
                identity = run(
                    "INSERT INTO projections (name, position) VALUES (?, ?)",
                    (name, position),
                ).lastrowid
            else:
                run(
                    "UPDATE projections SET position = ? WHERE id = ?",
                    (position, identity),
                )
            for change in checked:
                key = packed(change.key)
                if change.value is None:
                    run(
                        "DELETE FROM rows WHERE projection = ? AND key = ?",
                        (identity, key),
                    )
                else:
                    run(
                        "INSERT OR REPLACE INTO rows (projection, key, value)"
                        " VALUES (?, ?, ?)",
                        (identity, key, change.value),
                    )
        return True

    def forget(self, name: str) -> None:
        """Drop a projection's rows and its position."""
        arguments.name("name", name)
        with self._database.writing as run:
            run(
                "DELETE FROM rows WHERE projection ="
                " (SELECT id FROM projections WHERE name = ?)",
                (name,),
            )
            run("DELETE FROM projections WHERE name = ?", (name,))

    def range(
        self, name: str, *, low: Key, high: Key | None, limit: int, reverse: bool
    ) -> list[Row]:
        """Rows with `low <= key < high`, in the keys' order or its reverse."""
        arguments.name("name", name)
        first = packed(arguments.key("low", low))
        last = AFTER_ALL if high is None else packed(arguments.key("high", high))
        arguments.limit(limit)
        with self._database.reading as run:
            found = run(
                _RANGE_BACK if reverse else _RANGE, (name, first, last, limit)
            ).fetchall()
        return [Row(unpacked(key), value) for key, value in found]
