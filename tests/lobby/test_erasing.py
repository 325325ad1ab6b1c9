"""A message that was erased: its words are nowhere, and what it did stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Clock
from rooms import (
    Conversation,
    Lobby,
    NotAllowed,
    NotFound,
    Person,
    Room,
    StorageError,
    hookimpl,
)
from rooms.log.actors import Actor

CANARY = "nightingale"


@pytest.fixture
def ana(lobby: Lobby) -> Person:
    """The owner of the hall: eve acts for her."""
    return lobby.person("ana")


@pytest.fixture
def owned(lobby: Lobby, ana: Person, ben: Conversation) -> Room:
    return lobby.create_room("owned", by=ana).join(by=ben)


def in_files(folder: Path) -> list[str]:
    return [
        path.name
        for path in sorted(folder.iterdir())
        if CANARY.encode() in path.read_bytes().lower()
    ]


def test_no_word_of_it_is_in_any_file(tmp_path: Path) -> None:
    with Lobby.open(tmp_path / "team.db") as lobby:
        ana = lobby.person("ana")
        ben = lobby.add_agent("ben").conversation()
        room = lobby.create_room("work", by=ana).join(by=ben)
        said = room.post(
            f"The {CANARY} sings.",
            by=ben,
            attachments={"song.txt": f"{CANARY} ".encode() * 9_000},
        ).message
        room.post("Stays.", by=ben)
        assert [one.id for one in room.search(CANARY, by=ana)] == [said.id]
        assert in_files(tmp_path)

        room.erase(said.id, by=ana)

        assert in_files(tmp_path) == []
        first, second = room.read(by=ana)
        assert (first.erased, first.content, first.id) == (True, "", said.id)
        assert (second.erased, second.content) == (False, "Stays.")
        assert room.search(CANARY, by=ana) == ()
        assert CANARY not in "".join(lobby.export())
        verified = lobby.verify()[f"room:{room.id}"]
        assert (verified.damages, len(verified.erased)) == ((), 1)
    assert in_files(tmp_path) == []


def test_a_content_that_another_message_carries_stays(
    lobby: Lobby, owned: Room, ana: Person, ben: Conversation
) -> None:
    files = {"a.txt": b"the same"}
    one = owned.post("one", by=ben, attachments=files).message
    two = owned.post("two", by=ben, attachments={"b.txt": b"the same"}).message
    alone = owned.post("three", by=ben, attachments={"c.txt": b"alone"}).message

    owned.erase(one.id, by=ana)
    owned.erase(alone.id, by=ana)

    assert owned.files.read("b.txt", by=ben).content == "the same"
    for path in ("a.txt", "c.txt"):
        with pytest.raises(NotFound):
            owned.files.read(path, by=ben)
    owned.erase(two.id, by=ana)
    lobby._desk.filed.start_anew()
    with pytest.raises(NotFound):
        owned.files.read("b.txt", by=ben)


def test_nobody_is_woken_for_it_and_a_retry_finds_it(
    lobby: Lobby, owned: Room, ana: Person, ben: Conversation
) -> None:
    slip = owned.post("A slip.", by=ana, to=[ben], request_id="r-1").message

    owned.erase(slip.id, by=ana)
    position = lobby._desk.storage.position()
    owned.erase(slip.id, by=ana)

    assert lobby._desk.storage.position() == position
    assert lobby.take_wakes() == []
    again = owned.post("A slip.", by=ana, to=[ben], request_id="r-1")
    assert (again.duplicate, again.message.erased) == (True, True)
    assert "ended as it was erased" in str(owned.explain(slip.id))


def test_only_the_owner_erases_or_whom_the_host_lets(
    lobby: Lobby, owned: Room, ana: Person, ben: Conversation
) -> None:
    said = owned.post("Mine.", by=ben).message
    root = lobby.person("root")
    for by in (ben, root):
        with pytest.raises(NotAllowed) as refused:
            owned.erase(said.id, by=by)
        assert refused.value.code == "not_owner"
    with pytest.raises(NotFound) as unknown:
        owned.erase("nothing", by=ana)
    assert unknown.value.code == "unknown_message"

    class Host:
        @hookimpl
        def rooms_may(self, actor: Actor, action: str) -> bool | None:
            return True if (actor.id, action) == ("root", "erase_message") else None

    lobby.register(Host())
    owned.erase(said.id, by=root)

    assert [one.erased for one in owned.read(by=ana)] == [True]


def test_an_erasing_that_fails_in_its_middle_has_done_nothing(
    lobby: Lobby,
    owned: Room,
    ana: Person,
    ben: Conversation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = owned.post("It stays.", by=ana, to=[ben]).message
    storage = lobby._desk.storage
    before, real = storage.scan(), storage.erase

    def fails(*given: Any) -> None:
        real(*given)
        raise StorageError("storage_failed", "the disk went away")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "erase", fails)
        with pytest.raises(StorageError):
            owned.erase(said.id, by=ana)

    assert storage.scan() == before
    [wake] = lobby.take_wakes()
    assert [one.content for one in wake.messages] == ["It stays."]


@pytest.mark.rule("L-SCHED-04", "L-KEEP-02")
def test_words_that_were_cancelled_while_they_waited_go_when_they_are_erased(
    tmp_path: Path,
) -> None:
    with Lobby.open(tmp_path / "team.db") as lobby:
        ana = lobby.person("ana")
        ben = lobby.add_agent("ben").conversation()
        room = lobby.create_room("work", by=ana).join(by=ben)
        mine = lobby.schedules(by=ben)
        song = {"song.txt": f"{CANARY} ".encode() * 9_000}
        later = datetime.now(UTC) + timedelta(hours=1)
        said = room.post("First.", by=ben, deliver_at=later, attachments=song).message
        mine.update(said.id, content=f"The {CANARY} sings.")
        mine.update(said.id, content=f"The {CANARY} sings again.")
        with pytest.raises(NotFound) as waits:
            room.erase(said.id, by=ana)  # to nobody it is there yet
        mine.cancel(said.id)
        assert in_files(tmp_path)
        with pytest.raises(NotAllowed) as refused:
            room.erase(said.id, by=ben)

        room.erase(said.id, by=ana)

        assert (waits.value.code, refused.value.code) == (
            "unknown_message",
            "not_owner",
        )
        assert in_files(tmp_path) == []
        position = lobby._desk.storage.position()
        room.erase(said.id, by=ana)
        assert lobby._desk.storage.position() == position
        again = mine.cancel(said.id)
        assert again.already_cancelled
        assert again.message is not None
        assert again.message.content == ""
        assert lobby.contents.usage().used_bytes == 0
        assert not any(one.damages for one in lobby.verify().values())
        lines = [*lobby.export()]
    with Lobby.import_from(lines, tmp_path / "other.db") as other:
        assert [*other.export()] == lines


def test_a_cancelled_message_is_erased_alike_on_both_storages(
    lobby: Lobby, owned: Room, ana: Person, ben: Conversation, clock: Clock
) -> None:
    later = clock.now + timedelta(hours=1)
    files = {"a.txt": b"a", "b.txt": b"b"}
    kept = owned.post("Stays.", by=ben, attachments={"b.txt": b"b"})
    said = owned.post("Goes.", by=ben, deliver_at=later, attachments=files).message
    lobby.schedules(by=ben).cancel(said.id)

    owned.erase(said.id, by=ana)
    lobby._desk.filed.start_anew()
    lobby._desk.carried.start_anew()

    assert [one.messages for one in lobby.contents.listed()] == [(kept.message.id,)]
    clock.advance(hours=2)
    lobby.deliver()
    assert [one.content for one in owned.read(by=ana)] == ["Stays."]
    again = owned.post("After.", by=ben)
    assert again.message.seq == 2
