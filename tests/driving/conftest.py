"""A lobby in memory, and planned rooms in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from driving.scene import Scene


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.close()
