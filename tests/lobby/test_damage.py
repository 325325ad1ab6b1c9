"""A file that was changed behind the library's back, and a disk that is full."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import frozen

from lobby.campaign.scene import Scene
from lobby.campaign.sizes import sized
from rooms import Lobby, RoomPolicy, RoomsError, SQLiteStorage
from rooms.errors import CODES, StorageFull
from rooms.lobby import Posted, Room
from rooms.log.records import Record

ALL = RoomPolicy(default_mode="every_message", wake_window=None, send_window=None)
NAMES = ("one", "two", "three")
FLIPS, PARTS = sized(200, 2_000), 10

Said = list[tuple[int, str]]


@frozen
class Whole:
    """A sound file: its bytes, its records, and what is said in which room."""

    content: bytes
    records: Mapping[tuple[str, int], Record]
    said: Mapping[str, Said]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A file with three rooms, in which everything of this issue has happened."""
    path = tmp_path_factory.mktemp("whole") / "team.db"
    with Lobby.open(path) as lobby:
        ana = lobby.person("ana")
        lobby.add_agent("tee", threaded=True)
        members = [lobby.add_agent(name).conversation() for name in ("eve", "ben")]
        members.append(lobby.conversation("tee", label="acme"))
        rooms = [lobby.create_room(name, by=ana, policy=ALL) for name in NAMES]
        for room in rooms:
            for one in members:
                room.join(by=one)
            for number in range(10):
                by = members[number % 3]
                room.post(f"say {number}", by=by, request_id=f"{room.id}-{number}")
                for wake in lobby.take_wakes(limit=1):
                    with lobby.turn(wake):
                        pass
            room.search("say", by=ana)
        said = {room.id: said_in(lobby, room.id) for room in rooms}
        records = stored(lobby)
    assert not path.with_name("team.db-wal").exists()
    return Whole(path.read_bytes(), records, said)


def stored(lobby: Lobby) -> dict[tuple[str, int], Record]:
    storage = lobby._desk.storage
    return {
        (stream, record.version): record
        for stream in storage.streams()
        for record in storage.read(stream)
    }


def said_in(lobby: Lobby, room: str) -> Said:
    page = lobby.room(room).read(by=lobby.person("ana"), limit=100)
    return [(one.seq, one.content) for one in page]


def answered(call: Callable[[], Any]) -> Any:
    """What a call gives; a refusal is fine, and no other error is."""
    try:
        return call()
    except RoomsError as refusal:
        if refusal.code not in CODES:
            raise
        return refusal


def try_everything(lobby: Lobby, room: Room) -> None:
    ana = answered(lambda: lobby.person("ana"))
    eve = answered(lambda: lobby.conversation("eve"))
    answered(lambda: room.search("say", by=ana))
    answered(lambda: [room.explain(one.id) for one in room.read(by=ana)])
    answered(lambda: room.read(by=eve))
    answered(lambda: room.post("say 0", by=eve, request_id=f"{room.id}-0"))
    answered(lambda: (room.name, room.policy, room.members, room.conversations))
    answered(lambda: [wake.render() for wake in lobby.take_wakes()])
    answered(lobby.deliver)
    answered(lobby.next_deadline)
    answered(lambda: list(lobby.export()))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_flipped_bit_is_named_and_hides_nothing_else(
    whole: Whole, tmp_path: Path, part: int
) -> None:
    for seed in range(part, FLIPS, PARTS):
        place = Random(seed).randrange(8 * len(whole.content))
        changed = bytearray(whole.content)
        changed[place // 8] ^= 1 << place % 8
        path = tmp_path / f"{seed}.db"
        path.write_bytes(changed)
        lobby = answered(lambda: Lobby.open(path))  # noqa: B023 - called at once
        if not isinstance(lobby, RoomsError):
            try:
                check_flipped(lobby, whole, is_sound(path))
            except BaseException as error:
                error.add_note(f"bit {place} of seed {seed}")
                raise
            finally:
                answered(lobby.close)


def is_sound(path: Path) -> bool:
    """Whether SQLite finds its own structures whole."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
    except sqlite3.DatabaseError:
        return False
    return found == [("ok",)]


def check_flipped(lobby: Lobby, whole: Whole, sound: bool) -> None:
    report = answered(lobby.verify)
    records = answered(lambda: stored(lobby))
    if not isinstance(report, RoomsError) and not isinstance(records, RoomsError):
        named = {
            (damage.stream, damage.version)
            for one in report.values()
            for damage in one.damages
        }
        every = whole.records.keys() | records.keys()
        differ = {one for one in every if whole.records.get(one) != records.get(one)}
        gaps = {
            damage.stream
            for one in report.values()
            for damage in one.damages
            if damage.problem == "gap"
        }
        for stream, version in differ:
            gone = (stream, version) not in records  # a gap is named where it begins
            renamed = stream not in report and bool(named)
            assert (stream, version) in named or (gone and stream in gaps) or renamed
        hurt = {stream for stream, _ in differ | named}
        for room, said in whole.said.items():
            found = answered(lambda: said_in(lobby, room))  # noqa: B023 - at once
            if hurt.isdisjoint({"lobby", f"room:{room}"}) and (
                sound or not isinstance(found, RoomsError)
            ):
                assert found == said
    for room in whole.said:
        try_everything(lobby, Room(room, lobby._desk))


# -- a full disk


def filled(storage: SQLiteStorage, pages: int) -> Callable[[], None]:
    """Lets the file grow by so many pages at most; gives what lifts that."""
    connection = storage._database.connection
    assert connection is not None
    (now,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {now + pages:d}")
    return lambda: (
        connection.execute("PRAGMA max_page_count = 1000000").fetchone() and None
    )


@pytest.mark.parametrize("pages", range(sized(6, 40)))
def test_a_full_disk_refuses_writes_and_reading_goes_on(
    tmp_path: Path, pages: int
) -> None:
    with closing(SQLiteStorage(tmp_path / "team.db")) as storage:
        scene = Scene(storage)
        lift = filled(storage, pages)
        acknowledged, refused = 0, 0
        while refused < 20:
            before = scene.everything()
            text = f"{acknowledged} " * 200
            posted = answered(partial(scene.room.post, text, by=scene.ana))
            if isinstance(posted, Posted):
                acknowledged += 1
            else:
                assert isinstance(posted, StorageFull)
                assert posted.code == "storage_full"
                assert scene.everything() == before
                refused += 1
        for call in (
            lambda: scene.room.join(by=scene.bo),
            lambda: scene.room.pause(by=scene.ana),
            scene.lobby.take_wakes,
            scene.turn.end,
            lambda: scene.lobby.add_agent("more"),
            lambda: scene.room.search("hello", by=scene.ana),
        ):
            before = scene.everything()
            if isinstance(answered(call), RoomsError):
                assert scene.everything() == before
        page = scene.room.read(by=scene.ana, limit=1_000)
        assert page.position == 2 + acknowledged
        assert not any(one.damages for one in scene.lobby.verify().values())

        lift()

        posted = scene.room.post("goes on", by=scene.ana)
        assert posted.message.seq == 3 + acknowledged
        scene.turn.end()
        again = scene.opened()
        assert again.room("work").position == posted.message.seq
        assert again.room("work").search("goes", by=scene.ana)
        assert not any(one.damages for one in again.verify().values())
