"""The storage that is tried, and how to get at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from rooms.storage.protocol import Storage

__all__ = ["Subject"]


class Subject:
    """
    The storage under test: how it is made, and what it can do.

    Attributes:
        persistent: Whether a storage that is opened again holds what it held.
        shared: Whether two handles of one storage see each other's commits.
    """

    persistent: ClassVar[bool] = True
    shared: ClassVar[bool] = True

    def make_storage(self, folder: Path) -> Storage:
        """Open the storage that lives in a folder; make it where there is none."""
        raise NotImplementedError

    @pytest.fixture
    def open_storage(self, tmp_path: Path) -> Iterator[Callable[[], Storage]]:
        """Opens the storage under test, again with each call; all are closed."""
        opened: list[Storage] = []

        def open_it() -> Storage:
            opened.append(self.make_storage(tmp_path))
            return opened[-1]

        yield open_it
        for storage in opened:
            storage.close()

    @pytest.fixture
    def storage(self, open_storage: Callable[[], Storage]) -> Storage:
        """A new storage."""
        return open_storage()

    @pytest.fixture
    def handles(self, open_storage: Callable[[], Storage]) -> tuple[Storage, Storage]:
        """Two handles of one new storage: two processes could not do worse."""
        if not self.shared:
            pytest.skip("handles of this storage do not see each other")
        return open_storage(), open_storage()

    def reopened(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> Storage:
        """The storage as another process finds it; itself, where it does not last."""
        if not self.persistent:
            return storage
        storage.close()
        return open_storage()
