"""The log as the audit: every record names who did it, and nothing is told twice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lobby.place import Clock
from rooms import Conversation, Lobby, RateWindow, Room, RoomPolicy
from rooms.lobby import Person
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.log.events import decoded


def told(lobby: Lobby, stream: str) -> list[tuple[str, str]]:
    """Each record of a stream: its type, and who did it."""
    records = lobby._desk.storage.read(stream)
    return [(one.type, decoded(one).by) for one in records]


@pytest.fixture
def ana(lobby: Lobby) -> Person:
    return lobby.person("ana")


@pytest.fixture
def room(lobby: Lobby, ana: Person, eve: Conversation, ben: Conversation) -> Room:
    window = RateWindow(1, timedelta(minutes=5))
    room = lobby.create_room("work", by=ana, policy=RoomPolicy(wake_window=window))
    return room.join(by=eve).join(by=ben)


@pytest.mark.rule("L-AUDIT-02")
def test_a_record_names_a_person_a_conversation_or_the_system(
    *,
    lobby: Lobby,
    room: Room,
    ana: Person,
    eve: Conversation,
    ben: Conversation,
    clock: Clock,
) -> None:
    room.post("One.", by=eve, to=[ben])
    room.post("Two.", by=eve, to=[ben])  # no place in the window: held
    room.pause(by=ana)
    room.unpause(by=ana)
    clock.advance(minutes=5)
    lobby.deliver()  # the place frees by itself
    facts = told(lobby, room_stream(room.id))

    assert ("room_created", "person:ana") in facts
    assert facts.count(("message_posted", eve.id)) == 2
    assert facts.count(("room_paused", "person:ana")) == 2
    assert ("granted", "system") in facts


@pytest.mark.rule("L-AUDIT-03")
def test_rests_and_changes_of_members_are_told_once(
    lobby: Lobby, room: Room, ana: Person, eve: Conversation
) -> None:
    for _ in range(2):
        room.rest(by=eve)
    for _ in range(2):
        room.resume(by=eve)
    for _ in range(2):
        room.remove("ben-web", by=ana)
    facts = told(lobby, room_stream(room.id))

    assert facts[3:] == [
        ("seat_rested", eve.id),
        ("seat_rested", eve.id),
        ("seat_left", "person:ana"),
    ]


@pytest.mark.rule("L-AUDIT-03")
def test_the_end_of_a_room_outlives_it(lobby: Lobby, room: Room, ana: Person) -> None:
    room.delete(by=ana)

    assert told(lobby, LOBBY)[-1] == ("room_unlisted", "person:ana")
