"""
Proving: every record of a lobby against the chain of its stream.

Two laws. The log is read both ways, by stream and in commit order; what one of them
does not find is missing from an index, and is told. And every content that a record
names is read, once, and compared with its digest.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from attrs import evolve

from rooms.errors import CorruptLog, NotFound
from rooms.log.contents import contents_of, may_name_contents
from rooms.log.events import decoded
from rooms.log.records import Record
from rooms.log.verification import Damage, Verification, verify_stream
from rooms.storage import Storage
from rooms.storage.walking import records_of, scanned

__all__ = ["Contents", "verify_storage"]


def verify_storage(storage: Storage) -> Mapping[str, Verification]:
    """What is not as it was written, by stream."""
    end = storage.position()
    counted = Counter(record.stream for record in scanned(storage, end=end))
    found = {}
    contents = Contents(storage)
    for stream in storage.streams():
        seen = Counter[bool]()
        records = contents.noting(records_of(storage, stream))
        verified = verify_stream(_counting(records, seen, end))
        if counted[stream] > seen[True]:
            gap = Damage(stream, verified.records + 1, "gap")
            verified = evolve(verified, damages=(*verified.damages, gap))
        found[stream] = contents.proven(stream, verified)
    return found


class Contents:
    """The contents that records name, each read once."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._whole: dict[str, bool] = {}
        self._named: list[tuple[int, str]] = []

    def noting(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records of one stream, while what they name is noted."""
        self._named = []
        for record in records:
            if may_name_contents(record):
                with suppress(CorruptLog):  # what is no record is told as damage
                    names = contents_of(decoded(record).event)
                    self._named += [(record.version, name) for name in names]
            yield record

    def proven(self, stream: str, verified: Verification) -> Verification:
        """What became of that stream's records, and of what they name."""
        lost = dict.fromkeys(
            version for version, name in self._named if not self._is_whole(name)
        )
        if not lost:
            return verified
        damages = [Damage(stream, version, "content") for version in lost]
        return evolve(verified, damages=(*verified.damages, *damages))

    def _is_whole(self, digest: str) -> bool:
        if digest not in self._whole:
            try:
                deque(self._storage.blob(digest), 0)  # it is compared at its end
                self._whole[digest] = True
            except (CorruptLog, NotFound):
                self._whole[digest] = False
        return self._whole[digest]


def _counting(
    records: Iterable[Record], seen: Counter[bool], end: int
) -> Iterator[Record]:
    """The records, counted by whether they were there at a position."""
    for record in records:
        seen[record.position <= end] += 1
        yield record
