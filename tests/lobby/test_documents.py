"""Documents: any member changes them, from the revision that it read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Clock, Place
from lobby.test_contention import furnished, together
from rooms import (
    Conflict,
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    OverLimit,
    Room,
    RoomPolicy,
    RoomsError,
    hookimpl,
)
from rooms.errors import CorruptLog, IdempotencyConflict, StorageFull
from rooms.lobby.transfer.log import import_log
from rooms.log.lines import Reader, Writer
from rooms.storage import Change, MemoryStorage


def texts(room: Room, by: Any) -> dict[str, str | None]:
    """What each document says now."""
    files = room.files
    return {
        one.path: files.read(one.path, by=by).content for one in files.documents(by=by)
    }


def refused(kind: type[RoomsError], work: Any) -> RoomsError:
    with pytest.raises(kind) as caught:
        work()
    return caught.value


# -- writing


@pytest.mark.rule("G-DOC-03", "G-DOC-05", "G-ACCESS-10", "G-ROOM-01")
def test_any_member_creates_changes_and_removes_any_document(
    hall: Room, eve: Conversation, ben: Conversation, clock: Clock
) -> None:
    made = hall.files.write("plan.md", "One.", by=eve)
    clock.advance(60)
    changed = hall.files.write("plan.md", "One. Two.", by=ben, base=made.id)

    assert (made.change, made.author, made.base, made.size) == ("created", eve, None, 4)
    assert (changed.change, changed.author, changed.base) == ("changed", ben, made.id)
    assert changed.at == clock.at(60)
    assert texts(hall, eve) == texts(hall, ben) == {"plan.md": "One. Two."}

    removed = hall.files.remove("plan.md", by=ben, base=changed.id)

    assert (removed.change, removed.author, removed.size) == ("removed", ben, 0)
    assert hall.files.documents(by=eve) == ()
    gone = refused(NotFound, lambda: hall.files.read("plan.md", by=eve))
    assert gone.code == "file_not_found"


@pytest.mark.rule("G-DOC-06", "G-DOC-08", "G-DOC-09")
def test_a_base_that_is_not_current_is_refused_with_the_current_one(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    files = hall.files
    first = files.write("plan.md", "first", by=eve)
    second = files.write("plan.md", "second", by=ben, base=first.id)
    before = list(hall._desk.storage.scan())
    never = f"{first.id.partition('.')[0]}.00009999"

    for base in (first.id, None, never, "never was", "\uff11", "x" * 9):
        lost = refused(
            Conflict,
            lambda base=base: files.write("plan.md", "third", by=eve, base=base),
        )
        assert (lost.code, lost.details["current"]) == ("stale_revision", second.id)
    for base in (first.id, never):
        lost = refused(
            Conflict, lambda base=base: files.remove("plan.md", by=eve, base=base)
        )
        assert (lost.code, lost.details["current"]) == ("stale_revision", second.id)

    assert list(hall._desk.storage.scan()) == before
    assert texts(hall, eve) == {"plan.md": "second"}


@pytest.mark.rule("G-DOC-09")
def test_a_removed_path_is_created_again_without_a_base(
    hall: Room, eve: Conversation
) -> None:
    files = hall.files
    first = files.write("plan.md", "first", by=eve)
    files.remove("plan.md", by=eve, base=first.id)

    lost = refused(Conflict, lambda: files.write("plan.md", "x", by=eve, base=first.id))
    again = files.write("plan.md", "anew", by=eve)

    assert (lost.code, lost.details["current"]) == ("stale_revision", None)
    assert (again.change, again.base) == ("created", None)
    assert texts(hall, eve) == {"plan.md": "anew"}


@pytest.mark.rule("G-DOC-07")
def test_a_change_of_another_document_is_no_hindrance(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    plan = hall.files.write("plan.md", "first", by=eve)
    hall.files.write("notes.md", "other", by=ben)
    hall.post("and a message", by=ben)

    hall.files.write("plan.md", "second", by=eve, base=plan.id)

    assert texts(hall, ben) == {"notes.md": "other", "plan.md": "second"}


def test_what_it_says_already_is_no_change(hall: Room, eve: Conversation) -> None:
    first = hall.files.write("plan.md", "the same", by=eve)
    before = list(hall._desk.storage.scan())

    assert hall.files.write("plan.md", "the same", by=eve, base=first.id) == first
    assert list(hall._desk.storage.scan()) == before


def test_a_repeated_request_is_answered_with_the_revision_that_it_left(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    files = hall.files
    first = files.write("plan.md", "first", by=eve, request_id="r-1")
    second = files.write("plan.md", "second", by=ben, base=first.id, request_id="r-1")

    assert files.write("plan.md", "first", by=eve, request_id="r-1") == first
    other = refused(
        IdempotencyConflict,
        lambda: files.write("plan.md", "third", by=eve, request_id="r-1"),
    )
    assert other.code == "idempotency_conflict"
    removed = files.remove("plan.md", by=eve, base=second.id, request_id="r-2")
    assert files.remove("plan.md", by=eve, base=second.id, request_id="r-2") == removed


@pytest.mark.rule("G-DOC-01", "G-DOC-02")
def test_every_format_and_depth_that_may_be(hall: Room, eve: Conversation) -> None:
    paths = [
        *("a.md", "b.markdown", "c.txt", "d.json", "e.yaml", "f.yml", "g.csv"),
        *("A/B/C/PLAN.MD", "a b/c-d/é.会議.md", "..a/b...c.md", "x" * 252 + ".md"),
    ]
    for path in paths:
        hall.files.write(path, path, by=eve)

    assert texts(hall, eve) == {path: path for path in sorted(paths)}


HOSTILE = [
    ("", "bad_path"),
    ("/plan.md", "bad_path"),
    ("../plan.md", "bad_path"),
    ("a/../plan.md", "bad_path"),
    ("a/./plan.md", "bad_path"),
    ("./plan.md", "bad_path"),
    ("a//plan.md", "bad_path"),
    ("plan.md/", "bad_path"),
    ("a/b/c/d/plan.md", "bad_path"),
    ("a\\plan.md", "bad_path"),
    ("..\\plan.md", "bad_path"),
    ("C:plan.md", "bad_path"),
    ("C:/plan.md", "bad_path"),
    ("C:\\plan.md", "bad_path"),
    ("\\\\host\\share\\plan.md", "bad_path"),
    ("plan.md:stream.md", "bad_path"),
    ("plan\0.md", "bad_path"),
    ("plan.md\0.txt", "bad_path"),
    ("plan\n.md", "bad_path"),
    ("plan\u202e.md", "bad_path"),
    ("plan\ud83d.md", "bad_path"),
    (" plan.md", "bad_path"),
    ("plan.md ", "bad_path"),
    ("a /plan.md", "bad_path"),
    ("a./plan.md", "bad_path"),
    (".git/plan.md", "bad_path"),
    ("a/.GIT/plan.md", "bad_path"),
    ("GIT~1/plan.md", "bad_path"),
    ("notes.md/plan.md", "bad_path"),
    ("x" * 253 + ".md", "too_large"),
    ("é" * 127 + ".md", "too_large"),
    ("a/" * 5_000_000 + "plan.md", "too_large"),
    ("plan.exe", "not_text"),
    ("plan", "not_text"),
    (".md", "not_text"),
    ("plan.md.png", "not_text"),
    (None, "invalid_request"),
    (7, "invalid_request"),
    (b"plan.md", "invalid_request"),
    (["plan.md"], "invalid_request"),
    (Path("plan.md"), "invalid_request"),
]


@pytest.mark.rule("G-DOC-01", "G-DOC-02", "G-DOC-10")
@pytest.mark.parametrize(("path", "code"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_path_that_is_none_is_refused(
    hall: Room, eve: Conversation, path: Any, code: str
) -> None:
    before = list(hall._desk.storage.scan())

    for work in (
        lambda: hall.files.write(path, "x", by=eve),
        lambda: hall.files.remove(path, by=eve, base="x.00000001"),
    ):
        error = refused(InvalidInput, work)
        assert (error.code, error.details["field"]) == (code, "path")
    assert list(hall._desk.storage.scan()) == before


@pytest.mark.parametrize(
    ("options", "field", "code"),
    [
        ({"content": None}, "content", "invalid_request"),
        ({"content": b"bytes"}, "content", "invalid_request"),
        ({"content": "half \ud83d"}, "content", "invalid_request"),
        ({"content": "a\0b"}, "content", "not_text"),
        ({"base": 7}, "base", "invalid_request"),
        ({"base": ""}, "base", "invalid_request"),
        ({"request_id": ""}, "request_id", "invalid_request"),
        ({"request_id": "x\n"}, "request_id", "invalid_request"),
        ({"by": "eve"}, "by", "invalid_request"),
    ],
)
def test_what_is_no_document_is_refused(
    hall: Room, eve: Conversation, options: dict[str, Any], field: str, code: str
) -> None:
    given: dict[str, Any] = {"path": "plan.md", "content": "x", "by": eve, **options}

    error = refused(InvalidInput, lambda: hall.files.write(**given))

    assert (error.code, error.details["field"]) == (code, field)
    assert hall.files.documents(by=eve) == ()


# -- limits


@pytest.mark.rule("G-DOC-02")
def test_a_document_has_at_most_512_kb(hall: Room, eve: Conversation) -> None:
    most = 524_288
    full = hall.files.write("full.txt", "é" * (most // 2), by=eve)

    over = refused(
        OverLimit, lambda: hall.files.write("over.txt", "é" * (most // 2) + "x", by=eve)
    )
    grown = refused(
        OverLimit,
        lambda: hall.files.write("full.txt", "x" * (most + 1), by=eve, base=full.id),
    )

    assert (over.code, over.details["limit"]) == ("too_large", most)
    assert (grown.code, grown.details["size"]) == ("too_large", most + 1)
    assert hall.files.read("full.txt", by=eve).size == most


@pytest.mark.rule("G-DOC-02")
def test_a_room_holds_at_most_500_documents(hall: Room, eve: Conversation) -> None:
    made = [hall.files.write(f"{n}.md", "", by=eve) for n in range(500)]

    over = refused(OverLimit, lambda: hall.files.write("one-more.md", "", by=eve))
    hall.files.write("0.md", "a change is none more", by=eve, base=made[0].id)
    hall.files.remove("1.md", by=eve, base=made[1].id)
    hall.files.write("one-more.md", "", by=eve)

    assert (over.code, over.details["limit"]) == ("too_many", 500)
    assert len(hall.files.documents(by=eve)) == 500


def test_a_room_has_other_limits_by_its_policy(lobby: Lobby, ben: Conversation) -> None:
    policy = RoomPolicy(max_documents=1, max_document_bytes=3)
    room = lobby.create_room("small", by=ben, policy=policy)
    room.files.write("a.md", "abc", by=ben)

    assert refused(OverLimit, lambda: room.files.write("b.md", "a", by=ben)).code == (
        "too_many"
    )
    assert refused(
        OverLimit, lambda: room.files.write("b.md", "abcd", by=ben)
    ).code == ("too_large")


# -- who may


def test_only_members_read_and_write(hall: Room, lobby: Lobby) -> None:
    outsider = lobby.add_agent("cy").conversation()
    ana = lobby.person("ana")
    files = hall.files

    for work in (
        lambda: files.write("plan.md", "x", by=outsider),
        lambda: files.remove("plan.md", by=outsider, base="x.1"),
        lambda: files.read("plan.md", by=outsider),
        lambda: files.documents(by=outsider),
    ):
        assert refused(NotAllowed, work).code == "not_a_member"
    for work in (
        lambda: files.write("plan.md", "x", by=ana),
        lambda: files.remove("plan.md", by=ana, base="x.1"),
    ):
        assert refused(NotAllowed, work).code == "read_only_access"
    assert files.documents(by=ana) == ()  # a person watches


class Administers:
    """A host in which root reads every room."""

    @hookimpl
    def rooms_may(self, actor: Any, action: str) -> bool:
        return (actor.id, action) == ("root", "read_every_room")


@pytest.mark.rule("G-ACCESS-06", "G-AUDIT-02", "G-AUDIT-04")
def test_oversight_reads_documents_and_is_recorded_and_writes_none(
    lobby: Lobby, ben: Conversation
) -> None:
    lobby.register(Administers())
    root, zoe = lobby.person("root"), lobby.person("zoe")
    secret = lobby.create_room("plans", by=ben, access="invite_only")
    made = secret.files.write("plan.md", "one", by=ben)
    before = lobby._desk.storage.head("lobby").version

    assert texts(secret, root) == {"plan.md": "one"}
    assert list(secret.files.history(by=root)) == [made]
    recorded = lobby._desk.storage.read("lobby", after=before)
    assert [one.type for one in recorded] == ["oversight_read"] * 3
    assert all(b'"documents"' in one.header for one in recorded)
    error = refused(NotAllowed, lambda: secret.files.write("b.md", "x", by=root))
    assert error.code == "read_only_access"
    for work in (
        lambda: secret.files.read("plan.md", by=zoe),
        lambda: secret.files.write("b.md", "x", by=zoe),
        lambda: secret.files.remove("plan.md", by=zoe, base=made.id),
        lambda: secret.files.documents(by=zoe),
        lambda: secret.files.history(by=zoe),
    ):
        assert refused(NotFound, work).code == "room_not_found"


def test_people_write_where_they_post(lobby: Lobby, ben: Conversation) -> None:
    ana = lobby.person("ana")
    room = lobby.create_room("desk", by=ben, policy=RoomPolicy(people="post"))

    made = room.files.write("plan.md", "from a person", by=ana)

    assert made.author == ana
    assert texts(room, ben) == {"plan.md": "from a person"}


def test_a_deleted_room_has_no_documents(lobby: Lobby, ben: Conversation) -> None:
    room = lobby.create_room("short-lived", by=ben)
    made = room.files.write("plan.md", "x", by=ben)
    room.delete(by=lobby.person("ben"))

    for work in (
        lambda: room.files.write("plan.md", "y", by=ben, base=made.id),
        lambda: room.files.remove("plan.md", by=ben, base=made.id),
        lambda: room.files.read("plan.md", by=ben),
        lambda: room.files.documents(by=ben),
    ):
        assert refused(NotFound, work).code == "room_not_found"


# -- reading


@pytest.mark.rule("G-FILE-05")
def test_a_document_is_returned_whole(hall: Room, eve: Conversation) -> None:
    said = "会議\r\n\u2028 every line\n" * 20_000
    made = hall.files.write("a/long.txt", said, by=eve)

    read = hall.files.read("a/long.txt", by=eve)

    assert (read.store, read.path, read.content) == ("document", "a/long.txt", said)
    assert (read.revision, read.size) == (made, len(said.encode()))
    assert (read.attachment, read.next_offset) == (None, None)


def test_a_former_revision_is_read_by_its_id(hall: Room, eve: Conversation) -> None:
    files = hall.files
    first = files.write("plan.md", "first", by=eve)
    second = files.write("plan.md", "second", by=eve, base=first.id)
    other = files.write("other.md", "other", by=eve)
    removed = files.remove("plan.md", by=eve, base=second.id)
    said = hall.post("a message", by=eve).message.id

    assert files.read("plan.md", by=eve, revision=first.id).content == "first"
    assert files.read("plan.md", by=eve, revision=second.id).revision == second
    for never in (other.id, removed.id, said, "x", "x.1", first.id + "9" * 40):
        error = refused(
            NotFound, lambda one=never: files.read("plan.md", by=eve, revision=one)
        )
        assert error.code == "file_not_found"


def test_documents_survive_a_crash_and_a_snapshot(
    place: Place, hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    made = hall.files.write("plan.md", "kept", by=eve)
    lobby._desk.streams.save_snapshots(every=1)

    again = place.crash()

    room, member = again.room(hall.id), again.conversation("Eve", label="acme")
    assert texts(room, member) == {"plan.md": "kept"}
    room.files.write("plan.md", "changed", by=member, base=made.id)
    assert texts(hall, eve) == {"plan.md": "changed"}


class Counted:
    """A storage that counts what it is asked, and how many records it gives."""

    def __init__(self, storage: Any) -> None:
        self.storage = storage
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        given = getattr(self.storage, name)
        if not callable(given):
            return given

        def counting(*arguments: Any, **options: Any) -> Any:
            answer = given(*arguments, **options)
            self.asked[name] += 1
            if isinstance(answer, list):
                self.asked["records"] += len(answer)
            return answer

        return counting


def test_a_read_costs_the_same_after_any_history(lobby: Lobby, ben: Any) -> None:
    room = lobby.create_room("r", by=ben)
    revision = room.files.write("plan.md", "0", by=ben)
    desk: Any = lobby._desk
    counted = Counted(desk.storage)
    desk.storage = desk.streams.storage = counted
    costs = []
    for number in range(1, 402):
        revision = room.files.write("plan.md", str(number), by=ben, base=revision.id)
        if number in {1, 401}:
            counted.asked.clear()
            assert room.files.read("plan.md", by=ben).content == str(number)
            costs.append(dict(counted.asked))

    assert costs[0] == costs[1]
    assert costs[0]["records"] == 1


# -- history


@pytest.mark.rule("G-DOC-04")
def test_every_change_is_in_the_history_with_its_author_newest_first(
    hall: Room, eve: Conversation, ben: Conversation, clock: Clock
) -> None:
    files = hall.files
    made = files.write("plan.md", "one", by=eve)
    clock.advance(60)
    other = files.write("notes.md", "two", by=ben)
    hall.post("a message between", by=ben)
    changed = files.write("plan.md", "three", by=ben, base=made.id)
    removed = files.remove("plan.md", by=eve, base=changed.id)
    again = files.write("plan.md", "anew", by=ben)

    whole = files.history(by=eve)
    assert list(whole) == [again, removed, changed, other, made]
    assert [one.author for one in whole] == [ben, eve, ben, ben, eve]
    assert [one.at for one in whole] == [clock.at(60)] * 4 + [clock.at(0)]
    assert list(files.history("plan.md", by=ben)) == [again, removed, changed, made]
    assert list(files.history("notes.md", by=ben)) == [other]
    assert list(files.history("never.md", by=ben)) == []


def test_a_history_is_read_in_pages(hall: Room, eve: Conversation) -> None:
    made = [hall.files.write(f"{n}.md", "", by=eve) for n in range(5)]
    pages, before = [], None
    while True:
        page = hall.files.history(by=eve, before=before, limit=2)
        pages.append([one.path for one in page])
        before = page.next_cursor
        if before is None:
            break

    assert pages == [["4.md", "3.md"], ["2.md", "1.md"], ["0.md"]]
    whole = hall.files.history(by=eve, limit=5)
    assert (len(whole), whole.next_cursor) == (5, None)
    assert made[0] == whole.items[-1]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 1_001}, "limit"),
        ({"limit": True}, "limit"),
        ({"before": 7}, "before"),
        ({"before": "x"}, "before"),
        ({"path": "../x.md"}, "path"),
        ({"path": 7}, "path"),
    ],
)
def test_what_is_no_page_of_a_history_is_refused(
    hall: Room, eve: Conversation, options: dict[str, Any], field: str
) -> None:
    given: dict[str, Any] = {"path": None, "by": eve, **options}

    error = refused(InvalidInput, lambda: hall.files.history(**given))

    assert error.details["field"] == field


def test_the_history_is_the_same_on_every_handle_and_made_anew_when_damaged(
    place: Place, hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    first = hall.files.write("plan.md", "one", by=eve)
    second = hall.files.write("plan.md", "two", by=eve, base=first.id)
    before = list(hall.files.history(by=eve))
    storage = lobby._desk.storage
    reached = storage.projected_to("files.1")
    storage.project(
        "files.1",
        expected=reached,
        position=reached,
        changes=[Change(("change", hall.id, "no number"), b"[]")],
    )

    again = place.crash()
    member = again.conversation("Eve", label="acme")
    after = again.room(hall.id).files.history(by=member)

    assert before == [second, first]
    assert [one.id for one in after] == [second.id, first.id]


@pytest.mark.rule("G-IDLE-01")
def test_a_change_and_a_look_are_signs_of_life(
    hall: Room, lobby: Lobby, eve: Conversation, ben: Conversation, clock: Clock
) -> None:
    made = hall.files.write("plan.md", "x", by=eve)
    clock.advance(days=20)
    hall.files.write("plan.md", "y", by=eve, base=made.id)
    hall.files.read("plan.md", by=ben)
    before = lobby._desk.storage.position()
    hall.files.documents(by=ben)  # within six hours: nothing is recorded
    assert lobby._desk.storage.position() == before

    since, ana = clock.at(19 * 86_400), lobby.person("ana")
    assert lobby.figures(by=ana, since=since).participants == 2
    clock.advance(days=20)
    seats = [one for agent in hall.participants(by=eve).previous for one in agent.seats]
    assert [one.last_active for one in seats] == [clock.at(20 * 86_400)] * 2
    assert lobby.sweep().dropped == ()
    clock.advance(days=11)
    assert {one.conversation for one in lobby.sweep().dropped} == {eve, ben}


def test_a_person_that_writes_documents_takes_part(
    lobby: Lobby, ben: Conversation, clock: Clock
) -> None:
    ana = lobby.person("ana")
    room = lobby.create_room("desk", by=ben, policy=RoomPolicy(people="post"))
    clock.advance(days=1)
    room.files.write("plan.md", "x", by=ana)

    assert lobby.figures(by=ana, since=clock.now).participants == 1


@pytest.mark.rule("G-VIEW-11")
def test_documents_and_attachments_are_listed_with_each_ones_history(
    hall: Room, eve: Conversation, ben: Conversation, lobby: Lobby
) -> None:
    ana = lobby.person("ana")
    first = hall.files.write("b.md", "1", by=eve)
    second = hall.files.write("b.md", "2", by=ben, base=first.id)
    other = hall.files.write("a/a.md", "3", by=ben)
    sent = hall.post("x", by=eve, attachments={"deck.pdf": b"%PDF", "log": b"l"})

    documents = hall.files.documents(by=ana)

    assert documents == (other, second)
    histories = [list(hall.files.history(one.path, by=ana)) for one in documents]
    assert histories == [[other], [second, first]]
    assert hall.files.attachments(by=ana).items == sent.message.attachments


# -- contents


def test_a_content_is_kept_once_and_goes_with_the_last_room_that_names_it(
    lobby: Lobby, ben: Conversation
) -> None:
    here, there = (lobby.create_room(name, by=ben) for name in ("here", "there"))
    shared, own = "said in both rooms", "said in one room"
    for room in (here, there):
        room.files.write("plan.md", shared, by=ben)
    first = here.files.write("own.md", own, by=ben)
    here.files.write("own.md", "and changed", by=ben, base=first.id)
    storage, ana = lobby._desk.storage, lobby.person("ben")

    here.delete(by=ana)

    assert there.files.read("plan.md", by=ben).content == shared
    for gone in (own, "and changed"):
        assert (
            refused(NotFound, lambda one=gone: storage.blob(digest(one))).code
            == "unknown_blob"
        )
    there.delete(by=ana)
    refused(NotFound, lambda: storage.blob(digest(shared)))


def test_a_storage_that_cannot_keep_the_content_records_nothing(
    hall: Room, eve: Conversation, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = hall.files.write("plan.md", "first", by=eve)
    storage = lobby._desk.storage
    before = list(storage.scan())

    def full(_: Any) -> str:
        raise StorageFull("storage_full", "there is no room")

    with monkeypatch.context() as patched:
        patched.setattr(storage, "put_blob", full)
        refused(
            StorageFull,
            lambda: hall.files.write("plan.md", "lost", by=eve, base=first.id),
        )
        refused(StorageFull, lambda: hall.post("x", by=eve, attachments={"a": b"lost"}))

    assert list(storage.scan()) == before
    assert hall.files.documents(by=eve) == (first,)
    hall.files.write("plan.md", "goes on", by=eve, base=first.id)
    assert hall.post("goes on", by=eve, attachments={"a": b"kept"}).message.seq == 1


def test_a_content_that_is_lost_or_changed_is_damage(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    lost = hall.files.write("a.md", "lost", by=eve)
    hall.files.write("b.md", "kept", by=eve)
    sent = hall.post("x", by=eve, attachments={"a": b"kept", "b": b"lost"}).message
    assert not any(one.damages for one in lobby.verify().values())
    lobby._desk.storage.remove_blob(digest("lost"))

    damages = lobby.verify()[f"room:{hall.id}"].damages

    named = [int(one.rpartition(".")[2]) for one in (lost.id, sent.id)]
    assert [(one.version, one.problem) for one in damages] == [
        (version, "content") for version in named
    ]


def test_a_refused_change_keeps_no_content(hall: Room, eve: Conversation) -> None:
    hall.files.write("plan.md", "first", by=eve)

    refused(Conflict, lambda: hall.files.write("plan.md", "canary", by=eve))

    with pytest.raises(NotFound):
        hall._desk.storage.blob(digest("canary"))


@pytest.mark.rule("G-DELETE-02")
def test_a_deleted_rooms_documents_are_in_no_file(tmp_path: Path) -> None:
    path = tmp_path / "team.db"
    with Lobby.open(path) as lobby:
        ben = lobby.add_agent("ben", owner="ben").conversation()
        room, kept = (lobby.create_room(name, by=ben) for name in ("gone", "kept"))
        for number in range(20):
            name, said = f"canary-path-{number}.md", f"canary-{number} " * 9_000
            made = room.files.write(name, said, by=ben)
            room.files.write(name, said[:-9], by=ben, base=made.id)
            kept.files.write(f"{number}.md", f"stays {number} " * 900, by=ben)
        room.files.history(by=ben)
        lobby._desk.streams.save_snapshots(every=1)

        room.delete(by=lobby.person("ben"))

        for file in tmp_path.iterdir():
            assert b"canary" not in file.read_bytes(), file
        assert len(kept.files.documents(by=ben)) == 20


def digest(content: str) -> str:
    return sha256(content.encode()).hexdigest()


# -- exported


def exported(lobby: Lobby) -> list[str]:
    return list(lobby.export())


def test_an_export_carries_the_contents(hall: Room, lobby: Lobby, eve: Any) -> None:
    long = "".join(f"{number:09}\n" for number in range(39_322))  # and a third piece
    for path, said in (("a.md", long), ("b.md", ""), ("c.md", "ccc"), ("d.md", "ccc")):
        hall.files.write(path, said, by=eve)
    lines = exported(lobby)

    copy = Lobby.import_from(lines, "memory:")

    assert exported(copy) == lines
    again = copy.room(hall.id), copy.conversation("Eve", label="acme")
    assert texts(*again) == {"a.md": long, "b.md": "", "c.md": "ccc", "d.md": "ccc"}
    pieces = [json.loads(line) for line in lines if '"piece"' in line]
    assert [one["piece"] for one in pieces if one["content"] == digest(long)] == [
        *(0, 1, 2)
    ]
    assert json.loads(lines[-1])["contents"] == 3


def changed_lines(lines: list[str], change: Any) -> Iterator[str]:
    """The log with every checksum made to fit, its fields as changed."""
    reader, writer = Reader(), Writer()
    for fields in change([reader.read(line) for line in lines]):
        yield writer.line(fields)


def piece(number: int, **changes: Any) -> Any:
    """A change of the fields of one line that carries contents."""

    def change(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        places = [at for at, one in enumerate(lines) if "piece" in one]
        lines[places[number]] |= changes
        return lines

    return change


def without(number: int) -> Any:
    def change(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        del lines[[at for at, one in enumerate(lines) if "piece" in one][number]]
        return lines

    return change


def lost(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A content is missing, and not counted either."""
    lines[-1]["contents"] -= 1
    del lines[next(at for at, one in enumerate(lines) if "piece" in one)]
    return lines


