"""
The pytest plugin: a clock that stands still, and a lobby in memory that counts.

Law: nothing of the library is loaded before a test asks for it, so that a coverage
report sees all of it, and a test run that needs none of it pays nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from rooms.lobby import Lobby
    from rooms.testing.clock import FakeClock


@pytest.fixture
def rooms_clock() -> FakeClock:
    """A clock that stands still until the test moves it."""
    from rooms.testing.clock import FakeClock  # noqa: PLC0415 - see above

    return FakeClock()


@pytest.fixture
def rooms_lobby(rooms_clock: FakeClock) -> Iterator[Lobby]:
    """A lobby in memory at that clock; the same calls leave the same log each time."""
    from rooms.lobby import Lobby  # noqa: PLC0415
    from rooms.testing.counting import CountingIds, CountingSalts  # noqa: PLC0415

    with Lobby.in_memory(
        clock=rooms_clock, ids=CountingIds(), salt=CountingSalts()
    ) as lobby:
        yield lobby
