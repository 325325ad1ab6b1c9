"""
What every storage refuses to be asked, so that all of them refuse the same.

Two laws: whatever passes here can be kept by every backend (text that is UTF-8, whole
numbers of 64 bits), and a check costs no more than a look at what it is handed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from rooms.errors import InvalidInput
from rooms.log.records import Commit, Made, Record
from rooms.storage.protocol import Change, Key, Snapshot
from rooms.values import LARGEST, text, whole_number

__all__ = [
    "LARGEST",
    "changes",
    "due_of_nothing",
    "expected_versions",
    "key",
    "limit",
    "lone",
    "name",
    "names",
    "number",
    "pieces",
    "snapshot",
    "text",
    "versions",
]


def name(field: str, value: Any) -> str:
    """A text that has a UTF-8 form: a lone surrogate is refused everywhere (F-126)."""
    if type(value) is str and value.isascii():  # as nearly all are
        return value
    given = text(field, value)
    if not _has_utf8(given):
        raise InvalidInput(field, "holds a lone surrogate", allowed="Unicode text")
    return given


def names(field: str, value: Any) -> list[str]:
    """A sequence of such texts; a bare string is none."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(field, "is no sequence", allowed="a sequence of strings")
    return [name(f"{field}[{place}]", one) for place, one in enumerate(value)]


def number(field: str, value: Any, *, at_least: int = 0) -> int:
    """A whole number of 64 bits."""
    return whole_number(field, value, at_least=at_least, at_most=LARGEST)


def limit(value: Any) -> int:
    """How many at most: one or more."""
    return whole_number("limit", value, at_least=1, at_most=LARGEST)


def key(field: str, value: Any) -> Key:
    """A projection's key: a tuple of whole numbers of 64 bits and texts."""
    if not isinstance(value, tuple):
        raise InvalidInput(field, f"is {type(value).__name__}", allowed="a tuple")
    for place, part in enumerate(value):
        if type(part) is str and part.isascii():
            continue  # as nearly all are
        if isinstance(part, str):
            name(f"{field}[{place}]", part)
        else:
            number(f"{field}[{place}]", part, at_least=-LARGEST - 1)
    return value


def changes(value: Iterable[Any]) -> list[Change]:
    """Changes of rows, each with a good key, and bytes or None as its value."""
    checked = []
    for place, change in enumerate(value):
        field = f"changes[{place}]"
        if not isinstance(change, Change):
            raise InvalidInput(field, "is no Change", allowed="a Change")
        if not isinstance(change.value, bytes | None):
            raise InvalidInput(field, "has no bytes", allowed="bytes or None")
        key(f"{field}.key", change.key)
        checked.append(change)
    return checked


def versions(value: Iterable[Any]) -> list[int]:
    """Numbers of records, in any order, each once."""
    checked = (number(f"versions[{place}]", one) for place, one in enumerate(value))
    return list(dict.fromkeys(checked))


def pieces(content: Any) -> Iterable[bytes]:
    """A content in pieces; bare bytes would be read as numbers, and are refused."""
    if isinstance(content, bytes | bytearray | memoryview | str) or not isinstance(
        content, Iterable
    ):
        raise InvalidInput("content", "is no iterable of pieces", allowed="[content]")
    for place, piece in enumerate(content):
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise InvalidInput(f"content[{place}]", "is not bytes", allowed="bytes")
        yield bytes(piece)


def snapshot(value: Any) -> Snapshot:
    """A snapshot whose fields have their types."""
    if not isinstance(value, Snapshot):
        raise InvalidInput("snapshot", "is no Snapshot", allowed="a Snapshot")
    name("snapshot.stream", value.stream)
    number("snapshot.version", value.version)
    number("snapshot.schema", value.schema)
    for field in ("chain", "state", "digest"):
        if not isinstance(getattr(value, field), bytes):
            raise InvalidInput(f"snapshot.{field}", "is not bytes", allowed="bytes")
    return value


