"""Pushes of what a seat is owed, try by try: rules 11 and 17 of the ledger."""

from __future__ import annotations

from datetime import timedelta

import pytest

from log.room import SECOND, Room, room
from rooms import presets
from rooms.log import ledger
from rooms.log.events import Event
from rooms.log.ledger.pushing import (
    Offer,
    hold,
    let_go,
    offer,
    passed,
    push,
    tell,
    unpushed,
)
from rooms.log.ledger.pushing import renewed as renewed_
from rooms.log.tries import LOOK, Pushing
from rooms.pacing import Pushes, RateWindow
from rooms.policy import RoomPolicy

HOUR = timedelta(hours=1)


def broker(*at: float) -> Room:
    """An inbox of ben's, to which eve wrote at these seconds."""
    made = room("eve", "ben", policy=presets.broker())
    for second in at:
        made.post("eve", "agent:ben", at=second)
    return made


def offered(hall: Room, at: float) -> Offer:
    found = offer(hall.state, hall.seat("ben"), round(at * SECOND))
    assert found is not None
    return found


def pushed(hall: Room, name: str, at: float) -> Offer:
    """A push of all that is owed, as it is counted before it is sent."""
    told = offered(hall, at)
    hall.do(
        lambda: push(hall.state, hall.seat("ben"), name, told, hall.now),
        at=at,
    )
    return told


def told(hall: Room, name: str, *seqs: int, at: float) -> list[Event]:
    return hall.do(lambda: tell(hall.seat("ben"), name, seqs), at=at)


def renewed(hall: Room, why: str, at: float) -> list[Event]:
    return hall.do(lambda: renewed_(hall.state, hall.seat("ben"), why), at=at)


def reclaimed(hall: Room, at: float) -> list[Event]:
    """The room hears of the newest claim on ben's conversation."""
    return hall.do(
        lambda: ledger.reclaim(hall.state, "ben", hall.facts_of_take(), now=hall.now),
        at=at,
    )


def pushing(hall: Room) -> Pushing:
    found = hall.seat("ben").pushing
    assert found is not None
    return found


# -- tries


@pytest.mark.rule("L-NOTIFY-02")
def test_what_is_not_urgent_is_due_a_second_after_it_was_posted() -> None:
    hall = broker(1)

    assert hall.deadline() == 2
    assert offered(hall, 1.999).due is False
    assert offered(hall, 2).due is True
    assert offered(hall, 2) == Offer(
        (hall.entry("ben", 1),), fresh=(1,), tries=(), due=True, piled=False
    )


@pytest.mark.rule("L-NOTIFY-05")
def test_tries_are_counted_from_the_last_one_30_then_120_then_300_seconds() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    assert hall.deadline() == 32
    assert offer(hall.state, hall.seat("ben"), 31 * SECOND) is None

    again = pushed(hall, "p2", at=40)  # 8 s late
    assert (again.fresh, again.piled) == ((), True)
    assert [one.push for one in again.tries] == ["p1"]
    assert hall.facts[-1].event == ledger.Pushed(
        "ben", "p2", (1,), next=0, tried=(("p1", 160 * SECOND),)
    )
    assert hall.deadline() == 160
    pushed(hall, "p3", at=160)
    assert hall.deadline() == 460
    assert offer(hall.state, hall.seat("ben"), 460 * SECOND) is None

    [spent, called] = hall.do(
        lambda: passed(hall.state, hall.seat("ben"), hall.now), at=460
    )
    assert isinstance(spent, ledger.PushSpent)
    assert spent == ledger.PushSpent("ben", ("p1",))
    assert isinstance(called, ledger.AttentionCalled)
    assert called == ledger.AttentionCalled("ben", "unseen", (1,))
    assert hall.deadline() is None
    assert hall.lanes("ben") == {1: "ready"}


def test_a_room_may_wait_otherwise_between_its_tries() -> None:
    waits = (timedelta(seconds=10), timedelta(seconds=20))
    hall = room("eve", "ben", policy=RoomPolicy(pushes=Pushes(again=waits)))
    hall.post("eve", "agent:ben", at=1)

    pushed(hall, "p1", at=2)
    assert hall.deadline() == 12
    pushed(hall, "p2", at=12)
    assert hall.deadline() == 32


