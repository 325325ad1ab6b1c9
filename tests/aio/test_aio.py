"""The lobby for asyncio: the same names, one worker thread, one commit for many."""

from __future__ import annotations

import asyncio
import gc
import inspect
import subprocess
import sys
import warnings
from collections.abc import Callable, Coroutine
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import rooms
from rooms import InvalidInput, MemoryStorage, NotAllowed, RoomPolicy, aio
from rooms.aio import teams
from rooms.errors import StorageError
from rooms.lobby import (
    Contents,
    Files,
    Inbox,
    Lobby,
    Member,
    Memory,
    Room,
    Schedules,
    Team,
    Teams,
    Turn,
)
from rooms.team import Blueprint, MemberPlan

UNPACED = RoomPolicy(wake_window=None, send_window=None)
# What has no call of its own there, and why.
LEFT_OUT = {
    Lobby: {
        "batch",  # what waits together is one already
        "import_from",  # reads the caller's iterator: `asyncio.to_thread`
        "new_holder",  # each task has one
    },
    Room: {"desk", "message", "handle"},  # within the lobby
    Inbox: set[str](),
    Contents: set[str](),
    Files: set[str](),
    Memory: set[str](),
    Schedules: set[str](),
    Turn: {"actor", "open"},  # within the lobby
}


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs in asyncio's debug mode; what was never awaited is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        asyncio.run(main(), debug=True)
        gc.collect()


async def furnished(lobby: aio.Lobby) -> tuple[aio.Room, Any, Any]:
    eve = (await lobby.add_agent("eve")).conversation()
    ben = (await lobby.add_agent("ben")).conversation()
    room = await lobby.create_room("work", by=eve, policy=UNPACED)
    await room.join(by=ben)
    return room, eve, ben


@pytest.mark.parametrize(
    ("sync", "awaited"),
    [
        *((Lobby, aio.Lobby), (Room, aio.Room), (Files, aio.Files), (Turn, aio.Turn)),
        (Memory, aio.Memory),
        (Inbox, aio.Inbox),
        *((Teams, teams.Teams), (Team, teams.Team), (Member, teams.Member)),
        (Schedules, aio.Schedules),
        (Contents, aio.Contents),
    ],
)
def test_every_name_of_a_handle_is_there(sync: type, awaited: type) -> None:
    names = {name for name in dir(sync) if not name.startswith("_")}
    fields = {"room"} if sync in {Files, Memory} else {"id"} & names
    fields |= {"catalogue", "room"} if sync in {Teams, Team, Member} else set()
    missing = names - set(dir(awaited)) - LEFT_OUT.get(sync, set()) - fields

    assert missing == set()


def test_a_call_tells_what_its_method_tells() -> None:
    assert inspect.getdoc(aio.Room.post) == inspect.getdoc(Room.post)


def test_an_inbox_is_awaited(tmp_path: Path) -> None:
    async def main() -> None:
        async with aio.Lobby.open(tmp_path / "team.db") as lobby:
            _, eve, ben = await furnished(lobby)
            sent = await lobby.send("x", by=eve, to=ben, notify_when_seen=True)
            inbox = await lobby.inbox(ben)
            assert (inbox.conversation, await inbox.count()) == (ben, 1)
            saved = await inbox.save_checkpoint(
                "Read.", base=0, covered_receipt_seq=0, acknowledge=[sent.message]
            )
            assert await inbox.checkpoint() == saved.checkpoint
            assert (await inbox.acknowledge([sent.message])).receipt_snapshot == 1
            receipts = await (await lobby.inbox(eve)).receipts()
            assert [one.seen_by for one in receipts] == [ben]

    run(main)


def test_a_lobby_is_opened_used_and_there_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with aio.Lobby.open(tmp_path / "team.db") as lobby:
            room, eve, ben = await furnished(lobby)
            posted = await room.post("Hello.", by=eve, to=[ben])
            [wake] = await lobby.take_wakes()
            async with lobby.turn(wake) as turn:
                answer = await turn.reply("Yes?")
            assert posted.woken == (ben,)
            assert answer.message.reply_to == posted.message.id
            assert await lobby.take_wakes(agents=["ben"]) == []

        lobby = await aio.Lobby.open(tmp_path / "team.db")
        room = await lobby.room("work")
        page = await room.read(by=lobby.sync.agent("eve").conversation())
        assert [one.content for one in page.items] == ["Hello.", "Yes?"]
        assert await room.name() == "work"
        assert [one.id for one in await room.members()] == ["eve", "ben"]
        assert await lobby.rooms() == (room,)
        assert [line async for line in lobby.export()] == list(lobby.sync.export())
        await lobby.close()
        await lobby.close()

    run(main)


