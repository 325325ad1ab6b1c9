"""Golden logs: whatever was exported once is read for ever, and nothing else is."""

from __future__ import annotations

import json
import random
import shutil
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest

from golden import today
from golden.make import SCRIPTS, main
from rooms import Lobby, SQLiteStorage, presets
from rooms.errors import CODES, InvalidInput, NotAllowed, RoomsError
from rooms.lobby.transfer.log import import_log
from rooms.log.events import Unknown, registered
from rooms.log.ledger import folding
from rooms.log.lines import Reader, Writer
from rooms.storage import MemoryStorage, Storage
from rooms.testing import assert_replays, record_digest

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
CLOSED = "later-version-critical"
BAD = GOLDEN / "bad" / "changed-word.jsonl"
LOGS = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))
RECORDED = today.recorded()
REPLAYED = [name for name in LOGS if name != CLOSED]


def lines_of(path: Path) -> list[str]:
    return path.read_text("ascii").splitlines(keepends=True)


def imported(path: Path) -> Storage:
    storage = MemoryStorage()
    import_log(lines_of(path), storage)
    return storage


def exported(storage: Storage) -> str:
    return "".join(Lobby(storage).export())


@pytest.mark.parametrize("name", REPLAYED)
def test_a_golden_log_gives_the_states_that_it_gave(name: str) -> None:
    assert_replays(GOLDEN / f"{name}.jsonl")


def test_each_script_has_its_log() -> None:
    assert sorted(SCRIPTS) == LOGS


def test_the_golden_logs_hold_every_kind_of_event() -> None:
    for feature in (
        *(
            "agents",
            "directory",
            "documents",
            "erasing",
            "expiring",
            "floors",
            "invitations",
            "ledger",
        ),
        "posting",
        *("rooms", "seats"),
    ):
        import_module(f"rooms.log.{feature}")
    ours = {name for name, kind in registered().items() if "rooms." in kind.__module__}

    there = {
        json.loads(line).get("type")
        for name in LOGS
        for line in lines_of(GOLDEN / f"{name}.jsonl")
    }

    assert ours - there == set()


@pytest.mark.parametrize("preset", presets.NAMES)
def test_each_preset_has_a_golden_log_of_its_own(preset: str) -> None:
    """By the options that tell presets apart: others came later than some logs."""
    lobby = Lobby(imported(GOLDEN / f"{preset}.jsonl"))
    apart = ("people", "mentions", "membership", "lifecycle", "settle_on")
    wanted = [getattr(presets.named(preset), option) for option in apart]

    kept = [[getattr(room.policy, option) for option in apart] for room in lobby.rooms]

    assert wanted in kept


@pytest.mark.parametrize("name", LOGS)
def test_an_imported_log_is_exported_byte_for_byte(name: str, tmp_path: Path) -> None:
    whole = (GOLDEN / f"{name}.jsonl").read_text("ascii")

    with_memory = exported(imported(GOLDEN / f"{name}.jsonl"))
    storage = SQLiteStorage(tmp_path / "lobby.db", durability="relaxed")
    import_log(whole.splitlines(keepends=True), storage)

    assert with_memory == whole
    assert exported(storage) == whole
    storage.close()


@pytest.mark.parametrize("name", today.SCRIPTED)
def test_memory_and_sqlite_leave_the_log_that_every_python_leaves(
    name: str, tmp_path: Path
) -> None:
    storage = SQLiteStorage(tmp_path / "lobby.db", durability="relaxed")

    assert today.digest(name, storage) == RECORDED[name], today.ADVICE
    assert today.digest(name) == RECORDED[name]


@pytest.mark.parametrize("name", today.PLAYS)
def test_a_play_leaves_the_log_that_every_python_leaves(name: str) -> None:
    assert today.digest(name) == RECORDED[name], today.ADVICE


def test_what_every_python_leaves_is_recorded_of_each_script_and_preset() -> None:
    assert list(RECORDED) == [*today.NAMES]
    assert {*today.SCRIPTED} > {*SCRIPTS} > {*presets.NAMES}
    assert {f"play of {one}" for one in presets.NAMES if one != "team"} == {
        *today.PLAYS
    }


def test_a_golden_log_is_made_once(tmp_path: Path) -> None:
    (tmp_path / "hall.jsonl").write_text("as it was")

    main(str(tmp_path), "hall")

    assert (tmp_path / "hall.jsonl").read_text() == "as it was"


# -- what is no log of ours


def test_a_known_bad_log_is_refused() -> None:
    """One word of a body is another; every checksum of a line was made to fit."""
    with pytest.raises(RoomsError) as refused:
        assert_replays(BAD)

    assert refused.value.code == "corrupt_log"
    assert "body is damaged" in str(refused.value)


@pytest.mark.parametrize("name", ["hall", "erased"])
def test_a_changed_byte_is_refused_wherever_it_is(name: str) -> None:
    whole = (GOLDEN / f"{name}.jsonl").read_bytes()
    draw = random.Random(f"{name} 1")
    for _ in range(200):
        place, bit = draw.randrange(len(whole)), 1 << draw.randrange(7)
        changed = bytearray(whole)
        changed[place] ^= bit

        with pytest.raises(RoomsError) as refused:
            import_log(StringIO(changed.decode("ascii"), "\n"), MemoryStorage())

        assert refused.value.code in CODES


