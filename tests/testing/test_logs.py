"""Logs that hypothesis draws: each is read again, and is decided today as it was."""

from __future__ import annotations

from hypothesis import given, settings

from effort import sized
from rooms import Lobby
from rooms.lobby.transfer.log import import_log
from rooms.storage import MemoryStorage
from rooms.testing import check_replay
from rooms.testing.logs import logs


@settings(max_examples=sized(15, 60, 1_000), deadline=None, derandomize=True)
@given(logs())
def test_whatever_was_left_is_imported_and_decided_alike(log: tuple[str, ...]) -> None:
    storage = MemoryStorage()

    import_log(log, storage)

    assert tuple(Lobby(storage).export()) == log
    assert check_replay(storage).divergences == ()
