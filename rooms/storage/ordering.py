"""
Keys of projections as bytes that sort as the keys do (S10).

Two laws: `packed(a) < packed(b)` exactly if `a < b`, element by element, a shorter key
before the longer one that begins with it, integers before texts; and `unpacked` gives
back what was packed.

An integer is a mark and eight bytes, counted from the smallest. A text is a mark, its
UTF-8 with NUL doubled to NUL 255, and a NUL: UTF-8 sorts by code point, and an end
sorts before all that may follow.
"""

from __future__ import annotations

from rooms.errors import CorruptLog
from rooms.storage.protocol import Key

__all__ = ["AFTER_ALL", "packed", "unpacked"]

AFTER_ALL = b"\xff"
"""Sorts after every key."""

_INTEGER, _TEXT = 1, 2
_WIDTH = 8
_OFFSET = 1 << 63


def packed(key: Key) -> bytes:
    """
    A key's bytes; the key is one that `arguments.key` has let pass.

    >>> packed((-1, "a")).hex()
    '017fffffffffffffff026100'
    """
    parts = b""
    for part in key:
        if isinstance(part, str):
            content = part.encode()
            if b"\0" in content:
                content = content.replace(b"\0", b"\0\xff")
            parts += b"%c%b\0" % (_TEXT, content)
        else:
            number = (part + _OFFSET).to_bytes(_WIDTH, "big")
            parts += b"%c%b" % (_INTEGER, number)
    return parts


def unpacked(content: bytes) -> Key:
    """The key that was packed so; `CorruptLog` for what `packed` never makes."""
    parts: list[int | str] = []
    at = 0
    try:
        while at < len(content):
            part, at = _part(content, at)
            parts.append(part)
    except ValueError as error:
        raise CorruptLog("corrupt_log", "a projection's key is damaged") from error
    return tuple(parts)


def _part(content: bytes, at: int) -> tuple[int | str, int]:
    """The integer or text that begins there, and where the next one does."""
    mark, start = content[at], at + 1
    if mark == _INTEGER and len(content) >= start + _WIDTH:
        number = int.from_bytes(content[start : start + _WIDTH], "big")
        return number - _OFFSET, start + _WIDTH
    if mark != _TEXT:
        raise ValueError(mark)
    end = _end_of_text(content, start)
    return content[start:end].replace(b"\0\xff", b"\0").decode(), end + 1


def _end_of_text(content: bytes, at: int) -> int:
    while True:
        at = content.index(b"\0", at)
        if content[at + 1 : at + 2] != b"\xff":
            return at
        at += 2
