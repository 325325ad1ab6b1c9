"""
Records: what a log is made of, byte for byte.

Three laws:

- What is stored is what is exported and digested: canonical JSON in UTF-8, written once
  and never again (foundation 7, 9).
- Every record's chain covers the one before, all fixed fields, the header, and a salted
  digest of the body; so a body can be erased and the chain still verifies.
- Nothing here knows what an event means.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from rooms.errors import CorruptLog

__all__ = [
    "GENESIS",
    "Commit",
    "Form",
    "Record",
    "canonical",
    "chained",
    "erased",
    "parsed",
    "quoted",
    "record_id",
    "record_named",
    "room_of_record",
    "text_of",
    "written",
]

GENESIS = b"\x00" * 32
"""The chain before a stream's first record."""

_DIGEST_BYTES = 32
_LONGEST = 12  # digits of a version in an id
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
)
# What `_ENCODER.encode` makes anew at each call; None where there is no C encoder.
_MAKE: Any = getattr(json.encoder, "c_make_encoder", None)
_QUOTE: Any = getattr(json.encoder, "encode_basestring", None)
_PREPARED: Any = _MAKE and _MAKE(
    None, _ENCODER.default, _QUOTE, None, ":", ",", *(False, False, False)
)


class Record(NamedTuple):
    """
    One recorded fact of one stream.

    Attributes:
        stream: `lobby`, `room:<id>` or `agent:<id>`.
        version: Its place in the stream, dense from 1.
        type: The event's name, such as `message_posted`.
        schema: The form of header and body under that name, from 1.
        critical: Whether a reader that does not know the type must not go on.
        at: Microseconds since 1970, UTC; never falls within a stream.
        header: Canonical JSON: all that folding the log needs.
        body: Canonical JSON of words that people gave; None where there are none, or
            where they were erased.
        salt: What the body's digest is salted with; gone with the body.
        digest: The salted digest of the body; empty where there never was one.
        chain: The digest over all records of the stream so far.
        seq: The transcript's number where the record is a message, else None. It
            repeats what the header says, so that a storage can find it.
        position: The record's place in the lobby's commit order; 0 before it has one.
    """

    stream: str
    version: int
    type: str
    schema: int
    critical: bool
    at: int
    header: bytes
    body: bytes | None
    salt: bytes | None
    digest: bytes
    chain: bytes
    seq: int | None = None
    position: int = 0

    def __repr__(self) -> str:
        """Where it stands and what it is; never its words."""
        return f"Record({self.stream!r}, {self.version}, {self.type!r})"


class Form(NamedTuple):
    """What all records of one type begin with, and how a chain covers it."""

    type: str
    schema: int
    critical: bool
    covered: bytes

    @classmethod
    def of(cls, name: str, schema: int, *, critical: bool) -> Form:
        """The form of a type's records."""
        covered = b"%b\n%d\n%d" % (name.encode(), schema, critical)
        return cls(name, schema, critical, covered)


class Made(Record):
    """A record that `written` made, and nobody changed: a storage need not judge it."""

    __slots__ = ()


class Commit(NamedTuple):
    """
    What one command leaves behind, all of it or nothing.

    Attributes:
        records: The records to append; a stream's run dense from the version that it
            expects to find.
        guards: Streams that were read and not written, each with the version read.
        add: Keys to add, each with what holds it; a key that is held fails the commit.
        release: Keys to remove; one that nobody holds is no fault.
        due: For each stream whose next instant changed, microseconds or None.
    """

    records: tuple[Record, ...]
    guards: Mapping[str, int] = {}
    add: Mapping[str, str] = {}
    release: tuple[str, ...] = ()
    due: Mapping[str, int | None] = {}


def canonical(value: Any) -> bytes:
    """
    A value of JSON's own types as the one text that stands for it, in UTF-8.

    Objects keep the order that they are given; integers are the only numbers.
    """
    return text_of(value).encode()


def text_of(value: Any) -> str:
    """As `canonical`, before it is UTF-8."""
    return "".join(_PREPARED(value, 0)) if _PREPARED else _ENCODER.encode(value)


quoted: Callable[[str], str] = _QUOTE or _ENCODER.encode
"""As `text_of`, of what is a `str` and nothing else."""


