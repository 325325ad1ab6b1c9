"""A lobby on each storage, with a team that a test can play."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lobby.place import Place
from team.scene import Scene


# In memory, but for what a test asks for: each feature has its own tests of storages,
# and a team's events go the way of all events.
@pytest.fixture(params=["memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    file = f"sqlite:///{tmp_path / 'team.db'}?durability=relaxed"
    place = Place("memory:" if request.param == "memory" else file)
    yield place
    place.close()


@pytest.fixture
def scene(place: Place) -> Scene:
    return Scene(place)
