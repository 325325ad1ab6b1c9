"""What a broker's messages carry: types, sizes, who may have it, and for how long."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve

from lobby.broker import added, code_of, refusal
from lobby.place import Clock, Place
from lobby.test_attachments import PNG, is_kept
from rooms import (
    Conversation,
    Lobby,
    Posted,
    Recurrence,
    RoomPolicy,
    SQLiteStorage,
    presets,
)
from rooms.errors import CODES
from rooms.lobby import KeptContent, Uploaded, Usage
from rooms.lobby.desk import Desk
from rooms.lobby.posting.uploading import Uploads
from rooms.log.actors import Actor
from rooms.storage.sqlite import blobs

KIB = 2**10
Pair = tuple[Conversation, Conversation]


@pytest.fixture
def pair(lobby: Lobby) -> Pair:
    ann, ben = added(lobby, "ann", "ben")
    return ann, ben


@pytest.mark.rule("L-ATT-01", "L-ATT-02", "L-ATT-03", "L-LIMIT-06")
def test_the_presets_limits_are_those_of_the_document(lobby: Lobby, pair: Pair) -> None:
    ann, _ = pair
    policy = presets.broker()
    assert policy.max_attachments == 5
    assert policy.max_attachment_bytes == 10 * KIB * KIB
    assert policy.max_text_attachment_bytes == KIB * KIB
    assert policy.retention == timedelta(hours=24)

    def send(files: dict[str, bytes]) -> None:
        lobby.send("files", by=ann, to="ben", attachments=files)

    send({f"{place}.md": b"x" for place in range(5)})
    assert code_of(lambda: send({f"{n}.md": b"x" for n in range(6)})) == "too_many"
    send({"big.txt": b"x" * KIB * KIB, "big.png": PNG + b"x" * (KIB * KIB)})
    large = refusal(lambda: send({"big.txt": b"x" * (KIB * KIB + 1)}))
    assert (large.code, large.details["setting"]) == (
        "too_large",
        "max_text_attachment_bytes",
    )
    large = refusal(lambda: send({"big.png": PNG + b"x" * 10 * KIB * KIB}))
    assert (large.code, large.details["setting"]) == (
        "too_large",
        "max_attachment_bytes",
    )


@pytest.mark.rule("L-ATT-02", "L-ATT-08")
def test_a_type_that_nobody_knows_is_refused_and_told_where_to_say_it(
    lobby: Lobby, pair: Pair
) -> None:
    ann, ben = pair
    for path, content in (
        ("deck.pdf", b"%PDF-1.7"),
        ("page.html", b"<p>"),
        ("notes.md", PNG),
        ("notes.md", b"a\0b"),
        ("notes.md", b"\xff"),
    ):
        files = {path: content}
        refused = refusal(partial(lobby.send, "x", by=ann, to="ben", attachments=files))
        assert refused.code == "attachment_type"
        assert "evidence" in str(refused)
        assert refused.details["path"] == path
    assert CODES["attachment_type"].http == 415
    sent = lobby.send(
        "x", by=ann, to="ben", attachments={"photo.png": b"\xff\xd8\xff", "a.py": b"1"}
    )
    [photo, code] = sent.message.attachments
    assert (photo.mime_type, code.mime_type) == ("image/jpeg", "text/x-python")
    assert [one.attachments for one in sent.room.read(by=ben)] == [(photo, code)]


@pytest.mark.rule("L-ATT-10")
def test_who_joins_later_reads_no_file_of_what_was_said_before(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, ben = pair
    room = lobby.create_room("work", by=ann, policy=RoomPolicy(history="since_join"))
    early = room.post("early", by=ann, attachments={"a.txt": b"early"}).message
    room.join(by=ben)
    files = room.files
    assert files.read("a.txt", by=ann).content == "early"
    assert list(files.attachments(by=ben)) == []
    assert code_of(lambda: files.read("a.txt", by=ben)) == "file_not_found"
    by_id = code_of(lambda: files.read("a.txt", by=ben, message=early.id))
    assert by_id == "file_not_found"
    late = room.post("late", by=ann, attachments={"a.txt": b"late"}).message
    assert files.read("a.txt", by=ben).content == "late"
    [one] = files.attachments(by=ben)
    assert (one.message, files.attachments(by=ben).next_cursor) == (late.id, None)
    assert len(files.attachments(by=ann)) == 2
    (stranger,) = added(lobby, "stranger")
    assert code_of(lambda: files.read("a.txt", by=stranger)) == "not_a_member"


@pytest.mark.rule("L-ATT-11", "L-ATT-12", "L-KEEP-01", "L-KEEP-03")
def test_a_file_goes_with_the_last_message_that_carries_it(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, ben = pair
    files = {"a.txt": b"the same"}
    first = lobby.send("one", by=ann, to="ben", attachments=files)
    clock.advance(hours=5)
    second = lobby.send("two", by=ben, to="ann", attachments={"b.txt": b"the same"})
    clock.advance(hours=19)

    assert lobby.sweep().messages == 1

    kept = first.room.files
    assert is_kept(lobby, b"the same")
    assert kept.read("b.txt", by=ann).content == "the same"
    # Its sender is told what became of it, and nobody else that it ever was.
    asked = first.message.id
    gone = refusal(lambda: kept.read("a.txt", by=ann, message=asked))
    assert (gone.code, CODES[gone.code].http) == ("attachment_expired", 410)
    assert gone.details["expired_at"] == clock.now
    assert (
        code_of(lambda: kept.read("a.txt", by=ben, message=asked)) == "file_not_found"
    )
    assert (
        code_of(lambda: kept.read("c.txt", by=ann, message=asked)) == "file_not_found"
    )
    clock.advance(hours=5)
    assert lobby.sweep().messages == 1
    assert not is_kept(lobby, b"the same")
    clock.advance(hours=7 * 24 - 5, seconds=-1)
    assert (
        code_of(lambda: kept.read("a.txt", by=ann, message=asked))
        == "attachment_expired"
    )
    clock.advance(seconds=1)
    assert (
        code_of(lambda: kept.read("a.txt", by=ann, message=asked)) == "file_not_found"
    )
    assert list(kept.attachments(by=ann)) == []
    assert second.room == first.room


@pytest.mark.rule("L-ATT-09")
def test_files_are_a_part_of_what_a_request_asks_for(lobby: Lobby, pair: Pair) -> None:
    ann, _ = pair

    def send(files: dict[str, bytes]) -> bool:
        return lobby.send(
            "x", by=ann, to="ben", request_id="r", attachments=files
        ).duplicate

    assert not send({"a.txt": b"one"})
    assert send({"a.txt": b"one"})
    others: list[dict[str, bytes]] = [{"a.txt": b"two"}, {"b.txt": b"one"}, {}]
    for other in others:
        assert code_of(partial(send, other)) == "idempotency_conflict"


# -- contents that are handed in before the message


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


@pytest.mark.rule("L-ATT-05", "L-ATT-06", "L-ATT-09")
def test_who_handed_a_content_in_sends_it_by_its_digest_and_nobody_else(
    lobby: Lobby, pair: Pair
) -> None:
    ann, ben = pair
    named = {"notes.md": Uploaded(digest(b"# Notes"))}

    def send(by: Conversation, to: str) -> Posted:
        return lobby.send("x", by=by, to=to, request_id="r", attachments=named)

    required = refusal(lambda: send(ann, "ben"))
    assert required.code == "attachment_upload_required"
    assert required.details["missing"] == (digest(b"# Notes"),)
    assert CODES[required.code].http == 409
    assert lobby.rooms == ()
    uploaded = lobby.contents.upload(b"# Notes", by=ann)
    assert (uploaded.sha256, uploaded.size) == (digest(b"# Notes"), 7)
    assert (uploaded.kind, uploaded.mime_type) == ("text", "text/plain")
    # To know the digest is not to have the content.
    assert code_of(lambda: send(ben, "ann")) == "attachment_upload_required"

    sent = send(ann, "ben")
    [carried] = sent.message.attachments
    assert (carried.path, carried.size, carried.text) == ("notes.md", 7, True)
    assert carried.mime_type == "text/markdown"
    assert sent.room.files.read("notes.md", by=ben).content == "# Notes"
    assert send(ann, "ben").duplicate
    # Who sent it has it, as long as that message is kept, and under any name.
    again = {"b.txt": uploaded}
    assert lobby.send("y", by=ann, to="ben", attachments=again).message.attachments
    assert code_of(lambda: send(ben, "ann")) == "attachment_upload_required"
    assert len(list(lobby.contents.listed())) == 1


@pytest.mark.rule("L-ATT-06")
def test_a_content_is_what_is_said_of_it(lobby: Lobby, pair: Pair) -> None:
    ann, _ = pair
    upload = lobby.contents.upload
    wrong = refusal(lambda: upload(b"one", by=ann, sha256=digest(b"two")))
    assert wrong.code == "attachment_hash_mismatch"
    assert not is_kept(lobby, b"one")
    photo = upload(PNG, by=ann, sha256=digest(PNG))
    assert (photo.kind, photo.mime_type) == ("image", "image/png")
    assert upload(b"\0", by=ann).kind == "other"
    for said in (
        evolve(photo, size=1),
        evolve(photo, mime_type="image/jpeg"),
        evolve(photo, mime_type="text/plain"),
    ):
        files = {"a.png": said}
        mismatch = partial(lobby.send, "x", by=ann, to="ben", attachments=files)
        assert code_of(mismatch) == "attachment_mismatch"
    for wrong_digest in ("", "x" * 64, digest(b"").upper(), 7):
        assert code_of(lambda: Uploaded(wrong_digest)) == "invalid_request"  # type: ignore[arg-type]  # noqa: B023
    named = {"a.png": Uploaded(photo.sha256)}
    [carried] = lobby.send("x", by=ann, to="ben", attachments=named).message.attachments
    assert (carried.size, carried.mime_type) == (len(PNG), "image/png")
    # The room's types are looked at where it is sent.
    other = {"a.bin": upload(b"\0\1", by=ann)}
    refused = partial(lobby.send, "x", by=ann, to="ben", attachments=other)
    assert code_of(refused) == "attachment_type"


@pytest.mark.rule("L-ATT-13", "L-LIMIT-06")
def test_what_no_message_took_goes_after_an_hour(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, ben = pair
    one = lobby.contents.upload(b"one", by=ann)
    lobby.contents.upload(b"two", by=ann)
    lobby.send("x", by=ann, to="ben", attachments={"a.txt": one})
    clock.advance(minutes=30)
    lobby.contents.upload(b"two", by=ben)
    clock.advance(minutes=30, seconds=-1)
    assert lobby.sweep().uploads == 0
    clock.advance(seconds=1)

    assert lobby.sweep().uploads == 1  # what was sent waits no more

    assert is_kept(lobby, b"one")
    assert is_kept(lobby, b"two")  # ben may send it still
    two = {"b.txt": Uploaded(digest(b"two"))}
    late = partial(lobby.send, "y", to="ann", attachments=two)
    required = code_of(lambda: late(by=ann, to="ben"))
    assert required == "attachment_upload_required"
    clock.advance(minutes=30)
    assert lobby.sweep().uploads == 1
    assert not is_kept(lobby, b"two")
    assert code_of(lambda: late(by=ben)) == "attachment_upload_required"


def test_what_lapses_while_it_is_sent_is_told_and_nothing_is_stored(
    lobby: Lobby, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = pair
    given = {"a.txt": lobby.contents.upload(b"one", by=ann)}
    first = lobby.send("x", by=ann, to="ben").room
    storage = lobby._desk.storage
    position = storage.position()
    keep = Uploads.keep

    def late(self: Uploads, desk: Desk, by: Actor) -> None:
        storage.remove_blob(digest(b"one"))
        keep(self, desk, by)

    monkeypatch.setattr(Uploads, "keep", late)
    required = code_of(lambda: first.post("y", by=ann, attachments=given))
    assert required == "attachment_upload_required"
    assert storage.position() == position


@pytest.mark.rule("L-ATT-04", "L-ATT-14", "L-LIMIT-07")
def test_a_lobby_that_is_full_takes_in_no_new_content_and_gives_up_none(
    place: Place, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = place.open(max_file_bytes=10, disk_reserve=1_000)
    ann, _ = added(lobby, "ann", "ben")

    def send(content: bytes, request_id: str | None = None) -> Posted:
        files = {"a.txt": content}
        return lobby.send(
            "x", by=ann, to="ben", attachments=files, request_id=request_id
        )

    send(b"12345678", "r")
    full = refusal(lambda: send(b"abc"))
    assert (full.code, full.details["setting"]) == (
        "storage_capacity",
        "max_file_bytes",
    )
    assert CODES[full.code].http == 507
    assert send(b"12345678", "r").duplicate
    assert not send(b"12345678").duplicate  # equal contents count once
    waiting = lobby.contents.upload(b"ab", by=ann)
    usage = lobby.contents.usage()
    assert (usage.used_bytes, usage.quota_bytes, usage.uploads) == (10, 10, 1)
    for call in (
        lambda: lobby.contents.upload(b"c", by=ann),
        lambda: lobby.contents.upload(iter([b"x" * 6, b"x" * 6]), by=ann),
    ):
        assert code_of(call) == "storage_capacity"
    # The size of a file comes first, and what is missing last (L-ATT-04).
    large = {"a.txt": b"x" * (2**20 + 1)}
    too_large = partial(lobby.send, "x", by=ann, to="ben", attachments=large)
    assert code_of(too_large) == "too_large"
    both = {"a.txt": b"new", "b.txt": Uploaded(digest(b"unknown"))}
    quota = partial(lobby.send, "x", by=ann, to="ben", attachments=both)
    assert code_of(quota) == "storage_capacity"
    lobby.send("x", by=ann, to="ben", attachments={"c.txt": waiting})
    assert lobby.contents.usage().used_bytes == 10
    clock.advance(hours=24)
    lobby.sweep()
    assert lobby.contents.usage().used_bytes == 0
    send(b"abcdefghij")


@pytest.mark.rule("L-ATT-14", "L-ATT-15")
def test_some_of_the_disk_is_left_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [100]
    monkeypatch.setattr(
        "shutil.disk_usage", lambda _: SimpleNamespace(total=0, used=0, free=free[0])
    )
    with Lobby.open(tmp_path / "team.db", disk_reserve=90) as lobby:
        (ann,) = added(lobby, "ann")
        assert lobby.contents.usage() == Usage(0, None, 0, 100, 90)
        lobby.contents.upload(b"x" * 10, by=ann)
        full = refusal(lambda: lobby.contents.upload(b"x" * 11, by=ann))
        assert full.details["setting"] == "disk_reserve"
        free[0] = 1
        assert code_of(lambda: lobby.contents.upload(b"y", by=ann)) == full.code


@pytest.mark.rule("L-ATT-15")
def test_the_host_lists_what_is_kept_and_who_sent_it(lobby: Lobby, pair: Pair) -> None:
    ann, ben = pair
    contents = [f"{number}".encode() for number in range(7)]
    for content in contents:
        lobby.contents.upload(content, by=ann)
    one = lobby.send("x", by=ben, to="ann", attachments={"a.txt": contents[0]}).message

    pages, after = [], None
    while True:
        page = lobby.contents.listed(after=after, limit=3)
        pages.append([kept.sha256 for kept in page])
        after = page.next_cursor
        if after is None:
            break

    assert pages == [
        sorted(map(digest, contents))[first : first + 3] for first in (0, 3, 6)
    ]
    kept = {each.sha256: each for each in lobby.contents.listed()}
    assert kept[digest(contents[0])] == KeptContent(
        digest(contents[0]), 1, ("ann", "ben"), (one.id,)
    )
    for limit in (0, 101):
        assert code_of(partial(lobby.contents.listed, limit=limit)) == "invalid_request"


@pytest.mark.rule("L-ATT-05", "L-ATT-14", "L-ATT-15", "L-RECUR-11")
def test_what_a_schedule_carries_is_counted_listed_and_its_senders(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, _ = pair
    mine = lobby.schedules(by=ann)
    uploaded = lobby.contents.upload(b"every day", by=ann)
    daily = partial(
        mine.create,
        "The list.",
        to="ben",
        repeat=Recurrence("UTC", ("06:00",)),
        attachments={"a.txt": uploaded},
        request_id="daily",
    )
    schedule = daily()
    assert daily().duplicate

    def kept() -> list[KeptContent]:
        return list(lobby.contents.listed())

    one = KeptContent(uploaded.sha256, 9, ("ann",), (), (schedule.id,))
    assert (kept(), lobby.contents.usage().used_bytes) == ([one], 9)
    clock.advance(hours=24)
    [wake] = lobby.take_wakes(agents=["ben"])
    [message] = wake.messages
    assert kept() == [evolve(one, messages=(message.id,))]
    mine.cancel(schedule)
    clock.advance(hours=25)
    lobby.sweep()
    lobby.deliver()
    assert (kept(), lobby.contents.usage().used_bytes) == ([], 0)
    assert not is_kept(lobby, b"every day")


@pytest.mark.rule("L-ATT-15")
def test_what_waited_is_listed_under_its_id(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, _ = pair
    at = clock.now + timedelta(hours=1)
    files = {"a.txt": b"a"}
    sent = lobby.send("x", by=ann, to="ben", attachments=files, deliver_at=at)
    for _ in range(2):
        [kept] = lobby.contents.listed()
        assert kept.messages == (sent.message.id,)
        clock.advance(hours=1)
        lobby.deliver()


@pytest.mark.rule("L-ATT-11", "L-ATT-13")
@pytest.mark.parametrize("end", ["erased", "expired"])
def test_what_waited_leaves_no_content_behind(
    lobby: Lobby, clock: Clock, end: str
) -> None:
    owner = lobby.person("owner")
    room = lobby.create_room("work", by=owner, policy="broker")
    at, files = clock.now + timedelta(hours=1), {"a.txt": b"a"}
    sent = room.post("x", by=owner, attachments=files, deliver_at=at).message

    def looked() -> tuple[int, int]:  # so that what is asked is known up to here
        return len(room.files.attachments(by=owner)), len(lobby.contents.listed())

    assert looked() == (0, 1)
    clock.advance(hours=1)
    lobby.deliver()
    if end == "erased":
        room.erase(sent, by=owner)
    else:
        clock.advance(hours=24)
        assert lobby.sweep().messages == 1
    assert not is_kept(lobby, b"a")
    assert (looked(), lobby.contents.usage().used_bytes) == ((0, 0), 0)


def test_what_is_counted_is_what_the_log_has(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, ben = pair
    owner = lobby.person("owner")
    room = lobby.create_room("work", by=owner)
    room.join(by=ann)
    posted = [
        room.post("x", by=ann, attachments={"a.txt": b"same", f"{n}.txt": bytes([n])})
        for n in range(3)
    ]
    lobby.send("y", by=ben, to="ann", attachments={"a.txt": b"same"})

    def counted() -> tuple[int, list[KeptContent]]:
        fed = lobby.contents.usage().used_bytes, list(lobby.contents.listed())
        lobby._desk.carried.start_anew()
        anew = lobby.contents.usage().used_bytes, list(lobby.contents.listed())
        assert anew == fed
        return fed

    assert counted()[0] == 4 + 3
    room.erase(posted[0].message.id, by=owner)
    assert counted()[0] == 4 + 2
    clock.advance(days=1)
    lobby.sweep()
    assert counted()[0] == 4 + 2
    room.delete(by=owner)
    assert counted() == (0, [])


# -- large ones


def test_others_write_while_a_large_file_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = bytes(range(256)) * (48 << 10)  # 12 MiB: three parts
    with (
        Lobby(SQLiteStorage(tmp_path / "team.db", durability="relaxed")) as lobby,
        Lobby(SQLiteStorage(tmp_path / "team.db", busy_timeout=0)) as other,
    ):
        ann, ben = added(lobby, "ann", "ben")
        room = lobby.create_room("work", by=ann).join(by=ben)
        wrote: list[int] = []
        write = blobs._write

        def watched(run: Any, blob: int, first: int, pieces: Any) -> None:
            write(run, blob, first, pieces)
            busy = code_of(lambda: other.room("work").post("y", by=between))
            assert busy == "storage_busy"  # in the middle of a part
            wrote.append(first)

        between = other.conversation("ben")
        said: list[int] = []
        name, keep = blobs.Blobs._name, Uploads.keep

        def named(self: Any, blob: int, content: str) -> None:
            said.append(other.room("work").post("y", by=between).message.seq)
            assert code_of(lambda: other._desk.storage.blob(content)) == "unknown_blob"
            name(self, blob, content)

        def kept(self: Uploads, desk: Desk, by: Actor) -> None:
            before = len(wrote)
            keep(self, desk, by)
            assert len(wrote) == before  # the message's own commit writes none of it

        monkeypatch.setattr(blobs, "_write", watched)
        monkeypatch.setattr(blobs.Blobs, "_name", named)
        monkeypatch.setattr(Uploads, "keep", kept)

        message = room.post("x", by=ann, attachments={"large.bin": large}).message

        assert wrote == [0, 16, 32]
        assert (said, message.seq) == ([1], 2)
        assert b"".join(room.files.download("large.bin", by=ben)) == large
        assert lobby.contents.usage().uploads == 0


def test_a_large_file_of_a_message_that_is_refused_or_cut_short_goes(
    place: Place, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = b"x" * (5 << 20)
    lobby = place.open()
    ann, _ = added(lobby, "ann", "ben")
    room = lobby.create_room("work", by=ann)
    files = {"large.txt": large}

    assert code_of(lambda: room.post(" ", by=ann, attachments=files)) == "body_empty"

    assert not is_kept(lobby, large)
    room.post("x", by=ann, attachments=files, request_id="r")
    assert room.post("x", by=ann, attachments=files, request_id="r").duplicate
    assert is_kept(lobby, large)
    assert lobby.contents.usage().uploads == 0
    # A process that dies between the two commits leaves a content that lapses.
    other = b"y" * (5 << 20)

    def dies(*_: Any, **__: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr("rooms.lobby.contents.uploading._let_go", lambda *_: None)
        patch.setattr(Uploads, "keep", dies)
        with pytest.raises(SystemExit):
            room.post("y", by=ann, attachments={"other.txt": other})
    assert is_kept(lobby, other)
    clock.advance(hours=1)
    assert lobby.sweep().uploads == 1
    assert not is_kept(lobby, other)


def test_what_a_crash_left_of_a_large_content_goes_with_its_removal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = b"nightingale " * (1 << 19)  # 6 MiB

    def dies(*_: Any) -> None:
        raise SystemExit

    with closing(SQLiteStorage(tmp_path / "team.db")) as storage:
        with monkeypatch.context() as patch:
            patch.setattr(blobs.Blobs, "_name", dies)
            with pytest.raises(SystemExit):
                storage.put_blob([large])
        assert code_of(lambda: storage.blob(digest(large))) == "unknown_blob"
        assert storage.put_blob([large]) == digest(large)
        storage.remove_blob(digest(large))
        count = storage._database.connection
        assert count is not None
        assert count.execute("SELECT count(*) FROM pieces").fetchone() == (0,)
        assert count.execute("SELECT count(*) FROM blobs").fetchone() == (0,)
        for path in tmp_path.iterdir():
            assert b"nightingale" not in path.read_bytes()


@pytest.mark.rule("L-ATT-10", "L-ATT-11")
def test_what_waits_for_its_time_holds_its_files_and_shows_them_to_nobody_before(
    lobby: Lobby, clock: Clock, pair: Pair
) -> None:
    ann, ben = pair
    room = lobby.send("first", by=ann, to="ben").room
    due = clock.now + timedelta(days=3)
    contents = (b"sent", b"cancelled")
    waiting = [
        lobby.send("x", by=ann, to="ben", deliver_at=due, attachments={"a.txt": one})
        for one in contents
    ]

    def used() -> int:
        fed = lobby.contents.usage().used_bytes
        lobby._desk.carried.start_anew()
        assert lobby.contents.usage().used_bytes == fed
        return fed

    clock.advance(days=2)
    lobby.sweep()
    assert used() == len(b"sent") + len(b"cancelled")
    assert code_of(lambda: room.files.read("a.txt", by=ben)) == "file_not_found"
    lobby.schedules(by=ann).cancel(waiting[1].message.id)
    clock.advance(hours=23)
    lobby.sweep()
    assert is_kept(lobby, b"cancelled")
    clock.advance(hours=1)
    lobby.deliver()
    assert room.files.read("a.txt", by=ben).content == "sent"
    lobby.sweep()  # a day after it was cancelled
    assert not is_kept(lobby, b"cancelled")
    assert used() == len(b"sent")
    clock.advance(hours=24)
    lobby.sweep()
    assert used() == 0
    assert not is_kept(lobby, b"sent")


@pytest.mark.rule("L-ATT-06")
def test_nobody_hands_in_who_was_overtaken_or_takes_no_part(
    lobby: Lobby, pair: Pair
) -> None:
    ann, ben = pair
    upload = lobby.contents.upload
    old = ann.claim()
    new = ann.claim()
    assert code_of(lambda: upload(b"x", by=old)) == "stale_runtime"
    assert upload(b"x", by=new).size == 1
    lobby.agent("ben").change(enabled=False)
    assert code_of(lambda: upload(b"x", by=ben)) == "agent_disabled"
    named = ann.claim("r")
    assert code_of(lambda: upload(b"y", by=ann)) == "runtime_required"
    assert upload(b"y", by=named).size == 1
    late = upload(b"z", by=lobby.person("zoe"))
    assert lobby.contents.usage().uploads == 3
    assert late.kind == "text"
