"""A room that is made of a transcript: its history wakes nobody, and all or nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rooms import Lobby, MemoryStorage, RoomPolicy, presets
from rooms.errors import Conflict, InvalidInput, NotFound, RoomsError, StorageBusy
from rooms.log.records import Commit
from rooms.planning import RoomEvent
from rooms.testing import FakeClock, check_replay
from rooms.transcripts import Recorded, Transcript, open_room, read

CHAT = """\
[2026-01-05 09:00] ana: Go.
@eve
[2026-01-05 09:01] eve: Gone. @bo?
[2026-01-05 09:02] bo:
[2026-01-05 09:03] ana: @bo @eve thanks
[2026-01-05 09:04] bo: np
"""
ROSTER = ("eve", "bo")


def at(minute: int) -> datetime:
    return datetime(2026, 1, 5, 9, minute, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    clock = FakeClock()
    clock.set(at(0) + timedelta(days=1))
    return clock


@pytest.fixture
def lobby(clock: FakeClock) -> Lobby:
    return Lobby.in_memory(clock=clock)


@pytest.mark.parametrize("preset", [None, "hall", "broker", "panel", "thread"])
def test_history_wakes_nobody_and_the_room_goes_on(
    lobby: Lobby, preset: str | None
) -> None:
    policy = RoomPolicy() if preset is None else presets.named(preset)
    ana = lobby.person("ana")

    made = open_room(
        lobby, "r", read(CHAT, "chat"), by=ana, policy=preset, agents=ROSTER
    )

    assert [(str(one.sender), one.content) for one in made.messages] == [
        ("person:ana", "Go.\n@eve"),
        ("agent:eve", "Gone. @bo?"),
        ("person:ana", "@bo @eve thanks"),
        ("agent:bo", "np"),
    ]
    assert [one.line for one in made.left_out] == [4]
    assert made.room.policy == policy
    assert lobby.take_wakes() == []
    assert lobby.next_deadline() is None
    eve, bo = (lobby.agent(name).conversation() for name in ROSTER)
    made.room.post("now", by=bo, to=[eve])
    if preset in {"panel", "thread"}:
        return  # whose turn it is, is the planner's
    [wake] = lobby.take_wakes()
    assert [one.content for one in wake.messages] == ["now"]
    assert wake.waited == 0
    assert len(made.room.read(by=eve, after=0).items) == 5
    assert check_replay(lobby._desk.storage).agrees


def test_in_a_new_lobby_each_message_has_its_own_time(lobby: Lobby) -> None:
    said = read(CHAT, "chat")
    ana = lobby.person("ana", now=said.events[0].at)

    made = open_room(lobby, "r", said, by=ana, agents=ROSTER)

    assert [one.at for one in made.messages] == [at(0), at(1), at(3), at(4)]
    assert [one.at for one in made.told] == [at(0), at(1), at(3), at(4)]


def test_in_a_lobby_that_is_younger_times_do_not_go_back(lobby: Lobby) -> None:
    lobby.add_agent("eve")

    made = open_room(
        lobby, "r", read(CHAT, "chat"), by=lobby.person("ana"), agents=ROSTER
    )

    assert {one.at for one in made.messages} == {at(0) + timedelta(days=1)}
    assert [one.at for one in made.told] == [at(0), at(1), at(3), at(4)]


def test_a_threads_stamps_name_whom_they_addressed_without_calling(
    lobby: Lobby,
) -> None:
    said = Transcript(
        (
            Recorded(1, RoomEvent("op", "go?", human=True), to=("proto", "ghost")),
            Recorded(2, RoomEvent("proto", "gone", human=False), to=("proto",)),
            Recorded(3, RoomEvent("rev", "no net", human=False), failed=True),
        )
    )

    made = open_room(lobby, "r", said, by=lobby.person("op"), policy="thread")

    assert [one.content for one in made.messages] == ["go?", "gone"]
    assert made.messages[0].silent == ("agent:proto",)
    assert [one.line for one in made.left_out] == [3]
    assert lobby.take_wakes() == []


def test_speakers_may_be_called_otherwise_here(lobby: Lobby) -> None:
    said = read("[2026-01-05 09:00] Bo Bot: hi\n[2026-01-05 09:01] Ann: yes", "chat")
    names = {"Bo Bot": "bo", "Ann": "ana"}

    made = open_room(
        lobby, "r", said, by=lobby.person("ana"), agents=["Bo Bot"], names=names
    )

    assert [str(one.sender) for one in made.messages] == ["agent:bo", "person:ana"]


@pytest.mark.parametrize(
    ("events", "options", "told"),
    [
        ([RoomEvent("Bo Bot", "x", human=False)], {}, "agent is"),
        ([RoomEvent("room", "x", human=False)], {}, "room"),
        ([RoomEvent("a", "x", human=True), RoomEvent("a", "x", human=False)], {}, "2"),
        ([RoomEvent("a", "\ud800")], {}, "line 1: content"),
        ([RoomEvent("a", "x")], {"policy": "team"}, "lifecycle"),
        ([RoomEvent("a", "x")], {"policy": "none"}, "policy"),
        ([RoomEvent("a", "x")], {"agents": "a"}, "agents"),
        ([RoomEvent("a", "x")], {"names": ["a"]}, "names"),
        ([RoomEvent("a", "x")], {"names": {"a": ""}}, "names"),
        ([RoomEvent("a", "x")], {"names": {"a": 7}}, "names"),
    ],
)
def test_what_cannot_be_a_history_leaves_no_room(
    lobby: Lobby, events: list[RoomEvent], options: Any, told: str
) -> None:
    said = Transcript(
        tuple(Recorded(line, one) for line, one in enumerate(events, start=1))
    )
    ana = lobby.person("ana")

    with pytest.raises(RoomsError, match=told):
        open_room(lobby, "r", said, by=ana, **options)

    with pytest.raises(NotFound):
        lobby.room("r")


@pytest.mark.parametrize("at", ["2020", datetime(2020, 1, 1)])  # noqa: DTZ001
def test_a_time_that_is_none_is_refused_with_its_line(lobby: Lobby, at: Any) -> None:
    said = Transcript((Recorded(4, RoomEvent("a", "x"), at),))

    with pytest.raises(InvalidInput, match="line 4: at"):
        open_room(lobby, "r", said, by=lobby.person("ana"))


def test_what_is_still_to_come_is_no_history(lobby: Lobby) -> None:
    said = read("[2026-01-06 09:00] a: x\n[2026-01-06 09:01] a: x", "chat")

    with pytest.raises(InvalidInput, match=r"line 2 .*still to come"):
        open_room(lobby, "r", said, by=lobby.person("ana"))


def test_a_room_that_could_not_be_filled_does_not_stay(lobby: Lobby) -> None:
    """Here a threaded agent has many conversations, and none is meant."""
    lobby.add_agent("eve", threaded=True)
    ana = lobby.person("ana")

    with pytest.raises(RoomsError):
        open_room(lobby, "r", read(CHAT, "chat"), by=ana, agents=ROSTER)

    assert list(lobby.rooms) == []


def test_what_came_in_between_is_told_where_the_room_cannot_be_deleted() -> None:
    class Stopped(MemoryStorage):
        left = 3

        def append(self, commit: Commit) -> int:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            if self.left < 0:
                raise StorageBusy("storage_busy", "another process holds it")
            return super().append(commit)

    lobby = Lobby(Stopped())

    with pytest.raises(KeyboardInterrupt):
        open_room(lobby, "r", read(CHAT, "chat"), by=lobby.person("ana"), agents=ROSTER)


def test_a_name_that_is_taken_is_left_alone(lobby: Lobby) -> None:
    ana = lobby.person("ana")
    lobby.create_room("r", by=ana).post("mine", by=ana)

    with pytest.raises(Conflict) as refused:
        open_room(lobby, "r", read(CHAT, "chat"), by=ana, agents=ROSTER)

    assert refused.value.code == "room_exists"
    assert [one.content for one in lobby.room("r").read(by=ana)] == ["mine"]


def test_what_is_no_transcript_opens_nothing(lobby: Lobby) -> None:
    quoted: Any = [RoomEvent("ana", "x")]

    with pytest.raises(InvalidInput, match="a Transcript"):
        open_room(lobby, "r", quoted, by=lobby.person("ana"))
