"""Two handles of one storage, as two processes have them; each trusts what it knows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from rooms import Conflict, Lobby, NotAllowed, NotFound, Room, RoomPolicy
from rooms.lobby import Page, Person
from rooms.lobby.access import gate
from rooms.lobby.access.gate import check
from rooms.lobby.desk import Desk
from rooms.lobby.recording.streams import LOBBY, Streams
from rooms.log.actors import Actor
from rooms.log.records import Record
from rooms.log.state import RoomState
from rooms.pacing import RateWindow
from rooms.storage import MemoryStorage
from rooms.storage.protocol import Row
from rooms.testing import CountingIds, FakeClock

MINUTE = timedelta(minutes=1)


def test_a_due_instant_is_kept_by_whoever_commits_last() -> None:
    """The other handle's commits move it too (foundation 19)."""
    storage, clock, ids = MemoryStorage(), FakeClock(), CountingIds()
    one, other = (Lobby(storage, clock=clock, ids=ids) for _ in range(2))
    ben, cy = (one.add_agent(name).conversation() for name in ("ben", "cy"))
    window = RateWindow(1, MINUTE)
    room = one.create_room("r", by=ben, policy=RoomPolicy(wake_window=window))
    room.join(by=cy)
    room.post("takes the place", by=ben, to=[cy])
    there = other.room("r")

    there.post("waits for it", by=other.agent("ben").conversation(), to=["agent:cy"])
    assert one.next_deadline() == clock.now + MINUTE
    room.leave(by=cy)  # and what waits for it ends

    assert one.next_deadline() is None
    assert other.next_deadline() is None


def test_what_a_command_is_decided_on_is_not_let_go_under_it() -> None:
    """
    A handle with as many streams loaded as it keeps has to load one more for a post,
    and another handle wrote meanwhile: the room is not loaded anew as it is by then, to
    vouch for what was decided on the room as it was.
    """
    storage, clock, ids = MemoryStorage(), FakeClock(), CountingIds()
    one, other = (Lobby(storage, clock=clock, ids=ids) for _ in range(2))
    ben = one.add_agent("ben").conversation()
    eve = one.add_agent("Eve", threaded=True).conversation(label="work")
    room = one.create_room("r", by=ben).join(by=eve)
    streams = one._desk.streams
    streams.drop_all()
    streams.prove()
    for name in (f"room:{room.id}", "lobby"):
        streams.current(name)
    streams.most = 2

    there = other.room("r").rest(by=other.agent("Eve").conversation(label="work"))
    there.post("first", by=other.agent("ben").conversation())

    assert room.post("second", by=ben, to=["agent:Eve/work"]).held == (eve,)
    said = room.latest(by=ben)
    assert [(one.seq, one.content) for one in said] == [(1, "first"), (2, "second")]
    assert not any(each.damages for each in one.verify().values())


def test_what_a_message_of_another_handle_started_is_known_to_what_replaces_it() -> (
    None
):
    """The message is read from the storage, and is newer than the room in memory."""
    storage, clock, ids = MemoryStorage(), FakeClock(), CountingIds()
    one, other = (Lobby(storage, clock=clock, ids=ids) for _ in range(2))
    ben = one.add_agent("ben").conversation()
    eve = one.add_agent("Eve", threaded=True).conversation(label="work")
    room = one.create_room("r", by=ben).join(by=eve)
    room.post("to nobody", by=ben)
    there = other.room("r")
    there.post("begin", by=other.agent("ben").conversation(), to=["agent:Eve"])
    said = there.latest(by=other.agent("ben").conversation())[-1]

    with pytest.raises(Conflict) as refused:
        room.post("no: begin", by=ben, to=["agent:Eve/new"], supersedes=said.id)

    assert refused.value.code == "supersedes_audience"
    assert refused.value.details["missing"] == ("Eve",)


def test_what_is_used_lately_is_not_let_go() -> None:
    """Of many rooms the idle ones go; the lobby's own stream is asked for always."""
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock(), ids=CountingIds())
    ben = lobby.add_agent("ben").conversation()
    names = [f"room:{lobby.create_room(f'r{n}', by=ben).id}" for n in range(5)]
    streams = Streams(storage, most=3)

    for name in (LOBBY, names[0], names[1], LOBBY, names[0], names[2]):
        streams.current(name)
    assert set(streams.loaded) == {LOBBY, names[0], names[2]}
    for name in (LOBBY, names[3], LOBBY, names[4]):
        streams.current(name)
    assert set(streams.loaded) == {LOBBY, names[3], names[4]}


