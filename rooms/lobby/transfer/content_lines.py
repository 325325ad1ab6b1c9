"""
Contents as lines of an exported log: in pieces, each content behind the last.

Two laws. A content has one way to stand on lines: pieces of one length but for the
last, whatever those of the storage are. And it is never held whole, on either way.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

from rooms.log.lines import Reader, corrupt
from rooms.log.records import canonical
from rooms.storage import Storage

__all__ = ["Pieces", "content_lines"]

_PIECE = 192 * 2**10  # bytes on one line
_FIELDS = ("content", "piece", "more", "bytes")
_TYPES = (str, int, bool, str)


def content_lines(storage: Storage, digest: str) -> Iterator[dict[str, Any]]:
    """
    What the lines of a content say, the empty one's too.

    Raises:
        NotFound: `unknown_blob`.
    """
    number, held = 0, b""
    for piece in storage.blob(digest):
        held += piece
        while len(held) > _PIECE:
            yield _line(digest, number, held[:_PIECE], more=True)
            number, held = number + 1, held[_PIECE:]
    yield _line(digest, number, held, more=False)


def _line(digest: str, number: int, content: bytes, *, more: bool) -> dict[str, Any]:
    written = b64encode(content).decode("ascii")
    return dict(zip(_FIELDS, (digest, number, more, written), strict=True))


class Pieces:
    """
    The pieces of one content after the other, read from lines.

    Attributes:
        fields: What the line behind the last piece says.
    """

    def __init__(
        self, fields: dict[str, Any], given: Iterator[str], reader: Reader
    ) -> None:
        self.fields = fields
        self._given = given
        self._reader = reader

    @property
    def digest(self) -> str | None:
        """The digest of the content that begins on the line; None for another line."""
        if "content" not in self.fields:
            return None
        if not isinstance(self.fields["content"], str):
            corrupt(self._reader.number, "its content is no digest")
        return str(self.fields["content"])

    def __iter__(self) -> Iterator[bytes]:
        """
        The pieces of the content that begins on the line.

        Raises:
            CorruptLog: `corrupt_log`, naming the line, for what no export writes.
        """
        digest, number, more = self.digest, 0, True
        while more:
            piece = _read(self.fields, self._reader.number)
            more = self.fields["more"] is True
            said = _line(str(digest), number, piece, more=more)
            whole = len(piece) == _PIECE if more else len(piece) <= _PIECE
            if not whole or canonical(said) != canonical(self.fields):
                corrupt(self._reader.number, "it is not the next piece of a content")
            yield piece
            line = next(self._given, None)
            if line is None:
                corrupt(self._reader.number + 1, "it is missing: the log was cut")
            self.fields = self._reader.read(line)
            number += 1


def _read(fields: dict[str, Any], line: int) -> bytes:
    if tuple(fields) != _FIELDS or tuple(map(type, fields.values())) != _TYPES:
        corrupt(line, f"it has not the fields {', '.join(_FIELDS)}")
    try:
        return b64decode(fields["bytes"], validate=True)
    except (TypeError, ValueError):
        corrupt(line, "its bytes are no base64")
