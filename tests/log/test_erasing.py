"""What is owed for a message whose words were taken away: rule 14 of the ledger."""

from __future__ import annotations

from datetime import timedelta

import pytest

from log.room import Room, room
from rooms.errors import Conflict
from rooms.log.erasing import MessageErased
from rooms.log.explaining import explain
from rooms.log.ledger import Ended
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy


def tagged(*, policy: RoomPolicy | None = None) -> Room:
    """eve tagged ben and ada at second 1."""
    hall = room("eve", "ben", "ada", policy=policy)
    hall.post("eve", "agent:ben", "agent:ada", at=1)
    return hall


def test_what_is_owed_for_it_ends_for_every_seat_and_for_nothing_else() -> None:
    hall = tagged()
    hall.post("eve", "agent:ben", at=2)

    erased, *ended = hall.erase(1, at=3)

    # The record behind the room and three seats.
    assert erased == MessageErased(1, 5)
    assert ended == [Ended("ben", "erased", (1,)), Ended("ada", "erased", (1,))]
    assert hall.lanes("ben") == {2: "ready"}
    assert hall.take("ada", at=4) == []
    assert hall.wake("ben", at=5).messages == [2]


def test_a_wake_of_nothing_else_closes_unless_its_turn_runs() -> None:
    hall = tagged()
    closed, running = hall.wake("ben", at=2), hall.wake("ada", at=2)
    hall.open("ada")

    _, first, second = hall.erase(1, at=3)

    assert first == Ended("ben", "erased", (1,), closed.id)
    assert second == Ended("ada", "erased", (1,))
    with pytest.raises(Conflict) as stale:
        hall.open("ben", wake=closed.id)
    assert stale.value.code == "stale_wake"
    assert hall.seat("ada").wake is not None
    hall.close("ada", wake=running.id)
    assert hall.seat("ada").wake is None


def test_a_wake_of_more_goes_on_without_it() -> None:
    hall = tagged()
    hall.post("eve", "agent:ben", at=2)
    taken = hall.wake("ben", at=3)

    hall.erase(1, at=4)
    hall.fail("ben", wake=taken.id)

    assert hall.lanes("ben") == {2: "ready"}


def test_what_is_held_behind_it_is_released_when_its_own_place_frees() -> None:
    one_a_minute = RateWindow(1, timedelta(minutes=1))
    hall = room("eve", "ben", policy=RoomPolicy(wake_window=one_a_minute))
    for second in (0, 1, 2):
        hall.post("eve", "agent:ben", at=second)

    hall.erase(2, at=3)  # the oldest that waits

    assert hall.deadline() == 60
    hall.erase(1, at=4)  # its place stays taken: it was a wake
    assert hall.deadline() == 60
    hall.tick(at=60)
    assert hall.wake("ben", at=60).messages == [3]
    hall.close("ben")
    hall.post("eve", "agent:ben", at=61)
    hall.erase(4, at=62)
    assert hall.deadline() is None


def test_what_was_told_and_waits_for_its_name_ends_too() -> None:
    hall = tagged(policy=RoomPolicy(settle_on="ack"))
    hall.turn("ben", at=2)
    assert hall.lanes("ben") == {1: "told"}

    hall.erase(1, at=3)

    assert hall.lanes("ben") == {}
    assert hall.ack("ben", 1, at=4) == []


def test_it_is_explained() -> None:
    hall = tagged()
    hall.erase(1, at=2)

    told = {one.conversation: one for one in explain(hall.facts, 1).seats}

    assert [(one.what, one.why) for one in told["ben"].steps] == [
        ("ended", "as it was erased")
    ]
    assert told["ben"].settled
