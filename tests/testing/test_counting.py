"""Ids and salts that count: the same each time, and never twice."""

from __future__ import annotations

from typing import Any

import pytest

from rooms import Lobby
from rooms.errors import InvalidInput
from rooms.testing import CountingIds, CountingSalts, FakeClock


def test_each_prefix_counts_by_itself() -> None:
    ids = CountingIds()

    assert [ids("room"), ids("room"), ids("agent"), ids("room")] == [
        *("room_1", "room_2", "agent_1", "room_3"),
    ]


def test_salts_are_sixteen_bytes_that_count() -> None:
    salts = CountingSalts()

    assert [salts(), salts()] == [bytes(15) + b"\1", bytes(15) + b"\2"]


@pytest.mark.parametrize("prefix", [None, 3, b"room"])
def test_what_is_no_prefix_is_refused(prefix: Any) -> None:
    with pytest.raises(InvalidInput):
        CountingIds()(prefix)


def test_with_a_clock_and_these_two_runs_leave_one_log() -> None:
    def run() -> list[str]:
        lobby = Lobby.in_memory(
            clock=FakeClock(), ids=CountingIds(), salt=CountingSalts()
        )
        ben = lobby.add_agent("ben").conversation()
        lobby.create_room("r", by=ben).post("hello", by=ben)
        return list(lobby.export())

    assert run() == run()
