"""
What stays in memory, in bytes: a room that is open, a seat, something owed.

What is counted is what a process holds after loading a room from its log: its state
with all indexes and strings of its own, none of which the storage's records share.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from benchmarks.paired import Pair, Row
from benchmarks.scene import UNPACED, Scene
from rooms import Lobby, MemoryStorage
from rooms.lobby.recording.streams import Streams
from rooms.storage import Storage

ROOMS = 200
SEATS = 1_000
OWED = 1_000


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    five, room = _rooms()
    yield _row("an idle open room with 5 seats", room, 3_000, 1_200)
    crowded = _loaded(_crowd())
    yield _row("each further seat", (crowded - five) / SEATS, 300, 150)
    empty, owing = _loaded(_owing(1)), _loaded(_owing(1 + OWED))
    yield _row("each obligation", (owing - empty) / (2 * OWED), 150, 80)


def _row(what: str, size: float, must: float, stretch: float) -> Row:
    return Row(f"{what}, in memory", "bytes", Pair(size), must, stretch)


def _rooms() -> tuple[float, float]:
    """The bytes of one room with five seats: alone, and on average of many."""
    storage = MemoryStorage()
    lobby = Lobby(storage)
    me = lobby.person("me")
    five = [lobby.add_agent(f"agent-{number}").conversation() for number in range(5)]
    for number in range(ROOMS):
        room = lobby.create_room(f"work {number}", by=me)
        for one in five:
            room.join(by=one)
    names = storage.streams("room:")
    return _loaded(storage, names[:1]), _loaded(storage, names) / ROOMS


def _crowd() -> Storage:
    storage = MemoryStorage()
    Scene(storage, others=2 + SEATS)
    return storage


def _owing(messages: int) -> Storage:
    """Two seats are owed each message."""
    storage = MemoryStorage()
    scene = Scene(storage, policy=UNPACED)
    for _ in range(messages):
        scene.post()
    return storage


def _loaded(storage: Storage, names: list[str] | None = None) -> float:
    """The bytes that loading rooms from their logs keeps."""
    wanted = storage.streams("room:") if names is None else names
    Streams(storage).current(wanted[0])  # what is made once only is made

    def load() -> Any:
        streams = Streams(storage)
        for name in wanted:
            streams.current(name)
        return streams

    return _kept(load)


def _kept(make: Callable[[], Any]) -> float:
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        made = make()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        assert made is not None
    finally:
        tracemalloc.stop()
    return after - before
