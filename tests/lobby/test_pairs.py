"""The pair window: two that wake each other are damped as one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lobby.place import Clock, Place
from rooms import Conversation, InvalidInput, Lobby, RateWindow, Room, RoomPolicy

FOUR_A_MINUTE = RateWindow(4, timedelta(seconds=60))


def hall(lobby: Lobby, name: str, *seated: Conversation) -> Room:
    policy = RoomPolicy(pair_window=FOUR_A_MINUTE, wake_window=None)
    room = lobby.create_room(name, by=lobby.person("ops"), policy=policy)
    for one in seated:
        room.join(by=one)
    return room


@pytest.fixture
def pair(lobby: Lobby) -> tuple[Conversation, Conversation, Conversation]:
    eve, ada, bo = (lobby.add_agent(n).conversation() for n in ("eve", "ada", "bo"))
    return eve, ada, bo


@pytest.mark.case("F-76")
def test_both_directions_count_as_one_rooms_apart_and_people_never(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, ...]
) -> None:
    eve, ada, bo = pair
    room, other = hall(lobby, "R", *pair), hall(lobby, "S", *pair)
    lanes = []
    for turn in range(5):
        sender, hearer = (eve, ada) if turn % 2 == 0 else (ada, eve)
        posted = room.post(f"{turn}", by=sender, to=[hearer])
        lanes.append((posted.woken, posted.held))
        clock.advance(seconds=1)

    assert lanes == [
        ((ada,), ()),
        ((eve,), ()),
        ((ada,), ()),
        ((eve,), ()),
        ((), (ada,)),
    ]
    assert other.post("here", by=eve, to=[ada]).woken == (ada,)
    assert room.post("bo", by=eve, to=[bo]).woken == (bo,)
    assert room.post("you", by=lobby.person("ops"), to=[eve]).woken == (eve,)


def test_what_is_held_goes_when_a_place_frees_and_takes_it(
    place: Place, lobby: Lobby, pair: tuple[Conversation, ...]
) -> None:
    eve, ada, _ = pair
    room = hall(lobby, "R", *pair)
    for second in range(4):
        room.post(f"{second}", by=eve, to=[ada], now=place.clock.at(second))
    [woken] = lobby.take_wakes(agents=["ada"], now=place.clock.at(3))
    lobby.turn(woken, now=place.clock.at(3)).__enter__().end(now=place.clock.at(3))
    held = room.post("held", by=ada, to=[eve], now=place.clock.at(4))
    assert held.held == (eve,)
    assert lobby.next_deadline() == place.clock.at(60)  # the first one's place
    told = str(room.explain(held.message.id))
    assert "by pair_window" in told
    assert "the end of the pair's window" in told

    again = place.open()  # another process knows it, too
    assert again.take_wakes(agents=["eve"], now=place.clock.at(59)) == []
    [wake] = again.take_wakes(agents=["eve"], now=place.clock.at(60))

    assert [one.content for one in wake.messages] == ["held"]
    # That took the place which freed at 60; the next one frees at 61.
    early = room.post("early", by=eve, to=[ada], now=place.clock.at(60.5))
    assert early.held == (ada,)
    assert place.open().take_wakes(agents=["ada"], now=place.clock.at(60.9)) == []
    assert place.open().take_wakes(agents=["ada"], now=place.clock.at(61))


def test_a_persons_message_takes_along_what_the_pair_held(
    lobby: Lobby, pair: tuple[Conversation, ...]
) -> None:
    eve, ada, _ = pair
    room = hall(lobby, "R", *pair)
    for number in range(5):
        room.post(f"{number}", by=eve, to=[ada])

    room.post("Now.", by=lobby.person("ops"), to=[ada])

    [wake] = lobby.take_wakes()
    assert [one.content for one in wake.messages] == ["0", "1", "2", "3", "4", "Now."]


def test_a_pair_window_without_a_place_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        RoomPolicy(pair_window=RateWindow(0))

    assert refused.value.field == "pair_window"
    assert RoomPolicy().pair_window is None
