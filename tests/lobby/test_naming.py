"""Mentions given as data, and names that call nobody (F-48, F-62)."""

from __future__ import annotations

from typing import Any

import pytest

from lobby.place import Place
from rooms import (
    Conversation,
    IdempotencyConflict,
    InvalidInput,
    Lobby,
    NotFound,
    Person,
    Room,
    RoomPolicy,
)
from rooms.log.posting import MessagePosted


@pytest.fixture
def ana(lobby: Lobby) -> Person:
    return lobby.person("ana")


@pytest.fixture
def chat(lobby: Lobby, eve: Conversation, ben: Conversation) -> Room:
    """A room in which names anywhere in a text call."""
    policy = RoomPolicy(mentions="anywhere", mentions_from="any")
    room = lobby.create_room("chat", by=eve, policy=policy).join(by=ben)
    return room.join(by=lobby.add_agent("ada").conversation())


@pytest.mark.case("F-62")
def test_mentions_given_as_data_win_over_the_text(
    lobby: Lobby, chat: Room, ben: Conversation, ana: Person
) -> None:
    ada = lobby.conversation("ada")

    assert chat.post("@ada hi", by=ana).woken == (ada,)
    assert chat.post("@ada hi", by=ana, mentions=[]).woken == ()
    given = chat.post("hi", by=ana, mentions=["ADA", lobby.agent("ben-web")])
    assert given.woken == (ada, ben)
    assert given.message.to == ("agent:ada", "agent:ben-web")
    other = chat.post("@ben-web look", by=ana, mentions=["ada"])
    assert (other.woken, other.unresolved) == ((ada,), ())


def test_a_mention_that_fits_nobody_here_is_told_and_refuses_nothing(
    lobby: Lobby, chat: Room, ana: Person
) -> None:
    lobby.add_agent("elsewhere")

    posted = chat.post("hi", by=ana, mentions=["elsewhere", "ghost", "ada", "ghost"])

    assert posted.woken == (lobby.conversation("ada"),)
    assert posted.unresolved == ("elsewhere", "ghost")
    assert str(posted).endswith("; unresolved elsewhere, ghost")


def test_mentions_as_data_call_also_where_texts_are_not_read(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    posted = hall.post("@Eve and @ben-web", by=ben, mentions=["ben-web", "all"])

    assert posted.message.to == ("all",)  # nobody mentions itself
    assert posted.woken == (eve,)


@pytest.mark.case("F-48", "F-33")
def test_a_silent_name_is_a_reference_that_wakes_nobody(
    place: Place,
    lobby: Lobby,
    chat: Room,
    eve: Conversation,
    ana: Person,
) -> None:
    ada, ben = lobby.conversation("ada"), lobby.conversation("ben-web")
    posted = chat.post(
        "As @ada and Eve said.",
        by=ana,
        silent=[ada, "agent:Eve/acme", eve, "agent:Eve"],
    )

    assert (posted.woken, posted.held, posted.later, posted.started) == ((),) * 4
    assert posted.message.to == ()
    assert posted.message.silent == ("agent:ada", "agent:Eve/acme", "agent:Eve")
    [read] = place.crash().room("chat").read(by=ben)
    assert read == posted.message
    assert lobby.take_wakes() == []
    page = chat.exchange(eve, by=ana)
    assert [one.seq for one in page] == [1]  # it named her
    waits = [s.waits for a in chat.participants(by=ana).agents for s in a.seats]
    assert waits == [False] * 3


def test_who_is_addressed_is_woken_though_named_silently_too(
    chat: Room, ben: Conversation, ana: Person
) -> None:
    assert chat.post("x", by=ana, to=[ben], silent=[ben]).woken == (ben,)


def test_who_hears_everything_hears_what_names_it_silently(
    chat: Room, ben: Conversation, ana: Person
) -> None:
    chat.subscribe(by=ben, mode="every_message")

    posted = chat.post("x", by=ana, silent=[ben])

    assert posted.woken == (ben,)
    event = posted._fact.event
    assert isinstance(event, MessagePosted)
    assert [entry[2] for entry in event.owed] == ["none"]  # as any message


def test_one_that_left_is_named_still_and_nobody_comes_in_its_place(
    chat: Room, eve: Conversation, ana: Person
) -> None:
    chat.leave(by=eve)

    posted = chat.post("As Eve said.", by=ana, silent=["agent:Eve/acme"])

    assert posted.started == ()
    assert [one.seq for one in chat.exchange(eve, by=ana)] == [1]


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        ({"mentions": "ada"}, "mentions", "invalid_request"),
        ({"mentions": {"ada"}}, "mentions", "invalid_request"),
        ({"mentions": [""]}, "mentions[0]", "invalid_request"),
        ({"mentions": ["ada", 5]}, "mentions[1]", "invalid_request"),
        ({"mentions": ["\ud800"]}, "mentions[0]", "invalid_request"),
        ({"silent": "agent:ada"}, "silent", "invalid_request"),
        ({"silent": None}, "silent", "invalid_request"),
        ({"silent": ["agent:"]}, "silent[0]", "bad_address"),
        ({"silent": ["all"]}, "silent", "bad_address"),
        ({"silent": ["room"]}, "silent", "bad_address"),
        ({"silent": ["agent:Eve/all"]}, "silent", "bad_address"),
    ],
)
def test_what_names_nobody_is_told(
    chat: Room, ana: Person, given: dict[str, Any], field: str, code: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        chat.post("x", by=ana, **given)

    assert (refused.value.field, refused.value.code) == (field, code)
    assert chat.position == 0


@pytest.mark.parametrize("silent", ["agent:ghost", "agent:Eve/nothing"])
def test_a_silent_name_that_reaches_nobody_refuses_the_message(
    chat: Room, ana: Person, silent: str
) -> None:
    with pytest.raises(NotFound) as refused:
        chat.post("x", by=ana, silent=[silent])

    assert refused.value.code == "unknown_address"
    assert chat.position == 0


def test_another_mention_is_another_request(
    chat: Room, ben: Conversation, ana: Person
) -> None:
    asked: dict[str, Any] = {"by": ana, "request_id": "r"}
    chat.post("x", mentions=["ada", "ben-web"], silent=[ben], **asked)

    again = chat.post("x", mentions=["ben-web", "ada"], silent=[ben], **asked)

    assert again.duplicate
    both = ["ada", "ben-web"]
    others: list[dict[str, Any]] = [{}, {"mentions": []}, {"mentions": both}]
    for other in others:
        with pytest.raises(IdempotencyConflict):
            chat.post("x", **asked, **other)