def parsed(content: bytes, *, where: str) -> dict[str, Any]:
    """
    The object that a header or a body holds.

    Raises:
        CorruptLog: `corrupt_log`, naming `where`, for what is no JSON object.
    """
    try:
        value = json.loads(content.decode())
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise CorruptLog("corrupt_log", f"{where} is no JSON", where=where) from error
    if not isinstance(value, dict):
        raise CorruptLog("corrupt_log", f"{where} is no object", where=where)
    return value


def body_digest(body: bytes | None, salt: bytes | None) -> bytes:
    """The digest that stands for a body in the chain; empty where there is none."""
    if body is None:
        return b""
    return blake2b(body, digest_size=_DIGEST_BYTES, salt=salt or b"").digest()


def proven_up_to(records: Sequence[Record], version: int, chain: bytes) -> int:
    """
    How many of a stream's records, from the first on, are what was written behind a
    version and its chain; as `chained` tells, in one walk.
    """
    if not records:
        return 0
    name = records[0].stream.encode()
    for place, record in enumerate(records):
        _, number, kind, schema, critical, at, header, _, _, digest, kept, _, _ = record
        version += 1
        try:
            content = _CHAINED % (
                chain,
                name,
                version,
                kind.encode(),
                schema,
                critical,
                at,
                len(header),
                header,
                digest,
            )
        except (AttributeError, TypeError, ValueError):  # a flipped bit, another type
            return place
        chain = blake2b(content, digest_size=_DIGEST_BYTES).digest()
        if number != version or chain != kept:
            return place
    return len(records)


_CHAINED = b"%b%b\n%d\n%b\n%d\n%d\n%d\n%d\n%b%b"
_WRITTEN = b"%b%b\n%d\n%b\n%d\n%d\n%b%b"
"""As `_CHAINED`, with the form in one."""


def written(
    before: bytes,
    stream: str,
    version: int,
    at: int,
    form: Form,
    *,
    words: tuple[bytes, bytes | None],
    salt: Callable[[], bytes],
    seq: int | None,
) -> Record:
    """
    The record that header and body make, behind one with the chain `before`: what
    `body_digest` and `chained` say of it, in one walk.

    Args:
        before: The chain at the record before it.
        stream, version, at: Where and when it stands.
        form: What it begins with.
        words: The header and the body.
        salt: Gives what the body is salted with, if there is one.
        seq: The transcript's number of a message.
    """
    kind, schema, critical, covered = form
    header, body = words
    grain, digest = None, b""
    if body is not None:
        grain = salt()
        digest = blake2b(body, digest_size=_DIGEST_BYTES, salt=grain).digest()
    name = stream.encode()
    size = len(header)
    content = _WRITTEN % (before, name, version, covered, at, size, header, digest)
    chain = blake2b(content, digest_size=_DIGEST_BYTES).digest()
    return _made(
        Made,
        (
            stream,
            version,
            kind,
            schema,
            critical,
            at,
            header,
            body,
            grain,
            digest,
            chain,
            seq,
            0,
        ),
    )


_made: Callable[[type[Made], tuple[Any, ...]], Made] = tuple.__new__


def chained(before: bytes, record: Record) -> bytes:
    """The chain at a record, from the chain before it."""
    stream, version, kind, schema, critical, at, header, _, _, digest, _, _, _ = record
    fixed = (
        f"{stream}\n{version}\n{kind}\n{schema}\n{critical:d}\n{at}\n{len(header)}\n"
    )
    content = before + fixed.encode() + header + digest
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()


def erased(record: Record) -> Record:
    """The record without its words: header and digest stay, so the chain still fits."""
    return changed(record, body=None, salt=None)


def changed(record: Record, **fields: Any) -> Record:
    """The record with other values in some fields; its chain is not made anew."""
    return Record(*record)._replace(**fields)


def record_id(room: str, version: int) -> str:
    """The id of what a record brings: the room's token and the version; it sorts."""
    return f"{room.removeprefix('room_')}.{version:08d}"


def record_named(room: str, record: str) -> int:
    """
    The version of a room's record that an id names, there or not; 0 for what is not
    written just as `record_id` writes it, so that nothing has two ids.
    """
    digits = record.rpartition(".")[2]
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST
    version = int(digits) if plain else 0
    return version if record_id(room, version) == record else 0


def room_of_record(record: str) -> str:
    """The room of what a record brought; "" for no record."""
    token, dot, _ = record.rpartition(".")
    return f"room_{token}" if dot else ""
