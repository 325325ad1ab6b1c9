"""What is kept only for so long: messages go by age, with all that hung on them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lobby.broker import added, code_of, inbox
from lobby.place import Clock, Place
from rooms import Conversation, Lobby, Room, RoomPolicy, SQLiteStorage, presets
from rooms.lobby.transfer.log import import_log
from rooms.storage import MemoryStorage

DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
CANARY, KEY = "nightingale", "request-of-the-nightjar"


@pytest.fixture
def pair(lobby: Lobby) -> tuple[Conversation, Conversation]:
    ann, ben = added(lobby, "ann", "ben")
    return ann, ben


def in_files(folder: Path) -> list[tuple[str, str]]:
    return [
        (path.name, word)
        for path in sorted(folder.iterdir())
        for word in (CANARY, KEY)
        if word.encode() in path.read_bytes().lower()
    ]


def kept_room(lobby: Lobby, *members: Conversation, **options: Any) -> Room:
    """A room that keeps its messages for a day."""
    room = lobby.create_room(
        "kept", by=members[0], policy=RoomPolicy(retention=DAY, **options)
    )
    for one in members[1:]:
        room.join(by=one, mode="every_message")
    return room


@pytest.mark.rule("L-KEEP-01")
def test_a_message_goes_a_day_after_it_was_posted_and_no_moment_earlier(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    ann, ben = pair
    room = kept_room(lobby, ann, ben)
    room.post("first", by=ann)
    clock.advance(hours=1)
    second = room.post("second", by=ann).message
    clock.advance(hours=23)
    clock.now -= MOMENT
    assert lobby.sweep().messages == 0

    clock.now += MOMENT
    assert lobby.sweep().messages == 1

    assert [one.id for one in room.read(by=ben)] == [second.id]
    assert lobby.sweep().messages == 0
    clock.advance(hours=1)
    assert lobby.sweep().messages == 1
    assert list(room.read(by=ben)) == list(room.latest(by=ben)) == []
    third = room.post("third", by=ann).message
    assert third.seq == 3
    assert [one.content for one in room.read(by=ben)] == ["third"]


@pytest.mark.rule("L-KEEP-01", "L-KEEP-04")
def test_what_is_unread_goes_with_a_reason_and_what_was_read_goes_too(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    ann, ben = pair
    read = lobby.send("read", by=ann, to="ben")
    read.room.acknowledge([read.message.id], by=ben)
    unread = lobby.send("unread", by=ann, to="ben")
    taken = lobby.send("taken", by=ben, to="ann")
    [wake] = lobby.take_wakes(agents=["ann"])
    clock.advance(hours=25)

    assert lobby.sweep().messages == 3

    assert inbox(lobby, ben) == []
    assert [list(read.room.read(by=one)) for one in pair] == [[], []]
    assert unread.room.search("unread", by=ben) == ()
    told = str(unread.room.explain(unread.message.id))
    assert "ended as it expired" in told
    with pytest.raises(Exception, match="no message"):
        unread.room.explain(unread.message.id, by=ben)
    # What is gone harms nobody who comes late (story 9 of the broker).
    read.room.acknowledge([read.message.id, unread.message.id], by=ben)
    assert code_of(lambda: lobby.turn(wake).__enter__()) == "stale_wake"
    assert taken.room == read.room
    assert not lobby.verify()[f"room:{read.room.id}"].damages


@pytest.mark.rule("L-SEND-18", "L-KEEP-04")
def test_a_request_is_remembered_as_long_as_its_message(
    place: Place, lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    ann, _ = pair
    first = lobby.send("once", by=ann, to="ben", request_id="k")
    clock.advance(hours=23, minutes=59)
    lobby.sweep()
    again = lobby.send("once", by=ann, to="ben", request_id="k")
    assert (again.duplicate, again.message.id) == (True, first.message.id)

    clock.advance(minutes=3)
    lobby.sweep()
    lobby = place.open()
    ann = lobby.conversation("ann")
    anew = lobby.send("once", by=ann, to="ben", request_id="k")

    assert (anew.duplicate, anew.message.seq) == (False, 2)
    assert anew.message.id != first.message.id
    assert lobby.send("once", by=ann, to="ben", request_id="k").duplicate
    other = code_of(lambda: lobby.send("else", by=ann, to="ben", request_id="k"))
    assert other == "idempotency_conflict"


@pytest.mark.rule("L-KEEP-04", "L-SEND-26")
def test_a_reply_to_what_is_gone_is_taken_with_a_warning(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    ann, ben = pair
    old = lobby.send("old", by=ann, to="ben").message
    clock.advance(hours=25)
    lobby.sweep()

    asked: dict[str, Any] = {
        "by": ben,
        "to": "ann",
        "reply_to": old.id,
        "request_id": "r",
    }
    for duplicate in (False, True):
        reply = lobby.send("late", **asked)
        assert reply.duplicate is duplicate
        assert [(one.kind, dict(one.data)) for one in reply.notices] == [
            ("reply_gone", {"message": old.id})
        ]
        assert reply.message.reply_to == old.id
    never = f"{old.id[:-8]}00000900"
    unknown = code_of(lambda: lobby.send("x", by=ben, to="ann", reply_to=never))
    assert unknown == "reply_not_found"
    replaced = code_of(
        lambda: reply.room.post("x", by=ann, supersedes=old.id, to=[ben])
    )
    assert replaced == "supersedes_not_found"


@pytest.mark.rule("L-KEEP-05", "L-LIMIT-07")
def test_only_age_ends_a_message_and_a_room_without_an_end_keeps_all(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    ann, ben = pair
    tight = presets.broker(backlog=10)
    lobby.send("12345678", by=ann, to="ben", policy=tight)
    full = code_of(lambda: lobby.send("9012345", by=ann, to="ben"))
    assert full == "inbox_capacity"
    assert inbox(lobby, ben) == ["12345678"]
    forever = lobby.create_room("forever", by=ann)
    forever.post("kept", by=ann)
    clock.advance(days=400)

    assert lobby.sweep().messages == 1

    assert [one.content for one in forever.read(by=ann)] == ["kept"]


def test_a_policy_may_begin_and_cease_to_let_messages_go(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    ann, _ = pair
    owner = lobby.person("owner")
    room = lobby.create_room("work", by=owner)
    room.join(by=ann)
    room.post("one", by=ann, request_id="k")
    clock.advance(days=2)
    assert lobby.sweep().messages == 0
    room.change_policy(RoomPolicy(retention=DAY), by=owner)
    assert room.post("one", by=ann, request_id="k").duplicate

    assert lobby.sweep().messages == 1
    second = room.post("one", by=ann, request_id="k")
    assert not second.duplicate
    room.change_policy(RoomPolicy(), by=owner)
    clock.advance(days=2)

    assert lobby.sweep().messages == 0
    assert room.post("one", by=ann, request_id="k").message == second.message
    copy = MemoryStorage()
    import_log(lobby.export(), copy)
    with Lobby(copy, clock=clock) as other:
        again = other.room(room.id)
        ann = other.conversation("ann")
        assert again.post("one", by=ann, request_id="k").duplicate
        again.delete(by=other.person("owner"))


@pytest.mark.rule("L-SEND-18")
def test_neither_words_nor_request_ids_are_in_any_file_after_the_sweep(
    tmp_path: Path,
) -> None:
    clock = Clock()
    with Lobby(SQLiteStorage(tmp_path / "team.db"), clock=clock) as lobby:
        ann, ben = added(lobby, "ann", "ben")
        for number in range(60):  # enough that pages of keys are split
            lobby.send(
                f"The {CANARY} sings.",
                by=ann if number % 2 else ben,
                to="ben" if number % 2 else "ann",
                request_id=f"{KEY}-{number}",
                fields={"recommendation": CANARY},
                attachments={"song.txt": f"{CANARY} ".encode() * 9_000},
            )
        [room] = lobby.rooms
        lobby.take_wakes(agents=["ann"])
        room.read(by=ben)
        assert {word for _, word in in_files(tmp_path)} == {CANARY}
        clock.advance(hours=25)

        assert lobby.sweep().messages == 60

        assert in_files(tmp_path) == []
        assert CANARY not in "".join(lobby.export())
        assert KEY not in "".join(lobby.export())
        verified = lobby.verify()[f"room:{room.id}"]
        assert (verified.damages, len(verified.erased)) == ((), 60)
    assert in_files(tmp_path) == []


@pytest.mark.rule("L-KEEP-01", "L-KEEP-02", "L-SEND-18", "L-ATT-11")
def test_what_waited_goes_a_day_after_it_was_delivered_or_cancelled(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    """The fourth of the subtlest: its key lives as long."""
    ann, ben = pair
    room = kept_room(lobby, ann, ben)
    soon = clock.at(3 * 86_400)

    def send() -> bool:
        carried = {"a.txt": CANARY.encode()}
        return room.post(
            *(CANARY,), by=ann, deliver_at=soon, request_id=KEY, attachments=carried
        ).duplicate

    assert send() is False
    never = room.post(f"{CANARY} too", by=ann, deliver_at=soon).message
    lobby.schedules(by=ann).update(never, content=f"{CANARY} as well")
    room.post("before", by=ann)
    clock.advance(days=1)
    lobby.schedules(by=ann).cancel(never)
    assert lobby.sweep().messages == 1
    assert send() is True
    clock.advance(days=1)
    assert lobby.sweep().messages == 0
    kept = "".join(lobby.export())
    assert kept.count(f'"text\\":\\"{CANARY}') == 1  # what was cancelled is gone
    clock.advance(days=1)
    [wake] = lobby.take_wakes(agents=["ben"])
    assert [message.content for message in wake.messages] == [CANARY]
    assert room.files.read("a.txt", by=ben).content == CANARY
    clock.advance(days=1, seconds=-1)
    assert (lobby.sweep().messages, send()) == (0, True)
    clock.advance(1)
    assert lobby.sweep().messages == 1
    kept = "".join(lobby.export())
    assert CANARY not in kept
    assert KEY not in kept
    assert code_of(send) == "deliver_at_out_of_range"  # it is a new request
    assert lobby.verify()[f"room:{room.id}"].damages == ()


def test_a_request_id_of_a_header_is_free_again_wherever_it_is_used_next(
    lobby: Lobby, clock: Clock, pair: tuple[Conversation, Conversation]
) -> None:
    """It was given before the room let messages go, and stands in its log for ever."""
    ann, _ = pair
    owner = lobby.person("owner")
    old = lobby.create_room("old", by=owner).join(by=ann)
    new = lobby.create_room("new", by=owner).join(by=ann)
    old.post("one", by=ann, request_id="k")
    old.change_policy(RoomPolicy(retention=DAY), by=owner)
    clock.advance(days=1)
    assert lobby.sweep().messages == 1

    assert not new.post("two", by=ann, request_id="k").duplicate

    copy = MemoryStorage()
    import_log(lobby.export(), copy)
    with Lobby(copy, clock=clock) as other:
        for each in (lobby, other):
            each.room(old.id).delete(by=each.person("owner"))
            by, again = each.conversation("ann"), each.room(new.id)
            assert again.post("two", by=by, request_id="k").duplicate
