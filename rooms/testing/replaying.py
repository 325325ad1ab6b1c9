"""
Golden logs: exported once, and replayed for ever.

Two laws. A log says what happened; every later version folds it to the same states
(foundation 9). And what the states were stands beside the log as digests, not in it, so
that the bytes which were exported are never touched.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rooms.lobby.recording.streams import Stream, empty_stream
from rooms.lobby.transfer.log import import_log
from rooms.log import snapshots
from rooms.log.events import decoded
from rooms.log.lines import read_lines
from rooms.log.records import Record
from rooms.log.verification import verify_stream
from rooms.storage import MemoryStorage, Storage
from rooms.storage.walking import records_of

__all__ = ["assert_replays", "record_digest"]

_DIGEST_BYTES = 16


def assert_replays(path: str | os.PathLike[str]) -> None:
    """
    Fails unless an exported log still gives the states that it gave.

    The log is imported into memory, each stream's chain is verified, and each stream is
    folded twice: from zero, and from a snapshot in its middle. What comes out is
    compared with the digests in the file of the same name that ends in `.digest`, which
    `record_digest` writes.

    Raises:
        AssertionError: It names the streams whose states are others, those that hold a
            critical event which this version does not know, and a file of digests that
            is missing or of another form of states.
        RoomsError: As `rooms.lobby.transfer.log.import_log`, for a log that is damaged.
    """
    log = Path(path)
    expected = _digests_beside(log)
    found = _states(log)
    if expected[0] != found[0]:
        raise AssertionError(
            f"{_beside(log)} is of {expected[0]}, and this version has {found[0]}:"
            " see that the states are right, and call record_digest"
        )
    changed = set(found).symmetric_difference(expected)
    if changed:
        raise AssertionError(
            f"{log} does not give the states that it gave: "
            + ", ".join(sorted({line.partition(" ")[0] for line in changed}))
        )


def record_digest(path: str | os.PathLike[str]) -> Path:
    """
    Writes what `assert_replays` compares with beside an exported log.

    Raises:
        AssertionError, RoomsError: As `assert_replays`.
    """
    log = _there(Path(path))
    beside = _beside(log)
    beside.write_text("".join(f"{line}\n" for line in _states(log)), "utf-8")
    return beside


def _beside(log: Path) -> Path:
    return log.with_suffix(".digest")


def _there(log: Path) -> Path:
    if not log.exists():
        raise AssertionError(f"{log} is not there: Lobby.export gives its lines")
    return log


def _digests_beside(log: Path) -> list[str]:
    beside = _beside(_there(log))
    if not beside.exists():
        raise AssertionError(f"{beside} is missing: call record_digest({str(log)!r})")
    return beside.read_text("utf-8", errors="replace").splitlines() or [""]


def _states(log: Path) -> list[str]:
    """The form of states, then a line for each stream."""
    storage = MemoryStorage()
    with log.open("rb") as exported:
        import_log(read_lines(exported), storage)
    lines = [_line(storage, name) for name in storage.streams()]
    return [f"states {snapshots.SCHEMA}", *lines]


def _line(storage: Storage, name: str) -> str:
    records = list(records_of(storage, name))
    verified = verify_stream(records)
    if verified.damages:
        raise AssertionError(f"{name} is damaged: {verified.damages}")
    stream = _folded(empty_stream(name), records)
    if stream.closed_by:
        raise AssertionError(
            f"{name} holds {stream.closed_by}, which this version does not know"
        )
    state = snapshots.encode(stream.state)
    if _in_two_parts(name, records) != state:
        raise AssertionError(f"{name} is another from a snapshot of its middle")
    digest = blake2b(state, digest_size=_DIGEST_BYTES).hexdigest()
    return f"{name} {stream.version} {digest}"


def _in_two_parts(name: str, records: list[Record]) -> bytes:
    middle = len(records) // 2
    first = _folded(empty_stream(name), records[:middle])
    kept: Any = snapshots.decode(snapshots.encode(first.state), type(first.state))
    onwards = Stream(name, kept, first.version, first.chain, first.at)
    return snapshots.encode(_folded(onwards, records[middle:]).state)


def _folded(stream: Stream, records: list[Record]) -> Stream:
    for record in records:
        stream.fold_read(decoded(record), record.chain)
    return stream
