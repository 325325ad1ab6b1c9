"""Access: who knows of a room, who reads it, and what those outside are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rooms import (
    Conflict,
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    Refused,
    Room,
    RoomsError,
    hookimpl,
)
from rooms.log.actors import Actor

Attempt = Callable[[Room, Any], object]

SAID = ["One word."]
READS: dict[str, Attempt] = {
    "read": lambda room, by: [one.content for one in room.read(by=by)],
    "search": lambda room, by: [one.content for one in room.search("word", by=by)],
    "explain": lambda room, by: room.explain(f"{room.id[5:]}.00000003", by=by) and SAID,
}
WRITES: dict[str, Attempt] = {
    "post": lambda room, by: room.post("x", by=by),
    "pause": lambda room, by: room.pause(by=by),
    "delete": lambda room, by: room.delete(by=by),
}
SEATED: dict[str, Attempt] = {
    "join": lambda room, by: room.join(by=by),
    "subscribe": lambda room, by: room.subscribe(by=by, mode="digest"),
    "rest": lambda room, by: room.rest(by=by),
    "resume": lambda room, by: room.resume(by=by),
    "leave": lambda room, by: room.leave(by=by),
    "acknowledge": lambda room, by: room.acknowledge([f"{room.id[5:]}.3"], by=by),
}


class Overseer:
    """A host that lets one person read every room."""

    asked: list[tuple[str, object]]

    def __init__(self) -> None:
        self.asked = []

    @hookimpl
    def rooms_may(self, actor: Actor, action: str, subject: object) -> bool | None:
        self.asked.append((action, subject))
        return True if (actor.id, action) == ("root", "read_every_room") else None


@pytest.fixture
def secret(lobby: Lobby, eve: Conversation) -> Room:
    """An invite-only room of the hall, in which eve said one word."""
    room = lobby.create_room("plans", by=eve, policy="hall", access="invite_only")
    room.post("One word.", by=eve)
    return room


def outcome(call: Attempt, room: Room, by: object) -> tuple[str, str, Any]:
    """The class, words and details of a refusal, without the room's own id."""
    with pytest.raises(Refused) as refused:
        call(room, by)
    error = refused.value
    details = {
        name: str(value).replace(room.id, "ROOM")
        for name, value in error.details.items()
    }
    return type(error).__name__, str(error).replace(room.id, "ROOM"), details


@pytest.mark.rule("G-ACCESS-01")
def test_a_room_is_open_or_invite_only(lobby: Lobby, eve: Conversation) -> None:
    for access in ("open", "invite_only"):
        lobby.create_room(access, by=eve, access=access)

    for access in ("", "Open", "closed", "private"):
        with pytest.raises(InvalidInput) as refused:
            lobby.create_room("another", by=eve, access=access)
        assert refused.value.field == "access"
        assert "invite_only" in str(refused.value.details["allowed"])


@pytest.mark.rule("G-ACCESS-02")
def test_what_a_room_is_whose_creator_says_nothing_is_the_lobbys_to_say() -> None:
    with Lobby.open("memory:", default_access="invite_only") as lobby:
        eve = lobby.add_agent("eve").conversation()
        quiet, shown = (
            lobby.create_room("a", by=eve),
            lobby.create_room("b", by=eve, access="open"),
        )
        zoe = lobby.person("zoe")
        assert [one.room for one in lobby.list_rooms(by=zoe)] == [shown]
        with pytest.raises(NotFound):
            quiet.read(by=zoe)

    for wrong in ("closed", None, 7):
        with pytest.raises(InvalidInput) as refused:
            Lobby.in_memory(default_access=wrong)
        assert refused.value.field == "default_access"