def test_a_lobby_that_was_not_awaited_says_so() -> None:
    with pytest.raises(AttributeError, match="`await` it before `person`"):
        aio.Lobby.open("memory:").person  # type: ignore[attr-defined] # noqa: B018


def test_a_refusal_is_raised_where_it_is_awaited() -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            room, eve, _ = await furnished(lobby)
            stranger = (await lobby.add_agent("cy")).conversation()
            with pytest.raises(NotAllowed) as caught:
                await room.post("No.", by=stranger)
            assert caught.value.code == "not_a_member"
            with pytest.raises(InvalidInput):
                await room.post("", by=eve)
            assert await room.position() == 0

    run(main)


def test_what_waits_together_is_one_commit_and_each_has_its_own_answer(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with aio.Lobby.open(tmp_path / "team.db") as lobby:
            room, eve, _ = await furnished(lobby)
            stranger = (await lobby.add_agent("cy")).conversation()
            statements: list[str] = []
            storage: Any = lobby.sync._desk.storage
            storage._database.connection.set_trace_callback(statements.append)
            gate = Event()
            held = asyncio.create_task(lobby.run(gate.wait, 10))
            posting = [
                asyncio.create_task(
                    room.post(f"m{number}", by=stranger if number == 7 else eve)
                )
                for number in range(64)
            ]
            await asyncio.sleep(0.01)  # all of them wait for the worker
            gate.set()
            answers = await asyncio.gather(*posting, return_exceptions=True)
            assert await held
            seqs = [
                one.message.seq for one in answers if not isinstance(one, BaseException)
            ]
            assert seqs == list(range(1, 64))  # in the order of their calls
            assert isinstance(answers[7], NotAllowed)
            assert statements.count("COMMIT") == 1

    run(main)


def test_each_task_takes_for_itself() -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            room, eve, ben = await furnished(lobby)
            await room.post("one", by=eve, to=[ben])
            [wake] = await asyncio.create_task(lobby.take_wakes())
            await room.post("two", by=eve, to=[ben])

            assert await asyncio.create_task(lobby.take_wakes()) == []

            async with lobby.turn(wake) as turn:  # another task's coming told nothing
                [notice] = turn.notices
            assert [one.content for one in notice.messages] == ["two"]

    run(main)


def test_who_is_cancelled_in_a_turn_gives_back_what_it_carried() -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            room, eve, ben = await furnished(lobby)
            await room.post("one", by=eve, to=[ben])
            [wake] = await lobby.take_wakes()
            begun = asyncio.Event()

            async def turn() -> None:
                async with lobby.turn(wake):
                    begun.set()
                    await asyncio.sleep(60)

            task = asyncio.create_task(turn())
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            [again] = await lobby.take_wakes()
            assert [one.content for one in again.messages] == ["one"]

    run(main)


def test_who_is_cancelled_before_the_turn_is_opened_gives_back_its_wake() -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            room, eve, ben = await furnished(lobby)
            await room.post("one", by=eve, to=[ben])
            [wake] = await lobby.take_wakes()
            gate = Event()
            held = asyncio.create_task(lobby.run(gate.wait, 10))

            async def turn() -> None:
                async with lobby.turn(wake):
                    pass

            task = asyncio.create_task(turn())
            await asyncio.sleep(0.01)  # its opening waits for the worker
            task.cancel()
            await asyncio.sleep(0.01)
            gate.set()
            assert await held
            with pytest.raises(asyncio.CancelledError):
                await task
            [again] = await lobby.take_wakes()
            assert [one.content for one in again.messages] == ["one"]

    run(main)


def test_work_that_raises_stop_iteration_does_not_hang() -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            with pytest.raises(RuntimeError, match="StopIteration"):
                await asyncio.wait_for(lobby.run(next, iter([])), 10)

    run(main)


@pytest.mark.parametrize("steps", range(12))
def test_cancelled_at_any_step_a_turn_leaves_nothing_running(steps: int) -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            room, eve, ben = await furnished(lobby)
            await room.post("one", by=eve, to=[ben])
            [wake] = await lobby.take_wakes()
            told = False

            async def turn() -> None:
                nonlocal told
                async with lobby.turn(wake) as turn:
                    await turn.reply("Yes?")
                told = True

            task = asyncio.create_task(turn())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or steps > 4  # later it may be done
            state = lobby.sync._desk.room(room.id)
            seat = state.seats[ben.id]
            open_wake = seat.wake
            assert open_wake is None or not open_wake.running
            owed = [lane for lane, _ in seat.placed()]
            assert owed in ([], ["ready"]) or (owed == ["taken"] and not told)
            assert not any(one.damages for one in (await lobby.verify()).values())

    run(main)


def test_a_closed_lobby_refuses_and_what_waited_is_done() -> None:
    async def main() -> None:
        lobby = aio.Lobby(MemoryStorage())
        room, eve, _ = await furnished(lobby)
        waiting = [asyncio.create_task(room.post(f"m{n}", by=eve)) for n in range(5)]
        await asyncio.sleep(0)
        await lobby.close()
        assert [(await one).message.seq for one in waiting] == [1, 2, 3, 4, 5]
        with pytest.raises(StorageError) as caught:
            await room.post("late", by=eve)
        assert caught.value.code == "closed"

    run(main)


def test_two_loops_use_one_lobby_one_after_the_other() -> None:
    kept: list[Any] = []

    async def first() -> None:
        lobby = aio.Lobby(MemoryStorage())
        kept[:] = [lobby, *await furnished(lobby)]

    async def second() -> None:
        lobby, room, eve, _ = kept
        assert (await room.post("again", by=eve)).message.seq == 1
        await lobby.close()

    run(first)
    run(second)


def test_the_loop_goes_on_while_the_worker_works() -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            ticks = 0

            async def tick() -> None:
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0.001)

            ticking = asyncio.create_task(tick())
            from time import sleep  # noqa: PLC0415

            await lobby.run(sleep, 0.2)
            ticking.cancel()
            assert ticks >= 5

    run(main)


