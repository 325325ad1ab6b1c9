"""Labels, threads and renames: how a conversation is called and found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lobby.place import Place
from rooms import Conflict, Conversation, InvalidInput, Lobby, NotFound, Room


@pytest.mark.rule("G-LABEL-01")
def test_a_chosen_label_is_lowercase_words_joined_by_hyphens(
    lobby: Lobby, eve: Conversation
) -> None:
    assert lobby.conversation("Eve", label="The-Q3-Audit").label == "the-q3-audit"
    assert eve.rename("ACME-Renewal") == "acme-renewal"
    for wrong in ("Acme Renewal", "acme_renewal", "-acme", "x" * 33):
        with pytest.raises(InvalidInput) as refused:
            eve.rename(wrong)
        assert refused.value.field == "label"


@pytest.mark.rule("G-LABEL-02")
def test_without_one_the_label_comes_from_the_first_post(
    place: Place, lobby: Lobby, hall: Room
) -> None:
    one = lobby.conversation("Eve", thread="t-2")
    before = one.label
    hall.join(by=one)

    hall.post("Renew the Acme contract\nbefore Friday", by=one)
    hall.post("Another matter entirely", by=one)

    assert one.label == "renew-the-acme-contract"
    assert one.labels == (before, "renew-the-acme-contract")
    assert place.crash().conversation("Eve", thread="t-2").label == one.label


@pytest.mark.rule("G-LABEL-03", "G-LABEL-08")
def test_a_label_that_is_held_gets_a_short_suffix_within_the_length(
    lobby: Lobby, eve: Conversation
) -> None:
    lobby.add_agent("Gennie", threaded=True)
    long = "twelve-letters-and-twenty-others"
    assert len(long) == 32

    assert lobby.conversation("Eve", thread="t-2", label="acme").label == "acme-2"
    assert lobby.conversation("Eve", thread="t-3", label="acme").label == "acme-3"
    assert lobby.conversation("Gennie", label="acme").label == "acme"
    assert lobby.conversation("Eve", thread="t-4", label=long).label == long
    suffixed = lobby.conversation("Eve", thread="t-5", label=long).label
    assert suffixed == "twelve-letters-and-twenty-othe-2"


@pytest.mark.rule("G-LABEL-04")
@pytest.mark.parametrize("label", ["new", "ALL", "New"])
def test_new_and_all_cannot_be_labels(
    lobby: Lobby, eve: Conversation, label: str
) -> None:
    for choose in (eve.rename, lambda one: lobby.conversation("Eve", label=one)):
        with pytest.raises(InvalidInput) as refused:
            choose(label)
        assert refused.value.code == "reserved_identity"

    assert eve.labels == ("acme",)


@pytest.mark.rule("G-LABEL-05")
def test_another_thread_of_the_host_changes_no_label(eve: Conversation) -> None:
    eve.bind("the thread by its new name")

    assert (eve.label, eve.thread) == ("acme", "the thread by its new name")


@pytest.mark.rule("G-LABEL-06", "G-LABEL-07", "G-ADDR-13")
@pytest.mark.case("F-122")
def test_subtle_7_old_labels_stay_taken_and_go_on_reaching_their_conversation(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    before = hall.post("To the old name.", by=ben, to=["agent:Eve/acme"])

    assert eve.rename("acme-renewal") == "acme-renewal"
    other = lobby.conversation("Eve", thread="t-2", label="acme")
    hall.join(by=other)

    assert (other.label, str(eve)) == ("acme-2", "agent:Eve/acme-renewal")
    again = place.crash()
    room = again.room("orders")
    for label in ("acme", "acme-renewal"):
        assert room.post("x", by=ben, to=[f"agent:Eve/{label}"]).woken == (eve,)
    assert room.read(by=ben).items[0] == before.message
    [wake] = again.take_wakes()
    assert [one.seq for one in wake.messages] == [1, 2, 3]


def test_a_label_may_be_taken_back_by_the_conversation_that_had_it(
    eve: Conversation,
) -> None:
    assert eve.rename("other") == "other"
    assert eve.rename("acme") == "acme"
    assert eve.labels == ("other", "acme")


@pytest.mark.rule("G-LABEL-09")
def test_it_can_be_asked_which_rooms_a_conversation_follows_and_who_is_where(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    other = lobby.create_room("other", by=eve)
    third = lobby.create_room("third", by=ben).join(by=eve, mode="on_demand")
    second = lobby.conversation("Eve", thread="t-2", label="audit")
    other.join(by=second, mode="digest")

    assert eve.rooms == (hall, other)
    assert second.rooms == (other,)
    hall.leave(by=eve)
    third.post("A post follows.", by=eve)
    assert eve.rooms == (other, third)
    assert {one: one.rooms for one in lobby.agent("Eve").conversations()} == {
        eve: (other, third),
        second: (other,),
    }


def test_a_thread_finds_its_conversation_and_carries_one_alone(
    lobby: Lobby, eve: Conversation
) -> None:
    other = lobby.conversation("Eve", label="audit")
    other.bind("t-2")

    assert lobby.conversation("Eve", thread="t-1") == eve
    assert lobby.agent("eve").conversation(thread="t-2") == other
    assert lobby.agent("Eve").conversations() == (eve, other)
    with pytest.raises(Conflict) as bound:
        other.bind("t-1")
    assert (bound.value.code, bound.value.current) == ("thread_bound", eve.id)
    other.bind("t-2")  # again is no fault


@pytest.mark.parametrize("thread", ["", 5, b"t", "\ud83d", "x" * 10_000])
def test_what_is_no_thread_is_refused(
    lobby: Lobby, eve: Conversation, ben: Conversation, thread: Any
) -> None:
    binds: list[Callable[[], object]] = [
        lambda: eve.bind(thread),
        lambda: lobby.conversation("Eve", thread=thread),
        lambda: lobby.conversation("ben-web", thread=thread),
    ]
    for bind in binds:
        with pytest.raises(InvalidInput) as refused:
            bind()
        assert refused.value.field == "thread"

    assert lobby.agent("Eve").conversations() == (eve,)


@pytest.mark.parametrize("label", ["", 5, "a/b", "\ud83d", "!!!"])
def test_what_is_no_label_is_refused(
    lobby: Lobby, eve: Conversation, label: Any
) -> None:
    for choose in (
        lambda: eve.rename(label),
        lambda: lobby.conversation("Eve", label=label),
    ):
        with pytest.raises(InvalidInput):
            choose()

    assert lobby.agent("Eve").conversations() == (eve,)


def test_a_threaded_agent_has_to_be_asked_for_one_of_its_conversations(
    lobby: Lobby, eve: Conversation
) -> None:
    with pytest.raises(InvalidInput) as which:
        lobby.conversation("Eve")
    with pytest.raises(NotFound) as who:
        lobby.conversation("Nobody")

    assert (which.value.field, who.value.code) == ("thread", "agent_not_found")


@pytest.mark.parametrize("owner", [5, [], False, b"ana", "a/b", "\ud83d"])
def test_what_is_no_person_owns_nothing(lobby: Lobby, owner: Any) -> None:
    with pytest.raises(InvalidInput):
        lobby.add_agent("ada", owner=owner)

    assert lobby.agents == ()


def test_a_person_is_known_by_one_spelling(lobby: Lobby) -> None:
    lobby.person("ana")

    with pytest.raises(InvalidInput) as refused:
        lobby.person("Ana")

    assert refused.value.details["allowed"] == "ana"
