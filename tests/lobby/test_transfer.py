"""A log goes from one storage into another, whole and unchanged, or not at all."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.errors import (
    Conflict,
    CorruptLog,
    InvalidInput,
    RoomsError,
    StorageError,
    StorageFull,
    UnsupportedSchema,
)
from rooms.lobby import Lobby
from rooms.lobby.transfer.log import ImportReport, export_log, import_log
from rooms.log import lines as log_lines
from rooms.log.events import RULES_VERSION
from rooms.log.lines import Writer, read_lines
from rooms.log.records import (
    GENESIS,
    Commit,
    Record,
    body_digest,
    canonical,
    chained,
    changed,
)
from rooms.storage import MemoryStorage, SQLiteStorage, Storage

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ODD = "\u2028\x1b[2J 会议"


class Shell:
    """A clock, ids and salts that are the same in every lobby that gets one."""

    def __init__(self, ids: int = 0) -> None:
        self.now = NOON
        self.count = ids

    def options(self) -> dict[str, Any]:
        return {"clock": lambda: self.now, "ids": self.new_id, "salt": self.new_salt}

    def new_id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_{self.count:08}"

    def new_salt(self) -> bytes:
        self.count += 1
        return (0xAB << 120 | self.count).to_bytes(16, "big")


@pytest.fixture(params=["memory", "sqlite"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    storage: Storage = (
        MemoryStorage()
        if request.param == "memory"
        else SQLiteStorage(tmp_path / "new.db")
    )
    yield storage
    storage.close()


def append(
    storage: Storage,
    stream: str,
    kind: str,
    header: dict[str, Any],
    body: dict[str, Any] | None = None,
    *,
    critical: bool = True,
    **fixed: Any,
) -> Record:
    """A record as somebody else's code might write it, its chain right."""
    head = storage.head(stream)
    before = storage.read(stream, after=head.version - 1) if head.version else []
    content = None if body is None else canonical(body)
    salt = None if body is None else bytes(16)
    record = Record(
        stream,
        head.version + 1,
        kind,
        fixed.get("schema", 1),
        critical,
        fixed.get("at", before[0].at if before else 0),
        canonical({"by": "system", "rules": RULES_VERSION} | header),
        content,
        salt,
        body_digest(content, salt),
        b"",
        fixed.get("seq"),
    )
    chain = chained(head.chain if head.version else GENESIS, record)
    record = changed(record, chain=chain)
    storage.append(Commit((record,)))
    return record


def storage_of(lobby: Lobby) -> Storage:
    return lobby._desk.storage


def a_lobby(shell: Shell, storage: Storage | None = None) -> Lobby:
    """Two rooms and a gone one, held and taken wakes, erased and strange words."""
    lobby = Lobby(MemoryStorage() if storage is None else storage, **shell.options())
    ana = lobby.person("ana")
    lobby.add_agent("Eve", threaded=True, owner="ana")
    ben = lobby.add_agent("ben").conversation()
    eve = lobby.conversation("Eve", thread="t-1", label="acme")
    hall = lobby.create_room("Orders", by=eve, policy="hall", request_id="orders")
    hall.join(by=ben, mode="when_tagged")
    for number in range(12):  # the hall's window holds what is beyond ten
        shell.now += timedelta(seconds=1)
        hall.post(
            f"{number} \u2028\x1b[2J 会议", by=eve, to=[ben], request_id=f"r-{number}"
        )
    wake = lobby.take_wakes(agents=["ben"])[0]
    with lobby.turn(wake) as turn:
        turn.reply("Fine.")
    gone = lobby.create_room("Gone", by=ana, request_id="gone")
    gone.post("Nobody reads this again.", by=ana, request_id="g-1")
    gone.delete(by=ana)
    lobby.create_room("Quiet", by=ana)
    storage_of(lobby).erase(f"room:{hall.id}", [4])
    return lobby


def lines_of(lobby: Lobby) -> list[str]:
    return list(lobby.export())


def everything(storage: Storage) -> list[Record]:
    return [changed(record, position=0) for record in storage.scan(limit=100_000)]


# -- the form, by hand


