"""A lobby on each storage, with a clock that a test sets and ids that it can read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lobby.place import Clock, Place
from rooms import Conversation, Lobby, Room


@pytest.fixture(params=["memory", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    file = f"sqlite:///{tmp_path / 'team.db'}?durability=relaxed"
    place = Place("memory:" if request.param == "memory" else file)
    yield place
    place.close()


@pytest.fixture
def clock(place: Place) -> Clock:
    return place.clock


@pytest.fixture
def lobby(place: Place) -> Lobby:
    return place.open()


@pytest.fixture
def eve(lobby: Lobby) -> Conversation:
    """A conversation of a threaded agent, whose person is ana."""
    lobby.add_agent("Eve", threaded=True, owner="ana")
    return lobby.conversation("Eve", thread="t-1", label="acme")


@pytest.fixture
def ben(lobby: Lobby) -> Conversation:
    """The only conversation of a single agent, whose person is ben."""
    return lobby.add_agent("ben-web", owner="ben").conversation()


@pytest.fixture
def hall(lobby: Lobby, eve: Conversation, ben: Conversation) -> Room:
    """A room of the hall that eve created and ben joined; both are when_tagged."""
    return lobby.create_room("orders", by=eve, policy="hall").join(by=ben)
