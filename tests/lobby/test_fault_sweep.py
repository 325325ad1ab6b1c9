"""
Each call of the file system fails, once or for ever: what was said to be stored is
there, nothing is there in part, and the same lobby goes on when the fault is gone.

A day of calls (`campaign/day.py`) is lived once without a fault, and what the file then
holds is noted at each commit. Then it is lived once for each call of the file system,
which fails. The call of the lobby in which that happens raises a `StorageError` or
succeeds; what the file holds then was noted at one of its commits, or before it. Made
again it succeeds, and at the day's end the file holds what it held without a fault.

Here apsw's SQLite runs alone on the file. What the -shm file and the locks between
processes can do, `test_faults_of_the_kernel` has from the driver as it is.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import define, field

from effort import LONG, sized
from lobby.campaign.day import Day
from rooms import Lobby
from rooms.errors import StorageError
from rooms.lobby.transfer.log import import_log

pytest.importorskip("apsw")
from storage.faulty import Faults, FaultyStorage

pytestmark = pytest.mark.filterwarnings(
    # A connection that cannot be closed, since the fault lasts, says so as it goes.
    "ignore::pytest.PytestUnraisableExceptionWarning"
)

DAILY = Path(__file__).parent / "campaign" / "daily.py"
POINTS = sized(3, 5)  # of each way

RECORDS = (
    "SELECT s.name, version, chain, body IS NULL FROM records JOIN streams s"
    " ON s.id = stream ORDER BY position"
)
TABLES = (
    RECORDS,
    "SELECT name, due FROM streams ORDER BY name",
    "SELECT key, holder FROM keys ORDER BY key",
    "SELECT digest, count(*) FROM blobs JOIN pieces ON blob = id GROUP BY 1 ORDER BY 1",
)

SEVERAL = {"upload", "sweep", "compact", "snapshot"}
"""Calls of several commits, each whole by itself."""

AGAIN = {"take", "turn", "mail taken", "claim"}
"""
Calls that are not the same when they are made again: what was taken and cannot be told
is given back, and each claim is a newer one.
"""

Held = tuple[tuple[Any, ...], ...]


def held(connection: Any) -> Held:
    """What a file holds, but for what is made anew from it."""
    return tuple(tuple(connection.execute(one).fetchall()) for one in TABLES)


def exactly(now: Held) -> object:
    """All of what a file holds."""
    return now


def in_short(now: Held) -> object:
    """What there is by its name, or number, where records may be others."""
    _, streams, keys, contents = now
    return [name for name, _ in streams], len(keys), contents


def held_by(storage: FaultyStorage) -> Held:
    """As `held`; this look neither fails nor counts."""
    with storage.faults.aside():
        return held(storage._database.connection)


@define
class Noted:
    """
    A day without a fault.

    Attributes:
        path: The file, closed.
        held: By call what the file held before it and at each commit in it.
        first: How many calls of the file system it took to make the file.
        kinds: All calls of the file system.
        said: What stood in the room.
    """

    path: Path
    held: dict[str, list[Held]] = field(factory=dict)
    first: int = 0
    kinds: list[str] = field(factory=list)
    said: list[tuple[int, str]] = field(factory=list)

    def points(self, seed: int, *, writes: bool = False) -> list[int]:
        """Calls of the file system, or writes alone; some or all of them."""
        every = range(self.first + 1, len(self.kinds) + 1)
        kinds = {"write"} if writes else {*self.kinds}
        return some([at for at in every if self.kinds[at - 1] in kinds], seed)


def some(every: Sequence[int], seed: int) -> list[int]:
    """Some of these calls, or at length all."""
    return [*every] if LONG else Random(seed).sample(every, POINTS)


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Noted:
    faults = Faults()
    noted = Noted(tmp_path_factory.mktemp("whole") / "team.db")
    storage = FaultyStorage(noted.path, faults)
    noted.first = len(faults.kinds)
    day, end = Day(storage), storage._database.end

    def noting(sql: str) -> None:
        end(sql)
        if sql == "COMMIT":
            noted.held[day.call].append(held_by(storage))

    storage._database.end = noting  # type: ignore[method-assign]
    for name in day.calls:
        noted.held[name] = [held_by(storage)]
        day.do(name)
        assert noted.held[name][-1] == held_by(storage)
    noted.kinds = [*faults.kinds]
    noted.said = day.said(day.lobby)
    day.lobby.close()
    return noted


def allowed(noted: Noted, name: str, error: StorageError, now: Held) -> bool:
    """Whether a file may hold this once a call of the lobby raised."""
    before, *commits = noted.held[name]
    if name in SEVERAL:
        return now in commits or (now == before and not error.recorded)
    return now == (commits[-1] if error.recorded else before)


def tried(call: Callable[[], Any]) -> StorageError | None:
    """What a call raises, which nothing else may be."""
    try:
        call()
    except StorageError as error:
        if error.code not in {"storage_failed", "storage_full"}:
            raise
        return error
    return None


def live(day: Day, storage: FaultyStorage, noted: Noted) -> None:
    """Lives a day in which the file system fails: all goes on when that is over."""
    faults, same = storage.faults, exactly
    for name in day.calls:
        error = tried(lambda: day.do(name))  # noqa: B023 - called at once
        if error is not None:
            same = in_short if name in AGAIN else same
            assert same == in_short or allowed(noted, name, error, held_by(storage))
            if faults.forever:
                tried(lambda: day.do(name))  # noqa: B023
                if day.shown:
                    tried(lambda: day.said(day.lobby))
            faults.heal()
            day.do(name)
            assert same(held_by(storage)) == same(noted.held[name][-1])
        elif faults.hit:
            faults.heal()  # nobody was told, and nothing is amiss
    assert same(held_by(storage)) == same(noted.held[name][-1])
    assert not any(one.damages for one in day.lobby.verify().values())
    assert day.said(day.lobby) == noted.said


def with_point(at: int, faults: Faults, call: Callable[[], None]) -> None:
    try:
        call()
    except BaseException as error:
        error.add_note(f"call {at} of the file system failed: {faults.hit}")
        raise


@pytest.mark.parametrize("full", [False, True], ids=["broken", "full"])
@pytest.mark.parametrize("forever", [False, True], ids=["once", "for-ever"])
def test_a_lobby_goes_on_after_any_fault(
    noted: Noted, tmp_path: Path, full: bool, forever: bool
) -> None:
    for at in noted.points(seed=2 * full + forever, writes=full):
        faults = Faults(full=full)
        storage = FaultyStorage(tmp_path / f"{at}.db", faults)
        faults.at, faults.forever = at, forever
        day = Day(storage)
        with_point(at, faults, lambda: live(day, storage, noted))  # noqa: B023
        day.lobby.close()
        assert faults.hit


def test_a_file_that_was_left_at_any_fault_is_whole(
    noted: Noted, tmp_path: Path
) -> None:
    for at in noted.points(seed=5):
        path, faults = tmp_path / f"{at}.db", Faults()
        storage = FaultyStorage(path, faults)
        faults.at, faults.forever = at, True
        day = Day(storage)
        for name in day.calls:
            if tried(lambda: day.do(name)):  # noqa: B023 - called at once
                break
        tried(storage.close)
        faults.heal()

        with_point(at, faults, lambda: check_left(path, day, noted))  # noqa: B023


def check_left(path: Path, day: Day, noted: Noted) -> None:
    """Opens the file with the driver as it is; whoever was not told may be there."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        now = held(connection)
    shown = {
        posted.message.seq: posted.message.content
        for name, posted in day.shown.items()
        if name not in {"wait", "mail", "file"}  # of no number, elsewhere, erased
    }
    with Lobby.open(path) as lobby:
        assert not any(one.damages for one in lobby.verify().values())
        if shown:
            assert shown.items() <= dict(day.said(lobby)).items()
        lobby.add_agent("later")
    if day.call not in AGAIN:
        assert now in noted.held[day.call]