Reads = Callable[[Room, Any], Page]
PAGES: dict[str, Reads] = {
    "read": lambda room, by: room.read(by=by),
    "latest": lambda room, by: room.latest(by=by),
    "exchange": lambda room, by: room.exchange(by, by=by),
}


class Meanwhile(MemoryStorage):
    """Memory in which another handle is faster than each look at messages."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[Callable[[], object]] = []

    def _acted(self) -> None:
        while self.acts:
            self.acts.pop()()

    def messages(self, stream: str, **page: Any) -> list[Record]:
        self._acted()
        return super().messages(stream, **page)

    def range(self, name: str, **rows: Any) -> list[Row]:
        if name.startswith("views"):
            self._acted()
        return super().range(name, **rows)


@pytest.fixture
def meanwhile() -> Meanwhile:
    return Meanwhile()


@pytest.fixture
def two_rooms(meanwhile: Meanwhile) -> tuple[Room, Room]:
    """A room of ana's with two messages in it, as each of two handles has it."""
    one, other = Lobby(meanwhile), Lobby(meanwhile)
    ana = one.person("ana")
    room = one.create_room("r", by=ana)
    room.post("1", by=ana)
    room.post("2", by=ana)
    return room, other.room("r")


def ana_of(room: Room) -> Person:
    """Ana, as the handle of a room has her."""
    return Person("ana", room._desk)


@pytest.mark.parametrize("how", PAGES)
def test_what_another_posts_while_a_page_is_read_is_on_the_next(
    meanwhile: Meanwhile, two_rooms: tuple[Room, Room], how: str
) -> None:
    room, there = two_rooms
    ana = ana_of(room)
    meanwhile.acts.append(lambda: there.post("3", by=ana_of(there)))

    page = PAGES[how](room, ana)

    assert not meanwhile.acts, "nobody posted"
    assert [one.content for one in page] == ["1", "2"]
    assert page.position == 2
    assert page.next_cursor is None
    following = room.read(by=ana, after=page.position)
    assert [one.content for one in following] == ["3"]


@pytest.mark.parametrize("how", ["read", "latest"])
def test_a_room_that_another_deletes_while_it_is_read_is_not_damaged(
    meanwhile: Meanwhile, two_rooms: tuple[Room, Room], how: str
) -> None:
    room, there = two_rooms
    meanwhile.acts.append(lambda: there.delete(by=ana_of(there)))

    with pytest.raises(NotFound) as refused:
        PAGES[how](room, ana_of(room))

    assert refused.value.code == "room_not_found"


LOOKS: dict[str, Callable[[Room, Any], object]] = {
    **PAGES,
    "search": lambda room, by: room.search("eve", by=by),
    "explain": lambda room, by: room.explain(f"{room.id[5:]}.00000005", by=by),
    "participants": lambda room, by: room.participants(by=by),
    "documents": lambda room, by: room.files.documents(by=by),
    "history": lambda room, by: room.files.history(by=by),
    "attachments": lambda room, by: room.files.attachments(by=by),
    "a file": lambda room, by: room.files.read("notes.txt", by=by),
    "memory": lambda room, by: room.memory.status(by=by),
}


@pytest.mark.parametrize("who", ["person", "conversation"])
@pytest.mark.parametrize("how", LOOKS)
def test_who_loses_a_room_before_it_is_looked_up_there_sees_none_of_it(
    meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch, how: str, who: str
) -> None:
    one, other = Lobby(meanwhile), Lobby(meanwhile)
    ann, eve = one.add_agent("ann"), one.add_agent("eve", owner="ana")
    room = one.create_room("r", by=ann.conversation(), access="invite_only")
    room.invite(eve, by=ann.conversation()).join(by=eve.conversation())
    room.post("with eve", by=ann.conversation(), attachments={"notes.txt": b"notes"})
    room.files.write("notes.txt", "notes", by=ann.conversation())
    by = one.person("ana") if who == "person" else eve.conversation()
    LOOKS[how](room, by)
    lost = False

    def checked(desk: Desk, asked: str, actor: Actor) -> RoomState:
        nonlocal lost
        state = check(desk, asked, actor)
        if not lost:
            lost, there = True, other.room("r")
            there.leave(by=other.agent("eve").conversation())
            there.post("without eve", by=other.agent("ann").conversation())
        return state

    monkeypatch.setattr(gate, "check", checked)

    with pytest.raises((NotFound, NotAllowed)) as refused:
        LOOKS[how](room, by)

    assert refused.value.code == "room_not_found"