def swapped(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines[-2], lines[-3] = lines[-3], lines[-2]
    return lines


def doubled(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*lines[:-1], lines[-2], lines[-1]]


def uncounted(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    del lines[-1]["contents"]
    return lines


def cut(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return lines[:-1]


NO_BYTES: list[Any] = ["", "Y2Nj", "!", "Y2N", "é", None, 7, "Y2M="]
NO_NUMBER: list[Any] = [1, -1, True, 0.0, "0", None]
NO_FLAG: list[Any] = [True, 0, None, "false"]
NO_DIGEST: list[Any] = [digest("x"), "", None, [], {}]


@pytest.mark.parametrize(
    "change",
    [
        *(piece(0, bytes=one) for one in NO_BYTES),
        *(piece(0, piece=one) for one in NO_NUMBER),
        *(piece(-1, more=one) for one in NO_FLAG),
        *(piece(0, content=one) for one in NO_DIGEST),
        piece(0, extra=1),
        *(without(0), without(-1), lost, swapped, doubled, uncounted, cut),
    ],
)
def test_contents_that_are_not_those_of_an_export_are_refused(change: Any) -> None:
    with Lobby.in_memory() as lobby:
        ben = lobby.add_agent("ben").conversation()
        room = lobby.create_room("r", by=ben)
        room.files.write("a.md", "aaa", by=ben)
        room.files.write("b.md", "bbb", by=ben)
        lines = exported(lobby)
    storage = MemoryStorage()

    with pytest.raises(RoomsError) as caught:
        import_log(changed_lines(lines, change), storage)

    assert caught.value.code == "corrupt_log"
    assert caught.value.details["line"] > len(lines) - 4
    assert storage.streams() == []
    for said in ("aaa", "bbb"):
        refused(NotFound, lambda one=said: storage.blob(digest(one)))


def test_a_content_that_is_missing_stops_the_export(
    hall: Room, lobby: Lobby, eve: Conversation
) -> None:
    hall.files.write("plan.md", "lost", by=eve)
    lobby._desk.storage.remove_blob(digest("lost"))

    assert refused(CorruptLog, lambda: exported(lobby)).details["where"] == (
        f"room:{hall.id}"
    )
    assert refused(CorruptLog, lambda: hall.files.read("plan.md", by=eve)).code == (
        "corrupt_log"
    )


# -- several processes


@pytest.mark.rule("G-DOC-06")
def test_of_two_processes_that_edit_one_revision_one_wins(tmp_path: Path) -> None:
    path, names, count = tmp_path / "team.db", ["ada", "bo"], 25
    with Lobby.open(path) as lobby:
        room, members = furnished(lobby, *names)
        for number in range(count):
            room.files.write(f"{number:02}.md", "first", by=members[0])

    ada, bo = together("edit", path, names, count)

    with Lobby.open(path) as lobby:
        room, watcher = lobby.room("work"), lobby.person("watcher")
        for number, (one, other) in enumerate(zip(ada, bo, strict=True)):
            assert sorted([one[0], other[0]]) == [False, True]  # exactly one
            assert one[1] == other[1]  # and the loser was told of the winner's
            now = room.files.read(f"{number:02}.md", by=watcher)
            assert now.content == ("ada" if one[0] else "bo")
            assert now.revision is not None
            assert now.revision.id == one[1]
