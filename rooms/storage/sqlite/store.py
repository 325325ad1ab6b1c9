"""
Streams, keys, due instants and snapshots in a SQLite file.

Three laws. What is asked of every post is answered from memory as long as nobody else
committed: `PRAGMA data_version` tells, inside BEGIN IMMEDIATE, where it cannot move any
more. Every statement is a constant, so that it is prepared once, and every value is
bound. And what was written is only ever written over, never moved (see `schema`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from rooms.errors import KeyHeld, VersionConflict
from rooms.log.records import GENESIS, Commit, Record
from rooms.storage import arguments
from rooms.storage.protocol import (
    Change,
    Head,
    Hit,
    Key,
    Row,
    Snapshot,
    WritersLock,
)
from rooms.storage.sqlite.blobs import Blobs
from rooms.storage.sqlite.database import Database, Run
from rooms.storage.sqlite.faults import not_text
from rooms.storage.sqlite.opening import connect, located
from rooms.storage.sqlite.projections import Projections
from rooms.storage.sqlite.records import (
    DROP_DEAD,
    ERASE,
    INSERT,
    MESSAGES,
    MESSAGES_BACK,
    READ,
    READ_HEADERS,
    REMOVE,
    SCAN,
    records_of,
    rows_of,
    scanned,
    without_words,
)
from rooms.storage.sqlite.text import TextIndex
from rooms.values import member, whole_number

__all__ = ["SQLiteStorage"]

_MOST_STREAMS_KNOWN = 10_000
_UNKNOWN = (0, -1)  # which no version follows
_A_DAY = 86_400  # s

_HEAD = (
    "SELECT version, chain FROM records WHERE stream ="
    " (SELECT id FROM streams WHERE name = ?) ORDER BY version DESC LIMIT 1"
)
_WHERE_IT_STANDS = (
    "SELECT id, (SELECT max(version) FROM records WHERE stream = streams.id)"
    " FROM streams WHERE name = ?"
)
_SET_DUE = "UPDATE streams SET due = ? WHERE name = ?"
_ADD_KEY = "INSERT INTO keys (key, holder) VALUES (?, ?) ON CONFLICT DO NOTHING"
_LAST = "SELECT coalesce(max(position), 0) FROM records"


class SQLiteStorage:
    """
    A storage in one SQLite file, for any threads and for several processes.

    Args:
        path: The database file; made where there is none, readable by its owner alone.
        durability: `full`: what was acknowledged survives a loss of power. `relaxed`:
            it survives the end of the process, but a loss of power may undo the last
            commits; several times faster.
        busy_timeout: How long to wait for another process that writes, in seconds.

    Raises:
        InvalidInput: `invalid_request`, for another option or what is no path.
        UnsupportedSchema: `unsupported_schema`; the file is as it was.
        StorageBusy: `storage_busy`, `StorageFull`: `storage_full`, `CorruptLog`:
            `corrupt_log`, `StorageError`: `storage_failed` or `closed`; from any call.

    After an error the storage works as before, and what the call would have changed is
    unchanged. Guarantees: S1 to S14 of `rooms.storage.protocol`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        durability: str = "full",
        busy_timeout: int = 30,
    ) -> None:
        member("durability", durability, ("full", "relaxed"))
        whole_number("busy_timeout", busy_timeout, at_least=0, at_most=_A_DAY)
        self.path = located(path)
        self._database = Database(
            self._connect(durability=durability, busy_timeout=busy_timeout),
            patience=busy_timeout,
            look=self._look,
            insert=INSERT,
        )
        self.is_inside = self._database.is_inside
        self._projections = Projections(self._database)
        self._text = TextIndex(self._database)
        self._blobs = Blobs(self._database)
        self._known: dict[str, tuple[int, int]] = {}  # name: id, version
        self._known_at: object = None
        self._last = 0
        self._earliest: tuple[int | None] | None = None  # None: to be asked

    def _connect(self, *, durability: str, busy_timeout: int) -> sqlite3.Connection:
        return connect(self.path, durability=durability, busy_timeout=busy_timeout)

    def __repr__(self) -> str:
        return f"SQLiteStorage({str(self.path)!r})"

    def append(self, commit: Commit) -> int:
        """Append a commit and return the position of its last record (S1 to S4)."""
        record = arguments.lone(commit)
        if record is None:
            return self._append_all(commit)
        database = self._database
        if database.looked and database.is_inside():
            return self._append_one(record, commit)
        with database.holding:
            return self._append_one(record, commit)

    def _append_one(self, record: Record, commit: Commit) -> int:
        """Append one record, where nobody else can commit."""
        stream, version, known = record.stream, record.version, self._known
        identity, actual = known.get(stream, _UNKNOWN)
        if actual + 1 != version:
            if commit.add:
                return self._append_all(commit)  # a key that is held is told first
            with self._database.reading as run:
                self._database.check_held()
                identity = self._expect(run, stream, version - 1)
            if not identity:  # it is the first of its stream
                return self._append_all(commit)
        last = self._last + 1
        row = record[1:-1] + (last, identity)  # noqa: RUF005 - that takes twice as long
        try:
            if commit.add:
                self._add_with_keys(row, commit.add)
            else:
                self._database.add(row)
        except BaseException:  # an interrupt too: it may be there all the same
            self._forget()
            raise
        known[stream] = (identity, version)
        self._last = last
        return last

    def _add_with_keys(self, row: tuple[Any, ...], keys: Mapping[str, str]) -> None:
        """Add a row with what it holds; of one key SQLite alone undoes what failed."""
        if len(keys) > 1:
            with self._database.writing as run:
                for key, holder in keys.items():
                    _add_key(run, key, holder)
                run(INSERT, row)
            return
        [held] = keys.items()
        if not self._database.add_all([row], _ADD_KEY, held):
            with self._database.reading as run:
                _report_held(run, held[0])

    def _append_all(self, commit: Commit) -> int:
        """As `append`, of whatever a commit may hold."""
        expected = arguments.expected_versions(commit)
        database = self._database
        if database.looked and database.is_inside() and self._is_run(commit, expected):
            return self._append_run(commit)
        with database.writing as run:
            self._refresh(run)
            for key in commit.release:
                run("DELETE FROM keys WHERE key = ?", (key,))
            for key, holder in commit.add.items():
                _add_key(run, key, holder)
            for guarded, version in commit.guards.items():
                self._expect(run, guarded, version)
            last = self._insert(run, commit, expected)
            if commit.due:
                self._earliest = None
            for stream, due in commit.due.items():
                if not run(_SET_DUE, (due, stream)).rowcount:
                    raise arguments.due_of_nothing(stream)
            self._last = last
        return last

    def _is_run(self, commit: Commit, expected: dict[str, int]) -> bool:
        """Whether it is records of one stream that is known, and its instant."""
        if commit.add or commit.release or commit.guards or len(expected) != 1:
            return False
        [(stream, version)] = expected.items()
        return self._known.get(stream, _UNKNOWN)[1] == version and (
            not commit.due or [*commit.due] == [stream]
        )

    def _append_run(self, commit: Commit) -> int:
        records, due = commit.records, commit.due
        stream, last = records[0].stream, self._last
        identity, version = self._known[stream]
        rows = rows_of(records, last + 1, {stream: identity})
        try:
            if due:
                self._earliest = None
                self._database.add_all(rows, _SET_DUE, (due[stream], stream))
            else:
                self._database.add_all(rows, "", ())
        except BaseException:  # an interrupt too: they may be there all the same
            self._forget()
            raise
        self._known[stream] = (identity, version + len(rows))
        self._last = last = last + len(rows)
        return last

    def _refresh(self, run: Run) -> None:
        """Look at what others have committed, unless none of them can have since."""
        database = self._database
        if not database.looked:
            self._look(run)
            database.looked = database.depth > 0

    def _forget(self) -> None:
        """Know nothing any more of what stands in the file, until it is looked at."""
        self._known_at = None
        self._database.looked = False

    def _look(self, run: Run) -> None:
        """Forget what was known, if anybody else has committed since."""
        (version,) = run("PRAGMA data_version").fetchone()
        now = (version, self._database.rollbacks)
        if now != self._known_at:
            self._known.clear()
            self._earliest = None
            (self._last,) = run(_LAST).fetchone()
            self._known_at = now

    def _expect(self, run: Run, stream: str, version: int) -> int:
        """Check a stream's version; its number, or 0 where it has no records."""
        known = self._known.get(stream)
        if known is None:
            known = run(_WHERE_IT_STANDS, (stream,)).fetchone() or (0, 0)
            if known[0]:
                if len(self._known) >= _MOST_STREAMS_KNOWN:
                    self._known.clear()
                self._known[stream] = known
        identity, actual = known
        if actual != version:
            raise VersionConflict(
                "version_conflict",
                f"{stream} is at {actual}, not {version}",
                stream=stream,
                expected=version,
                actual=actual,
            )
        return identity

    def _insert(self, run: Run, commit: Commit, expected: dict[str, int]) -> int:
        """Inserts the records, and returns the position of the last one."""
        identities = {
            stream: self._expect(run, stream, version) or _begin(run, stream)
            for stream, version in expected.items()
        }
        rows = rows_of(commit.records, self._last + 1, identities)
        self._database.run_for_each(INSERT, rows)
        if len(self._known) > _MOST_STREAMS_KNOWN:
            self._known.clear()
        # Of one stream the last record tells where it stands.
        telling = commit.records[-1:] if len(identities) == 1 else commit.records
        for record in telling:
            self._known[record.stream] = (identities[record.stream], record.version)
        return self._last + len(rows)

    def read(
        self, stream: str, *, after: int = 0, limit: int = 1_000, words: bool = True
    ) -> list[Record]:
        """Records of a stream with a version above `after`, oldest first."""
        arguments.name("stream", stream)
        arguments.number("after", after)
        arguments.limit(limit)
        if not words:
            rows = self._rows(READ_HEADERS, (stream, after, limit))
            return without_words(stream, rows)
        return records_of(stream, self._rows(READ, (stream, after, limit)))

    def scan(self, *, after: int = 0, limit: int = 1_000) -> list[Record]:
        """Records of all streams with a position above `after`, in commit order."""
        arguments.number("after", after)
        arguments.limit(limit)
        return scanned(self._rows(SCAN, (after, limit)))

    def messages(
        self,
        stream: str,
        *,
        after: int = 0,
        limit: int = 50,
        newest_first: bool = False,
    ) -> list[Record]:
        """
        Message records by seq: those above `after`, rising; with `newest_first` those
        below `after` (or all where it is 0), falling.
        """
        arguments.name("stream", stream)
        arguments.number("after", after)
        arguments.limit(limit)
        if newest_first:
            after = after or arguments.LARGEST
        query = MESSAGES_BACK if newest_first else MESSAGES
        return records_of(stream, self._rows(query, (stream, after, limit)))

    def _rows(self, sql: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """
        The rows that a query gives. A text that is no UTF-8 any more comes with the
        letters that can be read, so that `verify` can name the record.
        """
        with self._database.reading as run:
            try:
                return run(sql, parameters).fetchall()
            except sqlite3.OperationalError as error:
                connection = self._database.connection
                if connection is None or not not_text(error):
                    raise
                connection.text_factory = _readable
                try:
                    return run(sql, parameters).fetchall()
                finally:
                    connection.text_factory = str

    def head(self, stream: str) -> Head:
        """Where a stream stands; version 0 and the genesis chain where it is empty."""
        arguments.name("stream", stream)
        with self._database.reading as run:
            found = run(_HEAD, (stream,)).fetchone()
        return Head(*found) if found else Head(0, GENESIS)

    def streams(self, prefix: str = "") -> list[str]:
        """The names of all streams that begin so, sorted."""
        arguments.name("prefix", prefix)
        names: list[str] = []
        with self._database.reading as run:
            for (name,) in run(
                "SELECT name FROM streams WHERE name >= ? ORDER BY name", (prefix,)
            ):
                if not name.startswith(prefix):
                    break
                names.append(name)
        return names

    def find(self, key: str) -> str | None:
        """What holds a key, or None."""
        arguments.name("key", key)
        with self._database.reading as run:
            found = run("SELECT holder FROM keys WHERE key = ?", (key,)).fetchone()
        return found[0] if found else None

    def position(self) -> int:
        """The position of the last record that anybody committed."""
        database = self._database
        if database.looked and database.is_inside():
            return self._last
        with database.reading as run:
            self._refresh(run)
            return self._last

    def due(self, now: int, *, limit: int = 100) -> list[str]:
        """Streams whose due instant is not after `now`, the earliest first."""
        arguments.number("now", now, at_least=-arguments.LARGEST)
        arguments.limit(limit)
        with self._database.reading as run:
            earliest = self._next_due(run)
            if earliest is None or earliest > now:
                return []
            found = run(
                "SELECT name FROM streams WHERE due <= ? ORDER BY due, name LIMIT ?",
                (now, limit),
            ).fetchall()
        return [name for (name,) in found]

    def next_due(self) -> int | None:
        """The earliest due instant of all streams, in microseconds."""
        with self._database.reading as run:
            return self._next_due(run)

    def _next_due(self, run: Run) -> int | None:
        self._refresh(run)
        if self._earliest is None:
            found = run(
                "SELECT due FROM streams WHERE due IS NOT NULL ORDER BY due LIMIT 1"
            ).fetchone()
            self._earliest = found or (None,)
        return self._earliest[0]

    def load_snapshot(self, stream: str) -> Snapshot | None:
        """The newest snapshot of a stream, if there is one that can be read."""
        arguments.name("stream", stream)
        with self._database.reading as run:
            found = run(
                "SELECT version, chain, schema, state, digest FROM snapshots WHERE"
                " stream = (SELECT id FROM streams WHERE name = ?)",
                (stream,),
            ).fetchone()
        if found is None:
            return None
        snapshot = Snapshot(stream, *found)
        return snapshot if snapshot.intact else None

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot instead of the stream's last one."""
        arguments.snapshot(snapshot)
        with self._database.writing as run:
            run(
                "INSERT OR REPLACE INTO snapshots"
                " (stream, version, chain, schema, state, digest)"
                " SELECT id, ?, ?, ?, ?, ? FROM streams WHERE name = ?",
                (
                    snapshot.version,
                    snapshot.chain,
                    snapshot.schema,
                    snapshot.state,
                    snapshot.digest,
                    snapshot.stream,
                ),
            )

    def erase(self, stream: str, versions: Iterable[int]) -> None:
        """
        Remove the bodies and salts of these records (S7).

        Raises:
            StorageBusy: `storage_busy`. Where another process was reading, the words
                are gone from the tables and still stand in the -wal file: call again.
        """
        arguments.name("stream", stream)
        chosen = arguments.versions(versions)
        with self._database.writing as run:
            found = run("SELECT id FROM streams WHERE name = ?", (stream,)).fetchone()
            if found:
                places = [(found[0], version) for version in chosen]
                self._text.drop(run, places)
                for place in places:
                    run(ERASE, place)
            self._database.scrub()

    def remove(self, stream: str) -> None:
        """Remove a whole stream with all that hangs on it (S7); as `erase`."""
        arguments.name("stream", stream)
        with self._database.writing as run:
            found = run("SELECT id FROM streams WHERE name = ?", (stream,)).fetchone()
            if found:
                (identity,) = found
                self._text.drop_stream(run, identity)
                run(REMOVE, found)
                run("DELETE FROM snapshots WHERE stream = ?", found)
                run("DELETE FROM streams WHERE id = ?", found)
                self._known.pop(stream, None)
                self._earliest = None
            self._database.scrub()

    def projected_to(self, name: str) -> int:
        """The position that a projection has reached; 0 at first."""
        return self._projections.position(name)

    def project(
        self, name: str, *, expected: int, position: int, changes: Sequence[Change]
    ) -> bool:
        """
        Apply changes in their order and move a projection from `expected` to
        `position`; False, with nothing done, where it stands elsewhere (S9).
        """
        return self._projections.move(
            name, expected=expected, position=position, changes=changes
        )

    def forget_projection(self, name: str) -> None:
        """Drop a projection's rows and set it back to position 0."""
        self._projections.forget(name)

    def range(
        self,
        name: str,
        *,
        low: Key = (),
        high: Key | None = None,
        limit: int = 100,
        reverse: bool = False,
    ) -> list[Row]:
        """Rows with `low <= key < high`, in the keys' order or its reverse (S10)."""
        return self._projections.range(
            name, low=low, high=high, limit=limit, reverse=reverse
        )

    def search(
        self, query: str, streams: Sequence[str], *, before: int = 0, limit: int = 20
    ) -> list[Hit]:
        """
        Messages of these streams that hold every word of a query, newest first; with
        `before`, only records at a position below it (S11).
        """
        return self._text.search(query, streams, before=before, limit=limit)

    def put_blob(self, content: Iterable[bytes]) -> str:
        """Keep a content, streamed, and return its SHA-256 in hexadecimal (S12)."""
        return self._blobs.put(content)

    def blob(self, digest: str, *, start: int = 0) -> Iterator[bytes]:
        """A content in pieces; `NotFound` with `unknown_blob` where there is none."""
        return self._blobs.pieces(digest, start)

    def remove_blob(self, digest: str) -> None:
        """Remove a content; one that is not there is no fault."""
        self._blobs.remove(digest)

    def writing(self, *, whole: bool = False) -> WritersLock:
        """
        A context in which nobody else can commit. What was committed in it stands when
        it ends, also where it raises; with `whole`, all of it or nothing (S1).

        A commit inside it is durable when the context has ended.
        """
        return self._database.writing if whole else self._database.holding

    def abandon(self) -> bool:
        """
        Undo what this thread left open, where it was interrupted at a context's edge;
        whether there was anything. Called by whoever knows that none is open any more.
        """
        return self._database.abandon()

    def compact(self) -> None:
        """
        Give back the space of what was erased and removed, by writing the file anew.

        Takes time and free disk space like a copy of the file, and nobody can commit
        meanwhile.
        """
        self._database.rewrite(DROP_DEAD)

    def close(self) -> None:
        """Let go of everything; the storage cannot be used afterwards."""
        self._database.close()


def _add_key(run: Run, key: str, holder: str) -> None:
    if not run(_ADD_KEY, (key, holder)).rowcount:
        _report_held(run, key)


def _report_held(run: Run, key: str) -> NoReturn:
    (holder,) = run("SELECT holder FROM keys WHERE key = ?", (key,)).fetchone()
    raise KeyHeld("key_held", f"{key!r} is held", key=key, holder=holder)


def _begin(run: Run, stream: str) -> int:
    return run("INSERT INTO streams (name) VALUES (?)", (stream,)).lastrowid or 0


def _readable(content: bytes) -> str:
    return content.decode(errors="replace")
