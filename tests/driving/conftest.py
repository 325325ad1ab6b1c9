"""A lobby in memory, and planned rooms in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from driving.scene import Scene
from rooms import SQLiteStorage


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.close()


@pytest.fixture(params=["memory", "sqlite"])
def on_both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """The same on each of the library's storages."""
    is_file = request.param == "sqlite"
    path = tmp_path / "team.db"
    made = Scene(SQLiteStorage(path, durability="relaxed") if is_file else None)
    yield made
    made.close()
