"""
What a driven message costs, beside the peer's runtime and after many turns.

A message opens an activity in which each of four agents speaks once. The transcript in
front of it grows; it is cut back to its length after each call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter_ns
from types import ModuleType
from typing import Any

from benchmarks.paired import Pair, Row, compare
from benchmarks.planning import ROSTER, transcript
from rooms import Lobby, RoomEvent, RoomPolicy
from rooms.driving import Talk, drive

AT_LENGTH = {4: 1.0, 1_000: 5.0, 10_000: 40.0}
TURNS = 10_000
LAST = 100


def rows(peer: ModuleType | None) -> Iterator[Row]:
    yield Row(
        f"a turn driven in memory, the last {LAST} of {TURNS:,}",
        f"the first {LAST}, last / first",
        _grown(TURNS, LAST),
        must=1.2,
        stretch=1.05,
    )
    if peer is None:
        return
    for length, must in AT_LENGTH.items():
        loop = asyncio.new_event_loop()
        theirs = peer.Room(
            peer.RoomConfig("r", ROSTER), dict.fromkeys(ROSTER, _answer_prompt)
        )
        theirs.transcript[:] = transcript(peer.RoomEvent, length)
        ours = Talk(ROSTER, transcript(RoomEvent, length))
        yield Row(
            f"a message driven, {length:,} events before it",
            "the peer's runtime, peer / ours",
            compare(
                _message(loop, theirs, length, peer.RoomEvent),
                _message(loop, ours, length, None),
            ),
            must=must,
            stretch=2 * must,
            more_is_better=True,
        )
        loop.close()


async def _answer_prompt(prompt: str) -> str:
    del prompt
    return "done"


async def _answer(name: str, seen: Any) -> str:
    """Is handed the transcript; the peer renders it, which is a part of its cost."""
    del name, seen
    return "done"


def _message(
    loop: asyncio.AbstractEventLoop, room: Any, length: int, event: Any
) -> Callable[[], None]:
    def message() -> None:
        if event is None:
            loop.run_until_complete(room.on_message_async("ana", "go", _answer))
        else:
            loop.run_until_complete(room.on_message(event("ana", "go")))
        del room.transcript[length:]

    return message


def _grown(turns: int, last: int) -> Pair:
    """Nanoseconds a turn of one room, early and late in its life."""
    with Lobby.in_memory() as lobby:
        ana = lobby.person("ana")
        policy = RoomPolicy(planner="mentions", wake_window=None, send_window=None)
        room = lobby.create_room("r", by=ana, policy=policy)
        for name in ROSTER:
            room.join(by=lobby.add_agent(name).conversation())
        took: list[float] = []
        while len(took) * len(ROSTER) < turns:
            room.post("go", by=ana)
            start = perf_counter_ns()
            driven = drive(room, lambda *_: "done")
            took.append((perf_counter_ns() - start) / len(driven.turns))
    share = max(1, last // len(ROSTER))
    first, end = median(took[1 : share + 1]), median(took[-share:])
    return Pair(end / first, end, first)