def lone(commit: Any) -> Record | None:
    """
    The record of a commit that is one good record, at most with keys to add, as most
    are; any other is for `expected_versions`.

    Raises:
        InvalidInput: `invalid_request`, for a key or holder that is no good text.
    """
    if (
        type(commit) is not Commit
        or commit.guards
        or commit.due
        or commit.release
        or len(commit.records) != 1
    ):
        return None
    record = commit.records[0]
    if type(record) is not Made and not _is_good(record):
        return None
    if commit.add:
        _check_keys(commit.add)
    return record


def expected_versions(commit: Any) -> dict[str, int]:
    """
    Each stream that a commit appends to, with the version that it expects there.

    Raises:
        InvalidInput: `invalid_request`, for what no storage could keep: other types,
            numbers of more than 64 bits, a lone surrogate, a run that is not dense.
    """
    if not isinstance(commit, Commit):
        raise InvalidInput("commit", "is no Commit", allowed="a Commit")
    expected: dict[str, int] = {}
    last: dict[str, int] = {}
    for place, record in enumerate(commit.records):
        if type(record) is not Made and not _is_good(record):
            _name_what_is_bad(f"records[{place}]", record)
        stream, version = record.stream, record.version
        if stream not in last:
            expected[stream] = version - 1
        elif version != last[stream] + 1:
            raise InvalidInput(
                f"records[{place}].version",
                f"is {version} after {last[stream]}",
                allowed="a dense run for each stream",
            )
        last[stream] = version
    if commit.guards or commit.due or commit.add or commit.release:
        _check_the_rest(commit)
    return expected


def _check_the_rest(commit: Commit) -> None:
    for stream, read in commit.guards.items():
        name("guards", stream)
        if type(read) is not int or read >> 63:  # below 0, or above `LARGEST`
            number(f"guards[{stream!r}]", read)
    for stream, due in commit.due.items():
        name("due", stream)
        if due is not None and (type(due) is not int or due >> 63):  # seldom, likewise
            number(f"due[{stream!r}]", due, at_least=-LARGEST)
    _check_keys(commit.add)
    for released in commit.release:
        name("release", released)


def _check_keys(add: Mapping[str, str]) -> None:
    for added, holder in add.items():
        name("add", added)
        name("add", holder)


def due_of_nothing(stream: str) -> InvalidInput:
    """What to raise for the due instant of a stream that has no records."""
    return InvalidInput("due", f"names {stream!r}", allowed="streams that have records")


_WORDS = (str, str, bytes, bytes, bytes)
_NUMBERS = (int, int, bool, int)


def _is_good(record: Any) -> bool:
    """Whether a record that somebody else made can be kept."""
    if type(record) is not Record:
        return False
    # Taken apart, since attributes cost more; and the types are compared all at once.
    # To collect them by `map` would take fewer bytecodes, and half as long again.
    stream, version, kind, schema, flag, at, head, body, salt, seal, chain, seq, _ = (
        record
    )
    return (
        (type(stream), type(kind), type(head), type(seal), type(chain)) == _WORDS
        and (type(version), type(schema), type(flag), type(at)) == _NUMBERS
        and version > 0
        # One number with the bits of all three: none is below 0, or above `LARGEST`.
        and not (version | schema | abs(at)) >> 63
        # Not empty, and not with NUL at its beginning: it sorts behind either.
        and (body is None or (type(body) is bytes and body >= b"\1"))
        and (salt is None or type(salt) is bytes)
        and (seq is None or (type(seq) is int and 0 < seq < LARGEST))
        and (stream.isascii() or _has_utf8(stream))
        and (kind.isascii() or _has_utf8(kind))
    )


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name_what_is_bad(field: str, record: Any) -> NoReturn:
    if not isinstance(record, Record):
        raise InvalidInput(field, "is no Record", allowed="a Record")
    name(f"{field}.stream", record.stream)
    name(f"{field}.type", record.type)
    number(f"{field}.version", record.version, at_least=1)
    number(f"{field}.schema", record.schema)
    number(f"{field}.at", record.at, at_least=-LARGEST)
    if record.seq is not None:
        number(f"{field}.seq", record.seq, at_least=1)
    raise InvalidInput(
        field,
        "has a field that cannot be",
        allowed="bytes for header, body, salt, digest and chain; a bool for critical;"
        " no body that is empty or begins with NUL",
    )
