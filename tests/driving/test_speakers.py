"""What is handed to a driver by mistake is refused or told, and no turn is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, cast

import pytest

from rooms import InvalidInput, Lobby, Room, RoomEvent, RoomPolicy, aio
from rooms.driving import (
    LateEnd,
    Talk,
    Thread,
    by_name,
    cast_of,
    drive,
    drive_async,
    open_panel,
    outcomes_of,
    post_late_answer,
)
from rooms.transcripts import open_room, read


@pytest.fixture
def panel(rooms_lobby: Lobby) -> Room:
    ana = rooms_lobby.person("ana")
    config = {"name": "login", "roster": ["planner", "coder"]}
    room = open_panel(rooms_lobby, config, by=ana)
    room.post("Go, with the key 1234.", by=ana)
    return room


async def late(*_: Any) -> str:
    return "later"


def test_a_room_without_a_planner_is_told_as_unplanned(rooms_lobby: Lobby) -> None:
    room = rooms_lobby.create_room("plain", by=rooms_lobby.person("ana"))

    driven = drive(room, lambda *_: "x")

    assert (driven.reason, driven.problem) == ("unplanned", "no_planner")


def test_an_unknown_planner_is_logged_with_the_choices(
    rooms_lobby: Lobby, caplog: pytest.LogCaptureFixture
) -> None:
    ana = rooms_lobby.person("ana")
    room = rooms_lobby.create_room("odd", by=ana, policy=RoomPolicy(planner="rnd"))
    room.join(by=rooms_lobby.add_agent("coder").conversation())

    with caplog.at_level(logging.WARNING, "rooms"):
        room.post("Go.", by=ana)

    assert "'rnd'" in caplog.text
    assert "mentions" in caplog.text


@pytest.mark.parametrize("speak", [late, lambda *_: late(), by_name({"planner": late})])
def test_an_asynchronous_speaker_is_refused_and_loses_no_turn(
    panel: Room, speak: Callable[..., Any]
) -> None:
    with pytest.raises(InvalidInput, match="drive_async"):
        drive(panel, speak)

    driven = drive(panel, lambda *_: "done")
    assert [turn.name for turn in driven.turns] == ["planner", "coder"]


def test_a_plain_speaker_is_refused_by_asyncio_and_loses_no_turn(panel: Room) -> None:
    with pytest.raises(InvalidInput, match="`drive` takes a plain one"):
        asyncio.run(drive_async(panel, lambda *_: "done"))  # type: ignore[arg-type]

    driven = drive(panel, lambda *_: "done")
    assert [turn.name for turn in driven.turns] == ["planner", "coder"]


@pytest.mark.parametrize("speak", [None, "coder"])
def test_what_cannot_be_asked_is_refused(panel: Room, speak: Any) -> None:
    with pytest.raises(InvalidInput, match="speak is of type"):
        drive(panel, speak)


def test_a_name_that_no_agent_has_is_refused(panel: Room) -> None:
    with pytest.raises(InvalidInput, match=r"'codr'.*coder"):
        drive(panel, by_name({"codr": lambda _: "done"}))


def test_a_failed_turn_is_logged_without_its_words(
    panel: Room, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> str:
        raise LookupError("the key 1234")

    with caplog.at_level(logging.WARNING, "rooms"), pytest.raises(LookupError):
        drive(panel, fails)

    assert "LookupError" in caplog.text
    assert "test_speakers.py" in caplog.text
    assert "1234" not in caplog.text


def test_a_room_of_asyncio_is_driven_by_drive_async_alone() -> None:
    async def day() -> list[str]:
        async with aio.Lobby.in_memory() as lobby:
            ana = await lobby.person("ana")
            panel = RoomPolicy(planner="mentions")
            room = await lobby.create_room("a", by=ana, policy=panel)
            await room.join(by=(await lobby.add_agent("coder")).conversation())
            await room.post("Go.", by=ana)
            assert repr(room.members).endswith("await members(...)>")
            given: Any = room
            with pytest.raises(InvalidInput, match=r"room\.sync"):
                drive(given, lambda *_: "x")
            return [turn.name for turn in (await drive_async(room, late)).turns]

    assert asyncio.run(day()) == ["coder"]


def test_a_talk_goes_on_under_asyncio() -> None:
    talk = Talk(["coder"], [RoomEvent("ana", "go")])

    (event,) = asyncio.run(talk.resume_async(late))

    assert (event.speaker, event.content) == ("coder", "later")


def test_what_takes_a_lobby_or_a_room_names_what_it_takes_of_asyncio() -> None:
    said = read("[2026-01-05 09:00] ana: Go.", "chat")
    config = {"name": "p", "roster": ["coder"]}
    end = LateEnd(pending=cast("Any", None), ended="answered", text="Late.")

    async def day() -> int:
        async with aio.Lobby.in_memory() as lobby:
            ana = await lobby.person("ana")
            coder = (await lobby.add_agent("coder")).conversation()
            place: Any = lobby
            room: Any = await lobby.create_room("a", by=ana)
            calls: tuple[tuple[Callable[[], object], str], ...] = (
                (lambda: open_panel(place, config, by=ana), r"lobby\.sync"),
                (lambda: open_room(place, "old", said, by=ana), r"lobby\.sync"),
                (lambda: Thread(room), r"room\.sync"),
                (lambda: cast_of(room), r"room\.sync"),
                (lambda: outcomes_of(room, "1"), r"room\.sync"),
                (lambda: post_late_answer(room, coder, end), r"room\.sync"),
            )
            for call, instead in calls:
                with pytest.raises(InvalidInput, match=f"rooms.aio.*{instead}"):
                    call()
            made = len(await lobby.rooms())
            await lobby.run(open_panel, lobby.sync, config, by=ana)
            return made

    assert asyncio.run(day()) == 1  # the room that was there: no call has made another


@pytest.mark.parametrize("given", ["team.db", None])
def test_a_panel_is_opened_in_a_lobby_alone(given: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_panel(given, {"name": "p"}, by=given)

    assert refused.value.field == "lobby"


def test_a_thread_is_a_room_with_a_planner(rooms_lobby: Lobby, panel: Room) -> None:
    plain = rooms_lobby.create_room("plain", by=rooms_lobby.person("ana"))

    with pytest.raises(InvalidInput, match="policy='thread'") as refused:
        Thread(plain)

    assert refused.value.field == "room"
    assert Thread(panel).roster == ("planner", "coder")


def test_a_coroutine_function_is_sent_to_the_calls_that_take_one(panel: Room) -> None:
    with pytest.raises(InvalidInput, match="`drive_async` or `address_async` takes it"):
        drive(panel, late)
