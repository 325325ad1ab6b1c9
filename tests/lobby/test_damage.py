"""A file that was changed behind the library's back, and a disk that is full."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import evolve, frozen

from effort import sized
from lobby.campaign.scene import Clock, Scene
from rooms import (
    Lobby,
    MemoryStorage,
    RateWindow,
    RoomPolicy,
    RoomsError,
    SQLiteStorage,
    hookimpl,
)
from rooms.errors import CODES, StorageFull
from rooms.lobby import Posted, Room, Wake
from rooms.log.records import Commit, Record, chained, changed

ALL = RoomPolicy(default_mode="every_message", wake_window=None, send_window=None)
NAMES = ("one", "two", "three")
FLIPS, PARTS = sized(60, 200, 2_000), 10

Said = list[tuple[int, str]]


@frozen
class Whole:
    """A sound file: its bytes, its records, and what is said in which room."""

    content: bytes
    records: Mapping[tuple[str, int], Record]
    said: Mapping[str, Said]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """
    A file with three rooms, in which everything of this issue has happened.

    It is the same whenever it is made, so a seed names one bit of it for ever.
    """
    path = tmp_path_factory.mktemp("whole") / "team.db"
    numbers, clock = count(1), Clock()
    with Lobby(
        SQLiteStorage(path),
        clock=clock,
        ids=lambda prefix: f"{prefix}_{next(numbers):016x}",
        salt=lambda: bytes(16),
    ) as lobby:
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
                assert_named_alone(lobby, whole, is_sound(path))
            except BaseException as error:
                error.add_note(f"bit {place} of seed {seed}")
                raise
            finally:
                answered(lobby.close)


@pytest.mark.parametrize("column", ["version", "seq", "at", "schema", "header"])
@pytest.mark.parametrize("value", ["'x'", "x'ff'", "1.5", "NULL", "-1", "1 << 62"])
def test_a_column_of_another_type_is_named(
    whole: Whole, tmp_path: Path, column: str, value: str
) -> None:
    path = tmp_path / "team.db"
    path.write_bytes(whole.content)
    with closing(sqlite3.connect(path)) as connection:
        found = "SELECT sql FROM sqlite_schema WHERE name = 'records'"
        (strict,) = connection.execute(found).fetchone()
    loose = strict.replace("STRICT", "").replace("NOT NULL", "")
    said = "type = 'message_posted' AND seq = 5"
    for change, bound in (
        ("UPDATE sqlite_schema SET sql = ? WHERE name = 'records'", [loose]),
        (f"UPDATE records SET {column} = {value} WHERE {said}", []),
        ("UPDATE sqlite_schema SET sql = ? WHERE name = 'records'", [strict]),
    ):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(change, bound)
            connection.commit()

    with Lobby.open(path) as lobby:
        assert_named_alone(lobby, whole, sound=True)
        assert any(one.damages for one in lobby.verify().values())


def _numbered(records: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, int]]:
    """Those that have a number at all; without one only a gap can be named."""
    return (one for one in records if isinstance(one[1], int))


def is_sound(path: Path) -> bool:
    """Whether SQLite finds its own structures whole."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
    except sqlite3.DatabaseError:
        return False
    return found == [("ok",)]


def assert_named_alone(lobby: Lobby, whole: Whole, sound: bool) -> None:
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
        for stream, version in differ & {*whole.records, *_numbered(records)}:
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


# -- a room that cannot be used


def spoiled(storage: MemoryStorage, room: Room) -> None:
    """Changes a header of the room's log; a handle that is opened later notices."""
    records = storage._streams[f"room:{room.id}"].records
    header = records[1].header.replace(b"every_message", b"every_messagf")
    assert header != records[1].header
    records[1] = changed(records[1], header=header)


def shredded(storage: MemoryStorage, room: Room) -> None:
    """Makes no JSON of a header, and nothing has looked at it before."""
    records = storage._streams[f"room:{room.id}"].records
    records[1] = changed(records[1], header=b"{")
    storage.forget_projection("wakes.1")


def of_tomorrow(storage: MemoryStorage, room: Room) -> None:
    """Appends a critical event that this version does not know."""
    stream = f"room:{room.id}"
    head = storage.head(stream)
    last = storage.read(stream, after=head.version - 1)[0]
    fixed = {"version": head.version + 1, "type": "of_tomorrow", "header": b"{}"}
    record = changed(last, **fixed, body=None, salt=None, digest=b"", seq=None)
    chain = chained(head.chain, record)
    storage.append(Commit((changed(record, chain=chain),)))