def test_a_line_is_what_the_page_of_the_format_says() -> None:
    storage = MemoryStorage()
    append(storage, "lobby", "person_added", {"person": "ana"}, at=5)
    header = '{"by":"system","rules":1,"person":"ana"}'
    fixed = f"lobby\n1\nperson_added\n1\n1\n5\n{len(header)}\n{header}".encode()
    chain = blake2b(bytes(32) + fixed, digest_size=32).hexdigest()
    record = (
        '{"stream":"lobby","version":1,"type":"person_added","schema":1,'
        '"critical":true,"at":5,"seq":null,'
        '"header":"{\\"by\\":\\"system\\",\\"rules\\":1,\\"person\\":\\"ana\\"}",'
        f'"body":null,"salt":null,"digest":"","chain":"{chain}"}}'
    )
    contents = [
        '{"format":"rooms-log","version":1}',
        record,
        '{"records":1,"streams":1}',
    ]
    expected, before = [], bytes(16)
    for content in contents:
        before = blake2b(before + content.encode(), digest_size=16).digest()
        expected.append(f'{content[:-1]},"sum":"{before.hex()}"}}\n')

    assert list(export_log(storage)) == expected


def test_an_empty_storage_has_an_export_of_two_lines(empty: Storage) -> None:
    exported = list(export_log(empty))

    assert len(exported) == 2
    assert import_log(exported, empty) == ImportReport(0, 0, 0, 0, (), ())


def test_every_line_is_ascii_and_one_line_to_everybody() -> None:
    exported = lines_of(a_lobby(Shell()))

    assert all(line.isascii() and line.endswith("}\n") for line in exported)
    assert "".join(exported).splitlines(keepends=True) == exported


# -- there and back


def test_a_log_comes_back_byte_for_byte_from_every_storage(empty: Storage) -> None:
    lobby = a_lobby(Shell())
    quiet = f"room:{lobby.room('Quiet').id}"
    append(storage_of(lobby), quiet, "of_tomorrow", {"x": [1]}, {"y": "z"})
    append(storage_of(lobby), "lobby", "just_so", {}, critical=False)
    exported = lines_of(lobby)

    report = import_log(exported, empty)

    assert list(export_log(empty)) == exported
    assert everything(empty) == everything(storage_of(lobby))
    erased = 2  # a message, and the name of the room that is gone
    assert (report.records, report.erased) == (len(exported) - 2, erased)
    assert (report.unknown, report.read_only) == (("of_tomorrow", "just_so"), (quiet,))


def test_a_lobby_goes_on_where_its_export_stood(empty: Storage) -> None:
    def go_on(lobby: Lobby, shell: Shell) -> list[Any]:
        shell.count, shell.now = 1_000, NOON + timedelta(hours=1)
        room = lobby.room("orders")
        ben = lobby.conversation("ben")
        eve = lobby.conversation("Eve", label="acme")
        answers: list[Any] = [
            lobby.next_deadline(),
            room.post(
                "3 \u2028\x1b[2J 会议", by=eve, to=[ben], request_id="r-3"
            ).message,
            lobby.create_room("Orders", by=eve, policy="hall", request_id="orders").id,
            [message.content for message in room.search("会议", by=ben, limit=3)],
            [message.erased for message in room.read(by=lobby.person("ana")).items],
            [wake.waited for wake in lobby.take_wakes()],
            room.post("On it.", by=ben, to=[eve]).message,
            lobby.next_deadline(),
        ]
        return [str(answer) for answer in answers]

    shell, other = Shell(), Shell()
    lobby = a_lobby(shell)
    import_log(lines_of(lobby), empty)
    copy = Lobby(empty, **other.options())

    assert go_on(copy, other) == go_on(lobby, shell)
    assert lines_of(copy) == lines_of(lobby)


def test_what_each_stream_waits_for_is_made_again(empty: Storage) -> None:
    lobby = a_lobby(Shell())
    import_log(lines_of(lobby), empty)
    late = 2**62

    assert empty.next_due() == storage_of(lobby).next_due() is not None
    assert empty.due(late) == storage_of(lobby).due(late) != []


@pytest.mark.parametrize("taken", ["orders", "QUIET"])
def test_an_open_rooms_name_is_taken_and_a_gone_ones_is_free(taken: str) -> None:
    copy = Lobby.import_from(lines_of(a_lobby(Shell())), "memory:")
    ana = copy.person("ana")

    assert copy.create_room("gone", by=ana, request_id="gone").position == 0
    with pytest.raises(Conflict) as caught:
        copy.create_room(taken, by=ana)
    assert caught.value.code == "room_exists"


