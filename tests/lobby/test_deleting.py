"""A room that was deleted holds nothing any more, neither a name nor a request id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rooms.lobby import Lobby


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
