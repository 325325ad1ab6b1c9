"""
A log as lines of text: what an export writes, and what alone an import reads.

Four laws. A line is the only text that stands for what it says: whatever is read is
written again and compared, so a field twice, `1e0` or a stray blank is refused. It is
ASCII, so that no tool breaks or re-codes it. Its checksum covers the line before, so
one that is changed, lost, doubled or moved is noticed, and the last line tells a file
that was cut. And a line costs no more than its length to refuse.

The checksums find damage, not malice: whoever writes a file can write them too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any, BinaryIO, NoReturn

from rooms.errors import CorruptLog, InvalidInput
from rooms.log.records import Record, canonical
from rooms.values import LARGEST, moment

__all__ = [
    "BEGINNING",
    "FORMAT",
    "MOST_CHARACTERS",
    "VERSION",
    "Reader",
    "Writer",
    "corrupt",
    "read_lines",
    "read_record",
    "record_fields",
]

FORMAT = "rooms-log"
BEGINNING = f'{{"format":"{FORMAT}",'
"""How the first line of an export begins, whatever its version."""

VERSION = 1
"""The version of this form; a later one is not read."""

MOST_CHARACTERS = 64 * 2**20
"""The longest line that is written or read."""

_DEEPEST = 64
_SUM_BYTES = 16
_ENCODER = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":")
)


class _Sums:
    """The running checksum of lines, and the number of the last one."""

    def __init__(self) -> None:
        self.number = 0
        self._sum = bytes(_SUM_BYTES)

    def ending(self, content: str) -> str:
        """How the line with that content ends, and goes on from it."""
        self.number += 1
        covered = self._sum + content.encode("ascii")
        self._sum = blake2b(covered, digest_size=_SUM_BYTES).digest()
        return f',"sum":"{self._sum.hex()}"}}'


_ENDING = len(_Sums().ending(""))


def _is_ending(text: str) -> bool:
    return text.startswith(',"sum":"') and text.endswith('"}')


class Writer:
    """Writes lines, each with its checksum."""

    def __init__(self) -> None:
        self._sums = _Sums()

    def line(self, fields: dict[str, Any]) -> str:
        """
        The next line, with its line break.

        Raises:
            InvalidInput: `too_large` for more than `MOST_CHARACTERS`.
        """
        content = _ENCODER.encode(fields)
        line = content[:-1] + self._sums.ending(content)
        if len(line) > MOST_CHARACTERS:
            raise _too_large(self._sums.number)
        return f"{line}\n"


class Reader:
    """Reads lines, each against its checksum; `number` is the last one's, from 1."""

    def __init__(self) -> None:
        self._sums = _Sums()

    @property
    def number(self) -> int:
        """The line that was read last."""
        return self._sums.number

    def read(self, line: Any) -> dict[str, Any]:
        """
        What the next line says, without its checksum.

        Raises:
            InvalidInput: `too_large`; `invalid_json` for what is no line of ours.
            CorruptLog: `corrupt_log` where the checksum is another.
        """
        number = self.number + 1
        if not isinstance(line, str):
            raise InvalidInput(
                "lines", f"holds {type(line).__name__}", allowed="a string a line"
            )
        if len(line) > MOST_CHARACTERS + 2:
            raise _too_large(number)
        whole = line.removesuffix("\n").removesuffix("\r")
        content, ending = whole[:-_ENDING] + "}", whole[-_ENDING:]
        if not whole.isascii() or not _is_ending(ending):
            problem = "is no line of an export, or was cut"
            problem += ": it is empty" * (not whole)
            raise _no_json(number, problem + _elsewhere(number, line))
        if ending != self._sums.ending(content):
            corrupt(number, "its checksum is another: it or one before was changed")
        try:
            fields: dict[str, Any] = json.loads(content)  # what ends so is an object
            again = _ENCODER.encode(fields)
        except (ValueError, RecursionError):
            raise _no_json(number, "is no JSON") from None
        if again != content:
            raise _no_json(number, "is not written as an export writes it")
        return fields


def read_lines(file: BinaryIO) -> Iterator[str]:
    """
    The lines of a file, none longer than what may be read.

    Raises:
        InvalidInput: `too_large`, `invalid_json` for bytes that are no ASCII.
    """
    number = 0
    while line := file.readline(MOST_CHARACTERS + 3):
        number += 1
        if len(line) > MOST_CHARACTERS + 2:
            raise _too_large(number)
        try:
            yield line.decode("ascii")
        except UnicodeDecodeError:
            told = _elsewhere(number, line.decode("utf-8", "replace"))
            raise _no_json(number, f"is no line of an export{told}") from None


