"""
What a storage is: the few calls on which everything else stands.

The numbered requirements are the contract; `rooms.testing.conformance` proves each of
them, and every storage passes the same suite.

S1. `append` is all or nothing: after it returned, everything of the commit can be
    read and survives a crash; after it raised, nothing of it can. Inside `writing` it
    survives a crash when that context has ended. Of a context that is `whole` nothing
    stands where it raises, whatever was called in it.
S2. A stream's versions are dense from 1. A commit that expects another version, or
    whose guard has moved, raises `VersionConflict` and changes nothing.
S3. A commit that adds a held key raises `KeyHeld` with what holds it, and changes
    nothing. Keys that it releases are released first; a held key is reported before a
    version that moved.
S4. Positions rise strictly in commit order, and none is given twice: whoever scans up
    to a position has seen everything below it, also while others commit.
S5. What is read is what was appended, byte for byte. What not every storage could keep
    (text without a UTF-8 form, numbers of more than 64 bits) raises `InvalidInput`.
S6. A call from several threads or processes is as good as one after the other.
S7. Erasing removes the words and their salt, and nothing else. Removing a stream
    removes its records, its due instant, its messages' words and its snapshot. When
    either has returned, the words stand nowhere in the storage.
S8. Snapshots are a cache: one may be missing at any time, and is never the truth. A
    damaged one is missing, and so is one of a stream that is gone.
S9. A projection's rows and the position they have reached move together or not at all.
S10. Rows of a projection come in the order of their keys, element by element, with
    integers before texts and each in its natural order (texts by code point).
S11. Any text is a query to `search`, and none is syntax; only messages of the named
    streams are found, the newest first. `rooms.storage.words` says what a word is.
S12. A blob is what its SHA-256 says; the same content is kept once.
S13. No exception of a driver leaves a storage: only `StorageError` and its kinds,
    `InvalidInput`, and `NotFound` for a blob. After each the storage works as before.
S14. Closing twice is no fault; a call on a closed storage, or on one that a fork has
    brought into another process, raises `StorageError` with the code `closed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Protocol, runtime_checkable

from attrs import frozen

from rooms.log.records import Commit, Record

__all__ = ["Abandoning", "Change", "Head", "Hit", "Key", "Row", "Snapshot", "Storage"]

Key = tuple[int | str, ...]
"""A projection's key: integers and texts, compared element by element."""


@frozen
class Head:
    """Where a stream stands: its last version and the chain there; 0 when empty."""

    version: int
    chain: bytes


@frozen
class Snapshot:
    """
    A stream's state, encoded, as it was at a version with that chain.

    `Snapshot.sealed` makes one; `digest` covers all the other fields.
    """

    stream: str
    version: int
    chain: bytes
    schema: int
    state: bytes
    digest: bytes

    @classmethod
    def sealed(
        cls, stream: str, version: int, *, chain: bytes, schema: int, state: bytes
    ) -> Snapshot:
        """A snapshot with its digest."""
        digest = _seal(stream, version, chain, schema, state)
        return cls(stream, version, chain, schema, state, digest)

    @property
    def intact(self) -> bool:
        """Whether all fields are what the digest was made of."""
        try:
            sealed = _seal(
                self.stream, self.version, self.chain, self.schema, self.state
            )
        except TypeError:  # a flipped bit gave a column another type
            return False
        return self.digest == sealed


def _seal(stream: str, version: int, chain: bytes, schema: int, state: bytes) -> bytes:
    sealed = blake2b(f"{stream}\n{version}\n{schema}\n".encode(), digest_size=32)
    sealed.update(chain + state)
    return sealed.digest()


@frozen
class Row:
    """One row of a projection; the value is canonical JSON."""

    key: Key
    value: bytes


@frozen
class Change:
    """A row to put, or with None as its value to delete."""

    key: Key
    value: bytes | None


@frozen
class Hit:
    """A message whose words were found."""

    stream: str
    version: int


