"""
Asyncio: many tasks that post at once, beside one that posts alone.

Posts that wait together are one commit, so many posters wait for the disk together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from statistics import median
from time import perf_counter_ns
from types import ModuleType

from benchmarks.paired import Pair, Row
from benchmarks.scene import TEXT, UNPACED, folder
from rooms import Conversation, aio

POSTERS = 64
POSTS = 20
ROUNDS = 5


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    yield Row(
        f"{POSTERS} asyncio tasks post into one room, full",
        "one task, messages a second, many / one",
        asyncio.run(_compared()),
        must=5.0,
        stretch=10.0,
        more_is_better=True,
    )


async def _compared() -> Pair:
    times: dict[int, list[float]] = {1: [], POSTERS: []}
    with folder() as place:
        async with aio.Lobby.open(place / "lobby.db") as lobby:
            eve = (await lobby.add_agent("eve")).conversation()
            room = await lobby.create_room("work", by=eve, policy=UNPACED)
            for name in ("ben", "cy"):
                await room.join(by=(await lobby.add_agent(name)).conversation())
            for number in range(ROUNDS):
                for posters in list(times)[:: 1 if number % 2 else -1]:
                    times[posters].append(await _a_message(room, eve, posters))
    ratios = [one / many for one, many in zip(times[1], times[POSTERS], strict=True)]
    return Pair(median(ratios), median(times[1]), median(times[POSTERS]))


async def _a_message(room: aio.Room, eve: Conversation, posters: int) -> float:
    """Nanoseconds a message, of so many tasks together."""

    async def post() -> None:
        for _ in range(POSTS):
            await room.post(TEXT, by=eve, to=("agent:ben", "agent:cy"))

    start = perf_counter_ns()
    await asyncio.gather(*(post() for _ in range(posters)))
    return (perf_counter_ns() - start) / (posters * POSTS)
