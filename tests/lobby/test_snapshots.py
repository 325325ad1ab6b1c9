"""A snapshot is a cache: whatever becomes of it, the state is that of the log."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from lobby.sides import all_of, folded
from rooms import Lobby, MemoryStorage
from rooms.errors import StorageFull
from rooms.lobby.recording.streams import Streams
from rooms.log import snapshots
from rooms.log.records import Record
from rooms.storage import Snapshot
from rooms.testing import CountingIds, FakeClock, Stage

ROOM = "room:room_1"


@pytest.fixture
def storage() -> MemoryStorage:
    """A room with wakes held and taken, a snapshot of it, and more behind that."""
    storage, clock = MemoryStorage(), FakeClock()
    lobby = Lobby(storage, clock=clock, ids=CountingIds())
    stage = Stage(lobby, clock)
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    stage.create_room("work", by="ben")
    stage.join("cy")
    for number in range(12):
        stage.post(f"word {number}", by="ben", to=["agent:cy"])
    stage.take(agents=["cy"])
    lobby._desk.streams.save_snapshots(every=1)
    stage.open_turn(0)
    stage.reply(0, "an answer")
    stage.advance(timedelta(minutes=5))
    stage.post("one more", by="ben", to=["agent:cy"])
    return storage


def loaded(storage: MemoryStorage) -> bytes:
    """The room's state as a lobby that is opened now has it."""
    return snapshots.encode(Streams(storage).current(ROOM).state)


def from_zero(storage: MemoryStorage) -> bytes:
    return snapshots.encode(folded(ROOM, list(all_of(storage, ROOM))).state)


def kept(storage: MemoryStorage) -> Snapshot:
    snapshot = storage.load_snapshot(ROOM)
    assert snapshot is not None
    assert snapshot.version < storage.head(ROOM).version
    return snapshot


def resealed(snapshot: Snapshot, **changed: Any) -> Snapshot:
    """What somebody wrote who knows how a snapshot is sealed."""
    other = evolve(snapshot, **changed)
    return Snapshot.sealed(
        other.stream,
        other.version,
        chain=other.chain,
        schema=other.schema,
        state=other.state,
    )


def damaged(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Torn at 200 places and with 200 flipped bits, each as it is and sealed anew."""
    draw = random.Random("snapshots 1")
    whole = snapshot.state
    states = [whole[: draw.randrange(len(whole))] for _ in range(200)]
    for _ in range(200):
        flipped = bytearray(whole)
        flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        states.append(bytes(flipped))
    for state in states:
        yield evolve(snapshot, state=state)
        yield resealed(snapshot, state=state)


def test_a_good_snapshot_is_used(storage: MemoryStorage) -> None:
    """Else nothing here would prove anything."""
    read: list[int] = []

    class Watched(MemoryStorage):
        def read(
            self, stream: str, *, after: int = 0, limit: int = 1_000, words: bool = True
        ) -> list[Record]:
            read.append(after)
            return storage.read(stream, after=after, limit=limit, words=words)

        def load_snapshot(self, stream: str) -> Snapshot | None:
            return storage.load_snapshot(stream)

    loaded(Watched())

    assert min(read) == kept(storage).version - 1


def test_a_torn_or_flipped_snapshot_gives_the_state_of_the_log(
    storage: MemoryStorage,
) -> None:
    expected = from_zero(storage)
    assert loaded(storage) == expected
    for snapshot in damaged(kept(storage)):
        storage.save_snapshot(snapshot)

        assert loaded(storage) == expected


def test_a_snapshot_of_another_log_or_form_is_not_believed(
    storage: MemoryStorage,
) -> None:
    expected, good = from_zero(storage), kept(storage)
    empty = snapshots.encode(type(Streams(storage).current(ROOM).state)())
    for changed in (
        {"chain": bytes(32), "state": empty},  # of a log that went another way
        {"version": good.version + 1, "state": empty},
        {"version": 10_000, "state": empty},  # ahead of the log
        {"version": 0, "state": empty},
        {"state": good.state.replace(b'"schema":1', b'"schema":2', 1)},
        {"state": snapshots.encode(Streams(storage).current("lobby").state)},
    ):
        storage.save_snapshot(resealed(good, **changed))

        assert loaded(storage) == expected, changed


def test_an_older_snapshot_only_costs_more_folding(storage: MemoryStorage) -> None:
    expected, records = from_zero(storage), list(all_of(storage, ROOM))
    for version in range(1, len(records) + 1):
        older = folded(ROOM, records[:version])
        state = snapshots.encode(older.state)
        storage.save_snapshot(
            Snapshot.sealed(
                ROOM, version, chain=older.chain, schema=snapshots.SCHEMA, state=state
            )
        )

        assert loaded(storage) == expected


def test_a_room_of_a_thousand_records_has_a_snapshot_before_its_lobby_closes() -> None:
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock(), ids=CountingIds())
    ana = lobby.person("ana")
    room = lobby.create_room("work", by=ana)
    while storage.head(ROOM).version < 999:
        room.post("word", by=ana)
    assert storage.load_snapshot(ROOM) is None

    for _ in range(500):
        room.post("word", by=ana)

    snapshot = storage.load_snapshot(ROOM)
    assert snapshot is not None
    assert snapshot.version == 1_000
    assert loaded(storage) == from_zero(storage)


def test_a_post_stands_though_no_snapshot_can_be_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Full(MemoryStorage):
        tries = 0

        def save_snapshot(self, snapshot: Snapshot) -> None:
            self.tries += 1
            raise StorageFull("storage_full", "no space is left")

    storage = Full()
    lobby = Lobby(storage, clock=FakeClock(), ids=CountingIds())
    ana = lobby.person("ana")
    room = lobby.create_room("work", by=ana)

    for number in range(1_100):
        assert room.post("word", by=ana, request_id=str(number)).message.content
    assert storage.tries == 1
    assert storage.head(ROOM).version == 1_101  # it was created, too
    assert "no snapshot is kept: storage_full" in caplog.text


def test_a_storage_that_keeps_none_is_told_by_its_error_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A driver may quote what it was handed; no line of the log holds words (S16)."""

    class Quoting(MemoryStorage):
        def save_snapshot(self, snapshot: Snapshot) -> None:
            raise RuntimeError(f"canary: {snapshot.state!r}")

    lobby = Lobby(Quoting(), clock=FakeClock())
    room = lobby.create_room("r", by=lobby.person("ana"))
    room.post("canary", by=lobby.person("ana"))
    lobby._desk.commits.save_snapshots(every=1)

    assert "no snapshot is kept: RuntimeError" in caplog.messages
    assert "canary" not in caplog.text