def test_attention_is_called_once_for_what_was_pushed_in_vain() -> None:
    twice = Pushes(again=[timedelta(seconds=10)])
    hall = room("eve", "ben", policy=RoomPolicy(pushes=twice))
    for name, second in (("p1", 1), ("p2", 501)):
        hall.post("eve", "agent:ben", at=second)
        pushed(hall, name, at=second + 1)
        pushed(hall, f"{name}, again", at=second + 11)
        spent, called = hall.tick(at=second + 311)
        assert spent == ledger.PushSpent("ben", (name,))

    assert called == ledger.AttentionCalled("ben", "unseen", (2,))
    assert hall.tick(at=9_999) == []
    hall.change(RoomPolicy(pushes=Pushes(again=[timedelta(seconds=10)] * 9)))
    assert offer(hall.state, hall.seat("ben"), hall.now) is None  # more tries, too late


def test_what_is_new_goes_along_with_a_try_though_it_is_not_due_itself() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    assert pushing(hall).since == 0
    hall.post("eve", "agent:ben", at=31.5)

    assert offered(hall, 31.9).due is False
    again = pushed(hall, "p2", at=32)
    assert (again.due, again.fresh, again.piled) == (True, (2,), True)
    assert [one.push for one in again.tries] == ["p1"]
    assert isinstance(hall.facts[-1].event, ledger.Pushed)
    assert hall.facts[-1].event == ledger.Pushed(
        "ben", "p2", (1, 2), fresh=(2,), next=62 * SECOND, tried=(("p1", 152 * SECOND),)
    )
    assert [(one.push, one.count, one.left) for one in pushing(hall).tries] == [
        ("p1", 2, 1),
        ("p2", 1, 1),
    ]


@pytest.mark.rule("L-NOTIFY-06")
def test_a_try_behind_a_confirmed_write_passes_and_nothing_is_sent() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    assert told(hall, "p1", 1, at=3) == [ledger.PushTold("ben", "p1", (1,), (1,))]
    assert hall.lanes("ben") == {1: "told"}
    assert offer(hall.state, hall.seat("ben"), 32 * SECOND) is None

    [passing] = hall.do(lambda: passed(hall.state, hall.seat("ben"), hall.now), at=32)
    assert passing == ledger.PushPassed("ben", (("p1", 152 * SECOND),))
    assert hall.deadline() == 152


def test_a_word_that_tells_nothing_new_is_noted_only_where_that_was_not_asked() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    told(hall, "p1", 1, at=3)
    seat = hall.seat("ben")

    assert tell(seat, "p1", [1], new=True) == []
    assert tell(seat, "p1", [1]) == [ledger.PushTold("ben", "p1", (1,), ())]
    assert tell(seat, "p1", [7]) == []


# -- tries that begin anew


@pytest.mark.rule("L-NOTIFY-08")
def test_a_retry_pushes_again_what_was_told_and_what_was_not() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    told(hall, "p1", 1, at=3)
    hall.post("eve", "agent:ben", at=4)
    pushed(hall, "p2", at=5)

    assert renewed(hall, "retry", at=9) == [ledger.PushRenewed("ben", "retry", (1,))]
    assert hall.lanes("ben") == {1: "ready", 2: "ready"}
    again = offered(hall, 9)
    assert (again.fresh, again.tries) == ((1, 2), ())
    assert (again.due, again.piled) == (True, False)
    # No tries are left, as nothing is owed of them.
    assert pushing(hall) == Pushing(due=9 * SECOND, since=0, piled=0, tries=[])
    assert hall.seat("ben").fresh == 2


def test_after_a_rest_what_waits_is_pushed_as_a_hint_and_what_was_told_is_not() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    told(hall, "p1", 1, at=3)
    hall.post("eve", "agent:ben", at=4)
    pushed(hall, "p2", at=5)

    assert renewed(hall, "resumed", at=9) == [ledger.PushRenewed("ben", "resumed", ())]
    assert hall.lanes("ben") == {1: "told", 2: "ready"}
    again = offered(hall, 9)
    assert (again.fresh, again.due, again.piled) == ((2,), True, True)
    assert [(one.push, one.count, one.left) for one in pushing(hall).tries] == [
        ("p1", 0, 1)
    ]
    hall.post("eve", "agent:ben", at=10)
    pushed(hall, "p3", at=11)
    hall.post("eve", "agent:ben", at=12)
    assert offered(hall, 13).piled is False  # it came later


