"""
A storage in memory: the reference that the others are compared with.

Two laws: it refuses what any storage refuses, with the same errors; and where a line
could be quick or plain, it is plain, but for `append`, which every post waits for. What
it holds ends with it.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from threading import RLock
from typing import Any, NoReturn, cast

from attrs import Factory, define

from rooms.errors import KeyHeld, NotFound, StorageError, VersionConflict
from rooms.log.records import GENESIS, Commit, Record, erased
from rooms.storage import arguments
from rooms.storage.forking import in_child
from rooms.storage.protocol import (
    Change,
    Head,
    Hit,
    Key,
    Row,
    Snapshot,
    WritersLock,
)
from rooms.storage.words import phrases, text_of, words

__all__ = ["MemoryStorage"]

_PIECE = 1 << 18


@define
class _Stream:
    """
    One stream: its records, its due instant, and the versions of its messages by seq,
    of the records that were there when it was last asked for them.
    """

    records: list[Record] = Factory(list)
    messages: list[tuple[int, int]] = Factory(list)
    looked_at: int = 0
    due: int | None = None

    def by_seq(self) -> list[tuple[int, int]]:
        """The versions of all messages by seq."""
        for record in self.records[self.looked_at :]:
            if record.seq is not None:
                insort(self.messages, (record.seq, record.version))
        self.looked_at = len(self.records)
        return self.messages


@define
class _Projection:
    """One projection: where it stands, and its rows with their keys in order."""

    position: int = 0
    keys: list[tuple[tuple[bool, int | str], ...]] = Factory(list)
    rows: dict[tuple[tuple[bool, int | str], ...], Row] = Factory(dict)


class MemoryStorage:
    """
    A storage in this process's memory, for tests and for lobbies that need not last.

    Any threads may use it. Every requirement S1 to S14 holds but for a crash: what is
    in memory ends with the process. A search reads all messages.
    """

    def __init__(self) -> None:
        self._lock = cast(WritersLock, RLock())  # enters and leaves without a bytecode
        self._streams: dict[str, _Stream] = {}
        self._log: list[Record | None] = []  # by position; None: removed
        self._keys: dict[str, str] = {}
        self._due: list[tuple[int, str]] = []
        self._snapshots: dict[str, Snapshot] = {}
        self._projections: dict[str, _Projection] = {}
        self._blobs: dict[str, bytes] = {}
        in_child(self._disown)

    def append(self, commit: Commit) -> int:
        """Append a commit and return the position of its last record (S1 to S4)."""
        record = arguments.lone(commit)
        if record is not None:
            with self._lock:
                stream = self._streams.get(record.stream)
                if stream is not None and len(stream.records) + 1 == record.version:
                    if commit.add:
                        self._refuse_held(commit)
                        self._keys.update(commit.add)
                    return _add(self._log, stream, record)
        expected = arguments.expected_versions(commit)
        with self._lock:
            return self._append_all(commit, expected)

    def _append_all(self, commit: Commit, expected: dict[str, int]) -> int:
        """As `append`, of whatever a commit may hold."""
        if commit.add:
            self._refuse_held(commit)
        self._refuse_moved(commit, expected)
        for key in commit.release:
            self._keys.pop(key, None)
        if commit.add:
            self._keys.update(commit.add)
        for record in commit.records:
            found = self._streams.get(record.stream)
            if found is None:
                found = self._streams[record.stream] = _Stream()
            _add(self._log, found, record)
        for stream, due in commit.due.items():
            self._set_due(stream, due)
        return len(self._log)

    def _refuse_held(self, commit: Commit) -> None:
        for key in commit.add:
            if key in self._keys and key not in commit.release:
                holder = self._keys[key]
                raise KeyHeld("key_held", f"{key!r} is held", key=key, holder=holder)

    def _refuse_moved(self, commit: Commit, expected: dict[str, int]) -> None:
        for stream, version in (*commit.guards.items(), *expected.items()):
            found = self._streams.get(stream)
            actual = len(found.records) if found else 0
            if actual != version:
                raise VersionConflict(
                    "version_conflict",
                    f"{stream} is at {actual}, not {version}",
                    stream=stream,
                    expected=version,
                    actual=actual,
                )
        for stream in commit.due:
            if stream not in expected and stream not in self._streams:
                raise arguments.due_of_nothing(stream)

    def _set_due(self, name: str, due: int | None) -> None:
        stream = self._streams[name]
        if stream.due is not None:
            del self._due[bisect_left(self._due, (stream.due, name))]
        stream.due = due
        if due is not None:
            insort(self._due, (due, name))

    def _records(self, stream: str) -> list[Record]:
        found = self._streams.get(stream)
        return found.records if found else []

    def read(
        self, stream: str, *, after: int = 0, limit: int = 1_000, words: bool = True
    ) -> list[Record]:
        """Records of a stream with a version above `after`, oldest first."""
        del words  # they are there anyway
        arguments.name("stream", stream)
        arguments.number("after", after)
        arguments.limit(limit)
        with self._lock:
            return self._records(stream)[after : after + limit]

    def scan(self, *, after: int = 0, limit: int = 1_000) -> list[Record]:
        """Records of all streams with a position above `after`, in commit order."""
        arguments.number("after", after)
        arguments.limit(limit)
        with self._lock:
            found: list[Record] = []
            for record in self._log[after:]:
                if len(found) == limit:
                    break
                if record is not None:
                    found.append(record)
            return found

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
        with self._lock:
            found = self._streams.get(stream)
            if found is None:
                return []
            messages = found.by_seq()
            if newest_first:
                before = after or arguments.LARGEST
                end = bisect_left(messages, (before, 0))
                chosen = messages[max(0, end - limit) : end][::-1]
            else:
                start = bisect_right(messages, (after, arguments.LARGEST))
                chosen = messages[start : start + limit]
            return [found.records[version - 1] for _, version in chosen]

    def head(self, stream: str) -> Head:
        """Where a stream stands; version 0 and the genesis chain where it is empty."""
        arguments.name("stream", stream)
        with self._lock:
            records = self._records(stream)
            return Head(len(records), records[-1].chain if records else GENESIS)

    def streams(self, prefix: str = "") -> list[str]:
        """The names of all streams that begin so, sorted."""
        arguments.name("prefix", prefix)
        with self._lock:
            return sorted(name for name in self._streams if name.startswith(prefix))

    def find(self, key: str) -> str | None:
        """What holds a key, or None."""
        arguments.name("key", key)
        with self._lock:
            return self._keys.get(key)

    def position(self) -> int:
        """The position of the last record that anybody committed."""
        with self._lock:
            return len(self._log)

    def due(self, now: int, *, limit: int = 100) -> list[str]:
        """Streams whose due instant is not after `now`, the earliest first."""
        arguments.number("now", now, at_least=-arguments.LARGEST)
        arguments.limit(limit)
        with self._lock:
            first = self._due[:limit]
            return [name for due, name in first if due <= now]

    def next_due(self) -> int | None:
        """The earliest due instant of all streams, in microseconds."""
        with self._lock:
            return self._due[0][0] if self._due else None

    def load_snapshot(self, stream: str) -> Snapshot | None:
        """The newest snapshot of a stream, if there is one that can be read."""
        arguments.name("stream", stream)
        with self._lock:
            found = self._snapshots.get(stream)
            return found if found is not None and found.intact else None

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot instead of the stream's last one."""
        arguments.snapshot(snapshot)
        with self._lock:
            if snapshot.stream in self._streams:
                self._snapshots[snapshot.stream] = snapshot

    def erase(self, stream: str, versions: Iterable[int]) -> None:
        """Remove the bodies and salts of these records (S7)."""
        arguments.name("stream", stream)
        chosen = arguments.versions(versions)
        with self._lock:
            records = self._records(stream)
            for version in chosen:
                if 0 < version <= len(records):
                    record = records[version - 1] = erased(records[version - 1])
                    self._log[record.position - 1] = record

    def remove(self, stream: str) -> None:
        """Remove a whole stream with all that hangs on it (S7)."""
        arguments.name("stream", stream)
        with self._lock:
            if stream not in self._streams:
                return
            self._set_due(stream, None)
            for record in self._streams.pop(stream).records:
                self._log[record.position - 1] = None
            self._snapshots.pop(stream, None)

    def projected_to(self, name: str) -> int:
        """The position that a projection has reached; 0 at first."""
        arguments.name("name", name)
        with self._lock:
            found = self._projections.get(name)
            return found.position if found else 0

    def project(
        self, name: str, *, expected: int, position: int, changes: Sequence[Change]
    ) -> bool:
        """
        Apply changes in their order and move a projection from `expected` to
        `position`; False, with nothing done, where it stands elsewhere (S9).
        """
        arguments.name("name", name)
        arguments.number("expected", expected)
        arguments.number("position", position)
        checked = arguments.changes(changes)
        with self._lock:
            if self.projected_to(name) != expected:
                return False
            found = self._projections.setdefault(name, _Projection())
            for change in checked:
                _apply(found, change)
            found.position = position
            return True

    def forget_projection(self, name: str) -> None:
        """Drop a projection's rows and set it back to position 0."""
        arguments.name("name", name)
        with self._lock:
            self._projections.pop(name, None)

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
        arguments.name("name", name)
        first = _ordered(arguments.key("low", low))
        last = None if high is None else _ordered(arguments.key("high", high))
        arguments.limit(limit)
        with self._lock:
            found = self._projections.get(name, _Projection())
            end = len(found.keys) if last is None else bisect_left(found.keys, last)
            chosen = found.keys[bisect_left(found.keys, first) : end]
            if reverse:
                chosen.reverse()
            return [found.rows[key] for key in chosen[:limit]]

    def search(
        self, query: str, streams: Sequence[str], *, before: int = 0, limit: int = 20
    ) -> list[Hit]:
        """
        Messages of these streams that hold every word of a query, newest first; with
        `before`, only records at a position below it (S11).
        """
        arguments.text("query", query)
        among = set(arguments.names("streams", streams))
        arguments.number("before", before)
        arguments.limit(limit)
        wanted = [f" {' '.join(phrase)} " for phrase in phrases(query)]
        if not wanted:
            return []
        with self._lock:
            found: list[Hit] = []
            for record in reversed(self._log[: before - 1 if before else None]):
                if len(found) == limit:
                    break
                if record is None or record.seq is None or record.stream not in among:
                    continue
                if _holds(record, wanted):
                    found.append(Hit(record.stream, record.version))
            return found

    def put_blob(self, content: Iterable[bytes]) -> str:
        """Keep a content, streamed, and return its SHA-256 in hexadecimal (S12)."""
        whole = b"".join(arguments.pieces(content))
        digest = hashlib.sha256(whole).hexdigest()
        with self._lock:
            self._blobs[digest] = whole
        return digest

    def blob(self, digest: str, *, start: int = 0) -> Iterator[bytes]:
        """A content in pieces; `NotFound` with `unknown_blob` where there is none."""
        arguments.name("digest", digest)
        arguments.number("start", start)
        with self._lock:
            whole = self._blobs.get(digest)
        if whole is None:
            raise NotFound("unknown_blob", "there is no such blob", digest=digest)
        return (whole[at : at + _PIECE] for at in range(start, len(whole), _PIECE))

    def remove_blob(self, digest: str) -> None:
        """Remove a content; one that is not there is no fault."""
        arguments.name("digest", digest)
        with self._lock:
            self._blobs.pop(digest, None)

    def writing(self, *, whole: bool = False) -> WritersLock:
        """
        A context in which nobody else can commit. What was committed in it stands when
        it ends, also where it raises; with `whole`, all of it or nothing (S1).
        """
        return _Whole(self, self._lock) if whole else self._lock

    def held(self) -> tuple[Any, ...]:
        """
        All that it holds, apart from what changes it from here on.

        :meta private:
        """
        streams = {
            name: _Stream(list(one.records), list(one.messages), one.looked_at, one.due)
            for name, one in self._streams.items()
        }
        projections = {
            name: _Projection(one.position, list(one.keys), dict(one.rows))
            for name, one in self._projections.items()
        }
        rest = (self._log, self._keys, self._due, self._snapshots, self._blobs)
        return streams, projections, *map(copy, rest)

    def hold(self, held: tuple[Any, ...]) -> None:
        """
        Holds what it held.

        :meta private:
        """
        self._streams, self._projections, *rest = held
        self._log, self._keys, self._due, self._snapshots, self._blobs = rest

    def close(self) -> None:
        """Let go of everything; the storage cannot be used afterwards."""
        gone = _Gone("this storage was closed")
        for name in _ALL:  # with the rest, for who waited for the lock meanwhile
            setattr(self, name, gone)

    def _disown(self) -> None:
        self._lock = _Gone("this storage belongs to another process")


