"""What is left of a window, before it trips (F-35)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    OverLimit,
    RateWindow,
    Room,
    RoomPolicy,
)
from rooms.lobby import Places, Windows

MINUTE = timedelta(minutes=1)


@pytest.fixture
def narrow(lobby: Lobby, eve: Conversation, ben: Conversation) -> Room:
    """Three posts a minute, and two wakes in two."""
    policy = RoomPolicy(
        send_window=RateWindow(3, MINUTE), wake_window=RateWindow(2, 2 * MINUTE)
    )
    return lobby.create_room("narrow", by=eve, policy=policy).join(by=ben)


@pytest.mark.case("F-35", "F-78")
def test_a_window_tells_what_is_left_and_when_the_next_place_frees(
    place: Place, clock: Clock, narrow: Room, eve: Conversation, ben: Conversation
) -> None:
    assert narrow.windows(by=eve) == Windows(
        Places(3, 0, 3, None), Places(2, 0, 2, None)
    )
    for _ in range(3):
        narrow.post("x", by=eve, to=[ben])
        clock.advance(seconds=10)

    assert narrow.windows(by=eve).sends == Places(3, 3, 0, clock.at(60))
    assert narrow.windows(by=ben).wakes == Places(2, 2, 0, clock.at(120))

    with pytest.raises(OverLimit) as refused:
        narrow.post("x", by=eve)
    assert refused.value.retry_at == clock.at(60)
    later = place.crash().room("narrow")
    assert later.windows(by=eve, now=clock.at(60)).sends == Places(
        3, 2, 1, clock.at(70)
    )
    assert later.windows(by=ben, now=clock.at(130)).wakes == Places(2, 0, 2, None)


def test_a_person_asks_for_a_conversation_and_where_there_is_no_window_there_is_none(
    lobby: Lobby, narrow: Room, eve: Conversation, ben: Conversation
) -> None:
    ana = lobby.person("ana")
    narrow.post("x", by=eve)
    assert narrow.windows(by=ana, of=eve) == narrow.windows(by=eve)
    free = RoomPolicy(send_window=None, wake_window=None)
    room = lobby.create_room("free", by=eve, policy=free)
    assert room.windows(by=eve) == Windows(None, None)
    with pytest.raises(InvalidInput, match="of is missing"):
        narrow.windows(by=ana)
    with pytest.raises(NotAllowed):
        room.windows(by=ben)


@pytest.mark.parametrize("of", ["agent:Eve", 5, object()])
def test_only_a_conversation_has_windows(lobby: Lobby, narrow: Room, of: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        narrow.windows(by=lobby.person("ana"), of=of)

    assert refused.value.field == "of"


def test_a_window_of_none_has_no_place_that_frees(
    lobby: Lobby, eve: Conversation
) -> None:
    shut = RoomPolicy(send_window=RateWindow(0, MINUTE))

    room = lobby.create_room("shut", by=eve, policy=shut)

    assert room.windows(by=eve).sends == Places(0, 0, 0, None)
