"""
What a lobby's calls cost beside the least that could do: a line of JSON, a bare row.

A post is checked, addressed, paced, given its reasons, chained and folded; the floor
beside it does none of that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

from benchmarks.floor import Floor
from benchmarks.paired import Pair, Row, compare
from benchmarks.scene import TEXT, UNPACED, Scene, folder, messages
from rooms import MemoryStorage, RoomPolicy, SQLiteStorage
from rooms.lobby.recording.streams import room_stream
from rooms.log.posting import Owed
from rooms.log.records import Commit

MESSAGES = 5_000
BATCH = 100


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    yield from _of_memory()
    _posted("relaxed")  # a process that has just begun is slower by half
    for durability, must, stretch in (("relaxed", 2.0, 1.6), ("full", 1.15, 1.08)):
        yield Row(
            f"post, {durability}, 2 woken",
            "a raw INSERT with commit",
            _posted(durability),
            must,
            stretch,
        )
    for durability, must, stretch in (("relaxed", 2.0, 1.25), ("full", 1.3, 1.15)):
        yield Row(
            f"{BATCH} posts in one batch, {durability}",
            f"a raw executemany of {BATCH}",
            _batched(durability),
            must,
            stretch,
        )
        yield Row(
            f"{BATCH} messages made and appended in one commit, {durability}",
            f"a raw executemany of {BATCH}",
            _appended(durability),
        )
    yield Row(
        "a page of 50, read by a person",
        "a raw SELECT of the 50 rows",
        _read(),
        2.0,
        1.4,
    )
    yield Row("post with search on", "post with search off", _searched(), 1.3, 1.15)
    for durability in ("memory", "relaxed"):
        yield Row(
            f"post to one, take its wake, run and end the turn, {durability}",
            "a post to one",
            _taken(durability),
        )


def _of_memory() -> Iterator[Row]:
    """The default policy has windows; what they cost is the difference."""
    for named, policy in (("", None), (", no windows", UNPACED)):
        yield Row(
            f"post in memory, 2 woken{named}",
            "json.dumps of the event + list.append",
            _dumped(policy),
            must=None if policy else 3.0,
            stretch=None if policy else 1.0,
        )


def _dumped(policy: RoomPolicy | None) -> Pair:
    storage = MemoryStorage()
    scene = Scene(storage, policy=policy)
    assert len(scene.post().woken) == 2
    [record] = storage.messages(room_stream(scene.room.id))
    assert record.body is not None
    event = {**json.loads(record.header), **json.loads(record.body)}
    lines = list[str]()
    return compare(scene.post, lambda: lines.append(json.dumps(event)))


def _posted(durability: str) -> Pair:
    with folder() as place:
        scene = Scene(SQLiteStorage(place / "lobby.db", durability=durability))
        floor = Floor(place / "raw.db", durability)
        pair = compare(scene.post, floor.insert)
        floor.close()
        scene.lobby.close()
    return pair


def _batched(durability: str) -> Pair:
    """Posts that wake two each, as a program makes them."""
    with folder() as place:
        storage = SQLiteStorage(place / "lobby.db", durability=durability)
        scene = Scene(storage)

        def post() -> None:
            with scene.lobby.batch():
                for _ in range(BATCH):
                    scene.post()

        floor = Floor(place / "raw.db", durability)
        pair = compare(post, partial(floor.insert, BATCH))
        floor.close()
        scene.lobby.close()
    return pair


def _appended(durability: str) -> Pair:
    """Messages that owe two seats each, made of events and chained; nothing decides."""
    with folder() as place:
        storage = SQLiteStorage(place / "lobby.db", durability=durability)
        scene = Scene(storage)
        stream = room_stream(scene.room.id)
        owed: list[Owed] = [
            (one.id, "now", "direct", "tagged", "ready") for one in scene.post().woken
        ]
        [last] = storage.messages(stream)
        seq = 1

        def append() -> None:
            nonlocal last, seq
            sender = (scene.eve.id, "eve")
            made = messages(stream, last, seq, BATCH, sender=sender, owed=owed)
            records = tuple(made)
            storage.append(Commit(records))
            last, seq = records[-1], seq + BATCH

        floor = Floor(place / "raw.db", durability)
        pair = compare(append, partial(floor.insert, BATCH))
        floor.close()
        storage.close()
    return pair


def _read() -> Pair:
    with folder() as place:
        scene = Scene(SQLiteStorage(place / "lobby.db", durability="relaxed"))
        floor = Floor(place / "raw.db", "relaxed")
        for _ in range(MESSAGES):
            scene.post()
            floor.insert()
        at = MESSAGES // 2
        page = partial(scene.room.read, by=scene.me, after=at, limit=50)
        assert [one.seq for one in page().items] == list(range(at + 1, at + 51))
        pair = compare(page, partial(floor.page, at))
        floor.close()
        scene.lobby.close()
    return pair


def _searched() -> Pair:
    """The index is there and has been fed; it is fed again before the next search."""
    with folder() as place:
        on = Scene(SQLiteStorage(place / "on.db", durability="relaxed"))
        off = Scene(SQLiteStorage(place / "off.db", durability="relaxed"))
        for _ in range(MESSAGES):
            on.post()
            off.post()
        assert on.room.search("connector", by=on.me)
        pair = compare(on.post, off.post)
        on.lobby.close()
        off.lobby.close()
    return pair


def _taken(durability: str) -> Pair:
    with folder() as place:

        def opened(name: str) -> Scene:
            if durability == "memory":
                return Scene(MemoryStorage())
            return Scene(SQLiteStorage(place / name, durability=durability))

        taking, posting = opened("taking.db"), opened("posting.db")
        pair = compare(_turn(taking), partial(_to_one, posting))
        taking.lobby.close()
        posting.lobby.close()
    return pair


def _to_one(scene: Scene) -> None:
    scene.room.post(TEXT, by=scene.eve, to=("agent:ben",))


def _turn(scene: Scene) -> Callable[[], Any]:
    def turn() -> None:
        _to_one(scene)
        [wake] = scene.lobby.take_wakes()
        with scene.lobby.turn(wake):
            pass

    return turn
