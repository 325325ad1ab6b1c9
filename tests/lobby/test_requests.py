"""Request ids: the same request again leaves nothing and is told the same."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    ConfirmAllThreads,
    Conflict,
    Conversation,
    IdempotencyConflict,
    InvalidInput,
    Lobby,
    NotFound,
    OverLimit,
    RateWindow,
    Room,
    RoomPolicy,
)


def test_a_repeat_is_told_the_stored_result_and_wakes_nobody(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    first = hall.post("Once.", by=eve, to=[ben], request_id="r-1")
    [wake] = lobby.take_wakes()
    with lobby.turn(wake):
        pass
    place.clock.advance(days=400)

    for room in (hall, place.crash().room("orders")):
        again = room.post("Once.", by=eve, to=["agent:ben-web"], request_id="r-1")
        assert again.duplicate
        assert (again.message, again.woken) == (first.message, (ben,))

    assert hall.position == 1
    assert lobby.take_wakes() == []


def test_a_request_is_the_same_whatever_its_addressee_is_called_by_now(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    first = hall.post("Once.", by=ben, to=[eve], request_id="r-1")
    eve.rename("acme-renewal")

    again = hall.post("Once.", by=ben, to=[eve], request_id="r-1")

    assert (again.duplicate, again.message) == (True, first.message)


@pytest.mark.parametrize(
    "other",
    [
        {"content": "Twice."},
        {"to": ["room"]},
        {"to": []},
        {"reply_to": "earlier"},
    ],
)
def test_another_request_under_the_same_id_is_refused(
    hall: Room, eve: Conversation, ben: Conversation, other: dict[str, Any]
) -> None:
    earlier = hall.post("Earlier.", by=ben)
    asked: dict[str, Any] = {"content": "Once.", "to": [ben], "reply_to": None}
    hall.post(**asked, by=eve, request_id="r-1")
    if "reply_to" in other:
        other = {"reply_to": earlier.message.id}

    with pytest.raises(IdempotencyConflict) as refused:
        hall.post(**(asked | other), by=eve, request_id="r-1")

    assert refused.value.code == "idempotency_conflict"
    assert hall.position == 2


def test_an_id_is_known_in_the_whole_lobby_and_is_its_actors_own(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    other = lobby.create_room("other", by=eve)
    first = hall.post("Once.", by=eve, request_id="r-1")

    with pytest.raises(IdempotencyConflict):
        other.post("Once.", by=eve, request_id="r-1")
    assert not hall.post("Once.", by=ben, request_id="r-1").duplicate
    assert lobby.create_room("third", by=eve, request_id="r-1").position == 0
    with lobby.turn(eve) as turn:  # a turn is its conversation
        again = hall.post("Once.", by=turn, request_id="r-1")
    assert (again.duplicate, again.message) == (True, first.message)


def test_the_same_creation_again_is_the_same_room(place: Place, lobby: Lobby) -> None:
    me = lobby.person("me")
    room = lobby.create_room("work", by=me, request_id="work")

    assert lobby.create_room("work", by=me, request_id="work") == room
    assert place.crash().create_room("work", by=me, request_id="work") == room
    with pytest.raises(IdempotencyConflict):
        lobby.create_room("work", by=me, policy="thread", request_id="work")
    with pytest.raises(Conflict, match="room_exists"):
        lobby.create_room("work", by=me, request_id="another")


@pytest.mark.case("F-80")
def test_equal_texts_without_ids_are_two_messages(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for said, by in (("yes", ben), ("yes", ben), ("on it", eve), ("result", eve)):
        assert not hall.post(said, by=by).duplicate

    contents = [one.content for one in hall.read(by=eve)]
    assert contents == ["yes", "yes", "on it", "result"]


def test_a_repeat_is_answered_before_anything_else_is_checked(
    lobby: Lobby, clock: Clock
) -> None:
    ada, bo = (lobby.add_agent(name).conversation() for name in ("ada", "bo"))
    policy = RoomPolicy(send_window=RateWindow(1, timedelta(minutes=5)))
    room = lobby.create_room("r", by=ada, policy=policy).join(by=bo)
    first = room.post("one", by=ada, to=[bo], request_id="r-1")
    room.leave(by=bo)  # the address reaches nobody any more

    again = room.post("one", by=ada, to=[bo], request_id="r-1")

    assert (again.duplicate, again.message) == (True, first.message)
    with pytest.raises(OverLimit) as full:
        room.post("two", by=ada, request_id="r-2")
    assert full.value.retry_at == clock.at(300)


@pytest.mark.rule("G-RATE-06", "G-CONFIRM-03")
def test_a_refused_request_leaves_no_trace_and_may_be_made_again(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.join(by=lobby.conversation("Eve", thread="t-2", label="audit"))

    with pytest.raises(ConfirmAllThreads):
        hall.post("Both.", by=ben, to=["agent:Eve/all"], request_id="r-1")
    with pytest.raises(NotFound):
        hall.post("Both.", by=ben, to=["agent:nobody"], request_id="r-1")
    assert hall.position == 0

    confirmed = hall.post(
        *("Both.",),
        by=ben,
        to=["agent:Eve/all"],
        request_id="r-1",
        confirm_all_threads=True,
    )
    assert [str(one) for one in confirmed.woken] == [
        "agent:Eve/acme",
        "agent:Eve/audit",
    ]
    assert not confirmed.duplicate


@pytest.mark.parametrize("request_id", ["", "x" * 129, "a\nb", "\ud83d", 5, b"r-1"])
def test_a_request_id_that_is_none_is_refused(
    hall: Room, eve: Conversation, request_id: Any
) -> None:
    with pytest.raises(InvalidInput) as refused:
        hall.post("x", by=eve, request_id=request_id)

    assert refused.value.field == "request_id"
    assert hall.position == 0


def test_a_message_that_started_a_conversation_is_found_again(
    hall: Room, ben: Conversation
) -> None:
    first = hall.post("A new matter.", by=ben, to=["agent:Eve"], request_id="r-1")

    again = hall.post("A new matter.", by=ben, to=["agent:Eve"], request_id="r-1")

    assert (again.duplicate, again.message) == (True, first.message)
    assert again.started == first.started
    assert len(hall.conversations) == 3
