"""What breaks in the middle of a take, a turn or a delivery loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from lobby.campaign.failing import FailingStorage
from lobby.campaign.scene import Clock, records_of
from rooms import Lobby, RateWindow, Room, RoomPolicy, hookimpl
from rooms.errors import StorageBusy
from rooms.lobby import Conversation, Wake

QUARTER = timedelta(minutes=15)
ALL = RoomPolicy(default_mode="every_message", wake_window=None)


@pytest.fixture
def storage() -> FailingStorage:
    return FailingStorage()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lobby(storage: FailingStorage, clock: Clock) -> Iterator[Lobby]:
    numbers = count(1)
    lobby = Lobby(storage, clock=clock, ids=lambda kind: f"{kind}_{next(numbers):04}")
    yield lobby
    storage.left = None
    lobby.close()


@pytest.fixture
def ann(lobby: Lobby) -> Conversation:
    return lobby.add_agent("ann").conversation()


@pytest.fixture
def two_rooms(lobby: Lobby, ann: Conversation) -> list[Room]:
    """Two rooms with one member each, to whom something has been said."""
    ben = lobby.add_agent("ben").conversation()
    ana = lobby.person("ana")
    rooms = []
    for name, member in (("one", ann), ("two", ben)):
        room = lobby.create_room(name, by=ana, policy=ALL).join(by=member)
        room.post(f"hello {name}", by=ana)
        rooms.append(room)
    return rooms


def told(wakes: list[Wake]) -> list[str]:
    return [message.content for wake in wakes for message in wake.messages]


@pytest.mark.usefixtures("two_rooms")
def test_a_take_that_fails_half_way_returns_what_it_took(
    lobby: Lobby, storage: FailingStorage
) -> None:
    storage.left = 1  # the take of the first room

    first = lobby.take_wakes()

    assert told(first) == ["hello one"]
    with pytest.raises(StorageBusy):
        lobby.take_wakes(conversations=[lobby.conversation("ben")])
    storage.left = None
    assert told(lobby.take_wakes(conversations=[lobby.conversation("ben")])) == [
        "hello two"
    ]


@pytest.mark.usefixtures("two_rooms")
def test_a_turn_whose_end_fails_can_be_ended_again(
    lobby: Lobby, storage: FailingStorage, ann: Conversation, clock: Clock
) -> None:
    (wake,) = lobby.take_wakes(conversations=[ann])
    turn = lobby.turn(wake).__enter__()
    storage.left = 0
    with pytest.raises(StorageBusy):
        turn.end()
    storage.left = None

    turn.end()
    turn.end()

    clock.advance(QUARTER)
    assert lobby.take_wakes(conversations=[ann]) == []


class Interrupted(BaseException):
    """What no plugin may catch, such as Ctrl-C."""


class Carrier:
    """Notes what it carries; raises where it is told to."""

    def __init__(self) -> None:
        self.carried: list[str] = []
        self.raising: BaseException | None = None

    @hookimpl
    def rooms_carry(self, wake: Wake) -> Any:
        if self.raising is not None:
            raise self.raising
        self.carried += told([wake])
        return "settled"


@pytest.mark.usefixtures("two_rooms")
def test_an_interrupted_delivery_is_taken_up_again(lobby: Lobby) -> None:
    carrier = Carrier()
    lobby.register(carrier)
    carrier.raising = Interrupted()
    with pytest.raises(Interrupted):
        lobby.deliver()
    carrier.raising = None

    lobby.deliver()

    assert sorted(carrier.carried) == ["hello one", "hello two"]


def test_a_delivery_that_cannot_record_what_it_did_delivers_the_rest_later(
    lobby: Lobby, storage: FailingStorage, two_rooms: list[Room], clock: Clock
) -> None:
    carrier = Carrier()
    lobby.register(carrier)
    storage.left = 2  # both takes
    with pytest.raises(StorageBusy):
        lobby.deliver()
    storage.left = None
    assert carrier.carried == ["hello one"]
    two_rooms[1].post("again", by=lobby.person("ana"))

    lobby.deliver()
    clock.advance(QUARTER)
    lobby.deliver()

    assert set(carrier.carried) == {"hello one", "hello two", "again"}


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_a_command_is_recorded_with_its_deadline_or_not_at_all(
    lobby: Lobby, storage: FailingStorage, ann: Conversation, left: int
) -> None:
    held = RoomPolicy(default_mode="every_message", wake_window=RateWindow(1, QUARTER))
    ben = lobby.add_agent("ben").conversation()
    room = lobby.create_room("held", by=ann, policy=held).join(by=ben)
    room.post("one", by=ann)
    before = records_of(storage), storage.next_due()
    storage.left = left
    refused = False
    try:
        room.post("two", by=ann)  # is held, so the room waits for a place to free
    except StorageBusy:
        refused = True
    storage.left = None

    assert refused == (left == 0)
    if refused:
        assert (records_of(storage), storage.next_due()) == before
        room.post("two", by=ann)
    assert storage.next_due() is not None
    assert room.position == 2


@pytest.mark.parametrize("asked", ["all", "agent", "deliver"])
def test_what_cannot_be_taken_hides_nothing_that_can(lobby: Lobby, asked: str) -> None:
    lobby.add_agent("tee", threaded=True)
    ana = lobby.person("ana")
    paused = lobby.create_room("paused", by=ana, policy=ALL)
    for number in range(150):  # more than are looked at in one step
        paused.join(by=lobby.conversation("tee", label=f"a-{number:03}"))
    paused.post("cannot be taken", by=ana)
    paused.pause(by=ana)
    last = lobby.conversation("tee", label="z")
    lobby.create_room("open", by=ana, policy=ALL).join(by=last).post("can", by=ana)
    carrier = Carrier()
    lobby.register(carrier)

    if asked == "deliver":
        lobby.deliver()
    else:
        agents = ["tee"] if asked == "agent" else None
        carrier.carried += told(lobby.take_wakes(agents=agents))

    assert carrier.carried == ["can"]
