"""
Blobs in a SQLite file: contents by their SHA-256, in pieces.

Three laws. A content is what its digest says, when it comes in and when it goes out
(S12). Nobody waits while a caller's iterator does: it is read to its end before the
writers' lock is taken. And nobody waits long for a large one: its pieces are written
some at a time, under a name that nobody asks for, and it has its own when all are
there. What a crash leaves under such a name goes with the content's removal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from secrets import token_hex
from tempfile import SpooledTemporaryFile

from rooms.errors import CorruptLog, NotFound, StorageError
from rooms.storage import arguments
from rooms.storage.sqlite.database import Database, Run
from rooms.storage.sqlite.faults import of_file

__all__ = ["Blobs"]

_PIECE = 1 << 18
_PAD = 4_096  # over a page: what comes after it is never moved (see `schema`)
_KEPT_IN_MEMORY = 1 << 20
_AT_ONCE = 16  # pieces, 4 MiB: what is written while others wait
_INSERT = "INSERT INTO blobs (digest) VALUES (?) ON CONFLICT DO NOTHING"
_PIECE_OF = (
    "SELECT content FROM pieces WHERE number = ? AND blob ="
    " (SELECT id FROM blobs WHERE digest = ?)"
)
_OF_DIGEST = "FROM blobs WHERE digest = ? OR digest BETWEEN ? AND ?"


class Blobs:
    """The blobs of one database; see `rooms.storage.Storage` for each call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, content: Iterable[bytes]) -> str:
        """Keep a content and return its digest."""
        hashed = hashlib.sha256()
        with SpooledTemporaryFile(_KEPT_IN_MEMORY) as spool:
            for piece in arguments.pieces(content):
                hashed.update(piece)
                try:
                    spool.write(piece)
                except OSError as error:
                    raise of_file(error) from error
            spool.seek(0)
            digest = hashed.hexdigest()
            self._keep(digest, iter(partial(spool.read, _PIECE), b""))
        return digest

    def _keep(self, digest: str, pieces: Iterator[bytes]) -> None:
        first = list(islice(pieces, _AT_ONCE))
        following = list(islice(pieces, _AT_ONCE))
        if self._is_kept(digest):
            return
        if not following:
            with self._database.writing as run:
                added = run(_INSERT, (digest,))
                if added.rowcount:
                    _write(run, added.lastrowid, 0, first)
            return
        name = f"{_staged(digest)}{token_hex(8)}"
        with self._database.writing as run:
            blob = run(_INSERT, (name,)).lastrowid
            _write(run, blob, 0, first)
        number = len(first)
        while following:
            with self._database.writing as run:
                _write(run, blob, number, following)
            number += len(following)
            following = list(islice(pieces, _AT_ONCE))
        self._name(blob, digest)

    def _name(self, blob: int | None, digest: str) -> None:
        """Gives a content whose pieces are all there its name."""
        with self._database.writing as run:
            if self._is_kept(digest):  # somebody else was faster
                run("DELETE FROM pieces WHERE blob = ?", (blob,))
                run("DELETE FROM blobs WHERE id = ?", (blob,))
                return
            named = run("UPDATE blobs SET digest = ? WHERE id = ?", (digest, blob))
            if not named.rowcount:
                raise StorageError(
                    "storage_failed", "a content was removed while it was written"
                )

    def _is_kept(self, digest: str) -> bool:
        with self._database.reading as run:
            found = run("SELECT 1 FROM blobs WHERE digest = ?", (digest,)).fetchone()
        return found is not None

    def pieces(self, digest: str, start: int) -> Iterator[bytes]:
        """A content in pieces; one that is not there is reported at once."""
        arguments.name("digest", digest)
        arguments.number("start", start)
        if not self._is_kept(digest):
            raise NotFound("unknown_blob", "there is no such blob", digest=digest)
        return self._from(digest, start) if start else self._whole(digest)

    def _from(self, digest: str, start: int) -> Iterator[bytes]:
        number, skipped = divmod(start, _PIECE)  # all pieces but the last are full
        while True:
            with self._database.reading as run:
                found = run(_PIECE_OF, (number, digest)).fetchone()
            if found is None:
                return
            if skipped < len(found[0]):
                yield found[0][skipped:]
            number, skipped = number + 1, 0

    def _whole(self, digest: str) -> Iterator[bytes]:
        hashed = hashlib.sha256()
        number = 0
        while True:
            with self._database.reading as run:
                found = run(_PIECE_OF, (number, digest)).fetchone()
            if found is None:
                break
            hashed.update(found[0])
            yield found[0]
            number += 1
        if hashed.hexdigest() != digest:
            raise CorruptLog(
                "corrupt_log", "a blob was removed or damaged", digest=digest
            )

    def remove(self, digest: str) -> None:
        """Remove a content; one that is not there is no fault."""
        arguments.name("digest", digest)
        staged = _staged(digest)
        named = (digest, staged, f"{staged}~")
        with self._database.writing as run:
            run(f"DELETE FROM pieces WHERE blob IN (SELECT id {_OF_DIGEST})", named)  # noqa: S608 - a constant
            run(f"DELETE {_OF_DIGEST}", named)
            self._database.scrub()


def _staged(digest: str) -> str:
    """How the names begin under which a content is written before it has its own."""
    return f"~{digest}~"


def _write(run: Run, blob: int | None, first: int, pieces: Iterable[bytes]) -> None:
    for number, piece in enumerate(pieces, first):
        run(
            "INSERT INTO pieces (blob, number, pad, content)"
            " VALUES (?, ?, zeroblob(?), ?)",
            (blob, number, _PAD, piece),
        )
