"""
Walking: all records of a stream, or of a whole storage, a page at a time.

Law: no more than one page is held, however long the log is; what is recorded meanwhile
is found too, unless an end is given.
"""

from __future__ import annotations

from collections.abc import Iterator

from rooms.log.records import Record
from rooms.storage.protocol import Storage

__all__ = ["records_of", "scanned"]

_PAGE = 500


def records_of(storage: Storage, stream: str, *, after: int = 0) -> Iterator[Record]:
    """
    All records of a stream behind a version, the oldest first; those whose number is
    none last.
    """
    behind: object = after
    while isinstance(behind, int):
        records = storage.read(stream, after=behind, limit=_PAGE)
        yield from records
        behind = records[-1].version if len(records) == _PAGE else None


def scanned(
    storage: Storage, *, after: int = 0, end: int | None = None
) -> Iterator[Record]:
    """All records behind a position, up to another one, in the order of commits."""
    while (end is None or after < end) and (
        records := storage.scan(after=after, limit=_PAGE)
    ):
        for record in records:
            if end is not None and record.position > end:
                return
            yield record
        after = records[-1].position
