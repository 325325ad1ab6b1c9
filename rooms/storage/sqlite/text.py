"""
The text index of a SQLite file: which messages hold a word.

Three laws. It is fed before a search, never by a post. The membership of a message is
decided in the index and again in its record, never by what the query says (S11). And a
word that was erased stands nowhere any more: FTS5 only marks what is deleted, so its
segments are merged at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rooms.errors import CorruptLog
from rooms.storage import arguments
from rooms.storage.protocol import Hit
from rooms.storage.sqlite.database import Database, Run
from rooms.storage.words import phrases, text_of, words

__all__ = ["TextIndex"]

_FED_AT_ONCE = 500
_STREAMS_AT_ONCE = 500

_BACKLOG = (
    "SELECT position, stream, body FROM records"
    " WHERE position > ? AND seq IS NOT NULL AND body IS NOT NULL"
    " ORDER BY position LIMIT ?"
)
_REACHED = "SELECT indexed, coalesce((SELECT max(position) FROM records), 0) FROM marks"
_INDEXED = (
    "SELECT position, stream, body FROM records WHERE stream = ? AND version = ?"
    " AND seq IS NOT NULL AND body IS NOT NULL"
    " AND position <= (SELECT indexed FROM marks)"
)
_INDEXED_OF_STREAM = (
    "SELECT position, stream, body FROM records WHERE stream = ?"
    " AND seq IS NOT NULL AND body IS NOT NULL"
    " AND position <= (SELECT indexed FROM marks)"
)
_FOUND = (
    "SELECT records.position, streams.name, records.version FROM words"
    " CROSS JOIN records ON records.position = words.rowid"
    " CROSS JOIN streams ON streams.id = records.stream"
    " WHERE words MATCH ? AND words.rowid < ?"
    " ORDER BY words.rowid DESC LIMIT ?"
)


class TextIndex:
    """The words of one database's messages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(
        self, query: str, streams: Sequence[str], *, before: int, limit: int
    ) -> list[Hit]:
        """Messages of these streams that hold every word of a query, newest first."""
        arguments.text("query", query)
        among = set(arguments.names("streams", streams))
        arguments.number("before", before)
        arguments.limit(limit)
        wanted = phrases(query)
        if not wanted or not among:
            return []
        self._feed()
        with self._database.reading as run:
            marks = _marks(run, sorted(among))
            found: set[tuple[int, str, int]] = set()
            for at in range(0, len(marks), _STREAMS_AT_ONCE):
                match = _match(wanted, marks[at : at + _STREAMS_AT_ONCE])
                end = before or arguments.LARGEST
                found.update(run(_FOUND, (match, end, limit)))
        newest = sorted(found, reverse=True)[:limit]
        if not all(type(version) is int for _, _, version in newest):
            raise CorruptLog("corrupt_log", "a found record has no number")
        return [Hit(name, version) for _, name, version in newest if name in among]

    def _feed(self) -> None:
        """Index what was appended since the last search, a part at a time."""
        while True:
            with self._database.reading as run:
                indexed, last = run(_REACHED).fetchone()
            if indexed >= last:
                return
            with self._database.writing as run:
                indexed, last = run(_REACHED).fetchone()
                rows = run(_BACKLOG, (indexed, _FED_AT_ONCE)).fetchall()
                for position, stream, body in rows:
                    found = words(text_of(body))
                    if found:
                        run(
                            "INSERT INTO words (rowid, stream, text) VALUES (?, ?, ?)",
                            (position, _mark(stream), " ".join(found)),
                        )
                full = len(rows) == _FED_AT_ONCE
                run("UPDATE marks SET indexed = ?", (rows[-1][0] if full else last,))

    def drop(self, run: Run, places: Iterable[tuple[int, int]]) -> None:
        """Take these records' words out, by stream and version."""
        rows = [row for place in places for row in run(_INDEXED, place)]
        self._drop(run, rows)

    def drop_stream(self, run: Run, stream: int) -> None:
        """Take the words of all of a stream's records out."""
        self._drop(run, run(_INDEXED_OF_STREAM, (stream,)))

    def _drop(self, run: Run, rows: Iterable[tuple[int, int, bytes]]) -> None:
        dropped = False
        for position, stream, body in rows:
            found = words(text_of(body))
            if found:
                run(
                    "INSERT INTO words (words, rowid, stream, text)"
                    " VALUES ('delete', ?, ?, ?)",
                    (position, _mark(stream), " ".join(found)),
                )
                dropped = True
        if dropped:
            run("INSERT INTO words (words) VALUES ('optimize')")


def _mark(stream: int) -> str:
    """A stream as a word that no text holds: its sign is neither letter nor digit."""
    return f"\N{SECTION SIGN}{stream}"


def _marks(run: Run, names: Iterable[str]) -> list[str]:
    found = (
        run("SELECT id FROM streams WHERE name = ?", (name,)).fetchone()
        for name in names
    )
    return [_mark(one[0]) for one in found if one]


def _match(wanted: Iterable[Iterable[str]], marks: Iterable[str]) -> str:
    """The expression for the index: words are letters, digits and nothing else."""
    streams = " OR ".join(f'"{mark}"' for mark in marks)
    terms = " AND ".join(f'"{" ".join(phrase)}"' for phrase in wanted)
    return f"{{stream}} : ({streams}) AND {{text}} : ({terms})"
