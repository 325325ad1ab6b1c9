"""A room that was deleted holds nothing any more, neither a name nor a request id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rooms import Lobby, NotAllowed, NotFound, RoomPolicy, StorageError, hookimpl
from rooms.log.actors import Actor


@pytest.fixture(params=["memory", "sqlite"])
def lobby(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lobby]:
    where = "memory:" if request.param == "memory" else tmp_path / "team.db"
    with Lobby.open(where) as opened:
        yield opened


def test_a_request_id_is_free_again_when_its_room_is_gone(lobby: Lobby) -> None:
    ana = lobby.person("ana")
    former = lobby.create_room("orders", by=ana, request_id="orders")
    former.post("The words of the former room.", by=ana, request_id="r-1")
    former.delete(by=ana)

    room = lobby.create_room("orders", by=ana, request_id="orders")
    posted = room.post("Another message.", by=ana, request_id="r-1")

    assert room.id != former.id
    assert (posted.duplicate, posted.message.seq) == (False, 1)


def test_the_keys_of_other_rooms_stay(lobby: Lobby) -> None:
    ana = lobby.person("ana")
    kept = lobby.create_room("kept", by=ana, request_id="kept")
    gone = lobby.create_room("gone", by=ana)
    first = kept.post("Stays.", by=ana, request_id="r-1")
    gone.delete(by=ana)

    assert kept.post("Stays.", by=ana, request_id="r-1").duplicate
    assert lobby.create_room("kept", by=ana, request_id="kept") == kept
    assert first.message.seq == 1


CANARY = "nightingale"


def in_files(folder: Path) -> list[str]:
    """The files that hold the canary, in any case; every one that SQLite keeps."""
    return [
        path.name
        for path in sorted(folder.iterdir())
        if CANARY.encode() in path.read_bytes().lower()
    ]


class Guest:
    """A host that lets everybody be added, and one person read every room."""

    @hookimpl
    def rooms_may(self, actor: Actor, action: str) -> bool:
        return action == "add_agent" or actor.person == "root"


@pytest.mark.rule("G-DELETE-02", "G-INVITE-05")
def test_no_word_of_a_deleted_room_is_in_any_file(tmp_path: Path) -> None:
    path = tmp_path / "team.db"
    with Lobby.open(path) as lobby, Lobby.open(path) as other:
        lobby.register(Guest())
        other.register(Guest())
        ben = lobby.add_agent("ben", owner="ben").conversation()
        lobby.add_agent("cy")
        lobby.add_agent("Eve", threaded=True)
        kept = lobby.create_room("kept", by=ben)
        for number, access in enumerate(("open", "invite_only")):
            room = lobby.create_room(
                f"The {CANARY} room",
                by=ben,
                access=access,
                policy=RoomPolicy(send_window=None),
                request_id=f"c-{number}",
            )
            room.invite("cy", by=ben, reason=f"Come and see the {CANARY}.")
            room.add("Eve", by=ben, reason=f"It sings:\n{CANARY}")
            for line in range(60):
                room.post(f"{CANARY} number {line} " * (line % 4 * 200 + 1), by=ben)
            room.files.write("birds.md", f"# {CANARY}", by=ben)
            assert len(room.search(CANARY, by=ben, limit=100)) == 61
            assert other.room(room.id).read(by=lobby.person("root"))
            lobby.list_rooms(by=ben)
            other.deliver()
            kept.post("Another room goes on.", by=ben)
            assert in_files(tmp_path)

            room.delete(by=lobby.person("ben"))

            assert in_files(tmp_path) == []
        assert lobby.rooms == (kept,)
        assert all(not stream.damages for stream in lobby.verify().values())
        assert CANARY not in "".join(lobby.export())
    assert in_files(tmp_path) == []


@pytest.mark.rule("G-DELETE-02")
def test_a_deleted_room_is_nowhere_and_nobodys(lobby: Lobby) -> None:
    lobby.register(Guest())
    root, owner = lobby.person("root"), lobby.person("ben")
    ben = lobby.add_agent("ben", owner="ben").conversation()
    cy = lobby.add_agent("cy").conversation()
    room = lobby.create_room("orders", by=ben, access="invite_only", invite=["cy"])
    room.post("Due soon.", by=ben)
    room.delete(by=owner)

    attempts: list[Callable[[Any], object]] = [
        lambda by: room.read(by=by),
        lambda by: room.latest(by=by),
        lambda by: room.search("due", by=by),
        lambda by: room.participants(by=by),
        lambda by: room.files.documents(by=by),
        lambda by: room.post("x", by=by),
        lambda by: room.invite("cy", by=by),
        lambda by: room.delete(by=by),
        lambda by: lobby.room(room.id, by=by),
    ]
    for attempt in attempts:
        for somebody in (root, owner, ben, cy):
            with pytest.raises(NotFound) as gone:
                attempt(somebody)
            assert gone.value.code == "room_not_found"
    for attempt in (lambda by: room.join(by=by), lambda by: room.decline(by=by)):
        with pytest.raises(NotFound):
            attempt(cy)
    for somebody in (root, owner, ben, cy):
        assert lobby.list_rooms(by=somebody).items == ()
    assert list(lobby.rooms) == []


@pytest.mark.rule("G-DELETE-03", "G-DELETE-04")
def test_an_administrator_deletes_by_its_own_word_and_not_through_its_single_agent(
    lobby: Lobby,
) -> None:
    lobby.register(Guest())
    root, ana = lobby.person("root"), lobby.person("ana")
    tool = lobby.add_agent("roots-tool", owner="root").conversation()
    lobby.add_agent("Eve", threaded=True)
    eve = lobby.conversation("Eve", label="desk")
    anas = lobby.add_agent("anas-tool", owner="ana").conversation()
    first, second, third, fourth = (
        lobby.create_room(name, by=anas).join(by=tool).join(by=eve)
        for name in ("first", "second", "third", "fourth")
    )

    for by in (tool, eve, lobby.turn(eve, word_of=lobby.person("zoe"))):
        with pytest.raises(NotAllowed) as refused:
            first.delete(by=by)
        assert refused.value.code == "not_owner"

    first.delete(by=anas)  # its person owns it
    second.delete(by=root)
    third.delete(by=lobby.turn(eve, word_of=root))
    fourth.delete(by=lobby.turn(eve, word_of=ana))
    assert list(lobby.rooms) == []


@pytest.mark.parametrize("failing", ["remove", "erase", "remove_blob"])
def test_a_deletion_that_fails_in_its_middle_has_done_nothing(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    ana = lobby.person("ana")
    room = lobby.create_room("orders", by=ana, request_id="orders")
    room.post("Its words.", by=ana, request_id="r-1")
    room.files.write("plan.md", "A plan.", by=ana)
    storage = lobby._desk.storage
    before = storage.scan()
    real = getattr(storage, failing)

    def fails(*given: Any) -> None:
        real(*given)
        raise StorageError("storage_failed", "the disk went away")

    with monkeypatch.context() as patch:
        patch.setattr(storage, failing, fails)
        with pytest.raises(StorageError):
            room.delete(by=ana)

    assert storage.scan() == before
    assert list(lobby.rooms) == [room]
    assert room.post("Its words.", by=ana, request_id="r-1").duplicate
    assert str(room.files.read("plan.md", by=ana).content) == "A plan."
    assert [one.seq for one in room.search("words", by=ana)] == [1]
    assert not any(one.damages for one in lobby.verify().values())

    room.delete(by=ana)

    assert list(lobby.rooms) == []
    assert storage.streams("room:") == []
