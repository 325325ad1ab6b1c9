"""
The contract itself: the test class of every part in one.

Law: it is loaded once pytest is there to rewrite assertions, so that what one of them
compared is shown to authors of other storages, too.
"""

from __future__ import annotations

import pytest

_PARTS = (
    *("blobs", "closing", "commits", "derived", "forgetting", "reading", "searching"),
    "sharing",
)
pytest.register_assert_rewrite(
    *(f"rooms.testing.conformance.{part}" for part in _PARTS)
)

from rooms.testing.conformance.blobs import Blobs  # noqa: E402 - rewritten first
from rooms.testing.conformance.closing import Closing  # noqa: E402
from rooms.testing.conformance.commits import Commits  # noqa: E402
from rooms.testing.conformance.derived import Derived  # noqa: E402
from rooms.testing.conformance.forgetting import Forgetting  # noqa: E402
from rooms.testing.conformance.reading import Reading  # noqa: E402
from rooms.testing.conformance.searching import Searching  # noqa: E402
from rooms.testing.conformance.sharing import Sharing  # noqa: E402

__all__ = ["StorageConformance"]


class StorageConformance(
    Commits, Reading, Sharing, Forgetting, Derived, Searching, Blobs, Closing
):
    """
    What every storage passes; pytest collects the tests of a subclass.

    Attributes:
        persistent: Whether a storage that is opened again holds what it held.
        shared: Whether two handles of one storage see each other's commits.
    """