def test_a_rider_that_was_told_rides_again_after_a_retry_and_causes_no_push() -> None:
    hall = broker(1)
    hall.do(lambda: [ledger.Superseded("ben", (1,))], at=1)
    hall.post("eve", "agent:ben", at=2)
    assert [one.seq for one in pushed(hall, "p1", at=3).entries] == [1, 2]
    told(hall, "p1", 1, 2, at=4)

    renewed(hall, "retry", at=5)
    assert hall.lanes("ben") == {1: "rider", 2: "ready"}
    assert offered(hall, 5).fresh == (2,)


def test_what_failed_too_often_is_no_part_of_a_push_that_begins_anew() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    for second in (3, 4, 5):
        hall.wake("ben", at=second)
        hall.open("ben")
        hall.fail("ben")
    assert hall.lanes("ben") == {1: "rider"}
    assert [one.left for one in pushing(hall).tries] == [1]

    renewed(hall, "resumed", at=6)
    assert hall.entry("ben", 1).push is None
    assert pushing(hall).tries == []
    assert hall.seat("ben").fresh == 0
    assert hall.deadline() is None


def test_nothing_begins_anew_where_nothing_is_owed_or_pushed() -> None:
    hall = broker()
    quiet = room("eve", "ben")
    quiet.post("eve", "agent:ben", at=1)

    assert renewed_(hall.state, hall.seat("ben"), "retry") == []
    assert renewed_(quiet.state, quiet.seat("ben"), "retry") == []


# -- a newer claim


@pytest.mark.rule("L-AGENT-15")
def test_what_was_owed_before_a_claim_had_piled_up_for_it() -> None:
    hall = broker(1)
    hall.claim("ben", at=5)
    hall.post("eve", "agent:ben", at=6)
    reclaimed(hall, at=7)

    assert pushing(hall) == Pushing(due=7 * SECOND, since=0, piled=1)
    assert offered(hall, 7).piled is True


def test_a_claim_changes_a_room_once_and_only_where_its_conversation_is() -> None:
    hall = broker(1)
    assert reclaimed(hall, at=2) == []  # nobody claimed it

    hall.claim("ben", at=3)
    assert reclaimed(hall, at=4) == [ledger.Reclaimed("ben", 1, 3 * SECOND, ())]
    assert reclaimed(hall, at=5) == []
    hall.wake("ben", at=6)
    assert reclaimed(hall, at=7) == []  # and its wake stays open
    facts = hall.facts_of_take()
    assert ledger.reclaim(hall.state, "cy", facts, now=hall.now) == []


def test_what_was_posted_at_the_instant_of_a_claim_had_not_piled_up() -> None:
    hall = broker()
    hall.claim("ben", at=5)
    hall.post("eve", "agent:ben", at=5)
    reclaimed(hall, at=7)

    assert pushing(hall) == Pushing(due=7 * SECOND, since=0, piled=0)
    assert offered(hall, 7).piled is False


def test_what_the_older_runtime_was_sent_since_had_piled_up_too() -> None:
    hall = broker()
    hall.claim("ben", at=5)
    hall.post("eve", "agent:ben", at=6)
    pushed(hall, "p1", at=7)
    hall.post("eve", "agent:ben", at=8)
    reclaimed(hall, at=9)

    assert pushing(hall) == Pushing(due=9 * SECOND, since=0, piled=1)
    assert offered(hall, 9).fresh == (1, 2)
    assert hall.seat("ben").fresh == 2


def test_a_claim_on_what_is_owed_nothing_waits_for_no_push() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    hall.ack("ben", 1, at=3)
    hall.claim("ben", at=5)
    reclaimed(hall, at=6)

    assert hall.seat("ben").pushing is None
    assert hall.deadline() is None


# -- what comes to be ready otherwise than by a post


