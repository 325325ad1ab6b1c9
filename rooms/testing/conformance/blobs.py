"""S12: contents by their digest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

import pytest

from rooms.errors import NotFound
from rooms.storage.protocol import Storage
from rooms.testing.conformance.records import commit_of
from rooms.testing.conformance.subject import Subject

__all__ = ["Blobs"]


class Blobs(Subject):
    """S12: contents by their digest."""

    def test_s12_a_blob_is_what_its_digest_says(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        pieces: list[bytes] = [b"", b"a" * 300_000, b"b", b"c" * 700_000]
        whole = b"".join(pieces)

        digest = storage.put_blob(iter(pieces))
        same = storage.put_blob([whole])

        again = self.reopened(storage, open_storage)
        assert digest == same == sha256(whole).hexdigest()
        assert b"".join(again.blob(digest)) == whole

    def test_s12_a_blob_is_read_from_any_byte_on(self, storage: Storage) -> None:
        whole = b"".join(b"%06d" % number for number in range(100_000))
        digest = storage.put_blob([whole])

        for start in (0, 1, 262_143, 262_144, 262_145, 599_999, 600_000, 10**9):
            assert b"".join(storage.blob(digest, start=start)) == whole[start:]
        first = next(iter(storage.blob(digest, start=500_000)))
        assert len(first) <= 300_000  # no more than a piece or two is read for it
        with pytest.raises(NotFound):
            storage.blob("0" * 64, start=1)

    def test_s12_the_empty_content_is_a_blob(self, storage: Storage) -> None:
        digest = storage.put_blob([])

        assert digest == sha256(b"").hexdigest()
        assert b"".join(storage.blob(digest)) == b""

    def test_s12_a_removed_blob_is_not_found(self, storage: Storage) -> None:
        digest, other = storage.put_blob([b"one"]), storage.put_blob([b"two"])

        storage.remove_blob(digest)
        storage.remove_blob(digest)

        with pytest.raises(NotFound) as caught:
            storage.blob(digest)
        assert caught.value.code == "unknown_blob"
        assert b"".join(storage.blob(other)) == b"two"

    def test_s12_a_content_that_raises_leaves_nothing(self, storage: Storage) -> None:
        def broken() -> Iterator[bytes]:
            yield b"half"
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            storage.put_blob(broken())

        with pytest.raises(NotFound):
            storage.blob(sha256(b"half").hexdigest())
        storage.append(commit_of(storage, "works on"))
