"""The time of a commit is no earlier than the last of any stream that it appends to."""

from __future__ import annotations

from datetime import timedelta

import pytest

from rooms import Lobby, RoomPolicy
from rooms.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def lobby(clock: FakeClock) -> Lobby:
    return Lobby.in_memory(clock=clock)


def test_a_name_in_a_text_starts_a_conversation_no_earlier_than_the_last(
    lobby: Lobby, clock: FakeClock
) -> None:
    """The clock was set back meanwhile (foundation 10)."""
    lobby.add_agent("Eve", threaded=True)
    ana = lobby.person("ana")
    policy = RoomPolicy(mentions="anywhere")
    room = lobby.create_room("r", by=ana, policy=policy)
    room.join(by=lobby.conversation("Eve", label="first"))
    clock.advance(minutes=5)
    lobby.conversation("Eve", label="later")
    clock.set(clock.now - timedelta(minutes=5))

    posted = room.post("@Eve please look", by=ana)

    assert len(posted.started) == 1
    assert posted.message.at == clock.now + timedelta(minutes=5)
    assert lobby.verify()["agent:Eve"].damages == ()


def test_a_reply_starts_a_successor_no_earlier_than_the_last(
    lobby: Lobby, clock: FakeClock
) -> None:
    """Whom it addresses stands in no address of its own."""
    lobby.add_agent("Eve", threaded=True)
    ana, first = lobby.person("ana"), lobby.conversation("Eve", label="first")
    room = lobby.create_room("r", by=ana)
    room.join(by=first)
    asked = room.post("a question", by=first)
    room.leave(by=first)
    clock.advance(minutes=5)
    lobby.conversation("Eve", label="later")
    clock.set(clock.now - timedelta(minutes=5))

    posted = room.post("an answer", by=ana, reply_to=asked.message.id)

    assert len(posted.started) == 1
    assert lobby.verify()["agent:Eve"].damages == ()
