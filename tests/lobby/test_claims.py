"""A newer claim, and what the older one had in hand (ledger 11)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from rooms import Lobby, MemoryStorage, RateWindow, RoomPolicy, hookimpl
from rooms.errors import Conflict
from rooms.lobby import Conversation, Room

NOON = datetime(2026, 10, 16, 12, tzinfo=UTC)


@pytest.fixture
def lobby() -> Lobby:
    number = iter(range(1_000))
    return Lobby(
        MemoryStorage(),
        clock=lambda: NOON,
        ids=lambda prefix: f"{prefix}_{next(number)}",
    )


def room_of(lobby: Lobby, policy: RoomPolicy) -> tuple[Room, Conversation]:
    ana = lobby.person("ana")
    ben = lobby.add_agent("ben").conversation()
    room = lobby.create_room("r", by=ana, policy=policy).join(by=ben)
    for text in ("one", "two"):
        room.post(text, by=ana, to=[ben])
    return room, ben


def texts(lobby: Lobby, **options: object) -> list[list[str]]:
    wakes = lobby.take_wakes(**options)  # type: ignore[arg-type]
    return [[message.content for message in wake.messages] for wake in wakes]


@pytest.mark.rule("G-HELD-02")
@pytest.mark.parametrize("settle_on", ["read", "ack"])
@pytest.mark.parametrize("opened", [False, True])
def test_what_a_crashed_runtime_held_is_one_wake_for_the_next(
    lobby: Lobby, settle_on: str, *, opened: bool
) -> None:
    policy = RoomPolicy(settle_on=settle_on)  # type: ignore[arg-type]
    _, ben = room_of(lobby, policy)
    (wake,) = lobby.take_wakes(conversations=[ben.claim()])
    if opened:
        lobby.turn(wake).__enter__()

    claim = ben.claim()

    assert texts(lobby, conversations=[claim]) == [["one", "two"]]
    with pytest.raises(Conflict) as caught, lobby.turn(wake):
        pass
    assert caught.value.code == "stale_runtime"


@pytest.mark.rule("G-HELD-02")
def test_what_was_told_and_never_acknowledged_is_owed_to_the_next_runtime(
    lobby: Lobby,
) -> None:
    room, ben = room_of(lobby, RoomPolicy(settle_on="ack"))
    (wake,) = lobby.take_wakes()
    with lobby.turn(wake):
        pass
    room.acknowledge([wake.messages[0].id], by=ben)
    assert texts(lobby) == []

    ben.claim()

    assert texts(lobby) == [["two"]]


def test_a_claim_that_is_not_the_newest_takes_and_posts_nothing(lobby: Lobby) -> None:
    room, ben = room_of(lobby, RoomPolicy())
    old: Callable[[], object] = ben.claim
    first, second = old(), ben.claim()

    with pytest.raises(Conflict, match="newer runtime"):
        lobby.take_wakes(conversations=[first])  # type: ignore[list-item]
    with pytest.raises(Conflict, match="newer runtime"):
        room.post("late", by=first)
    room.post("in time", by=second)
    assert [message.content for message in room.read(by=lobby.person("ana"))] == [
        "one",
        "two",
        "in time",
    ]


def test_wakes_of_one_conversation_among_many_are_found(lobby: Lobby) -> None:
    ana = lobby.person("ana")
    agent = lobby.add_agent("Eve", threaded=True)
    room = lobby.create_room("r", by=ana, policy=RoomPolicy(wake_window=None))
    every = [agent.conversation(thread=f"t{number}") for number in range(150)]
    for one in every:
        room.join(by=one)
    room.post("hello", by=ana, to=["all"], confirm_all_threads=True)

    (wake,) = lobby.take_wakes(conversations=[every[-1]], limit=1)

    assert wake.conversation == every[-1]
    assert wake.until - NOON == timedelta(minutes=15)


def test_a_plugin_hears_no_draft_of_who_was_overtaken(lobby: Lobby) -> None:
    heard = []

    class Listener:
        @hookimpl
        def rooms_check_draft(self, draft: object) -> None:
            heard.append(draft)

    lobby.register(Listener())
    limited = RoomPolicy(send_window=RateWindow(1, timedelta(minutes=1)))
    room, ben = room_of(lobby, limited)
    old = ben.claim()
    room.post("one", by=old)
    ben.claim()
    heard.clear()

    with pytest.raises(Conflict) as caught:
        room.post("too much, and too late", by=old)

    assert caught.value.code == "stale_runtime"
    assert heard == []


def test_after_a_backup_every_claim_is_stale_and_what_it_held_is_owed_again(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    claims = [eve.claim(), ben.claim()]
    hall.post("For ben.", by=claims[0], to=[ben])
    [held] = lobby.take_wakes(conversations=[claims[1]], holder="before")

    lobby.recover()

    for claim in claims:
        with pytest.raises(Conflict) as raised:
            hall.post("Still here.", by=claim)
        assert raised.value.code == "stale_runtime"
    [again] = lobby.take_wakes(conversations=[ben], holder="after")
    assert [one.id for one in again.messages] == [one.id for one in held.messages]
    records = len(list(lobby.export()))
    assert lobby.conversation("ben-web").claim().generation == 3
    assert len(list(lobby.export())) > records


def test_a_recovery_without_claims_records_nothing(
    lobby: Lobby, hall: Room, eve: Conversation
) -> None:
    before = list(lobby.export())
    lobby.recover()

    assert list(lobby.export()) == before