def test_handles_are_values(tmp_path: Path) -> None:
    async def main() -> None:
        async with aio.Lobby(MemoryStorage()) as lobby:
            room, *_ = await furnished(lobby)
            again = await lobby.room(room.id)
            assert (again, hash(again), str(again)) == (room, hash(room), room.id)
            assert room != room.sync
            assert await lobby.run(lobby.sync.agent, "eve") == lobby.sync.agent("eve")

    run(main)


def test_rooms_alone_loads_no_asyncio() -> None:
    program = "import sys, rooms; rooms.Lobby; print('asyncio' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "False"
    assert "aio" in dir(rooms)


def test_nobody_waits_while_a_file_is_read(tmp_path: Path) -> None:
    """A file is read outside of the batch that its neighbours are in."""
    path = f"sqlite:///{tmp_path / 'team.db'}?busy_timeout=1"

    async def main() -> None:
        async with aio.Lobby.open(path) as lobby:
            room, eve, ben = await furnished(lobby)
            said: list[int] = []

            def pieces() -> Any:
                with Lobby.open(path) as other:  # as another process would
                    me = other.conversation("ben")
                    said.append(other.room("work").post("meanwhile", by=me).message.seq)
                yield b"read"

            posts = [room.post(f"{number}", by=ben) for number in range(5)]
            sent, *_ = await asyncio.gather(
                room.post("x", by=eve, attachments={"log.txt": pieces()}), *posts
            )

            assert len(said) == 1
            read = await room.files.read("log.txt", by=ben)
            assert read.content == "read"
            assert sent.message.attachments[0].size == 4

    run(main)


def test_a_team_is_awaited() -> None:
    async def main() -> None:
        async with aio.Lobby.in_memory() as lobby:
            lead = (await lobby.add_agent("lead")).conversation()
            plan = MemberPlan(
                key="lead", lead=True, responsibility="all", mandate="Lead."
            )
            blueprint = Blueprint(
                title="Tea",
                objective="There is tea.",
                approach="Hot water.",
                success_criteria=["It is hot."],
                members=[plan],
            )
            surface = await lobby.teams(by=await lobby.person("ana"))
            team = await surface.prepare("Make tea.", blueprint)
            assert isinstance(team, teams.Team)
            assert (await team.start()).status == "ready"
            member = await lobby.member(by=lead)
            assert [one.key for one in await member.roster()] == ["lead"]
            await member.finish("Tea.")
            assert await team.status() == "completed"

    run(main)