def test_a_deletion_that_was_cut_short_holds_no_name() -> None:
    lobby = Lobby(MemoryStorage(), **Shell().options())
    ana = lobby.person("ana")
    room = lobby.create_room("Gone", by=ana, request_id="gone")
    kept = lobby.create_room("Kept", by=ana, request_id="kept")
    gone = {"room": room.id, "version": 1, "chain": ""}
    append(storage_of(lobby), "lobby", "room_unlisted", gone)  # and not its stream
    storage = MemoryStorage()
    report = import_log(lines_of(lobby), storage)
    copy = Lobby(storage, **Shell(1_000).options())

    assert report.keys == 2  # of the kept room: its name, and the request for it
    assert lines_of(copy) == lines_of(lobby)
    assert copy.create_room("Gone", by=copy.person("ana"), request_id="gone") != room
    again = copy.create_room("Kept", by=copy.person("ana"), request_id="kept")
    assert again.id == kept.id

    unlisted = f"room:{room.id}"
    append(storage, "lobby", "room_unlisted", gone)
    twice = MemoryStorage()
    import_log(list(export_log(storage)), twice)
    assert twice.head(unlisted).version > 0
    assert twice.find("name:gone") == storage.find("name:gone") is not None


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["post", "take", "read", "pause", "new", "delete", "erase"]),
        st.integers(0, 2),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(OPERATIONS)
def test_whatever_was_done_comes_back(operations: list[tuple[str, int]]) -> None:
    shell = Shell()
    lobby = Lobby(MemoryStorage(), **shell.options())
    ana, ben = lobby.person("ana"), lobby.add_agent("ben").conversation()
    for name, number in operations:
        shell.now += timedelta(minutes=number)
        rooms = lobby.rooms
        room = rooms[number % len(rooms)] if rooms else None
        if name == "take":
            lobby.take_wakes(limit=1 + number)
        elif name == "new" or room is None:
            lobby.create_room(f"room {shell.count}", by=ana).join(by=ben)
        elif name == "post":
            room.post(f"\u0085{number}", by=ana, to=[ben], request_id=f"{shell.count}")
        elif name == "read":
            room.read(by=ben, limit=1 + number)
        elif name == "pause":
            (room.pause if number else room.unpause)(by=ana)
        elif name == "delete":
            room.delete(by=ana)
        else:
            storage_of(lobby).erase(f"room:{room.id}", [number, number + 3])
    exported, storage = lines_of(lobby), MemoryStorage()

    report = import_log(exported, storage)

    assert list(export_log(storage)) == exported
    assert storage.due(2**62) == storage_of(lobby).due(2**62)
    original: Any = storage_of(lobby)
    assert storage._keys == original._keys
    assert report.keys == len(storage._keys)


# -- while it is read


def test_an_export_ends_where_the_log_stood_at_its_first_line() -> None:
    lobby = a_lobby(Shell())
    before = lines_of(lobby)
    export = lobby.export()
    first = next(export)
    lobby.room("Quiet").post("Too late.", by=lobby.person("ana"))

    assert [first, *export] == before


def test_a_room_that_goes_meanwhile_leaves_no_whole_export() -> None:
    lobby = a_lobby(Shell())
    ana = lobby.person("ana")
    large = lobby.create_room("Large", by=ana, policy="thread")
    for number in range(600):  # more than is read at once
        large.post(str(number), by=ana)
    export = lobby.export()
    taken = [next(export) for _ in range(5)]
    large.delete(by=ana)

    with pytest.raises(Conflict) as caught:
        taken.extend(export)
    assert caught.value.code == "room_deleted"
    with pytest.raises(CorruptLog):
        import_log(taken, MemoryStorage())


def test_an_export_stops_at_what_was_not_written_so() -> None:
    lobby = a_lobby(Shell())
    storage: Any = storage_of(lobby)
    stream = f"room:{lobby.room('orders').id}"
    record = storage._streams[stream].records[5]
    storage._log[record.position - 1] = changed(record, body=b'{"text":"forged"}')

    with pytest.raises(CorruptLog) as caught:
        lines_of(lobby)
    assert caught.value.details["where"] == f"{stream} 6"


def test_a_closed_lobby_exports_nothing() -> None:
    lobby = a_lobby(Shell())
    export = lobby.export()
    lobby.close()

    for start in (lobby.export, lambda: list(export)):
        with pytest.raises(StorageError) as caught:
            start()
        assert caught.value.code == "closed"


# -- damage