def test_a_file_is_made_and_opened_again_whatever_fails(
    noted: Noted, tmp_path: Path
) -> None:
    for at in some(range(1, noted.first + 1), seed=6):
        for forever in (False, True):
            path = tmp_path / f"{at}-{forever}.db"
            faults = Faults(at=at, forever=forever)

            error = tried(lambda: FaultyStorage(path, faults).close())  # noqa: B023

            assert faults.hit
            faults.heal()
            assert error is not None or faults.hit in {"lock", "access", "size"}
            with Lobby.open(path) as lobby:
                lobby.add_agent("eve")


def test_an_import_fills_a_storage_or_leaves_it_empty(
    noted: Noted, tmp_path: Path
) -> None:
    with Lobby.open(noted.path) as lobby:
        lines = [*lobby.export()]
    faults = Faults()
    with closing(FaultyStorage(tmp_path / "whole.db", faults)) as whole:
        first = len(faults.kinds)
        import_log(lines, whole)
        last, expected = len(faults.kinds), held_by(whole)
    for at in some(range(first + 1, last + 1), seed=7):
        for forever in (False, True):
            path = tmp_path / f"{at}-{forever}.db"
            faults = Faults(forever=forever)
            storage = FaultyStorage(path, faults)
            faults.at = at

            error = tried(lambda: import_log(lines, storage))  # noqa: B023

            assert faults.hit
            faults.heal()
            tried(storage.close)
            with closing(FaultyStorage(path, Faults())) as again:
                if error is not None and not held_by(again)[0]:
                    assert held_by(again) == ((), (), (), ())
                    import_log(lines, again)
                assert held_by(again) == expected, (at, forever)


