"""
What must not cost more where there is more: messages, seats, timers.

Two laws. Each side does the same, in files that lie side by side; one holds much more.
And where a row says how much faster something is, the slow side is what a plain program
would do: ask the rule of every seat, fold every record, look at every timer.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.floor import record
from benchmarks.paired import Row, compare
from benchmarks.scene import TEXT, Scene, folder, lengthen
from rooms import (
    Address,
    Lobby,
    MemoryStorage,
    Mode,
    SQLiteStorage,
    Subscription,
    hookimpl,
    parse_address,
)
from rooms.hearing import Tag, hear
from rooms.lobby.recording.streams import Streams, room_stream
from rooms.log import folding, posting
from rooms.log.actors import Actor
from rooms.log.coming import Waiting
from rooms.log.directory import AgentEntry
from rooms.log.events import Fact
from rooms.log.posting import Draft, PostFacts
from rooms.log.records import Commit
from rooms.log.seats import SeatJoined
from rooms.log.state import RoomState
from rooms.storage import Storage

LONG, SHORT = 1_000_000, 10_000
SEATS = 1_000
MANY, SOME, FEW = 100_000, 10_000, 10
TIMERS = WAITING = 100_000
TURNS = 2_000

_RAW = "SELECT * FROM records JOIN streams ON streams.id = stream WHERE name = ?"


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    yield from _of_decisions()
    yield from _of_replay()
    yield from _of_timers()
    yield _of_waiting()
    yield from _of_length()
    yield _of_length_in_memory()


# -- a long room


def _of_length() -> Iterator[Row]:
    with folder() as place:
        empty, short, long = (
            place / f"{name}.db" for name in ("empty", "short", "long")
        )
        scene = Scene(_opened(empty), others=SEATS)
        scene.lobby.close()
        for path, count in ((short, SHORT), (long, LONG)):
            shutil.copy(empty, path)
            with closing(_opened(path)) as storage:
                lengthen(storage, scene.room.id, count)
        yield from _of_reopening(short, long)
        long_room, empty_room = Scene.again(_opened(long)), Scene.again(_opened(empty))
        assert (long_room.room.position, empty_room.room.position) == (LONG, 0)
        yield _posting(long_room, empty_room, "relaxed")
        long_room.lobby.close()
        empty_room.lobby.close()


def _of_length_in_memory() -> Row:
    long, empty = MemoryStorage(), MemoryStorage()
    empty_room = Scene(empty, others=SEATS)
    made = Scene(long, others=SEATS)
    lengthen(long, made.room.id, LONG)
    long_room = Scene.again(long)
    assert (long_room.room.position, empty_room.room.position) == (LONG, 0)
    return _posting(long_room, empty_room, "memory")


def _posting(long: Scene, empty: Scene, where: str) -> Row:
    return Row(
        f"post into a room with {LONG:,} messages, {where}",
        "into an empty one",
        compare(long.post, empty.post),
        1.1,
        1.03,
    )


def _of_reopening(short: Path, long: Path) -> Iterator[Row]:
    assert _position(short)() == SHORT
    assert _position(long)() == LONG
    yield Row(
        f"reopen with a snapshot, {SEATS:,} seats, {LONG:,} messages",
        f"{SHORT:,} messages",
        compare(_position(long), _position(short)),
        1.2,
        1.05,
    )
    with closing(_opened(long)) as storage:
        [stream] = storage.streams("room:")
        kept = storage.load_snapshot(stream)

    def replay() -> None:
        with closing(sqlite3.connect(long)) as raw, raw:
            raw.execute("DELETE FROM snapshots")
        assert _position(long)() == LONG

    yield Row(
        "the same, with its snapshot",
        "a full replay",
        compare(replay, _position(long), rounds=1, calls=(1, 100)),
        500,
        1_500,
        more_is_better=True,
    )
    with closing(_opened(long)) as storage:  # closing it kept what was folded
        assert kept == storage.load_snapshot(stream)


def _opened(path: Path) -> Storage:
    return SQLiteStorage(path, durability="relaxed")


def _position(path: Path) -> Callable[[], int]:
    """Opens a lobby for one question to its room, which has to be loaded for it."""

    def ask() -> int:
        with Lobby(_opened(path)) as lobby:
            return lobby.room("work").position

    return ask


# -- a room that was lived in


def _of_replay() -> Iterator[Row]:
    """Each message with its wakes: taken, run, ended."""
    with folder() as place:
        path = place / "lobby.db"
        scene = Scene(_opened(path))
        for _ in range(TURNS):
            scene.post()
            for wake in scene.lobby.take_wakes():
                with scene.lobby.turn(wake):
                    pass
        stream = room_stream(scene.room.id)
        scene.lobby.close()
        with closing(_opened(path)) as storage, closing(sqlite3.connect(path)) as raw:
            with raw:
                raw.execute("DELETE FROM snapshots")
            size = storage.head(stream).version

            def iterate() -> None:
                for _ in raw.execute(_RAW, (stream,)):
                    pass

            yield Row(
                f"full replay of {size:,} records, wakes and turns among them",
                "raw iteration of the rows",
                compare(lambda: Streams(storage).current(stream), iterate, rounds=11),
                4,
                2,
            )


# -- who is woken


def _of_decisions() -> Iterator[Row]:
    many, some, few = (_Decision(size) for size in (MANY, SOME, FEW))
    yield Row(
        f"wake decision, {MANY:,} subscriptions, two woken",
        f"{FEW} subscriptions",
        compare(many.decide, few.decide),
        1.3,
        1.1,
    )
    assert some.scan() == some.decide()
    yield Row(
        f"wake decision, {SOME:,} subscriptions, two woken",
        "a scan that asks `hear` of each",
        compare(some.scan, some.decide, rounds=21),
        300,
        500,
        more_is_better=True,
    )
    assert some.loop() == some.decide()
    yield Row(  # no more than this can be left out of a scan
        "the same",
        "a loop that knows two modes alone, and gives no reasons",
        compare(some.loop, some.decide, rounds=21),
        more_is_better=True,
    )


class _Decision:
    """A state made by folding, and a message that two of its seats are woken by."""

    def __init__(self, size: int) -> None:
        names = [f"a{number}" for number in range(size)]
        self.state = RoomState(id="room_1")
        for version, name in enumerate(names, 1):
            joined = SeatJoined(f"c-{name}", name, False, "when_tagged", 900_000_000)
            folding.evolve(self.state, Fact(version, 1_000, "", 1, joined))
        entries = {name: AgentEntry(name, False, "", f"c-{name}") for name in names}
        self.facts = PostFacts(entries)
        self.by = Actor("conversation", "c-a0", "a0")
        to = (names[1], names[-1])
        self.draft = Draft(TEXT, tuple(map(_address, to)))
        self.tagged = {f"c-{name}" for name in to}
        self.subscriptions = {
            seat.conversation: Subscription(Mode(seat.mode))
            for seat in self.state.seats.values()
            if seat.mode is not None
        }

    def decide(self) -> list[str]:
        """Whom the message wakes, by the rules of a post."""
        events = posting.post(self.state, self.draft, self.facts, by=self.by, now=2_000)
        message = events[-1]
        assert isinstance(message, posting.MessagePosted)
        return [one[0] for one in message.owed]

    def scan(self) -> list[str]:
        """The same, by asking every subscription."""
        return [
            one
            for one, subscription in self.subscriptions.items()
            if hear(subscription, Tag.DIRECT if one in self.tagged else Tag.NONE).as_
        ]

    def loop(self) -> list[str]:
        """The same, by the barest loop over the subscriptions."""
        tagged = self.tagged
        return [
            one
            for one, subscription in self.subscriptions.items()
            if (mode := subscription.mode) is Mode.EVERY_MESSAGE
            or (mode is Mode.WHEN_TAGGED and one in tagged)
        ]


def _address(name: str) -> Address:
    return parse_address(f"agent:{name}")


# -- timers


def _of_timers() -> Iterator[Row]:
    with folder() as place:
        path = place / "lobby.db"
        with closing(_opened(path)) as storage:
            late = 2**60  # no clock is there yet
            due = {f"room:{number}": late + number for number in range(TIMERS)}
            records = tuple(record(name, 1, None) for name in due)
            storage.append(Commit(records, due=due))
        with closing(sqlite3.connect(path)) as raw:
            yield from _of_delivering(path, raw)


def _of_delivering(path: Path, raw: sqlite3.Connection) -> Iterator[Row]:
    def scan() -> list[str]:
        found = raw.execute("SELECT name, due FROM streams")
        return [name for name, instant in found if instant <= 5]

    for named, plugin in (("", None), (", a plugin carries", _Carrier())):
        with Lobby(_opened(path)) as lobby:
            if plugin is not None:
                lobby.register(plugin)
            lobby.deliver()  # feeds the index of who has something to take
            yield Row(
                f"deliver() with {TIMERS:,} timers, none due{named}",
                "a scan of the timers",
                compare(scan, lobby.deliver, rounds=21),
                must=None if plugin else 5_000,
                stretch=None if plugin else 20_000,
                more_is_better=True,
            )


def _of_waiting() -> Row:
    many, few = _Waiting(WAITING), _Waiting(FEW)
    row = Row(
        f"{FEW} messages are scheduled, and released among {WAITING:,} that wait",
        f"among {FEW} that wait",
        compare(many.ten, few.ten, calls=(1, 1)),
        must=1.5,
        stretch=1.1,
    )
    many.lobby.close()
    few.lobby.close()
    return row


class _Waiting:
    """A room in memory in which so many messages wait for a time that never comes."""

    def __init__(self, waiting: int) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.lobby = Lobby.in_memory(clock=lambda: self.now)
        self.ana = self.lobby.person("ana")
        self.room = self.lobby.create_room("r", by=self.ana)
        self.ten()
        state = self.lobby._desk.streams.loaded[room_stream(self.room.id)].state  # noqa: SLF001 - nobody would wait for 100,000 posts
        assert state.coming is not None
        for version in range(waiting):
            state.coming.accept(Waiting(10**9 + version, 2**60, 1))

    def ten(self) -> None:
        """Some are scheduled, and fall due."""
        soon = self.now + timedelta(minutes=1)
        for _ in range(FEW):
            self.room.post(TEXT, by=self.ana, deliver_at=soon)
        self.now = soon
        before = self.room.position
        self.lobby.deliver()
        assert self.room.position == before + FEW


class _Carrier:
    @hookimpl
    def rooms_carry(self, wake: Any) -> str | None:
        del wake
        return None