def a_small_log() -> list[str]:
    lobby = Lobby(MemoryStorage(), **Shell().options())
    ana, ben = lobby.person("ana"), lobby.add_agent("ben").conversation()
    room = lobby.create_room("r", by=ana, request_id="r")
    room.join(by=ben)
    room.post("One.", by=ana, to=[ben], request_id="r-1")
    room.subscribe(by=ben, mode="digest")
    room.post("Two.", by=ben)
    return lines_of(lobby)


SMALL = a_small_log()


def refused(lines: Any, storage: Storage | None = None) -> RoomsError:
    """The refusal of an import, which has left nothing behind."""
    storage = MemoryStorage() if storage is None else storage
    with pytest.raises(RoomsError) as caught:
        import_log(lines, storage)
    assert storage.streams() == []
    assert storage.scan() == []
    assert storage.next_due() is None
    assert all(storage.find(key) is None for key in KEYS)
    return caught.value


KEYS = (
    "name:r",
    "request:create_room:person:ana:r",
    "request:post:person:ana:r-1",
)


def test_the_keys_of_the_small_log_are_those_that_are_looked_for() -> None:
    storage = MemoryStorage()
    import_log(SMALL, storage)

    assert sorted(storage._keys) == sorted(KEYS)


@pytest.mark.parametrize("kept", range(len(SMALL)))
def test_a_file_that_was_cut_is_refused(kept: int, empty: Storage) -> None:
    error = refused(SMALL[:kept], empty)

    assert error.code == ("corrupt_log" if kept else "invalid_json")
    assert error.details["line"] == kept + 1


@pytest.mark.parametrize("at", range(1, len(SMALL)))
def test_a_line_that_is_lost_doubled_or_moved_is_named(at: int) -> None:
    lost = [*SMALL[:at], *SMALL[at + 1 :]]
    doubled = [*SMALL[: at + 1], *SMALL[at:]]
    moved = [*SMALL[: at - 1], SMALL[at], SMALL[at - 1], *SMALL[at + 1 :]]

    assert refused(lost).details["line"] == at + 1
    assert refused(doubled).details["line"] == at + 2
    assert refused(moved).details["line"] == at


def test_every_changed_character_is_noticed_in_its_line() -> None:
    text = "".join(SMALL)
    ends = [place for place, sign in enumerate(text) if sign == "\n"]
    for place, sign in enumerate(text):
        changed = text[:place] + chr(ord(sign) ^ 1) + text[place + 1 :]
        error = refused(changed.splitlines(keepends=True))

        line = 1 + sum(end < place for end in ends)
        assert error.code in {"corrupt_log", "invalid_json"}
        assert error.details["line"] == line


def test_a_file_that_ends_within_a_line_is_refused() -> None:
    text = "".join(SMALL)
    for end in range(0, len(text) - 1, 7):
        assert refused(text[:end].splitlines()).details["line"] <= len(SMALL)


def test_a_file_of_other_bytes_than_ascii_is_refused() -> None:
    text = "".join(SMALL).encode().replace(b"Two.", b"Tw\xf6.")
    storage = MemoryStorage()

    with pytest.raises(InvalidInput) as caught:
        import_log(read_lines(io.BytesIO(text)), storage)

    line = 1 + text[: text.index(b"\xf6")].count(b"\n")
    assert (caught.value.code, caught.value.details["line"]) == ("invalid_json", line)
    assert storage.streams() == []


@pytest.mark.parametrize("name", ["header", "body"])
def test_what_is_no_text_is_not_exported(name: str) -> None:
    storage = MemoryStorage()
    record = append(storage, "lobby", "person_added", {"person": "ana"}, {"x": "y"})
    odd: Any = {name: b"\xff", "digest": body_digest(b"\xff", record.salt)}
    odd_one = changed(record, **odd)
    if name == "header":
        odd_one = changed(odd_one, digest=record.digest)
    chained_so = changed(odd_one, chain=chained(GENESIS, odd_one))
    storage._log[0] = chained_so

    with pytest.raises(CorruptLog):
        list(export_log(storage))


def test_line_breaks_are_the_writers_own_affair() -> None:
    for ending in ("", "\n", "\r\n"):
        lines = [line.rstrip("\n") + ending for line in SMALL]
        assert import_log(lines, MemoryStorage()).records == len(SMALL) - 2


# -- hostile files, their checksums right


def fields_of(lines: list[str]) -> list[dict[str, Any]]:
    every = [json.loads(line) for line in lines]
    for fields in every:
        del fields["sum"]
    return every


def sealed(every: list[dict[str, Any]]) -> list[str]:
    writer = Writer()
    return [writer.line(fields) for fields in every]


