"""The loop under asyncio: timeouts, and a cancel at any await."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from driving.scene import Scene, turns
from rooms import Room, aio
from rooms.driving import Driven, Reply, TurnFailed, View, by_name, drive, drive_async

AWAITS = 3
"""How often a speaker of these tests awaits in a turn."""


class Counting:
    """A speaker that awaits, and whose n-th await is where its task is cancelled."""

    def __init__(self, cancel_at: int = -1) -> None:
        self.cancel_at, self.awaits = cancel_at, 0
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, _: Any, view: View) -> Any:
        self.asked.append((view.name, view.round))
        for _ in range(AWAITS):
            if self.awaits == self.cancel_at:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            self.awaits += 1
            await asyncio.sleep(0)
        if view.name == "ada":
            return Reply(passed=True)
        return f"{view.name} in {view.round}: @bo"


def consistent(scene: Scene, room: Room) -> None:
    """Nobody holds anything, and somebody can go on at once."""
    state = scene.state(room)
    assert all(seat.wake is None for seat in state.seats.values())
    assert state.floor is None or not state.floor.wake


def played(preset: str) -> tuple[Scene, Room]:
    scene = Scene()
    room = scene.room(preset)
    scene.ask(room, "@eve @ada @bo go")
    return scene, room


@pytest.mark.parametrize("preset", ["panel", "thread"])
def test_a_cancel_at_any_await_is_recorded_and_the_room_goes_on(preset: str) -> None:
    scene, room = played(preset)
    whole = Counting()
    asyncio.run(drive_async(room, whole), debug=True)
    said = scene.said(room)
    assert whole.awaits == AWAITS * len(whole.asked) > 12

    for place in range(whole.awaits):
        scene, room = played(preset)
        stopped = Counting(cancel_at=place)

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(drive_async(room, stopped), debug=True)

        consistent(scene, room)
        assert stopped.awaits == place + 1
        rest = Counting()
        driven = asyncio.run(drive_async(room, rest), debug=True)
        assert driven.reason in {"settled", "round_cap"}
        assert scene.said(room) == said
        assert rest.asked[0] == stopped.asked[-1]
        assert stopped.asked[:-1] + rest.asked == whole.asked


def test_a_turn_that_never_returns_is_cut_and_the_others_go_on() -> None:
    scene, room = played("thread")

    async def speak(_: Any, view: View) -> str:
        if view.name == "eve":
            await asyncio.Event().wait()
        return "done" if not view.round else "pass"

    driven = asyncio.run(drive_async(room, speak, timeout=0.01), debug=True)

    assert turns(driven)[:3] == [
        ("eve", 0, "timed_out"),
        ("ada", 0, "spoke"),
        ("bo", 0, "spoke"),
    ]
    assert driven.turns[0].kind == "timeout"
    assert all(one.name != "eve" for one in driven.turns[1:])
    consistent(scene, room)


def test_two_tasks_that_drive_one_room_run_one_turn_at_a_time() -> None:
    _, room = played("panel")
    running: list[str] = []

    async def speak(_: Any, view: View) -> str:
        running.append(view.name)
        assert len(running) == 1
        await asyncio.sleep(0.001)
        running.pop()
        return "mine"

    async def both() -> tuple[Driven, Driven]:
        return await asyncio.gather(drive_async(room, speak), drive_async(room, speak))

    first, second = asyncio.run(both(), debug=True)

    assert [one.name for one in first.turns] == ["eve", "ada", "bo"]
    assert (second.turns, second.reason) == ((), "busy")


def test_the_two_loops_record_the_same() -> None:
    logs = []
    for asynchronous in (False, True):
        scene, room = played("thread")

        def speak(_: Any, view: View) -> Any:
            if view.name == "ada":
                raise TurnFailed("no route", kind="unreachable")
            return "pass" if view.round else f"{view.name}!"

        async def speak_later(one: Any, view: View, speak: Any = speak) -> Any:
            return speak(one, view)

        if asynchronous:
            asyncio.run(drive_async(room, speak_later, holder="gateway"))
        else:
            drive(room, speak, holder="gateway")
        logs.append(list(scene.lobby.export()))

    assert logs[0] == logs[1]


def test_an_agent_that_nobody_is_behind_passes_here_too() -> None:
    _, room = played("panel")

    async def answer(_: View) -> str:
        return "Here."

    driven = asyncio.run(drive_async(room, by_name({"bo": answer})))

    assert [one.outcome for one in driven.turns] == ["passed", "passed", "spoke"]


def test_an_interrupt_from_outside_gives_the_turn_back() -> None:
    scene, room = played("panel")

    def interrupted(*_: Any) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drive(room, interrupted)

    consistent(scene, room)
    assert [one.name for one in scene.drive(room).turns] == ["eve", "ada", "bo"]


@pytest.mark.parametrize("ticks", [*range(0, 24, 3), *range(30, 120, 15)])
def test_a_room_of_rooms_aio_is_driven_by_its_worker_and_may_be_cancelled(
    ticks: int,
) -> None:
    async def speak(_: Any, view: View) -> Any:
        await asyncio.sleep(0)
        return Reply(passed=True) if view.name == "ada" else f"{view.name}!"

    async def scene() -> tuple[list[str], str]:
        async with aio.Lobby.in_memory() as lobby:
            ops = await lobby.person("ops")
            room = await lobby.create_room("r", by=ops, policy="panel")
            for name in ("eve", "ada", "bo"):
                await room.join(by=(await lobby.add_agent(name)).conversation())
            await room.post("Go.", by=ops)
            task = asyncio.create_task(drive_async(room, speak))
            for _ in range(ticks):
                await asyncio.sleep(0.0001)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            driven = await drive_async(room, speak)  # nothing was left in hand
            said = [one.content for one in (await room.read(by=ops)).items]
            return said, driven.reason

    assert asyncio.run(scene(), debug=True) == (["Go.", "eve!", "bo!"], "settled")