KERNEL = {
    "pwrite64": ("EIO", "ENOSPC"),
    "pread64": ("EIO",),
    "fdatasync": ("EIO",),
    "ftruncate": ("EIO", "ENOSPC"),
    "fcntl": ("EIO", "ENOLCK"),
    "openat": ("EIO", "EMFILE"),
    "newfstatat": ("EIO",),
    "mmap": ("ENOMEM",),
    "unlink": ("EIO",),
}


@pytest.fixture(scope="module")
def calls_of_the_kernel(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """How often each is made with the file in a day."""
    if not LONG:
        pytest.skip("at length only: each point is a process of two seconds")
    if shutil.which("strace") is None:
        pytest.skip("strace is not there")
    path = tmp_path_factory.mktemp("kernel") / "team.db"
    said = under_strace(path, "-o", str(path.with_name("trace")))
    if not said:
        pytest.skip("nobody may be traced here")
    assert said[-1] == ["done"]
    lines = path.with_name("trace").read_text().splitlines()
    return Counter(line.split()[1].partition("(")[0] for line in lines)


def under_strace(path: Path, *options: str) -> list[Any]:
    """What a process says whose calls with a file the kernel lets fail."""
    files = [f"-P{path}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]
    ours = [sys.executable, str(DAILY), str(path)]
    command = ["strace", "-f", "-qq", *files, *options, *ours]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("seed", range(sized(1, 1, 60)))
def test_faults_of_the_kernel(
    calls_of_the_kernel: Counter[str], tmp_path: Path, seed: int
) -> None:
    random, path = Random(seed), tmp_path / "team.db"
    call = list(KERNEL)[seed % len(KERNEL)]
    at = random.randint(1, calls_of_the_kernel[call])
    error, on = random.choice(KERNEL[call]), random.choice(["", "+"])

    said = under_strace(
        path,
        *("-o", str(tmp_path / "trace")),
        *("-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={at}{on}"),
    )

    codes = {one[-1] for one in said if one[0] == "failed"}
    assert codes <= {
        *("storage_failed", "storage_full", "storage_busy"),
        *(["corrupt_log"] if call == "pread64" else []),  # SQLite's own word for EIO
    }
    assert on or said[-1] == ["done"]
    with Lobby.open(path) as lobby:
        assert not any(one.damages for one in lobby.verify().values())
        shown = {
            one[2]: one[3]
            for one in said
            if one[0] == "shown" and one[1] not in {"wait", "mail", "file"}
        }
        if shown:
            page = lobby.room("work").read(by=lobby.person("ana"), limit=100)
            found = {one.seq: one.content for one in page}
            assert shown.items() <= found.items()
            assert [*found] == list(range(1, len(found) + 1))
        lobby.add_agent("later")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