def rechained(every: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with the chains that their records should have."""
    chains: dict[str, bytes] = {}
    for fields in every:
        if "stream" in fields:
            fixed = (
                f"{fields['stream']}\n{fields['version']}\n{fields['type']}\n"
                f"{fields['schema']}\n{fields['critical']:d}\n{fields['at']}\n"
                f"{len(fields['header'].encode())}\n{fields['header']}"
            )
            said = fixed.encode() + bytes.fromhex(fields["digest"])
            before = chains.get(fields["stream"], bytes(32))
            chain = blake2b(before + said, digest_size=32).digest()
            chains[fields["stream"]] = chain
            fields["chain"] = chain.hex()
    return every


def line_of(kind: str) -> int:
    return next(
        place
        for place, fields in enumerate(fields_of(SMALL), start=1)
        if fields.get("type") == kind
    )


def forged(kind: str, **changed: Any) -> list[dict[str, Any]]:
    """The small log with other fields in the first record of a type."""
    every = fields_of(SMALL)
    every[line_of(kind) - 1] |= changed
    return every


def with_header(kind: str, **changed: Any) -> list[dict[str, Any]]:
    """The small log with other fields in the header of the first record of a type."""
    header = json.loads(fields_of(SMALL)[line_of(kind) - 1]["header"]) | changed
    return rechained(forged(kind, header=canonical(header).decode()))


def test_the_forger_forges_well() -> None:
    assert sealed(rechained(fields_of(SMALL))) == SMALL


HEX = "ab" * 32


@pytest.mark.parametrize(
    "changed",
    [
        {"stream": "rooms:x"},
        {"stream": "room:"},
        {"stream": ""},
        {"stream": None},
        {"stream": "room:\ud800"},
        {"version": 2.0},
        {"version": True},
        {"version": 0},
        {"version": 9},
        {"version": 2**63},
        {"type": ""},
        {"type": ["person_added"]},
        {"schema": "1"},
        {"critical": 1},
        {"at": 2**62},
        {"at": -(2**62)},
        {"at": 10**30},
        {"at": None},
        {"seq": 7},
        {"seq": None},
        {"seq": True},
        {"seq": "1"},
        {"header": "[]"},
        {"header": "{}"},
        {"header": ""},
        {"header": None},
        {"header": "no JSON"},
        {"body": '{"text":"Two.","unresolved":[]}'},
        {"body": "Two."},
        {"body": None},
        {"salt": None},
        {"salt": ""},
        {"salt": "00" * 17},
        {"salt": "00" * 16},
        {"digest": HEX},
        {"digest": ""},
        {"digest": "AB" * 32},
        {"digest": "ab " * 32},
        {"digest": 5},
        {"chain": HEX},
        {"chain": ""},
        {"chain": "xy"},
        {"position": 3},
    ],
    ids=str,
)
def test_a_field_that_was_never_recorded_so_is_refused(changed: dict[str, Any]) -> None:
    error = refused(sealed(forged("message_posted", **changed)))

    assert error.code == "corrupt_log"
    assert error.details["line"] == line_of("message_posted")


@pytest.mark.parametrize("name", list(fields_of(SMALL)[1]))
def test_a_field_that_is_missing_is_refused(name: str) -> None:
    every = fields_of(SMALL)
    del every[3][name]

    assert refused(sealed(every)).details["line"] == 4


@pytest.mark.parametrize(
    "header",
    [
        '{"by": "system","rules":1,"person":"ana"}',
        '{"by":"system","rules":1,"person":"ana","person":"ana"}',
        '{"by":"system","rules":1,"person":"\\u0061na"}',
        '{"by":"system","rules":1,"person":"\\ud800"}',
        '{"by":"system","rules":NaN,"person":"ana"}',
        '{"by":"system","rules":1e0,"person":"ana"}',
        '{"by":"system","rules":1,"person":"ana"}\n',
        '{"by":"system","rules":1,"person":"ana","x":' + "[" * 64 + "]" * 64 + "}",
        '{"by":"system","rules":1,"person":"ana","x":' + "[" * 9999 + "]" * 9999 + "}",
        '{"by":"system","rules":1,"person":"ana","x":' + "9" * 5000 + "}",
    ],
    ids=[
        "blank",
        "twice",
        "escape",
        "half",
        "nan",
        "float",
        "break",
        "deep",
        "deeper",
        "digits",
    ],
)
def test_a_header_that_is_not_canonical_is_refused(header: str) -> None:
    error = refused(sealed(rechained(forged("person_added", header=header))))

    assert error.code == "corrupt_log"
    assert error.details["line"] == line_of("person_added")


def test_a_header_may_hold_what_is_63_deep() -> None:
    """Fields of a later version are kept: one with lists to the limit."""
    deep: list[Any] = []
    for _ in range(62):
        deep = [deep]

    assert import_log(sealed(with_header("person_added", x=deep)), MemoryStorage())


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("person_added", {"by": 5}),
        ("person_added", {"rules": "1"}),
        ("person_added", {"keys": [["a"]]}),
        ("person_added", {"keys": "ab"}),
        ("person_added", {"keys": [["a", 5]]}),
        ("person_added", {"person": ["ana"]}),
        ("person_added", {"person": None}),
        ("agent_added", {"threaded": 1}),
        ("agent_added", {"agent": {}}),
        ("room_created", {"policy": []}),
        ("seat_joined", {"interval": True}),
        ("seat_joined", {"interval": 2**63}),
        ("seat_joined", {"mode": None}),
        ("seat_joined", {"mode": "sometimes"}),
        ("seat_joined", {"interval": 0}),
        ("subscribed", {"mode": 5}),
        ("subscribed", {"mode": "sometimes"}),
        ("subscribed", {"interval": -1}),
        ("subscribed", {"reheard": [[1, "now", "nowhere", "tagged"]]}),
        ("subscribed", {"reheard": [[1, "later", "held", "tagged"]]}),
        ("message_posted", {"owed": [["c", "now", "loud", "tagged", "held"]]}),
        ("message_posted", {"owed": [["x"]]}),
        ("message_posted", {"owed": {}}),
        ("message_posted", {"to": "all"}),
        ("message_posted", {"to": [1]}),
    ],
    ids=str,
)
def test_a_fact_of_another_shape_is_refused(kind: str, changed: dict[str, Any]) -> None:
    error = refused(sealed(with_header(kind, **changed)))

    assert error.code == "corrupt_log"
    assert error.details["line"] == line_of(kind)


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("message_posted", {"owed": [["nobody", "now", "direct", "x", "ready"]]}),
        ("room_created", {"policy": {"people": "rule"}}),
        ("room_created", {"policy": {"wake_window": [1]}}),
    ],
    ids=str,
)
def test_a_fact_that_cannot_follow_is_refused_with_its_line(
    kind: str, changed: dict[str, Any]
) -> None:
    error = refused(sealed(with_header(kind, **changed)))

    assert error.code == "corrupt_log"
    assert error.details["line"] == line_of(kind)


def test_a_missing_field_of_a_fact_is_refused() -> None:
    every = rechained(forged("person_added", header='{"by":"system","rules":1}'))

    assert refused(sealed(every)).details["line"] == line_of("person_added")


def test_a_key_that_two_records_hold_is_refused(empty: Storage) -> None:
    every = with_header("seat_joined", keys=[["request:post:person:ana:r-1", "f"]])

    error = refused(sealed(every), empty)

    assert error.code == "corrupt_log"
    assert error.details["line"] == line_of("message_posted")


def test_a_key_that_was_stored_long_before_is_refused(empty: Storage) -> None:
    every = fields_of(large_log(700))
    header = json.loads(every[650]["header"]) | {"keys": [["name:r", "f"]]}
    every[650]["header"] = canonical(header).decode()

    error = refused(sealed(rechained(every)), empty)

    assert (error.code, error.details["line"]) == ("corrupt_log", 651)


@pytest.mark.parametrize("name", ["salt", "digest", "chain"])
def test_a_number_in_capitals_is_refused(name: str) -> None:
    written = fields_of(SMALL)[line_of("message_posted") - 1][name]
    every = forged("message_posted", **{name: written.upper()})

    assert written.upper() != written
    assert refused(sealed(every)).details["line"] == line_of("message_posted")


def test_a_refusal_after_a_refusal_names_its_own_line(empty: Storage) -> None:
    header = json.loads(fields_of(SMALL)[line_of("room_created") - 1]["header"])
    policy = header["policy"] | {"people": "rule"}
    every = sealed(with_header("room_created", policy=policy))

    for _ in range(2):
        assert refused(every, empty).details["line"] == line_of("room_created")


def test_a_time_that_falls_is_refused() -> None:
    every = rechained(forged("message_posted", at=0))

    assert refused(sealed(every)).details["line"] == line_of("message_posted")


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ({}, "unsupported_schema"),
        ({"format": "rooms-log"}, "unsupported_schema"),
        ({"format": "rooms-log", "version": 2}, "unsupported_schema"),
        ({"format": "rooms-log", "version": True}, "unsupported_schema"),
        ({"format": "rooms-log", "version": 1, "more": 1}, "unsupported_schema"),
        ({"format": ["rooms-log"], "version": 1}, "unsupported_schema"),
        ({"speaker": "ana"}, "unsupported_schema"),
    ],
    ids=str,
)
def test_another_first_line_is_refused(first: dict[str, Any], code: str) -> None:
    error = refused(sealed([first, *fields_of(SMALL)[1:]]))

    assert (error.code, error.details["line"]) == (code, 1)
    assert isinstance(error, UnsupportedSchema)


@pytest.mark.parametrize(
    "last",
    [
        {"records": 1, "streams": 3},
        {"records": len(SMALL) - 2, "streams": 9},
        {"records": len(SMALL) - 2},
        {"records": str(len(SMALL) - 2), "streams": 3},
        {"records": None, "streams": 3, "more": 1},
        {"records": len(SMALL) - 2, "streams": 3, "more": 1},
    ],
    ids=str,
)
def test_another_count_in_the_last_line_is_refused(last: dict[str, Any]) -> None:
    error = refused(sealed([*fields_of(SMALL)[:-1], last]))

    assert (error.code, error.details["line"]) == ("corrupt_log", len(SMALL))


def raw(content: str) -> str:
    """A first line with any content, its checksum right."""
    digest = blake2b(bytes(16) + content.encode(), digest_size=16).hexdigest()
    return f'{content[:-1]},"sum":"{digest}"}}\n'


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\n",
        "no JSON",
        '{"speaker": "ana"}',
        "\ufeff" + SMALL[0],
        SMALL[0].replace("rooms", "r\u00f6oms"),
        raw('{"format": "rooms-log","version":1}'),
        raw('{"format":"rooms-log","version":1,"version":1}'),
        raw('{"format":"rooms-log","version":1e0}'),
        raw('{"format":"rooms-log","version":NaN}'),
        raw('{"format":"rooms-log","version":' + "9" * 5000 + "}"),
        raw('{"format":' + "[" * 99_999 + "]" * 99_999 + "}"),
        raw("}"),
    ],
    ids=[
        "empty",
        "blank",
        "text",
        "transcript",
        "mark",
        "letter",
        "space",
        "twice",
        "float",
        "nan",
        "digits",
        "deep",
        "nothing",
    ],
)
def test_what_is_no_line_of_an_export_is_refused(line: str) -> None:
    error = refused([line, *SMALL[1:]])

    assert (error.code, error.details["line"]) == ("invalid_json", 1)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.text() | st.sampled_from(SMALL), max_size=12))
def test_any_lines_are_refused_in_our_words(lines: list[str]) -> None:
    if lines != SMALL:
        assert refused(lines).code in {
            "invalid_json",
            "corrupt_log",
            "unsupported_schema",
        }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
HEADERS = [
    (place, name)
    for place, fields in enumerate(fields_of(SMALL))
    if "header" in fields
    for name in json.loads(fields["header"])
]


@settings(max_examples=sized(300, 1_500), deadline=None, derandomize=True)
@given(st.sampled_from(HEADERS), JSON)
def test_any_value_in_a_header_is_refused_or_makes_a_lobby_that_works(
    where: tuple[int, str], value: Any
) -> None:
    place, name = where
    every = fields_of(SMALL)
    header = json.loads(every[place]["header"]) | {name: value}
    every[place]["header"] = json.dumps(
        header, ensure_ascii=False, separators=(",", ":")
    )
    storage = MemoryStorage()
    try:
        import_log(sealed(rechained(every)), storage)
    except CorruptLog:
        return
    with Lobby(storage, **Shell(1_000).options()) as lobby:
        assert not any(one.damages for one in lobby.verify().values())
        for room in lobby.rooms:
            try:
                room.read(by=lobby.person("zoe"))
                room.post("Three.", by=lobby.person("zoe"), to=["all"])
                lobby.take_wakes()
            except RoomsError:
                continue


@pytest.mark.parametrize(
    "lines", [None, 5, "text", b"bytes", [None], [b"bytes"], [5]], ids=repr
)
def test_what_is_no_sequence_of_lines_is_refused(lines: Any) -> None:
    assert isinstance(refused(lines), InvalidInput)


# -- limits, and whatever fails in the middle


def test_a_line_that_is_too_long_is_refused_before_it_is_read_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_lines, "MOST_CHARACTERS", 1_000)

    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readline(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 < size < 1_010
            self.given += size
            return b"{" * size

    file: Any = Endless()
    with pytest.raises(InvalidInput) as caught:
        list(read_lines(file))

    assert (caught.value.code, caught.value.details["line"]) == ("too_large", 1)
    assert file.given < 1_010
    assert refused(["{" * 2_000]).code == "too_large"


def test_what_no_import_would_read_is_not_exported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lobby = Lobby(MemoryStorage(), **Shell().options())
    room = lobby.create_room("r", by=lobby.person("ana"))
    room.post("x" * 2_000, by=lobby.person("ana"))
    monkeypatch.setattr(log_lines, "MOST_CHARACTERS", 1_000)

    with pytest.raises(InvalidInput) as caught:
        lines_of(lobby)
    assert caught.value.code == "too_large"


def test_a_storage_that_holds_a_log_is_left_as_it_is(empty: Storage) -> None:
    import_log(SMALL, empty)
    before = everything(empty)

    with pytest.raises(Conflict) as caught:
        import_log(SMALL, empty)

    assert caught.value.code == "not_empty"
    assert everything(empty) == before
    assert empty.find("name:r") is not None


def test_after_a_refusal_the_same_storage_takes_the_whole_file(empty: Storage) -> None:
    large = large_log(1_300)  # a refusal behind two parts that were stored
    refused([*large[:-1], SMALL[-1]], empty)

    import_log(large, empty)

    assert list(export_log(empty)) == large


def test_lines_that_fail_leave_nothing(empty: Storage) -> None:
    def failing() -> Iterator[str]:
        yield from large_log(700)[:-1]
        raise OSError

    with pytest.raises(OSError):
        import_log(failing(), empty)

    assert empty.streams() == []
    assert empty.find("name:r") is None


def large_log(messages: int) -> list[str]:
    lobby = Lobby(MemoryStorage(), **Shell().options())
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana, policy="thread", request_id="r")
    for number in range(messages):
        room.post(f"{number} " + "x" * 100, by=ana, request_id=f"r-{number}")
    return lines_of(lobby)


@pytest.mark.parametrize("pages", [30, 60, 120])
def test_a_disk_that_is_full_leaves_nothing(tmp_path: Path, pages: int) -> None:
    path = tmp_path / "full.db"
    storage = SQLiteStorage(path)
    with storage._database.reading as run:
        run(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(StorageFull):
        import_log(large_log(1_300), storage)
    storage.close()

    again = SQLiteStorage(path)
    assert again.streams() == []
    assert import_log(SMALL, again).records == len(SMALL) - 2
    again.close()


def test_where_nothing_can_be_taken_out_again_nothing_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = SQLiteStorage(tmp_path / "odd.db")

    def fail(stream: str) -> NoReturn:
        raise StorageError("storage_failed", "the disk is odd")

    monkeypatch.setattr(storage, "remove", fail)
    with pytest.raises(CorruptLog):
        import_log(large_log(700)[:-1], storage)

    again = SQLiteStorage(tmp_path / "odd.db")
    assert again.streams() == []
    again.close()


def test_an_import_needs_no_more_memory_for_more_lines(tmp_path: Path) -> None:
    def peak(messages: int) -> int:
        text = "".join(large_log(messages)).encode()
        storage = SQLiteStorage(tmp_path / f"{messages}.db")
        tracemalloc.start()
        import_log(read_lines(io.BytesIO(text)), storage)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        storage.close()
        return most

    assert peak(4_000) < peak(1_000) + 300_000


def test_files_that_go_meanwhile_leave_no_whole_export() -> None:
    lobby = a_lobby(Shell())
    ana = lobby.person("ana")
    room = lobby.create_room("Files", by=ana, policy="thread")
    said = room.post("Soon gone.", by=ana, attachments={"a.txt": b"a"}).message
    for number in range(600):  # more than is read at once
        room.post(str(number), by=ana)
    export = lobby.export()
    taken = [next(export) for _ in range(20)]
    room.erase(said.id, by=ana)

    with pytest.raises(Conflict) as caught:
        taken.extend(export)
    assert caught.value.code == "erased_meanwhile"
    with pytest.raises(CorruptLog):
        import_log(taken, MemoryStorage())
    import_log(lobby.export(), MemoryStorage())
