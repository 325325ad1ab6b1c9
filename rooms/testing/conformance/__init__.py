"""
The contract of storages as tests, for whoever writes one.

Three lines make a storage's test:

    class TestMine(StorageConformance):
        def make_storage(self, folder):
            return MyStorage(folder / "mine.db")

`make_storage` is called several times with one folder, and opens the same storage each
time; one that cannot says `persistent = False` and `shared = False`. Each test is named
after the requirement of `rooms.storage.protocol` that it proves. `check_storage` runs
them without a test file, and tells how each requirement came out.
"""

from __future__ import annotations

from rooms.errors.extras import needed

with needed("pytest", by=__name__):
    import pytest

_PARTS = (
    *("blobs", "closing", "commits", "derived", "forgetting", "reading", "searching"),
    "sharing",
)
# What an assertion compared is shown to authors of other storages, too.
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in _PARTS))

from rooms.testing.conformance.blobs import Blobs  # noqa: E402 - rewritten first
from rooms.testing.conformance.closing import Closing  # noqa: E402
from rooms.testing.conformance.commits import Commits  # noqa: E402
from rooms.testing.conformance.derived import Derived  # noqa: E402
from rooms.testing.conformance.forgetting import Forgetting  # noqa: E402
from rooms.testing.conformance.reading import Reading  # noqa: E402
from rooms.testing.conformance.records import commit_of, record_of  # noqa: E402
from rooms.testing.conformance.reporting import (  # noqa: E402
    ConformanceReport,
    Requirement,
    check_storage,
)
from rooms.testing.conformance.searching import Searching  # noqa: E402
from rooms.testing.conformance.sharing import Sharing  # noqa: E402

__all__ = [
    "ConformanceReport",
    "Requirement",
    "StorageConformance",
    "check_storage",
    "commit_of",
    "record_of",
]


class StorageConformance(
    Commits, Reading, Sharing, Forgetting, Derived, Searching, Blobs, Closing
):
    """
    What every storage passes; pytest collects the tests of a subclass.

    Attributes:
        persistent: Whether a storage that is opened again holds what it held.
        shared: Whether two handles of one storage see each other's commits.
    """
