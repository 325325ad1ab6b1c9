"""
Blobs in a SQLite file: contents by their SHA-256, in pieces.

Two laws: a content is what its digest says, when it comes in and when it goes out
(S12); and nobody waits while a caller's iterator does: it is read to its end before the
writers' lock is taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import partial
from tempfile import SpooledTemporaryFile

from rooms.errors import CorruptLog, NotFound
from rooms.storage import arguments
from rooms.storage.sqlite.database import Database
from rooms.storage.sqlite.faults import of_file

__all__ = ["Blobs"]

_PIECE = 1 << 18
_PAD = 4_096  # over a page: what comes after it is never moved (see `schema`)
_KEPT_IN_MEMORY = 1 << 20
_PIECE_OF = (
    "SELECT content FROM pieces WHERE number = ? AND blob ="
    " (SELECT id FROM blobs WHERE digest = ?)"
)


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
        with self._database.writing as run:
            added = run(
                "INSERT INTO blobs (digest) VALUES (?) ON CONFLICT DO NOTHING",
                (digest,),
            )
            if added.rowcount:
                for number, piece in enumerate(pieces):
                    run(
                        "INSERT INTO pieces (blob, number, pad, content)"
                        " VALUES (?, ?, zeroblob(?), ?)",
                        (added.lastrowid, number, _PAD, piece),
                    )

    def pieces(self, digest: str, start: int) -> Iterator[bytes]:
        """A content in pieces; one that is not there is reported at once."""
        arguments.name("digest", digest)
        arguments.number("start", start)
        with self._database.reading as run:
            found = run("SELECT 1 FROM blobs WHERE digest = ?", (digest,)).fetchone()
        if found is None:
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
        with self._database.writing as run:
            run(
                "DELETE FROM pieces WHERE blob ="
                " (SELECT id FROM blobs WHERE digest = ?)",
                (digest,),
            )
            run("DELETE FROM blobs WHERE digest = ?", (digest,))
            self._database.scrub()
