"""The wake that a floor takes: rules 7, 9, 10 and 16 of the ledger, event by event."""

from __future__ import annotations

import pytest

from log.room import SECOND, Room, room
from rooms import presets
from rooms.errors import Conflict
from rooms.log import ledger
from rooms.log.floors.ending import TurnEnd
from rooms.log.floors.events import FloorEnded, FloorGiven
from rooms.log.ledger import TakeFacts, TurnOpened, WakeClosed, WakeReturned


def planned() -> Room:
    """A person opened an activity, and ben has the floor in its second round."""
    made = room("eve", "ben", policy=presets.panel(planner="round_robin"))
    made.post("ops", at=1)
    made.do(lambda: [FloorGiven("ben", 1, round=1)], at=2)
    return made


def taken(hall: Room, *, at: float = 3, hold: float = 60) -> str:
    [wake] = hall.take("ben", at=at, hold=hold)
    assert (wake.kind, wake.messages) == ("floor", [1])
    return wake.id


def held_by(hall: Room) -> str | None:
    """The wake in whose hand the floor is, "" for none's, or None without a floor."""
    return None if hall.state.floor is None else hall.state.floor.wake


def test_only_the_seat_with_the_floor_is_woken_and_others_ride_along() -> None:
    hall = planned()

    assert hall.take("eve", at=3) == []
    wake = taken(hall)
    assert held_by(hall) == wake
    assert hall.take("ben", holder="h2", at=4) == []


def test_who_is_told_what_rides_in_another_turn_takes_no_floor() -> None:
    hall = planned()

    assert hall.notice("eve", at=3) == [1]
    assert held_by(hall) == ""


def test_the_floor_wakes_what_lay_dormant_after_a_restart() -> None:
    hall = planned()
    hall.claim("ben", at=3)

    assert taken(hall, at=4)


def test_a_floor_that_was_read_through_is_a_turn_still() -> None:
    hall = planned()
    wake = taken(hall)

    hall.read("ben", 1, 1, at=4)
    assert hall.lanes("ben") == {}
    opened = hall.seat("ben").wake
    assert opened is not None
    assert opened.id == wake
    assert hall.open("ben", at=5) == [TurnOpened("ben", wake, 905 * SECOND)]


def test_a_turn_that_said_nothing_passed_and_its_floor_is_in_nobodys_hand() -> None:
    hall = planned()
    wake = taken(hall)
    hall.open("ben")

    assert hall.close("ben", at=4) == [
        WakeClosed("ben", wake, "ended", settled=(1,)),
        FloorEnded("ben", 1, "passed", 1),
    ]
    assert held_by(hall) is None
    assert hall.seat("ben").wake is None


def test_a_claim_that_ran_out_ends_the_floor_as_expired_and_it_may_be_given_again() -> (
    None
):
    hall = planned()
    wake = taken(hall)
    assert hall.tick(at=62) == []
    assert hall.deadline() == 63

    assert hall.tick(at=63) == [
        WakeReturned("ben", wake, "expired", (1,)),
        FloorEnded("ben", 1, "expired", 1, used=False),
    ]
    assert hall.lanes("ben") == {1: "rider"}


def test_a_floor_that_its_host_gives_back_untold_stays_with_its_seat() -> None:
    hall = planned()
    first = taken(hall)

    assert hall.give_back("ben", at=4) == [
        WakeReturned("ben", first, "given_back", (1,))
    ]
    assert held_by(hall) == ""
    assert taken(hall, at=5) != first


def test_a_turn_that_raised_fails_its_floor_and_counts_a_try_of_what_it_carried() -> (
    None
):
    hall = planned()
    wake = taken(hall)
    hall.open("ben")

    assert hall.fail("ben", at=4) == [
        WakeReturned("ben", wake, "raised", (1,), failed=(1,)),
        FloorEnded("ben", 1, "failed", 1, used=False),
    ]
    assert hall.entry("ben", 1).tries == 1


def test_a_failure_is_told_by_its_kind() -> None:
    hall = planned()
    wake = taken(hall)
    hall.open("ben")
    end = TurnEnd("timed_out", kind="TimeoutError", clipped=True)

    assert hall.on_wake(ledger.give_back, "ben", why="raised", end=end, at=4) == [
        WakeReturned("ben", wake, "raised", (1,), failed=(1,)),
        FloorEnded(
            "ben", 1, "timed_out", 1, used=False, kind="TimeoutError", clipped=True
        ),
    ]


def test_who_comes_back_for_more_has_been_told_the_wake_before_and_passed() -> None:
    hall = planned()
    wake = taken(hall)

    events = hall.do(
        lambda: ledger.take(
            hall.state, ["ben"], hall.facts_of_take(), now=hall.now, limit=1
        ),
        at=4,
    )
    assert events == [
        WakeClosed("ben", wake, "taken_again", settled=(1,)),
        FloorEnded("ben", 1, "passed", 1),
    ]


def test_a_newer_claim_ends_the_floor_of_the_older_one() -> None:
    hall = planned()
    wake = taken(hall)
    hall.claim("ben", at=4)

    events = hall.do(
        lambda: ledger.take(
            hall.state, ["ben"], hall.facts_of_take(), now=hall.now, limit=1
        ),
        at=5,
    )
    assert events[:3] == [
        ledger.Reclaimed("ben", 1, 4 * SECOND, ()),
        WakeReturned("ben", wake, "generation", (1,)),
        FloorEnded("ben", 1, "expired", 1, used=False),
    ]


# -- whose wake it is


def test_only_its_holder_goes_on_with_a_wake_and_is_told_which_one_is_open() -> None:
    hall = planned()
    wake = taken(hall)

    def refused(change: str, by: str = "h1") -> Conflict:
        facts = TakeFacts(by, 900 * SECOND, dict(hall.generations))
        with pytest.raises(Conflict) as refusal:
            ledger.open_turn(
                hall.state,
                "another" if change == "wake" else wake,
                "cy" if change == "seat" else "ben",
                facts,
                now=hall.now,
            )
        return refusal.value

    for stale in (refused("wake"), refused("nothing", by="h2")):
        assert (stale.code, stale.details["current"]) == ("stale_wake", wake)
    nobody = refused("seat")
    assert (nobody.code, nobody.details["current"]) == ("stale_wake", None)

    hall.open("ben", at=4)
    second = refused("nothing")
    assert (second.code, second.details["current"]) == ("turn_running", wake)
    hall.claim("ben", at=5)
    behind = refused("nothing")
    assert (behind.code, behind.details["current"]) == ("stale_runtime", 1)
