"""What becomes of a message that another one replaces: rule 14 of the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

import pytest

from log.room import Room, room
from rooms.log import ledger
from rooms.log.events import Event
from rooms.log.ledger import Ended, Granted, Superseded
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy

ONE_A_MINUTE = RoomPolicy(wake_window=RateWindow(1, timedelta(minutes=1)))


def busy() -> Room:
    """Eve wrote to ben twice: the first is ready, the second is held."""
    made = room("eve", "ben", policy=ONE_A_MINUTE)
    made.post("eve", "agent:ben", at=1)
    made.post("eve", "agent:ben", at=2)
    assert made.lanes("ben") == {1: "ready", 2: "held"}
    return made


def superseded(hall: Room, seq: int, granted: Iterable[Event] = ()) -> list[Event]:
    return ledger.superseded(hall.state, seq, ["eve", "ben"], granted)


def test_what_waits_still_only_rides_along_with_what_replaces_it() -> None:
    hall = busy()

    assert superseded(hall, 2) == [Superseded("ben", (2,))]  # it was owed to ben alone
    hall.do(lambda: superseded(hall, 2), at=3)
    replaced = hall.entry("ben", 2)
    assert (replaced.hearing, hall.lanes("ben")[2]) == ("rider", "rider")
    assert replaced.why == "superseded"
    assert hall.wake("ben", at=4).messages == [1, 2]


def test_what_waits_for_a_digest_rides_along_too() -> None:
    hall = room("eve", "ben", modes={"ben": "digest"})
    hall.post("eve", at=1)

    assert superseded(hall, 1) == [Superseded("ben", (1,))]


def test_what_may_be_taken_or_was_stays_as_it_is() -> None:
    hall = busy()

    assert superseded(hall, 1) == []
    hall.take("ben", at=3)
    assert superseded(hall, 1) == []


@pytest.mark.parametrize(
    ("granted", "stays"),
    [
        (Granted("ben", (2,), 3_000_000, "person"), True),
        (Granted("ben", (1,), 3_000_000, "person"), False),  # another one's
        (Granted("eve", (2,), 3_000_000, "person"), False),
        (Ended("ben", "mode_changed", (2,)), False),  # no grant
    ],
)
def test_what_is_granted_at_this_moment_stays(granted: Event, stays: bool) -> None:
    found = superseded(busy(), 2, [granted])

    assert found == ([] if stays else [Superseded("ben", (2,))])