_record: Callable[[type[Record], tuple[Any, ...]], Record] = tuple.__new__
"""Makes a record; calling its class takes twice as long."""


def _add(log: list[Record | None], stream: _Stream, record: Record) -> int:
    """Adds a record behind the last one of its stream, and says its position."""
    position = len(log) + 1
    placed = _record(Record, record[:-1] + (position,))  # noqa: RUF005 - quicker
    log.append(placed)
    stream.records.append(placed)
    return position


def _apply(projection: _Projection, change: Change) -> None:
    key = _ordered(change.key)
    if change.value is not None:
        if key not in projection.rows:
            insort(projection.keys, key)
        projection.rows[key] = Row(change.key, change.value)
    elif projection.rows.pop(key, None) is not None:
        del projection.keys[bisect_left(projection.keys, key)]


def _ordered(key: Key) -> tuple[tuple[bool, int | str], ...]:
    """A key whose parts compare: integers before texts, each in its natural order."""
    return tuple((isinstance(part, str), part) for part in key)


def _holds(record: Record, wanted: list[str]) -> bool:
    said = f" {' '.join(words(text_of(record.body)))} "
    return all(phrase in said for phrase in wanted)


class _Whole:
    """The lock, for a context of which nothing stands where it raises."""

    def __init__(self, storage: MemoryStorage, lock: WritersLock) -> None:
        self._storage = storage
        self._lock = lock
        self._before: list[tuple[Any, ...]] = []

    def __enter__(self) -> None:
        self._lock.__enter__()
        self._before.append(self._storage.held())

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        before = self._before.pop()
        if kind is not None:
            self._storage.hold(before)
        self._lock.__exit__(kind, error, trace)


class _Gone:
    """What stands for the lock, and for all that was held; it refuses everything."""

    def __init__(self, words: str) -> None:
        self._words = words

    def _refuse(self, *_: object) -> NoReturn:
        raise StorageError("closed", self._words)

    __enter__ = __exit__ = __len__ = __iter__ = __contains__ = _refuse
    __getitem__ = __setitem__ = __getattr__ = _refuse


_ALL = (
    "_lock",
    "_streams",
    "_log",
    "_keys",
    "_due",
    "_snapshots",
    "_projections",
    "_blobs",
)
