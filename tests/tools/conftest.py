"""A lobby with a threaded agent and a single one, and a room in which both are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lobby.place import Clock, Place
from rooms import Conversation, Lobby, Room


@pytest.fixture
def place() -> Iterator[Place]:
    place = Place("memory:")
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
    """The conversation of a single agent that nobody owns."""
    return lobby.add_agent("ben").conversation()


@pytest.fixture
def tea(lobby: Lobby, eve: Conversation, ben: Conversation) -> Room:
    """A room that eve made for ana and ben joined."""
    ana = lobby.person("ana")
    with lobby.turn(eve, word_of=ana) as turn:
        return lobby.create_room("tea", by=turn).join(by=ben)