# -- records


def record_fields(record: Record) -> dict[str, Any]:
    """
    A record as a line says it: all that is stored, but for its position.

    Raises:
        CorruptLog: `corrupt_log` for a header or body that is no UTF-8.
    """
    try:
        header = record.header.decode()
        body = None if record.body is None else record.body.decode()
    except UnicodeDecodeError:
        where = f"{record.stream} {record.version}"
        raise CorruptLog("corrupt_log", f"{where} is no UTF-8", where=where) from None
    return {
        "stream": record.stream,
        "version": record.version,
        "type": record.type,
        "schema": record.schema,
        "critical": record.critical,
        "at": record.at,
        "seq": record.seq,
        "header": header,
        "body": body,
        "salt": None if record.salt is None else record.salt.hex(),
        "digest": record.digest.hex(),
        "chain": record.chain.hex(),
    }


def read_record(fields: dict[str, Any], line: int) -> Record:
    """
    The record that a line says.

    Raises:
        CorruptLog: `corrupt_log`, naming the line, for what no storage of ours holds.
    """
    if fields.keys() != _READERS.keys():
        corrupt(line, f"it has not the fields {', '.join(_READERS)}")
    read: dict[str, Any] = {}
    for name, reader in _READERS.items():
        try:
            read[name] = reader(fields[name])
        except (TypeError, ValueError, RecursionError):
            corrupt(line, f"its {name} is not what may stand there")
    return Record(**read)


def _stream(value: Any) -> str:
    kind, _, name = _text(value).partition(":")
    if value != "lobby" and (kind not in {"agent", "room"} or not name):
        raise ValueError
    return str(value)


def _text(value: Any) -> str:
    if type(value) is not str or not value:
        raise TypeError
    value.encode()  # a lone surrogate raises
    return value


def _number(value: Any) -> int:
    if type(value) is not int or not 0 < value <= LARGEST:
        raise TypeError
    return value


def _time(value: Any) -> int:
    if type(value) is not int or moment(value) is None:
        raise TypeError
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _json(value: Any) -> bytes:
    content = _text(value).encode()
    said = json.loads(content)
    if not isinstance(said, dict) or canonical(said) != content or _is_deep(said):
        raise ValueError
    return content


def _bytes(value: Any) -> bytes:
    content = bytes.fromhex(value)
    if content.hex() != value:
        raise ValueError
    return content


def _maybe(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else reader(value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "stream": _stream,
    "version": _number,
    "type": _text,
    "schema": _number,
    "critical": _flag,
    "at": _time,
    "seq": _maybe(_number),
    "header": _json,
    "body": _maybe(_json),
    "salt": _maybe(_bytes),
    "digest": _bytes,
    "chain": _bytes,
}


def _is_deep(value: Any) -> bool:
    """Whether lists and objects stand in each other more than 64 deep."""
    level, depth = [value], 0
    while level and depth < _DEEPEST:
        depth += 1
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
    return bool(level)


# -- what is said of a line


def corrupt(line: int, problem: str, **details: Any) -> NoReturn:
    """Refuses a line that says what was never recorded."""
    raise CorruptLog("corrupt_log", f"line {line}: {problem}", line=line, **details)


def _elsewhere(number: int, line: str) -> str:
    """Whose a file is that begins as a transcript or a lobby may, and as no export."""
    if number == 1 and line.startswith("SQLite format 3\0"):
        return "; `rooms export` writes one of a lobby's file"
    begins = line.lstrip("\ufeff \t\r\n")
    if number > 1 or begins[:1] not in {"{", "["} or begins.startswith(BEGINNING):
        return ""
    return "; `rooms replay` reads a transcript"


def _no_json(line: int, problem: str) -> InvalidInput:
    return InvalidInput(f"line {line}", problem, code="invalid_json", line=line)


def _too_large(line: int) -> InvalidInput:
    return InvalidInput(
        f"line {line}",
        "is too long",
        allowed=f"<= {MOST_CHARACTERS:,} characters",
        code="too_large",
        line=line,
    )