@runtime_checkable
class Storage(Protocol):
    """One lobby's streams, keys, due instants, snapshots, projections and blobs."""

    def append(self, commit: Commit) -> int:
        """Append a commit and return the position of its last record (S1 to S4)."""

    def read(
        self, stream: str, *, after: int = 0, limit: int = 1_000, words: bool = True
    ) -> list[Record]:
        """
        Records of a stream with a version above `after`, oldest first.

        Without `words`, as folding asks, bodies, salts, seqs and positions may be
        left out.
        """

    def scan(self, *, after: int = 0, limit: int = 1_000) -> list[Record]:
        """Records of all streams with a position above `after`, in commit order."""

    def messages(
        self,
        stream: str,
        *,
        after: int = 0,
        limit: int = 50,
        newest_first: bool = False,
    ) -> list[Record]:
        """
        Message records by seq: those above `after`, rising; with `newest_first` those
        below `after` (or all where it is 0), falling.
        """

    def head(self, stream: str) -> Head:
        """Where a stream stands; version 0 and the genesis chain where it is empty."""

    def streams(self, prefix: str = "") -> list[str]:
        """The names of all streams that begin so, sorted."""

    def find(self, key: str) -> str | None:
        """What holds a key, or None."""

    def position(self) -> int:
        """
        The position of the last record that anybody committed; 0 before the first.

        Where it is what it was, nothing was appended. Cheaper than any read.
        """

    def due(self, now: int, *, limit: int = 100) -> list[str]:
        """Streams whose due instant is not after `now`, the earliest first."""

    def next_due(self) -> int | None:
        """The earliest due instant of all streams, in microseconds."""

    def load_snapshot(self, stream: str) -> Snapshot | None:
        """The newest snapshot of a stream, if there is one that can be read."""

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot instead of the stream's last one."""

    def erase(self, stream: str, versions: Iterable[int]) -> None:
        """Remove the bodies and salts of these records (S7)."""

    def remove(self, stream: str) -> None:
        """Remove a whole stream with all that hangs on it (S7)."""

    def projected_to(self, name: str) -> int:
        """The position that a projection has reached; 0 at first."""

    def project(
        self, name: str, *, expected: int, position: int, changes: Sequence[Change]
    ) -> bool:
        """
        Apply changes in their order and move a projection from `expected` to
        `position`; False, with nothing done, where it stands elsewhere (S9).
        """

    def forget_projection(self, name: str) -> None:
        """Drop a projection's rows and set it back to position 0."""

    def range(
        self,
        name: str,
        *,
        low: Key = (),
        high: Key | None = None,
        limit: int = 100,
        reverse: bool = False,
    ) -> list[Row]:
        """Rows with `low <= key < high`, in the keys' order or its reverse (S10)."""

    def search(
        self, query: str, streams: Sequence[str], *, before: int = 0, limit: int = 20
    ) -> list[Hit]:
        """
        Messages of these streams that hold every word of a query, newest first; with
        `before`, only records at a position below it (S11).
        """

    def put_blob(self, content: Iterable[bytes]) -> str:
        """Keep a content, streamed, and return its SHA-256 in hexadecimal (S12)."""

    def blob(self, digest: str, *, start: int = 0) -> Iterator[bytes]:
        """
        A content in pieces, from a byte on, at a cost that does not grow with what is
        before it; `NotFound` with `unknown_blob` where there is none. One that is read
        from its beginning to its end is what its digest says, or raises.
        """

    def remove_blob(self, digest: str) -> None:
        """Remove a content; one that is not there is no fault."""

    def writing(self, *, whole: bool = False) -> WritersLock:
        """
        A context in which nobody else can commit. What was committed in it stands when
        it ends, also where it raises; with `whole`, all of it or nothing (S1).
        """

    def close(self) -> None:
        """Let go of everything; the storage cannot be used afterwards."""


@runtime_checkable
class Abandoning(Protocol):
    """
    What a storage offers beside, if an interrupt (Ctrl-C) at the very edge of one of
    its contexts can leave that open: a later commit would become a part of it, and end
    with it. Whoever knows that none is open any more asks, and has it undone.
    """

    def is_inside(self) -> bool:
        """Whether this thread is inside a context of the storage."""

    def abandon(self) -> bool:
        """
        Leave every context that this thread is inside of, as one that raised; whether
        anything was undone.
        """


class WritersLock(Protocol):
    """A context manager that holds the writers' lock."""

    def __enter__(self) -> object:
        """Wait for the lock."""

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object, /
    ) -> None:
        """Let it go."""
