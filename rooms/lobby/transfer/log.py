"""
A whole log out of one storage, and into another.

Three laws. What leaves is what was written: an export stops at a record that is not. An
import is all or nothing, into a storage that holds nothing. And what stands beside the
records (keys, due instants) is made from them again, because they are the only truth.

Records do not say which of them were one commit, so an import commits what it read so
far, in its order, whenever that is enough. Every stream is dense at any time; lost is
only which records were one commit, and nothing asks for that. Positions are counted
anew; snapshots, projections and the text index come again when they are needed.

Contents that records name follow the records, each once, in the order of their digests
and in pieces: a log that names one which does not follow is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from attrs import frozen

from rooms.errors import (
    Conflict,
    CorruptLog,
    InvalidInput,
    NotFound,
    RoomsError,
    UnsupportedSchema,
)
from rooms.lobby.recording.streams import LOBBY, Stream, empty_stream, room_stream
from rooms.lobby.transfer.content_lines import Pieces, content_lines
from rooms.log.contents import contents_of, may_name_contents
from rooms.log.directory import RoomUnlisted
from rooms.log.events import Fact, Unknown, decoded
from rooms.log.expiring import MessagesExpired, ends_with_messages
from rooms.log.lines import (
    FORMAT,
    VERSION,
    Reader,
    Writer,
    corrupt,
    read_record,
    record_fields,
)
from rooms.log.records import Commit, Record, canonical
from rooms.log.shapes import checked_fact
from rooms.log.verification import Walk
from rooms.storage import Storage
from rooms.storage.walking import records_of, scanned

__all__ = ["ImportReport", "export_log", "import_log"]

_BATCH = 500
_ENOUGH_BYTES = 4 * 2**20
_HEADER = {"format": FORMAT, "version": VERSION}


@frozen
class ImportReport:
    """
    What was imported.

    Attributes:
        records: How many records; `streams`, `keys` and `contents` likewise.
        erased: How many of the records have lost their words.
        unknown: Types of events that this version does not know, and keeps.
        read_only: Streams that one of these closes for writing, in order.
    """

    records: int
    streams: int
    keys: int
    erased: int
    unknown: tuple[str, ...]
    read_only: tuple[str, ...]
    contents: int = 0


def export_log(storage: Storage) -> Iterator[str]:
    """
    The log of a storage as lines, each ending in a line break, up to where it stands
    when the first line is taken.

    Others may write meanwhile. Equal logs have equal lines, in whatever storage.

    Raises:
        CorruptLog: `corrupt_log` at the first record that is not what was written.
        Conflict: `room_deleted` where a room went while it was read,
            `erased_meanwhile` where a message with files did.
        InvalidInput: `too_large` for a record that no import would read.
    """
    writer, walks, count = Writer(), dict[str, Walk](), 0
    named = dict[str, tuple[str, int]]()
    end = storage.position()
    yield writer.line(_HEADER)
    for record in scanned(storage, end=end):
        for damage in walks.setdefault(record.stream, Walk()).step(record):
            where = f"{record.stream} {record.version}"
            raise CorruptLog(
                "corrupt_log", f"{where}: {damage.problem} is damaged", where=where
            )
        yield writer.line(record_fields(record))
        count += 1
        if may_name_contents(record):
            place = record.stream, record.version
            named |= dict.fromkeys(contents_of(decoded(record).event), place)
    for digest, place in sorted(named.items()):
        for fields in _content_lines(storage, digest, *place):
            yield writer.line(fields)
    for stream, walk in walks.items():
        if storage.head(stream).version < walk.version:
            raise _gone(stream)
    yield writer.line(_last_line(count, len(walks), len(named)))


def _content_lines(
    storage: Storage, digest: str, stream: str, version: int
) -> Iterator[dict[str, Any]]:
    try:
        yield from content_lines(storage, digest)
    except NotFound:
        if not storage.head(stream).version:
            raise _gone(stream) from None
        [named] = storage.read(stream, after=version - 1, limit=1)
        if named.body is None and named.digest:
            raise Conflict(
                "erased_meanwhile",
                f"words of {stream} went while they were read; export again",
                current=stream,
            ) from None
        raise CorruptLog(
            "corrupt_log", f"a content that {stream} names is missing", where=stream
        ) from None


def _gone(stream: str) -> Conflict:
    return Conflict("room_deleted", f"{stream} went while it was read", current=stream)


def import_log(lines: Iterable[str], storage: Storage) -> ImportReport:
    """
    Fills an empty storage with the log that an export wrote.

    The writers' lock is held meanwhile, and the memory in use is bounded by the longest
    line and the largest room. Nothing is stored where it raises, also in `lines`.

    Args:
        lines: The lines in their order, with or without their line breaks.
        storage: Where to; it holds no stream yet.

    Raises:
        InvalidInput: `invalid_json` or `too_large`, with the number of the `line`.
        CorruptLog: `corrupt_log`, with the `line`, for damage and for what was never
            recorded so.
        UnsupportedSchema: `unsupported_schema` for a file that is no export of ours, or
            one of a later version.
        Conflict: `not_empty`.
    """
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        raise InvalidInput("lines", "is no sequence of lines", allowed="lines of text")
    with storage.writing():
        if storage.streams():
            raise Conflict(
                "not_empty",
                "the storage holds a log already, and an import fills an empty one",
            )
        filling = _Filling(storage)
        try:
            return filling.fill(lines)
        except BaseException:  # an interrupt too: all of it or nothing
            filling.undo()
            raise


class _Filling:
    """One import: what was read and is not stored yet, and where each stream stands."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.before = storage.position()
        self.reader = Reader()
        self.walks: dict[str, Walk] = {}
        self.records: list[Record] = []
        self.bytes = 0
        self.keys: dict[str, str] = {}
        self.counts = {"records": 0, "keys": 0, "erased": 0}
        self.unknown: dict[str, None] = {}
        self.unlisted: set[str] = set()
        self.expired: dict[str, int] = {}
        self.named: set[str] = set()
        self.contents: dict[str, None] = {}

    def fill(self, lines: Iterable[str]) -> ImportReport:
        """Reads all lines, stores what they say, and proves that it can be folded."""
        given = iter(lines)
        self._check_first(given)
        for line in given:
            fields = self.reader.read(line)
            if "content" in fields:
                fields = self._take_contents(fields, given)
            if "records" in fields:
                self._check_last(fields, given)
                break
            self._take(fields)
        else:
            corrupt(self.reader.number + 1, "it is missing: the log was cut")
        self._store()
        read_only = self._fold_all()
        return ImportReport(
            streams=len(self.walks),
            unknown=tuple(self.unknown),
            read_only=read_only,
            contents=len(self.contents),
            **self.counts,
        )

    def undo(self) -> None:
        """
        Takes everything out again. A storage in which even that fails is closed, which
        undoes what nobody committed.
        """
        try:
            for stream in self.storage.streams():
                self.storage.append(Commit((), release=_keys_of(self.storage, stream)))
                self.storage.remove(stream)
            for digest in self.contents:
                self.storage.remove_blob(digest)
        except RoomsError:
            with suppress(RoomsError):
                self.storage.close()

    # -- the first line and the last

    def _check_first(self, given: Iterator[str]) -> None:
        fields = self.reader.read(next(given, ""))
        if fields.get("format") != FORMAT:
            raise UnsupportedSchema(
                "unsupported_schema", "line 1 is not the first of an export", line=1
            )
        if not _are(fields, _HEADER):
            raise UnsupportedSchema(
                "unsupported_schema",
                f"the log is of another version than {VERSION}",
                line=1,
                known=VERSION,
            )

    def _check_last(self, fields: dict[str, Any], given: Iterator[str]) -> None:
        records, streams = self.counts["records"], len(self.walks)
        counted = _last_line(records, streams, len(self.contents))
        if not _are(fields, counted):
            corrupt(self.reader.number, "it counts other records than there are")
        for digest in sorted(self.named.difference(self.contents)):
            corrupt(self.reader.number, "a content before it is missing", digest=digest)
        for _ in given:
            corrupt(self.reader.number + 1, "it stands behind the last line")

    # -- contents

    def _take_contents(
        self, fields: dict[str, Any], given: Iterator[str]
    ) -> dict[str, Any]:
        """Keeps all contents; what stands on the line behind them."""
        pieces = Pieces(fields, given, self.reader)
        while (digest := pieces.digest) is not None:
            line = self.reader.number
            if digest not in self.named or digest <= next(reversed(self.contents), ""):
                corrupt(line, "no record names its content, or it is not the next")
            self.contents[digest] = None
            if self.storage.put_blob(pieces) != digest:
                corrupt(self.reader.number, "its content is not what its digest says")
        return pieces.fields

    # -- records

    def _take(self, fields: dict[str, Any]) -> None:
        line = self.reader.number
        record = read_record(fields, line)
        walk = self.walks.setdefault(record.stream, Walk())
        for damage in walk.step(record):
            where = f"{record.stream} {record.version}"
            corrupt(line, f"{where}: {damage.problem} is damaged", where=where)
        fact = self._fact(record, line)
        self._hold(fact, f"{record.stream} {record.version}", line)
        if record.stream == LOBBY and isinstance(fact.event, RoomUnlisted):
            self._let_go(room_stream(fact.event.room))
        elif isinstance(fact.event, MessagesExpired):
            self._expire(record.stream, fact.event.record)
        if isinstance(fact.event, Unknown):
            self.unknown[fact.event.type] = None
        self.counts["records"] += 1
        self.counts["erased"] += fact.erased
        self.named.update(contents_of(fact.event))
        self.records.append(record)
        self.bytes += len(record.header) + len(record.body or b"")
        if len(self.records) >= _BATCH or self.bytes >= _ENOUGH_BYTES:
            self._store()

    def _fact(self, record: Record, line: int) -> Fact:
        try:
            return checked_fact(record)
        except CorruptLog as error:
            corrupt(line, str(error.args[0]), **error.details)

    def _hold(self, fact: Fact, holder: str, line: int) -> None:
        """Notes the keys that a record holds; nobody else may."""
        for key, _ in fact.keys:
            if key in self.keys or self.storage.find(key) is not None:
                corrupt(line, "it holds a key that another record holds", key=key)
            self.keys[key] = holder
            self.counts["keys"] += 1

    def _let_go(self, stream: str) -> None:
        """
        Releases the keys of a room that is unlisted and whose records are still there:
        its deletion was cut short.
        """
        if stream in self.walks and stream not in self.unlisted:
            self.unlisted.add(stream)
            self._store()
            self._release(_keys_of(self.storage, stream))

    def _expire(self, stream: str, last: int) -> None:
        """
        Releases the keys that ended with messages up to a record, where they stand in
        headers: those among the words are gone with them.
        """
        first = self.expired.get(stream, 0)
        self.expired[stream] = max(first, last)
        self._store()
        self._release(
            tuple(
                key
                for key in _keys_of(self.storage, stream, after=first, last=last)
                if ends_with_messages(key)
            )
        )

    def _release(self, keys: tuple[str, ...]) -> None:
        if keys:
            self.storage.append(Commit((), release=keys))
            self.counts["keys"] -= len(keys)

    def _store(self) -> None:
        self.storage.append(Commit(tuple(self.records), add=self.keys))
        self.records, self.keys, self.bytes = [], {}, 0

    # -- states

    def _fold_all(self) -> tuple[str, ...]:
        """Folds every stream, keeps what it waits for, and names those closed."""
        due: dict[str, int] = {}
        closed = []
        for name in self.walks:
            stream = self._folded(name)
            at = stream.deadline()
            if at is not None:
                due[name] = at
            if stream.closed_by:
                closed.append(name)
        names = list(due)
        for first in range(0, len(names), _BATCH):
            some = {name: due[name] for name in names[first : first + _BATCH]}
            self.storage.append(Commit((), due=some))
        return tuple(closed)

    def _folded(self, name: str) -> Stream:
        stream = empty_stream(name)
        for record in records_of(self.storage, name):
            try:
                stream.fold_read(decoded(record), record.chain)
                stream.deadline()
            except (
                ArithmeticError,
                AssertionError,
                AttributeError,
                LookupError,
                RecursionError,
                RoomsError,
                TypeError,
                ValueError,
            ):  # what a stranger wrote may be anything
                line = record.position - self.before + 1
                where = f"{name} {record.version}"
                corrupt(
                    line, f"{where} does not follow from what is before", where=where
                )
        return stream


def _last_line(records: int, streams: int, contents: int) -> dict[str, Any]:
    counted = {"records": records, "streams": streams}
    return {**counted, "contents": contents} if contents else counted


def _are(fields: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a line says just that: to Python, `true` would be 1."""
    return canonical(fields) == canonical(expected)


def _keys_of(
    storage: Storage, stream: str, *, after: int = 0, last: int | None = None
) -> tuple[str, ...]:
    """The keys that records of a stream hold: those behind one, up to another."""
    held: list[str] = []
    for record in records_of(storage, stream, after=after):
        if last is not None and record.version > last:
            break
        holder = f"{stream} {record.version}"
        held += [key for key, _ in decoded(record).keys if storage.find(key) == holder]
    return tuple(held)
