"""What a broker's messages carry: types, sizes, who may have it, and for how long."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from lobby.broker import added, code_of, refusal
from lobby.place import Clock
from lobby.test_attachments import PNG, is_kept
from rooms import Conversation, Lobby, RoomPolicy, presets
from rooms.errors import CODES

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
