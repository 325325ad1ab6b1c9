"""An agent that was taken out of a room: nothing is owed to it, and it stays out."""

from __future__ import annotations

from typing import Any

import pytest

from lobby.place import Place
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    Person,
    Room,
    RoomPolicy,
    RoomsError,
    hookimpl,
)
from rooms.log.actors import Actor

CALLING = RoomPolicy(mentions="anywhere", mentions_from="any")


@pytest.fixture
def ana(lobby: Lobby) -> Person:
    return lobby.person("ana")


@pytest.fixture
def room(lobby: Lobby, ana: Person, eve: Conversation, ben: Conversation) -> Room:
    """A room of ana's with Eve's conversation and ben in it."""
    made = lobby.create_room("work", by=ana, policy=CALLING)
    return made.join(by=eve).join(by=ben)


def refusal(call: Any) -> str:
    with pytest.raises(RoomsError) as refused:
        call()
    return refused.value.code


@pytest.mark.case("F-123")
def test_removal_sticks_until_somebody_invites(
    place: Place, lobby: Lobby, room: Room, ana: Person, ben: Conversation
) -> None:
    room.post("one", by=ana, to=[ben])
    [wake] = lobby.take_wakes()
    turn = lobby.turn(wake).__enter__()
    room.post("two", by=ana, to=[ben])

    room.remove("ben-web", by=ana)

    assert refusal(lambda: turn.reply("Still here.")) == "not_a_member"
    turn.end()
    assert refusal(lambda: room.read(by=ben)) == "not_a_member"
    assert refusal(lambda: room.join(by=ben)) == "invite_required"
    assert refusal(lambda: room.post("x", by=ana, to=[ben])) == "unknown_address"
    named = room.post("@ben-web?", by=ana)
    assert (named.woken, named.unresolved) == ((), ("ben-web",))
    again = place.crash()
    assert again.take_wakes() == []
    assert refusal(lambda: again.room("work").join(by=ben)) == "invite_required"

    room.invite("ben-web", by=ana)
    room.join(by=ben)

    assert lobby.take_wakes() == []  # nothing of what was owed before
    assert room.post("three", by=ana, to=[ben]).woken == (ben,)
    assert [one.content for one in room.read(by=ben)][-1] == "three"
    room.leave(by=ben)
    room.join(by=ben)  # it left by its own choice


def test_all_conversations_of_an_agent_go_and_no_address_starts_another(
    lobby: Lobby, room: Room, ana: Person, eve: Conversation, ben: Conversation
) -> None:
    second = lobby.conversation("Eve", label="billing")
    room.join(by=second)
    own = room.post("mine", by=eve).message
    sent = room.post("for both", by=ben, to=["agent:Eve/all"], confirm_all_threads=True)

    room.remove("agent:Eve", by=ana)

    assert lobby.take_wakes() == []
    for to in ("agent:Eve", "agent:Eve/acme", "agent:Eve/all", "agent:Eve/new"):
        assert refusal(lambda one=to: room.post("x", by=ben, to=[one])) == (
            "unknown_address"
        )
    answered = refusal(lambda: room.post("x", by=ben, reply_to=own.id))
    assert answered == "unknown_address"
    assert [one.agent.id for one in room.participants(by=ana).agents] == ["ben-web"]
    assert "ended as it was removed" in str(room.explain(sent.message.id))


def test_a_persons_own_word_brings_a_removed_agent_back(
    lobby: Lobby, room: Room, ana: Person, eve: Conversation
) -> None:
    class Host:
        @hookimpl
        def rooms_may(self, action: str) -> bool:
            return action == "add_agent"

    lobby.register(Host())
    room.remove("Eve", by=ana)

    fresh = room.add("Eve", by=ana, reason="Once more.")

    assert fresh != eve
    [wake] = lobby.take_wakes()
    assert wake.conversation == fresh
    room.join(by=eve)  # its agent is a member again


def test_who_is_no_member_is_left_alone_and_twice_is_no_fault(
    lobby: Lobby, room: Room, ana: Person, ben: Conversation
) -> None:
    lobby.add_agent("cy")
    room.remove("cy", by=ana)
    room.remove(lobby.agent("ben-web"), by=ana)
    position = lobby._desk.storage.position()

    room.remove("ben-web", by=ana)
    room.join(by=lobby.conversation("cy"))

    assert lobby._desk.storage.position() == position + 1


def test_an_agent_whose_seats_are_all_given_up_is_no_member_any_more(
    room: Room, ana: Person, eve: Conversation, ben: Conversation
) -> None:
    room.leave(by=eve)
    assert room.post("x", by=ben, to=["agent:Eve"]).started

    room.remove("Eve", by=ana)

    assert refusal(lambda: room.post("x", by=ben, to=["agent:Eve"])) == (
        "unknown_address"
    )
    assert refusal(lambda: room.join(by=eve)) == "invite_required"


def test_only_the_owner_removes_or_whom_the_host_lets(
    lobby: Lobby, room: Room, ana: Person, ben: Conversation
) -> None:
    root = lobby.person("root")
    for by in (ben, root):
        assert refusal(lambda one=by: room.remove("Eve", by=one)) == "not_owner"
    with pytest.raises(InvalidInput) as person:
        room.remove(ana, by=ana)
    assert person.value.code == "agent_required"
    with pytest.raises(NotFound):
        room.remove("nobody", by=ana)

    class Host:
        @hookimpl
        def rooms_may(self, actor: Actor, action: str) -> bool | None:
            return True if (actor.id, action) == ("root", "remove_agent") else None

    lobby.register(Host())
    room.remove("Eve", by=root)

    with pytest.raises(NotAllowed):
        room.join(by=lobby.conversation("Eve", label="acme"))
