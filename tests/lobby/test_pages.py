"""A page's messages: values that are read from their records when they are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from rooms import Lobby, MemoryStorage, Room, SQLiteStorage
from rooms.errors import CorruptLog
from rooms.lobby import messages
from rooms.lobby.messages import Message
from rooms.log import events
from rooms.log.records import Record
from rooms.storage import Storage


def hall(storage: Storage) -> tuple[Lobby, Room]:
    lobby = Lobby(storage)
    eve, ben = (lobby.add_agent(name).conversation() for name in ("eve", "ben"))
    room = lobby.create_room("hall", by=lobby.person("ana"))
    room.join(by=eve).join(by=ben)
    for number in range(1, 6):
        room.post(f"word {number}", by=eve, to=("agent:ben",))
    return lobby, room


def test_a_person_reads_only_what_it_looks_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lobby, room = hall(MemoryStorage())
    read: list[int] = []

    def decoded(record: Record) -> events.Fact:
        read.append(record.version)
        return events.decoded(record)

    monkeypatch.setattr(messages, "decoded", decoded)
    page = room.read(by=lobby.person("ana"))

    assert [one.seq for one in page] == [1, 2, 3, 4, 5]
    assert not read
    assert page.items[3].content == "word 4"
    assert page.items[3].to == ("agent:ben",)
    assert len(read) == 1


def test_a_message_is_a_value() -> None:
    lobby, room = hall(MemoryStorage())
    ana = lobby.person("ana")
    one, other = room.read(by=ana, limit=2)
    (again,) = room.read(by=ana, limit=1)

    assert one == again
    assert hash(one) == hash(again)
    assert one != other
    assert one != "word 1"
    assert "word 1" not in repr(one)
    assert "<6 characters>" in repr(one)
    for name in ("content", "more"):
        with pytest.raises(AttributeError):
            setattr(one, name, "another")
    with pytest.raises(AttributeError):
        del one._source
    assert one.content == "word 1"


def test_it_says_what_it_said_when_it_was_read(tmp_path: Path) -> None:
    lobby, room = hall(SQLiteStorage(tmp_path / "lobby.db"))
    one, other = room.read(by=lobby.person("ana"), limit=2)
    assert one.content == "word 1"
    lobby._desk.storage.erase(f"room:{room.id}", range(1, 20))
    lobby.close()

    assert (one.content, other.content) == ("word 1", "word 2")
    assert not other.erased


def test_what_cannot_be_shown_is_not_settled() -> None:
    storage = MemoryStorage()
    lobby, room = hall(storage)
    records = storage._streams[f"room:{room.id}"].records
    place = next(at for at, one in enumerate(records) if one.seq == 3)
    records[place] = records[place]._replace(body=b"{")
    ben = lobby.agent("ben").conversation()

    with pytest.raises(CorruptLog):
        room.read(by=ben)
    (_, _, broken, _, _) = room.read(by=lobby.person("ana"))
    with pytest.raises(CorruptLog):
        broken.content  # noqa: B018 - it is asked for
    assert isinstance(broken, Message)
    assert broken.seq == 3
    assert lobby._desk.room(room.id).seats[ben.id].entry(1) is not None
