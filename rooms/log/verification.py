"""
Whether a stream is what was written.

Three laws. Every changed byte of a record is noticed: the chain covers the fixed fields
and the header, the digest covers the body, and what lies outside both repeats what the
header says. One changed record is one report: what follows is compared with what is
stored, not with what should have been. And words that were erased are no damage.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from attrs import Factory, define, frozen

from rooms.log.records import GENESIS, Record, body_digest, chained

__all__ = ["Damage", "Verification", "Walk", "verify_stream"]

_SHAPES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("stream", str),
    ("version", int),
    ("type", str),
    ("schema", int),
    ("critical", bool),
    ("at", int),
    ("header", bytes),
    ("body", (bytes, type(None))),
    ("salt", (bytes, type(None))),
    ("digest", bytes),
    ("chain", bytes),
    ("seq", (int, type(None))),
)


@frozen
class Damage:
    """
    One thing that is not as it was written.

    Attributes:
        stream: The stream.
        version: The record; where one is missing, the one that should be there.
        problem: `gap`: records are missing or doubled; `fields`: a field has another
            type; `chain`: header or fixed fields were changed; `body`: the words were
            changed; `seq`: the transcript's number is not the header's, or not the
            next; `time`: it falls; `order`: the position does not rise; `content`: what
            it names is missing, or is not what its digest says.
    """

    stream: str
    version: int
    problem: str


@frozen
class Verification:
    """
    What became of a stream's records.

    Attributes:
        damages: In the order of the records; empty where all is as it was written.
        erased: The versions whose words were erased; their chain still fits.
        records: How many records were read.
        chain: The chain at the last record that could be read.
    """

    damages: tuple[Damage, ...]
    erased: tuple[int, ...]
    records: int
    chain: bytes


@define
class Walk:
    """Where a check of one stream stands; `step` takes the next record."""

    version: int = 0
    chain: bytes = GENESIS
    at: int | None = None
    seq: int = 0
    position: int = 0
    erased: list[int] = Factory(list)

    def step(self, record: Record) -> tuple[Damage, ...]:
        """What is wrong with the next record."""
        problems = tuple(_problems(self, record))
        known = type(record.version) is int
        self.version = record.version if known else self.version + 1
        if "fields" not in problems:
            self.chain, self.at = record.chain, record.at
            self.seq = self.seq if record.seq is None else record.seq
            self.position = record.position
        return tuple(
            Damage(record.stream, self.version, problem) for problem in problems
        )


def verify_stream(records: Iterable[Record]) -> Verification:
    """
    Check all records of one stream, from the first on, each once and in their order.

    Takes any iterable, so a long stream need not be in memory. A record that is gone
    from the end is not noticed here: compare `records` with what the head says.

    >>> verify_stream([]).damages
    ()
    """
    walk = Walk()
    damages: list[Damage] = []
    count = 0
    for record in records:
        count += 1
        damages += walk.step(record)
    return Verification(tuple(damages), tuple(walk.erased), count, walk.chain)


def _problems(walk: Walk, record: Record) -> Iterator[str]:
    if not all(isinstance(getattr(record, name), shape) for name, shape in _SHAPES):
        yield "fields"
        return
    if record.version != walk.version + 1:
        yield "gap"  # the chain cannot fit then, and says nothing of its own
    elif record.chain != chained(walk.chain, record):
        yield "chain"
    if record.body is None and record.salt is None:
        if record.digest:
            walk.erased.append(record.version)
    elif not _has_its_body(record):
        yield "body"
    if not _is_numbered(walk, record):
        yield "seq"
    if walk.at is not None and record.at < walk.at:
        yield "time"
    if record.position and record.position <= walk.position:
        yield "order"


def _is_numbered(walk: Walk, record: Record) -> bool:
    """Whether the number beside the record is what its header says, and the next."""
    if record.seq is not None and record.seq != walk.seq + 1:
        return False
    try:
        header = json.loads(record.header)
    except (ValueError, RecursionError):
        return True  # the chain tells whether it was written so
    said = header.get("seq") if isinstance(header, dict) else None
    return said is None or said == record.seq


def _has_its_body(record: Record) -> bool:
    try:
        return record.digest == body_digest(record.body, record.salt)
    except ValueError:  # a salt of more than 16 bytes
        return False