def test_what_a_rest_held_is_due_from_its_end_on() -> None:
    hall = broker()
    hall.rest("ben", at=1)
    hall.post("eve", "agent:ben", at=2)
    hall.rest("ben", False, at=5)
    assert hall.seat("ben").pushing is None
    hall.tick(at=7)

    assert pushing(hall) == Pushing(due=5 * SECOND)
    assert offered(hall, 7).fresh == (1,)


def test_what_comes_back_from_a_wake_is_due_at_once() -> None:
    hall = broker(1)
    hall.wake("ben", at=1)
    hall.give_back("ben", at=9)

    assert hall.deadline() == 9
    assert offered(hall, 9).fresh == (1,)


def test_what_was_pushed_and_comes_back_makes_nothing_new_due_earlier() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    hall.wake("ben", at=3)
    hall.post("eve", "agent:ben", at=4)
    hall.give_back("ben", at=4.5)

    assert hall.deadline() == 5


# -- where nothing can be pushed


def test_nothing_is_offered_where_nothing_is_owed_or_nothing_is_given() -> None:
    hall = broker()
    assert offer(hall.state, hall.seat("ben"), SECOND) is None

    hall.post("eve", "agent:ben", at=1)
    hall.rest("ben", at=2)
    assert offer(hall.state, hall.seat("ben"), 3 * SECOND) is None


def test_what_is_held_is_not_due_before_its_instant() -> None:
    hall = broker(1)
    seat = hall.seat("ben")
    assert hall.do(lambda: hold(seat, "window", 9 * SECOND), at=2) == [
        ledger.PushHeld("ben", "window", 9 * SECOND)
    ]

    assert hold(seat, "window", 9 * SECOND) == []
    assert hall.deadline() == 9
    assert offered(hall, 8).due is False
    assert offered(hall, 9).due is True


def test_a_try_that_is_not_sent_passes_no_earlier_than_one_that_is() -> None:
    hall = broker(1)
    pushed(hall, "p1", at=2)
    told(hall, "p1", 1, at=3)
    hall.do(lambda: hold(hall.seat("ben"), "window", 40 * SECOND), at=4)

    assert hall.deadline() == 40
    assert passed(hall.state, hall.seat("ben"), 33 * SECOND) == []
    assert passed(hall.state, hall.seat("ben"), 40 * SECOND) == [
        ledger.PushPassed("ben", (("p1", 160 * SECOND),))
    ]


@pytest.mark.rule("L-BOOT-01")
def test_what_waits_until_somebody_looks_is_let_go_by_whoever_does() -> None:
    hall = broker(1)
    seat = hall.seat("ben")
    assert let_go(seat, 2 * SECOND) == []  # it waits for nobody

    hall.do(lambda: hold(seat, "nobody"), at=2)
    assert (pushing(hall).since, hall.deadline()) == (LOOK, None)
    assert hold(seat, "nobody") == []
    assert hall.do(lambda: let_go(seat, 5 * SECOND), at=4) == [
        ledger.PushHeld("ben", "ready", 5 * SECOND)
    ]
    assert hall.deadline() == 5
    assert let_go(seat, 6 * SECOND) == []
    assert let_go(broker().seat("ben"), SECOND) == []  # it is owed nothing


def test_where_nobody_pushes_what_is_due_waits_until_somebody_looks_who_does() -> None:
    hall = broker(1)
    hall.join("cy")
    hall.post("eve", "agent:cy", at=1)

    assert unpushed(hall.state, 2 * SECOND - 1) == []
    assert hall.do(lambda: unpushed(hall.state, hall.now), at=2) == [
        ledger.PushHeld("ben", "nobody", 0),
        ledger.PushHeld("cy", "nobody", 0),
    ]
    assert unpushed(hall.state, 3 * SECOND) == []


def test_where_nothing_is_pushed_a_seat_keeps_nothing_of_it() -> None:
    hall = room("eve", "ben", policy=RoomPolicy(wake_window=RateWindow(1, HOUR)))
    for second in (1, 2):
        hall.post("eve", "agent:ben", at=second)
    hall.tick(at=3_601)
    assert hall.lanes("ben") == {1: "ready", 2: "ready"}
    hall.wake("ben", at=3_602)
    hall.give_back("ben")

    assert hall.seat("ben").pushing is None
    assert hall.deadline() is None
    assert Pushing().named("p1") is None