@pytest.mark.rule("G-ACCESS-04", "G-ACCESS-05")
@pytest.mark.parametrize("name", [*READS, *WRITES, *SEATED])
def test_whoever_may_not_know_of_a_room_is_told_what_is_told_of_none(
    lobby: Lobby, secret: Room, name: str
) -> None:
    outsider, zoe = lobby.add_agent("outsider").conversation(), lobby.person("zoe")
    nowhere = Room("room_none", lobby._desk)
    call = {**READS, **WRITES, **SEATED}[name]
    actors = [outsider, lobby.turn(outsider, word_of=zoe), zoe]

    for actor in actors[:2] if name in SEATED else actors:
        told = outcome(call, secret, actor)
        assert told == outcome(call, nowhere, actor)
        assert told[1] == "no room 'ROOM' is known [room_not_found]"
    assert len(secret.conversations) == secret.position == 1


@pytest.mark.rule("G-ACCESS-04", "G-ROOM-07")
def test_a_room_is_found_by_whoever_may_know_of_it(
    lobby: Lobby, secret: Room, eve: Conversation
) -> None:
    zoe, outsider = lobby.person("zoe"), lobby.add_agent("outsider").conversation()
    shown = lobby.create_room("plans", by=outsider)  # its name is free (G-ROOM-07)

    for actor in (zoe, outsider):
        with pytest.raises(NotFound) as unknown:
            lobby.room(secret.id, by=actor)
        with pytest.raises(NotFound) as nothing:
            lobby.room("room_none", by=actor)
        told = str(unknown.value).replace(secret.id, "room_none")
        assert told == str(nothing.value)
        assert lobby.room("plans", by=actor) == shown
    for insider in (None, eve, lobby.person("ana")):
        assert lobby.room(secret.id, by=insider) == secret


@pytest.mark.rule("G-ACCESS-06")
def test_whoever_reads_every_room_reads_and_does_nothing_else(
    lobby: Lobby, secret: Room
) -> None:
    host, root = Overseer(), lobby.person("root")
    lobby.register(host)

    for name, call in READS.items():
        assert call(secret, root) == ["One word."], name
    for name, call in WRITES.items():
        with pytest.raises(NotAllowed) as refused:
            call(secret, root)
        expected = "read_only_access" if name == "post" else "not_owner"
        assert refused.value.code == expected
    assert secret.position == 1
    assert lobby.room(secret.id, by=root) == secret


def test_the_host_is_asked_alike_whether_there_is_a_room_or_not(
    lobby: Lobby, secret: Room
) -> None:
    zoe, nowhere = lobby.person("zoe"), Room("room_none", lobby._desk)
    asked = []
    for room in (secret, nowhere):
        host = Overseer()
        name = lobby.register(host)
        for call in (*READS.values(), *WRITES.values()):
            outcome(call, room, zoe)
        asked.append([(a, "ROOM" if s == room.id else s) for a, s in host.asked])
        lobby._desk.plugins = None
        assert name

    assert asked[0] == asked[1] != []


class Broken:
    """A host whose answer is none."""

    @hookimpl
    def rooms_may(self) -> str:
        return "perhaps"


def test_a_host_that_fails_tells_nobody_that_there_is_a_room(
    lobby: Lobby, secret: Room
) -> None:
    lobby.register(Broken(), "broken")
    zoe, nowhere = lobby.person("zoe"), Room("room_none", lobby._desk)

    for call in (*READS.values(), *WRITES.values()):
        told = []
        for room in (secret, nowhere):
            with pytest.raises(RoomsError) as failed:
                call(room, zoe)
            told.append((failed.value.code, str(failed.value)))
        assert told[0] == told[1]
        assert told[0][0] == "hook_failed"


def test_the_host_itself_finds_an_invite_only_room_by_its_name(lobby: Lobby) -> None:
    one, two = (lobby.add_agent(name).conversation() for name in ("one", "two"))
    first = lobby.create_room("plans", by=one, access="invite_only")

    assert lobby.room("Plans") == first

    second = lobby.create_room("plans", by=two, access="invite_only")
    with pytest.raises(Conflict) as caught:
        lobby.room("plans")
    assert caught.value.code == "ambiguous_name"
    assert sorted(caught.value.current) == sorted([first.id, second.id])
    assert lobby.room("plans", by=two) == second
