"""
Proving: every record of a lobby against the chain of its stream.

Law: the log is read both ways, by stream and in commit order; what one of them does not
find is missing from an index, and is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve

from rooms.log.records import Record
from rooms.log.verification import Damage, Verification, verify_stream
from rooms.storage import Storage
from rooms.storage.walking import records_of, scanned

__all__ = ["verify_storage"]


def verify_storage(storage: Storage) -> Mapping[str, Verification]:
    """What is not as it was written, by stream."""
    end = storage.position()
    counted = Counter(record.stream for record in scanned(storage, end=end))
    found = {}
    for stream in storage.streams():
        seen = Counter[bool]()
        verified = verify_stream(_counting(records_of(storage, stream), seen, end))
        if counted[stream] > seen[True]:
            gap = Damage(stream, verified.records + 1, "gap")
            verified = evolve(verified, damages=(*verified.damages, gap))
        found[stream] = verified
    return found


def _counting(
    records: Iterable[Record], seen: Counter[bool], end: int
) -> Iterator[Record]:
    """The records, counted by whether they were there at a position."""
    for record in records:
        seen[record.position <= end] += 1
        yield record