def test_a_changed_field_is_refused_even_where_every_checksum_fits() -> None:
    """A line's checksum can be made by anybody; the chain covers what it says."""
    given = lines_of(GOLDEN / "hall.jsonl")
    for place in range(1, len(given) - 1):
        reader, writer, again = Reader(), Writer(), []
        for number, line in enumerate(given):
            fields = reader.read(line)
            if number == place:
                fields["at"] += 1
            again.append(writer.line(fields))

        with pytest.raises(RoomsError) as refused:
            import_log(again, MemoryStorage())

        assert refused.value.code == "corrupt_log"


# -- what stands beside a log


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """A copy of a golden log with its digests."""
    for ending in ("jsonl", "digest"):
        shutil.copyfile(GOLDEN / f"hall.{ending}", tmp_path / f"hall.{ending}")
    return tmp_path / "hall.jsonl"


def test_a_log_without_digests_does_not_replay(hall: Path) -> None:
    hall.with_suffix(".digest").unlink()

    with pytest.raises(AssertionError, match=r"nosuch\.jsonl is not there"):
        assert_replays(hall.with_name("nosuch.jsonl"))
    with pytest.raises(AssertionError, match=r"nosuch\.jsonl is not there"):
        record_digest(hall.with_name("nosuch.jsonl"))
    with pytest.raises(AssertionError, match=r"is missing: call record_digest"):
        assert_replays(hall)


def test_bytes_that_are_no_text_are_refused_as_what_they_are(hall: Path) -> None:
    beside = hall.with_suffix(".digest")
    beside.write_bytes(b"\xff")
    with pytest.raises(AssertionError, match="has states"):
        assert_replays(hall)
    hall.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="line 1 is no line of an export"):
        record_digest(hall)


def test_another_state_is_named_by_its_stream(hall: Path) -> None:
    beside = hall.with_suffix(".digest")
    first, *others = beside.read_text().splitlines()
    changed = [line[:-1] + "x" if "agent:cy" in line else line for line in others]
    beside.write_text("\n".join([first, *changed]))

    with pytest.raises(AssertionError, match=r"the states that it gave: agent:cy$"):
        assert_replays(hall)


def test_a_version_that_folds_otherwise_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here it forgets what a place that frees was charged."""
    monkeypatch.setattr(folding, "charge", lambda _, charges, __: charges)

    with pytest.raises(AssertionError, match=r"that it gave: room:room_1$"):
        assert_replays(GOLDEN / "windows.jsonl")


def test_digests_of_another_form_of_states_are_not_compared(hall: Path) -> None:
    beside = hall.with_suffix(".digest")
    _, rest = beside.read_text().split("\n", 1)
    beside.write_text(f"states 0\n{rest}")

    with pytest.raises(AssertionError, match=r"is of states 0, and this version has"):
        assert_replays(hall)


def test_recorded_digests_are_those_that_stand_there(hall: Path) -> None:
    beside = hall.with_suffix(".digest")
    before = beside.read_bytes()
    beside.write_text("")

    assert record_digest(hall) == beside
    assert beside.read_bytes() == before


# -- events of a later version (foundation 9)


def test_what_nobody_has_to_know_is_kept_and_the_stream_goes_on() -> None:
    path = GOLDEN / "later-version.jsonl"
    storage = MemoryStorage()

    report = import_log(lines_of(path), storage)

    assert report.unknown == ("mood_noted",)
    assert report.read_only == ()
    lobby = Lobby(storage)
    ben, room = lobby.agent("ben").conversation(), lobby.room("work")
    assert room.post("still", by=ben).message.seq == 2
    kept = [line for line in lobby.export() if "mood_noted" in line]
    assert [json.loads(line)["body"] for line in kept] == ['{"words":"later"}'] * 2
    fact = lobby._desk.fact("agent:ben", 2)
    assert fact is not None
    assert isinstance(fact.event, Unknown)


def test_what_a_reader_has_to_know_closes_its_stream_alone() -> None:
    """Its messages can be read; skipping what may be a removal would open the room."""
    path = GOLDEN / f"{CLOSED}.jsonl"
    storage = MemoryStorage()

    report = import_log(lines_of(path), storage)

    assert report.read_only == ("room:room_1",)
    lobby = Lobby(storage)
    ben, ana = lobby.agent("ben").conversation(), lobby.person("ana")
    closed = lobby.room("work")
    before = storage.position()
    for refused in (
        lambda: closed.post("no", by=ben),
        lambda: closed.leave(by=ben),
        lambda: closed.subscribe(by=ben, mode="digest"),
    ):
        with pytest.raises(NotAllowed) as error:
            refused()
        assert error.value.code == "unsupported_event"
        assert error.value.details["type"] == "member_removed_quietly"
    assert storage.position() == before
    assert [one.content for one in closed.read(by=ana)] == ["before"]
    assert lobby.room("play").post("yes", by=ben).message.seq == 1


def test_a_log_that_holds_what_a_reader_has_to_know_does_not_replay() -> None:
    with pytest.raises(AssertionError, match="holds member_removed_quietly"):
        record_digest(GOLDEN / f"{CLOSED}.jsonl")
