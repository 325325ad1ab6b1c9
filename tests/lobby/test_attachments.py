"""Attachments: files that a message carries, fixed once sent, read by anybody here."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Clock, Place
from lobby.test_documents import Administers, Counted, refused
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    OverLimit,
    Room,
    RoomPolicy,
    hookimpl,
)
from rooms.errors import CorruptLog, IdempotencyConflict, SelfAddressed
from rooms.lobby.files.attachments import PAGE_BYTES

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def is_kept(lobby: Lobby, content: bytes) -> bool:
    try:
        return b"".join(lobby._desk.storage.blob(digest(content))) == content
    except NotFound:
        return False


# -- sending


@pytest.mark.rule("G-FILE-01", "G-FILE-02")
def test_a_message_carries_files_of_any_format_with_sender_and_time(
    hall: Room, eve: Conversation, ben: Conversation, clock: Clock
) -> None:
    clock.advance(60)
    given = {
        "deck.pdf": b"%PDF-1.7\xff",
        "a/b/c/photo": PNG,
        "log.txt": b"",
        "x.md": b"#",
    }

    posted = hall.post("The deck.", by=eve, to=[ben], attachments=given)

    carried = posted.message.attachments
    assert [one.path for one in carried] == [
        "deck.pdf",
        "a/b/c/photo",
        "log.txt",
        "x.md",
    ]
    assert [one.size for one in carried] == [9, 264, 0, 1]
    assert [one.text for one in carried] == [False, False, True, True]
    assert {(one.sender, one.at, one.message) for one in carried} == {
        (eve, clock.at(60), posted.message.id)
    }
    assert [one.sha256 for one in carried] == [digest(one) for one in given.values()]
    read = hall.read(by=ben).items[0]
    assert read.attachments == carried
    for path, content in given.items():
        assert b"".join(hall.files.download(path, by=ben)) == content


def test_a_content_is_bytes_a_file_or_pieces(
    hall: Room, eve: Any, tmp_path: Any
) -> None:
    (tmp_path / "x").write_bytes(b"from a file")
    with (tmp_path / "x").open("rb") as file:
        hall.post(
            "All kinds.",
            by=eve,
            attachments={
                "bytes": b"as bytes",
                "bytearray": bytearray(b"as an array"),
                "view": memoryview(b"as a view")[3:],
                "file": file,
                "stream": BytesIO(b"from a stream"),
                "pieces": (piece for piece in (b"in ", bytearray(b"pie"), b"", b"ces")),
                "list": [b"a list"],
            },
        )

    found = {
        one.path: b"".join(hall.files.download(one.path, by=eve))
        for one in hall.files.attachments(by=eve)
    }
    assert found == {
        "bytes": b"as bytes",
        "bytearray": b"as an array",
        "view": b"a view",
        "file": b"from a file",
        "stream": b"from a stream",
        "pieces": b"in pieces",
        "list": b"a list",
    }


@pytest.mark.rule("G-FILE-03")
def test_threaded_agents_attach_and_single_ones_only_read(
    hall: Room, eve: Conversation, ben: Conversation, lobby: Lobby
) -> None:
    read = []

    def never_read() -> Iterator[bytes]:
        read.append("it")
        yield b""

    hall.post("From a threaded one.", by=eve, attachments={"a.txt": b"said"})
    before = list(lobby._desk.storage.scan())

    for content in (b"", never_read()):
        error = refused(
            NotAllowed,
            lambda one=content: hall.post("x", by=ben, attachments={"b": one}),
        )
        assert error.code == "may_not_attach"
    assert read == []
    assert list(lobby._desk.storage.scan()) == before
    assert hall.files.read("a.txt", by=ben).content == "said"


def test_elsewhere_whoever_posts_attaches(lobby: Lobby, ben: Conversation) -> None:
    ana = lobby.person("ana")
    room = lobby.create_room("desk", by=ben, policy=RoomPolicy())
    picky = lobby.create_room(
        "p", by=ben, policy=RoomPolicy(attachments_from="threaded")
    )

    room.post("From a single agent.", by=ben, attachments={"a": b"1"})
    room.post("From a person.", by=ana, attachments={"b": b"2"})
    picky.post("From a person.", by=ana, attachments={"b": b"2"})

    assert [one.sender for one in room.files.attachments(by=ana)] == [ana, ben]


@pytest.mark.rule("G-FILE-02", "G-FILE-07")
def test_more_than_ten_files_refuse_the_whole_message(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    ten = {f"{number}.txt": b"%d" % number for number in range(10)}
    hall.post("ten", by=eve, attachments=ten)
    before = list(lobby._desk.storage.scan())

    error = refused(
        OverLimit, lambda: hall.post("eleven", by=eve, attachments={**ten, "k": b"11"})
    )

    assert (error.code, error.details["limit"]) == ("too_many", 10)
    assert list(lobby._desk.storage.scan()) == before
    assert not is_kept(lobby, b"11")


@pytest.mark.rule("G-FILE-02", "G-FILE-07")
def test_a_file_over_100_mb_is_refused_before_it_is_read_whole(lobby: Lobby) -> None:
    ben = lobby.add_agent("ben").conversation()
    room = lobby.create_room("r", by=ben)
    before = list(lobby._desk.storage.scan())
    megabyte, read = bytes(2**20), Counter[str]()

    def endless() -> Iterator[bytes]:
        while True:
            read["pieces"] += 1
            yield megabyte

    error = refused(
        OverLimit,
        lambda: room.post("x", by=ben, attachments={"ok": b"1", "big": endless()}),
    )

    assert (error.code, error.details["limit"]) == ("too_large", 104_857_600)
    assert error.details["path"] == "big"
    assert read["pieces"] == 101
    assert list(lobby._desk.storage.scan()) == before
    assert not is_kept(lobby, b"1")


def test_a_limit_of_the_policy_is_exact(lobby: Lobby, ben: Conversation) -> None:
    policy = RoomPolicy(max_attachments=1, max_attachment_bytes=3)
    room = lobby.create_room("small", by=ben, policy=policy)
    none = lobby.create_room("none", by=ben, policy=RoomPolicy(max_attachments=0))
    room.post("fits", by=ben, attachments={"a": b"abc"})

    contents: tuple[Any, ...] = (b"abcd", BytesIO(b"abcd"), iter([b"ab", b"cd"]))
    for content in contents:
        error = refused(
            OverLimit,
            lambda one=content: room.post("x", by=ben, attachments={"a": one}),
        )
        assert error.code == "too_large"
    for place in (room, none):
        error = refused(
            OverLimit,
            lambda one=place: one.post("x", by=ben, attachments={"a": b"", "b": b""}),
        )
        assert error.code == "too_many"
    none.post("without any", by=ben, attachments={})


class Broken(BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("attachments", "field", "code"),
    [
        (["a.txt"], "attachments", "invalid_request"),
        (b"bytes", "attachments", "invalid_request"),
        ("a.txt", "attachments", "invalid_request"),
        (7, "attachments", "invalid_request"),
        ({7: b""}, "attachments", "invalid_request"),
        ({"": b""}, "attachments", "bad_path"),
        ({"../a": b""}, "attachments", "bad_path"),
        ({"/a": b""}, "attachments", "bad_path"),
        ({"a\\b": b""}, "attachments", "bad_path"),
        ({"C:a": b""}, "attachments", "bad_path"),
        ({"a\0": b""}, "attachments", "bad_path"),
        ({"\ud83d": b""}, "attachments", "bad_path"),
        ({"a/b/c/d/e": b""}, "attachments", "bad_path"),
        ({"a" * 256: b""}, "attachments", "too_large"),
        ({"a": "text"}, "attachments['a']", "invalid_request"),
        ({"a": None}, "attachments['a']", "invalid_request"),
        ({"a": 7}, "attachments['a']", "invalid_request"),
        ({"a": ["text"]}, "attachments['a']", "invalid_request"),
        ({"a": [7]}, "attachments['a']", "invalid_request"),
        ({"a": StringIO("text")}, "attachments['a']", "invalid_request"),
        ({"a": {}}, "attachments['a']", "invalid_request"),
        ({"a": {b"keys": 1}}, "attachments['a']", "invalid_request"),
        ({"a": {b"in", b"no", b"order"}}, "attachments['a']", "invalid_request"),
        ({"a": frozenset()}, "attachments['a']", "invalid_request"),
    ],
)
def test_what_is_no_attachment_is_refused(
    hall: Room, eve: Conversation, attachments: Any, field: str, code: str
) -> None:
    before = list(hall._desk.storage.scan())

    error = refused(
        InvalidInput, lambda: hall.post("x", by=eve, attachments=attachments)
    )

    assert (error.code, error.details["field"]) == (code, field)
    assert list(hall._desk.storage.scan()) == before


@pytest.mark.parametrize("content", [{}, {b"keys": 1}, set(), {b"a", b"b"}])
def test_what_gives_no_bytes_in_an_order_is_not_handed_in(
    lobby: Lobby, eve: Conversation, content: Any
) -> None:
    error = refused(InvalidInput, lambda: lobby.contents.upload(content, by=eve))

    assert (error.code, error.details["field"]) == ("invalid_request", "content")
    assert lobby.contents.listed().items == ()


def test_a_file_that_cannot_be_read_leaves_nothing(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    before = list(lobby._desk.storage.scan())

    with pytest.raises(ZeroDivisionError):
        hall.post("x", by=eve, attachments={"a": b"first", "b": Broken()})

    assert list(lobby._desk.storage.scan()) == before
    assert not is_kept(lobby, b"first")


class Censor:
    @hookimpl
    def rooms_check_draft(self, draft: Any) -> str | None:
        return "no pictures" if any(not one[2] for one in draft.files) else None


def test_a_message_that_is_refused_keeps_no_file(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    lobby.register(Censor())
    files = {"a.txt": b"never sent"}

    refused(SelfAddressed, lambda: hall.post("x", by=eve, to=[eve], attachments=files))
    refused(
        NotFound, lambda: hall.post("x", by=eve, to=["agent:nobody"], attachments=files)
    )
    error = refused(NotAllowed, lambda: hall.post("x", by=eve, attachments={"a": PNG}))

    assert error.code == "draft_refused"
    assert not is_kept(lobby, b"never sent")
    assert not is_kept(lobby, PNG)
    assert hall.position == 0


def test_the_same_request_carries_the_same_files(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    def again(files: Any) -> Any:
        return hall.post("x", by=eve, attachments=files, request_id="r-1")

    first = again({"a": b"one", "b": iter([b"t", b"wo"])})
    second = again({"a": BytesIO(b"one"), "b": b"two"})

    assert (first.duplicate, second.duplicate) == (False, True)
    assert second.message == first.message
    others: tuple[Any, ...] = ({"a": b"one"}, {"a": b"1", "b": b"two"}, {}, None)
    for files in others:
        refused(IdempotencyConflict, lambda one=files: again(one))
    assert not is_kept(lobby, b"1")
    assert hall.position == 1


def test_a_turn_replies_with_files_and_a_wake_tells_of_them(
    hall: Room, lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    hall.post("Send me the log.", by=ben, to=[eve])
    (wake,) = lobby.take_wakes()
    with lobby.turn(wake) as turn:
        turn.reply("Here.", attachments={"log.txt": b"all of it", "2 a] [end]": b""})

    (told,) = lobby.take_wakes(agents=["ben-web"])

    assert hall.files.read("log.txt", by=ben).content == "all of it"
    assert 'carries log.txt, "2 a⟨U+005D⟩ ⟨U+005B⟩end⟨U+005D⟩"]' in told.render()


@pytest.mark.rule("G-FILE-08")
def test_a_file_is_downloaded_and_never_rendered(
    hall: Room, lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    page = b"<script>alert('canary')</script>"
    hall.post("Look.", by=eve, to=[ben], attachments={"a.html": page})

    (wake,) = lobby.take_wakes()

    assert "canary" not in wake.render()
    assert "canary" not in repr(hall.read(by=ben))
    assert "canary" not in repr(hall.files.read("a.html", by=ben))
    assert b"".join(hall.files.download("a.html", by=ben)) == page


# -- reading


@pytest.mark.rule("G-FILE-04", "G-FILE-06")
def test_a_read_by_path_says_which_store_answered(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    sent = hall.post("x", by=eve, attachments={"log.txt": b"sent", "both.md": b"sent"})
    made = hall.files.write("plan.md", "written", by=ben)
    both = hall.files.write("both.md", "written", by=ben)
    log, shared = sent.message.attachments

    found = hall.files.read("log.txt", by=ben)
    assert (found.store, found.content) == ("attachment", "sent")
    assert (found.revision, found.attachment) == (None, log)
    found = hall.files.read("plan.md", by=eve)
    assert (found.store, found.content) == ("document", "written")
    assert (found.revision, found.attachment) == (made, None)
    found = hall.files.read("both.md", by=ben)
    assert (found.store, found.content) == ("document", "written")
    assert (found.revision, found.attachment) == (both, shared)
    found = hall.files.read("both.md", by=ben, message=sent.message.id)
    assert (found.store, found.content, found.attachment) == (
        *("attachment", "sent"),
        shared,
    )
    hall.files.remove("both.md", by=ben, base=both.id)
    assert hall.files.read("both.md", by=ben).store == "attachment"


def test_the_newest_of_a_path_is_read_and_each_by_its_message(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    first = hall.post("x", by=eve, attachments={"log.txt": b"first"}).message
    hall.post("between", by=ben)
    second = hall.post("y", by=eve, attachments={"log.txt": b"second"}).message
    plain = hall.post("z", by=eve).message
    made = hall.files.write("log.md", "a document", by=ben)

    assert hall.files.read("log.txt", by=ben).content == "second"
    for message, said in ((first, "first"), (second, "second")):
        read = hall.files.read("log.txt", by=ben, message=message.id)
        assert (read.content, read.attachment) == (said, message.attachments[0])
    for named in (plain.id, made.id, "x", "", first.id + "0"):
        error = refused(
            NotFound,
            lambda one=named: hall.files.read("log.txt", by=ben, message=one),
        )
        assert error.code == "file_not_found"


def characters(count: int, seed: str) -> str:
    """Letters of one to four bytes, in any order."""
    draw = random.Random(seed)
    return "".join(draw.choices("aé会🂡\n", k=count))


@pytest.mark.rule("G-FILE-05")
@pytest.mark.parametrize(
    "said",
    [
        "",
        "a" * PAGE_BYTES,
        "a" * (PAGE_BYTES + 1),
        "a" + "é" * PAGE_BYTES,
        "aa" + "会" * PAGE_BYTES,
        *("a" * number + "🂡" * PAGE_BYTES for number in range(4)),
        characters(120_000, "1"),
        characters(120_000, "2"),
    ],
    ids=range(11),
)
def test_text_comes_in_pages_of_64_kb_that_cut_no_character(
    hall: Room, eve: Conversation, ben: Conversation, said: str
) -> None:
    sent = hall.post("x", by=eve, attachments={"log.txt": said.encode()}).message
    whole, pages, offset = len(said.encode()), [], 0
    while True:
        page = hall.files.read("log.txt", by=ben, message=sent.id, offset=offset)
        assert page.content is not None
        assert (page.size, page.description) == (whole, "")
        pages.append(page.content)
        if page.next_offset is None:
            break
        offset = page.next_offset

    assert "".join(pages) == said
    sizes = [len(page.encode()) for page in pages]
    assert max(sizes) <= 65_536
    assert all(size > 65_536 - 4 for size in sizes[:-1])
    assert len(pages) == max(1, -(-whole // 65_533)) or len(pages) == -(
        -whole // 65_536
    )


def test_an_offset_that_is_none_is_refused(hall: Room, eve: Conversation) -> None:
    sent = hall.post("x", by=eve, attachments={"log.txt": "é会".encode()}).message

    def read(offset: Any, message: Any = sent.id) -> Any:
        return hall.files.read("log.txt", by=eve, message=message, offset=offset)

    assert [read(0).content, read(2).content, read(5).content] == ["é会", "会", ""]
    for offset in (1, 3, 4, 6, 10**12, -1, True, None, "0", 2.0):
        error = refused(InvalidInput, lambda one=offset: read(one))
        assert (error.code, error.details["field"]) == ("invalid_request", "offset")
    assert refused(InvalidInput, lambda: read(2, None)).details["field"] == "offset"
    assert refused(InvalidInput, lambda: read(0, 7)).details["field"] == "message"


@pytest.mark.rule("G-FILE-05")
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "a PNG image"),
        (b"\xff\xd8\xff\xe0jfif", "a JPEG image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP image"),
        (b"%PDF-1.7\n\xe2\xe3", "a PDF document"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive, as office documents are"),
        (b"\x00\x00\x00\x18ftypmp42", "MP4 video, or a file of its kind"),
        (b"RIFF\xff", "a binary file"),
        (b"\x00", "a binary file"),
        ("text".encode("utf-16"), "a binary file"),
        (b"text that ends in half a character: \xc3", "a binary file"),
        (b"text with a NUL\x00", "a binary file"),
        (b"x" * 300_000 + b"\xff", "a binary file"),
        (b"over long: \xc0\xaf", "a binary file"),
        (b"a surrogate: \xed\xa0\x80", "a binary file"),
    ],
)
def test_what_is_no_text_is_described(
    hall: Room, eve: Conversation, ben: Conversation, content: bytes, kind: str
) -> None:
    hall.post("x", by=eve, attachments={"file.txt": content})

    read = hall.files.read("file.txt", by=ben)

    assert (read.store, read.content, read.next_offset) == ("attachment", None, None)
    assert read.description == (
        f"{kind} of {len(content):,} bytes,"
        " sent by agent:Eve/acme at 2026-03-02T12:00:00+00:00"
    )
    assert b"".join(hall.files.download("file.txt", by=ben)) == content


def test_whether_it_is_text_does_not_depend_on_the_pieces(
    hall: Room, eve: Conversation
) -> None:
    said = characters(2_000, "3").encode()
    files = {"a": (said[at : at + 1] for at in range(len(said))), "b": BytesIO(said)}

    sent = hall.post("x", by=eve, attachments=files).message

    assert [one.text for one in sent.attachments] == [True, True]


def test_documents_are_downloaded_too(hall: Room, eve: Conversation) -> None:
    made = hall.files.write("plan.md", "会議", by=eve)
    hall.files.write("plan.md", "anew", by=eve, base=made.id)

    assert b"".join(hall.files.download("plan.md", by=eve)) == b"anew"
    former = hall.files.download("plan.md", by=eve, revision=made.id)
    assert b"".join(former) == "会議".encode()
    error = refused(NotFound, lambda: hall.files.download("other.md", by=eve))
    assert error.code == "file_not_found"


def test_attachments_are_listed_in_pages_newest_first(
    hall: Room, eve: Conversation
) -> None:
    for number in range(5):
        hall.post("x", by=eve, attachments={f"{number}a": b"", f"{number}b": b""})
        hall.post("none", by=eve)
    pages, before = [], None
    while True:
        page = hall.files.attachments(by=eve, before=before, limit=2)
        pages.append([one.path for one in page])
        before = page.next_cursor
        if before is None:
            break

    assert pages == [["4a", "4b", "3a", "3b"], ["2a", "2b", "1a", "1b"], ["0a", "0b"]]
    for wrong in ({"limit": 0}, {"before": "x"}, {"before": 7}):
        given: Any = {"by": eve, **wrong}
        refused(InvalidInput, lambda one=given: hall.files.attachments(**one))


def test_a_page_costs_the_same_wherever_it_begins(lobby: Lobby, ben: Any) -> None:
    room = lobby.create_room("r", by=ben)
    size = 8 * 2**20
    sent = room.post("x", by=ben, attachments={"log": b"a" * size}).message
    desk: Any = lobby._desk
    pieces = Counter[str]()

    class Counting(Counted):
        def blob(self, digest: str, *, start: int = 0) -> Iterator[bytes]:
            for piece in self.storage.blob(digest, start=start):
                pieces["read"] += 1
                yield piece

    desk.storage = Counting(desk.storage)
    costs = []
    for offset in (0, size - PAGE_BYTES):
        pieces.clear()
        page = room.files.read("log", by=ben, message=sent.id, offset=offset)
        assert page.content == "a" * PAGE_BYTES
        costs.append(pieces["read"])

    assert costs == [1, 1]


def test_a_room_without_attachments_is_read_without_a_look_at_the_log(
    lobby: Lobby, ben: Conversation
) -> None:
    room = lobby.create_room("r", by=ben)
    room.files.write("plan.md", "x", by=ben)
    reached = lobby._desk.storage.projected_to("files.1")

    room.files.read("plan.md", by=ben)
    refused(NotFound, lambda: room.files.read("other", by=ben))

    assert lobby._desk.storage.projected_to("files.1") == reached


# -- who may, and what goes


def test_only_whoever_may_read_the_room_reads_its_files(
    lobby: Lobby, ben: Conversation
) -> None:
    lobby.register(Administers())
    root, zoe = lobby.person("root"), lobby.person("zoe")
    outsider = lobby.add_agent("cy").conversation()
    secret = lobby.create_room("plans", by=ben, access="invite_only")
    secret.post("x", by=ben, attachments={"log.txt": b"secret"})
    before = lobby._desk.storage.head("lobby").version

    assert secret.files.read("log.txt", by=root).content == "secret"
    assert len(secret.files.attachments(by=root)) == 1
    assert b"".join(secret.files.download("log.txt", by=root)) == b"secret"
    recorded = lobby._desk.storage.read("lobby", after=before)
    assert [b'"files"' in one.header for one in recorded] == [True] * 3
    for who in (zoe, outsider):
        for work in (
            lambda one=who: secret.files.read("log.txt", by=one),
            lambda one=who: secret.files.download("log.txt", by=one),
            lambda one=who: secret.files.attachments(by=one),
            lambda one=who: secret.post("x", by=one, attachments={"a": b""}),
        ):
            assert refused(NotFound, work).code == "room_not_found"


def test_files_go_with_the_last_room_that_names_them(
    lobby: Lobby, ben: Conversation
) -> None:
    here, there = (lobby.create_room(name, by=ben) for name in ("here", "there"))
    files = {"a": b"shared", "b": b"shared"}
    here.post("x", by=ben, attachments={**files, "c": b"own"})
    there.files.write("a.md", "shared", by=ben)

    here.delete(by=lobby.person("ben"))

    assert not is_kept(lobby, b"own")
    assert is_kept(lobby, b"shared")
    there.delete(by=lobby.person("ben"))
    assert not is_kept(lobby, b"shared")


@pytest.mark.rule("G-DELETE-02")
def test_a_deleted_rooms_attachments_are_in_no_file(tmp_path: Path) -> None:
    with Lobby.open(tmp_path / "team.db") as lobby:
        ben = lobby.add_agent("ben", owner="ben").conversation()
        room, kept = (lobby.create_room(name, by=ben) for name in ("gone", "kept"))
        for number in range(8):
            said = f"canary-{number} ".encode() * 60_000
            room.post("x", by=ben, attachments={f"canary-path-{number}": said})
            kept.post("x", by=ben, attachments={"stays": said[:9].swapcase() * 60_000})
        room.files.attachments(by=ben)
        lobby._desk.streams.save_snapshots(every=1)

        room.delete(by=lobby.person("ben"))

        for file in tmp_path.iterdir():
            assert b"canary" not in file.read_bytes(), file
        assert len(kept.files.attachments(by=ben)) == 8


def test_an_erased_message_has_lost_its_files(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    sent = hall.post("x", by=eve, attachments={"log.txt": b"forget me"}).message
    version = int(sent.id.rpartition(".")[2])
    assert len(hall.files.attachments(by=eve)) == 1
    lobby._desk.storage.erase(f"room:{hall.id}", [version])

    (one,) = hall.read(by=eve).items[0].attachments
    assert (one.path, one.size, one.text, one.sha256) == ("", 9, True, "")
    for work in (hall.files.read, hall.files.download):
        error = refused(NotFound, lambda one=work: one("log.txt", by=eve))
        assert error.code == "file_not_found"
    assert len(hall.files.attachments(by=eve)) == 0
    assert list(lobby.export())


def test_a_content_that_is_damaged_is_told(
    hall: Room, eve: Conversation, lobby: Lobby
) -> None:
    hall.post("x", by=eve, attachments={"log.txt": b"lost"})
    lobby._desk.storage.remove_blob(digest(b"lost"))

    for work in (hall.files.read, hall.files.download):
        error = refused(CorruptLog, lambda one=work: one("log.txt", by=eve))
        assert error.code == "corrupt_log"


def test_an_export_carries_attachments(
    hall: Room, eve: Conversation, lobby: Lobby, place: Place
) -> None:
    hall.post("x", by=eve, attachments={"a": PNG, "b": b"x" * 400_000})
    lines = list(lobby.export())

    copy = Lobby.import_from(lines, "memory:")

    assert list(copy.export()) == lines
    member = copy.conversation("Eve", label="acme")
    for path, content in (("a", PNG), ("b", b"x" * 400_000)):
        room = copy.room(hall.id)
        assert b"".join(room.files.download(path, by=member)) == content