@pytest.mark.parametrize("spoil", [spoiled, shredded, of_tomorrow])
def test_a_room_that_cannot_be_used_holds_up_no_other(
    spoil: Callable[[MemoryStorage, Room], None], caplog: pytest.LogCaptureFixture
) -> None:
    clock, storage = Clock(), MemoryStorage()
    lobby = Lobby(storage, clock=clock)
    ana = lobby.person("ana")
    held = evolve(ALL, wake_window=RateWindow(1, timedelta(minutes=5)))
    rooms = []
    for number in range(130):  # more than are looked at in one step
        ben = lobby.add_agent(f"ben-{number}").conversation()
        eve = lobby.add_agent(f"eve-{number}").conversation()
        room = lobby.create_room(f"room {number}", by=ana, policy=held).join(by=ben)
        room.join(by=eve)
        room.post("ready", by=eve)
        room.post("held until a place frees", by=eve)
        rooms.append(room)
    good = rooms.pop()
    for room in rooms:
        spoil(storage, room)
    lobby = Lobby(storage, clock=clock)
    carrier = Carrier()
    lobby.register(carrier)

    (wake,) = lobby.take_wakes()
    lobby.turn(wake).__enter__().end()
    clock.advance(timedelta(minutes=5))
    lobby.deliver()

    assert [one.content for one in wake.messages] == ["ready"]
    assert wake.room == good
    assert carrier.carried == ["held until a place frees"]
    assert "passed over" in caplog.text
    with pytest.raises(RoomsError) as caught:
        lobby.room(rooms[0].id).post("hello", by=ana)
    assert caught.value.code in {"corrupt_log", "unsupported_event"}


READY = "UPDATE rows SET key = x'{}' WHERE key > x'0272' AND key < x'0273'"


@pytest.mark.parametrize(
    "damage",
    [
        # One row is ready: its key becomes ("ready", "ben"), then no key at all.
        READY.format("027265616479000262656e00"),
        READY.format("0272656164790002ff"),
        READY.format("0272656164790002ff00"),
        "UPDATE rows SET key = substr(key, 1, length(key) - 3)",
        "UPDATE rows SET value = x'ff'",
        "UPDATE rows SET value = x'5b5d'",
        "DELETE FROM rows; UPDATE projections SET position = 1000000000",
    ],
)
def test_rows_that_are_damaged_are_made_anew_from_the_log(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "team.db"
    with Lobby.open(path) as lobby:
        ben = lobby.add_agent("ben").conversation()
        ana = lobby.person("ana")
        lobby.create_room("one", by=ana, policy=ALL).join(by=ben)
        assert lobby.take_wakes() == []
        lobby.room("one").post("hello", by=ana)
        wakes = lobby._desk.wakes
        assert sum(len(wakes.page(span)[0]) for span in wakes.of_all()) == 1
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(damage)

    with Lobby.open(path) as lobby:
        lobby.room("one").post("again", by=lobby.person("ana"))

        (wake,) = lobby.take_wakes()

        assert [one.content for one in wake.messages] == ["hello", "again"]
        assert lobby.conversation("ben").rooms == (lobby.room("one"),)


class Carrier:
    """Notes what it carries."""

    def __init__(self) -> None:
        self.carried: list[str] = []

    @hookimpl
    def rooms_carry(self, wake: Wake) -> str:
        self.carried += [one.content for one in wake.messages]
        return "settled"


# -- a full disk

FILLED = Path(__file__).parent / "campaign" / "filled.py"
NOT_MOUNTED = "-1\n"


def filled(storage: SQLiteStorage, pages: int) -> Callable[[], None]:
    """Lets the file grow by so many pages at most; gives what lifts that."""
    connection = storage._database.connection
    assert connection is not None
    (now,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {now + pages:d}")
    return lambda: (
        connection.execute("PRAGMA max_page_count = 1000000").fetchone() and None
    )


@pytest.mark.rule("L-STORE-03")
@pytest.mark.parametrize("pages", range(sized(3, 6, 40)))
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


@pytest.mark.rule("L-STORE-03")
def test_a_small_disk_that_others_fill_up_loses_nothing_and_takes_nothing_by_half(
    tmp_path: Path,
) -> None:
    """A real file system: `campaign/filled.py` has what is asked of it."""
    rounds = sized(4, 8, 80)
    done = on_a_disk_of_its_own(FILLED, str(tmp_path), str(rounds))
    assert done.returncode == 0, done.stderr
    posts = [int(line) for line in done.stdout.splitlines()]
    assert len(posts) == rounds
    assert max(posts) > 0


def on_a_disk_of_its_own(
    program: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """What a program gave that may mount what nobody else sees."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not there")
    command = [sys.executable, str(program), *arguments]
    for options in (["--user", "--map-root-user", "--mount"], ["--mount"]):
        done = subprocess.run(
            ["unshare", *options, *command], capture_output=True, text=True, check=False
        )
        if done.stdout not in {"", NOT_MOUNTED} or "Traceback" in done.stderr:
            return done
    pytest.skip("nobody may mount a file system here")
