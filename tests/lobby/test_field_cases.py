"""
Cases from the field that no single feature carries, each with what happens here.

Where a rule of the catalogues says otherwise than a report, the rule wins, and the test
says which.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve

from rooms import (
    Conversation,
    Lobby,
    NotFound,
    Person,
    Posted,
    Room,
    RoomPolicy,
)

CALLING = RoomPolicy(mentions="anywhere", mentions_from="any")


@pytest.fixture
def ops(lobby: Lobby) -> Person:
    return lobby.person("ops")


@pytest.fixture
def seats(lobby: Lobby) -> dict[str, Conversation]:
    return {name: lobby.add_agent(name).conversation() for name in ("eve", "ada", "bo")}


def made(
    lobby: Lobby, ops: Person, *members: Conversation, policy: RoomPolicy = CALLING
) -> Room:
    room = lobby.create_room("r", by=ops, policy=policy)
    for one in members:
        room.join(by=one)
    return room


@pytest.mark.case("F-32")
def test_bare_acknowledgements_that_name_each_other_come_to_an_end(
    lobby: Lobby, ops: Person, seats: dict[str, Conversation]
) -> None:
    """
    A name in an agent's text calls, whatever else the text holds, as in the panel
    (P-MENTION); what ends the trade is the hop guard, and nothing said is lost.
    """
    eve, ada, _ = seats.values()
    room = made(lobby, ops, eve, ada, policy=evolve(CALLING, max_hops=3))
    assert room.post("@ada", by=ops).woken == (ada,)  # a person's bare name calls

    said: list[Posted] = []
    while wakes := lobby.take_wakes():
        for wake in wakes:
            other = "eve" if wake.conversation == ada else "ada"
            with lobby.turn(wake):
                said.append(room.post(f"@{other}", by=wake.conversation))

    assert [one.woken for one in said] == [(eve,), (ada,), ()]
    assert said[-1].later == (eve,)
    assert room.position == 4


@pytest.mark.case("F-34")
def test_a_message_that_comes_again_wakes_once(
    lobby: Lobby, ops: Person, seats: dict[str, Conversation]
) -> None:
    """A message is never revised; what comes again under its request id is the same."""
    eve, *_ = seats.values()
    room = made(lobby, ops, eve)
    first = room.post("@eve hi", by=ops, request_id="m1")
    [wake] = lobby.take_wakes()
    with lobby.turn(wake):
        pass

    for _ in range(3):
        assert room.post("@eve hi", by=ops, request_id="m1").message == first.message

    assert lobby.take_wakes() == []


@pytest.mark.case("F-41")
@pytest.mark.parametrize(
    ("mode", "by_all", "by_name"),
    [
        # Muted: a wildcard does not get through, the own name does.
        ("on_demand", False, True),
        # The seat's opt-in for wildcards is its mode; there is none for the whole
        # lobby, and no thread to be muted within a room.
        ("when_tagged", True, True),
        ("every_message", True, True),
    ],
)
def test_what_gets_through_to_whom(
    lobby: Lobby,
    ops: Person,
    seats: dict[str, Conversation],
    mode: str,
    *,
    by_all: bool,
    by_name: bool,
) -> None:
    eve, ada, _ = seats.values()
    room = made(lobby, ops, eve, ada).subscribe(by=eve, mode=mode)

    assert (eve in room.post("@all look", by=ops).woken) == by_all
    assert (eve in room.post("all of you", by=ops, to=["all"]).woken) == by_all
    assert (eve in room.post("@eve look", by=ops).woken) == by_name
    assert (eve in room.post("look", by=ops, to=["agent:eve"]).woken) == by_name


@pytest.mark.case("F-47")
def test_all_is_who_follows_this_room_and_nobody_else(
    lobby: Lobby, ops: Person, seats: dict[str, Conversation]
) -> None:
    """
    An agent's `all` wakes those who follow (G-ADDR-08), for which it needs their
    confirmation where several are one agent's; to say it quietly, it addresses `room`.
    """
    eve, ada, bo = seats.values()
    outside = [lobby.add_agent(f"out-{number}").conversation() for number in range(16)]
    room = made(lobby, ops, eve, ada, bo)

    assert room.post("build is green", by=eve, to=["room"]).woken == ()
    assert room.post("build is green", by=eve, to=["all"]).woken == (ada, bo)
    assert room.post("@all stop", by=ops).woken == (eve, ada, bo)
    assert lobby.take_wakes(conversations=outside) == []


@pytest.mark.case("F-86")
def test_what_one_takes_is_what_is_for_it(
    lobby: Lobby, ops: Person, seats: dict[str, Conversation]
) -> None:
    eve, ada, bo = seats.values()
    room = made(lobby, ops, eve, ada, bo)
    room.post("for ada", by=eve, to=[ada])
    room.post("for eve", by=ada, to=[eve])
    room.post("for bo", by=ops, to=[bo])

    [wake] = lobby.take_wakes(conversations=[eve])

    assert [one.content for one in wake.messages] == ["for eve"]


@pytest.mark.case("F-87")
def test_a_room_that_is_gone_is_gone_at_every_door(
    lobby: Lobby, ops: Person, seats: dict[str, Conversation]
) -> None:
    eve, ada, _ = seats.values()
    room = made(lobby, ops, eve, ada)
    said = room.post("@eve well?", by=ops).message
    [wake] = lobby.take_wakes()
    turn = lobby.turn(wake).__enter__()
    room.delete(by=ops)

    doors: list[Callable[[], object]] = [
        lambda: room.post("x", by=ada),
        lambda: room.post("x", by=ada, reply_to=said.id),
        lambda: turn.reply("x"),
        lambda: room.join(by=ada),
        lambda: room.subscribe(by=ada, mode="digest"),
        lambda: room.invite("bo", by=ada),
        lambda: room.acknowledge([said.id], by=ada),
        lambda: room.erase(said.id, by=ops),
        lambda: room.files.write("a.md", "x", by=ada),
        lambda: room.pause(by=ops),
        lambda: room.change_policy(CALLING, by=ops),
    ]
    for door in doors:
        with pytest.raises(NotFound) as gone:
            door()
        assert gone.value.code == "room_not_found"
    turn.end()


@pytest.mark.case("F-90")
def test_who_writes_to_somebody_that_left_is_told_at_once(
    lobby: Lobby, ops: Person, seats: dict[str, Conversation]
) -> None:
    """Nothing is stored as if it had arrived, so nobody waits for an answer to it."""
    eve, ada, _ = seats.values()
    room = made(lobby, ops, eve, ada)
    asked = room.post("Done?", by=eve, to=[ada])
    assert asked.woken == (ada,)

    room.leave(by=ada)

    assert "ended as it left" in str(room.explain(asked.message.id))
    for by in (eve, ops):
        with pytest.raises(NotFound) as unknown:
            room.post("Are you there?", by=by, to=[ada])
        assert unknown.value.code == "unknown_address"
    named = room.post("@ada was on this", by=ops)
    assert (named.woken, named.unresolved) == ((), ("ada",))
    assert room.position == 2
