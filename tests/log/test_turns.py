"""Taking, turns, claims, settling: rules 7 to 11 and 15 of the ledger, as stories."""

from __future__ import annotations

from datetime import timedelta

import pytest

from log.room import HOUR, SECOND, Room, room
from rooms.errors import Conflict
from rooms.hearing import Subscription
from rooms.log.events import Event
from rooms.log.ledger import (
    AttentionCalled,
    Granted,
    Noticed,
    Settled,
    Superseded,
    WakeClosed,
    WakeRenewed,
    WakeReturned,
    WakeTaken,
    reclaim,
)
from rooms.log.seats import Subscribed, idle_since, subscription_of
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy

ACK = RoomPolicy(settle_on="ack")
ACCEPT = RoomPolicy(settle_on="accept")


def tagged(messages: int = 1, *, policy: RoomPolicy | None = None) -> Room:
    """A person tagged ben, once a second from 1 on."""
    hall = room("eve", "ben", policy=policy)
    for second in range(1, messages + 1):
        hall.post("ops", "agent:ben", at=second)
    return hall


# -- taking


@pytest.mark.rule("G-WAKE-01", "G-WAKE-06")
@pytest.mark.case("F-40")
def test_a_burst_is_one_wake_in_order_with_its_reasons() -> None:
    hall = tagged(3)

    taken = hall.wake("ben", at=4)

    assert (taken.kind, taken.messages) == ("turn", [1, 2, 3])
    assert {hall.entry("ben", seq).why for seq in (1, 2, 3)} == {"tagged"}


@pytest.mark.case("F-40")
def test_what_comes_during_a_turn_is_the_next_one_and_never_two_at_once() -> None:
    hall = tagged(1)
    hall.wake("ben", at=1)
    hall.open("ben")
    hall.post("ops", "agent:ben", at=2)

    assert hall.take("ben", at=3) == []
    hall.close("ben")

    assert hall.wake("ben", at=4).messages == [2]


@pytest.mark.rule("G-WAKE-02")
def test_what_comes_in_mid_turn_is_handed_into_it_where_the_host_can() -> None:
    hall = tagged(1)
    taken = hall.wake("ben", at=1)
    hall.open("ben")
    hall.post("ops", "agent:ben", at=2)

    assert hall.notice("ben", at=3) == [2]
    assert hall.facts[-1].event == Noticed("ben", taken.id, (2,), hops=0)
    hall.close("ben")

    assert hall.lanes("ben") == {}


def test_a_turn_is_as_deep_as_the_deepest_that_it_was_told() -> None:
    hall = room("eve", "ben")
    hall.post("ops", "agent:ben", at=1)
    hall.wake("ben", at=2)
    hall.open("ben")
    assert hall.seat("ben").depth == 0
    hall.post("eve", "agent:ben", at=3)  # on its own initiative
    hall.post("ben", "agent:eve", at=4)  # one hop from ops
    hall.turn("eve", at=5)
    hall.post("eve", "agent:ben", at=6)  # two

    hall.notice("ben", at=7)
    wake = hall.seat("ben").wake
    assert wake is not None
    assert (wake.hops, hall.seat("ben").depth) == (2, 2)
    assert wake.since == 2 * SECOND
    hall.post("ops", "agent:ben", at=8)
    hall.notice("ben", at=9)
    assert (wake.hops, hall.seat("ben").depth) == (2, 2)  # it was told the deep one
    assert idle_since(hall.seat("ben")) == 9_000_000


@pytest.mark.rule("G-WAKE-02")
def test_a_wake_for_a_conversation_in_a_turn_of_its_hosts_is_a_notice() -> None:
    hall = tagged(1)

    [taken] = hall.take("ben", in_turn=["ben"], at=2)

    assert taken.kind == "notice"


@pytest.mark.rule("G-WAKE-03")
def test_what_no_turn_was_told_is_still_owed_and_becomes_a_turn() -> None:
    hall = tagged(1)
    hall.take("ben", in_turn=["ben"], at=2)

    hall.give_back("ben", at=3)

    [taken] = hall.take("ben", at=4)
    assert (taken.kind, taken.messages) == ("turn", [1])


def test_a_turn_for_another_reason_is_told_what_is_ready_and_what_rides() -> None:
    hall = room("eve", "Ada/a", modes={"Ada/a": "next_turn"})
    hall.post("eve", at=1)

    assert hall.take("Ada/a", at=2) == []  # a rider causes no wake
    assert hall.notice("Ada/a", at=3) == [1]
    hall.close("Ada/a")

    assert hall.lanes("Ada/a") == {}
    assert hall.notice("Ada/a", at=4) == []


def test_nothing_is_told_to_a_turn_where_nothing_may_be() -> None:
    hall = tagged(1)
    hall.rest("ben", at=2)
    assert hall.notice("ben", at=3) == []  # on hold
    hall.rest("ben", False, at=4)
    hall.wake("ben", at=5)

    assert hall.notice("ben", at=6) == []  # that wake has a turn of its own to come
    hall.open("ben")
    hall.post("ops", "agent:ben", at=7)
    assert hall.notice("ben", holder="h2", at=8) == []  # somebody else's turn
    assert hall.notice("cy", at=9) == []  # nobody's


@pytest.mark.rule("G-MODE-07")
def test_next_turn_is_told_once_with_whatever_runs_next() -> None:
    hall = room("eve", "Ada/a", modes={"Ada/a": "next_turn"})
    for second in range(1, 4):
        hall.post("eve", "agent:Ada/a", at=second)

    assert hall.deadline() is None
    assert hall.notice("Ada/a", at=9) == [1, 2, 3]
    hall.close("Ada/a")
    assert hall.notice("Ada/a", at=10) == []


def test_one_take_claims_at_most_so_many_and_one_a_seat() -> None:
    hall = room("eve", "ada", "bo", "cy")
    hall.post("ops", "all", at=1)

    assert [one.conversation for one in hall.take(limit=2, at=2)] == ["eve", "ada"]
    assert [one.conversation for one in hall.take(at=3, away=["bo"])] == ["cy"]


def test_another_holder_does_not_take_what_one_has() -> None:
    hall = tagged(1)
    hall.wake("ben", at=1)
    hall.post("ops", "agent:ben", at=2)

    assert hall.take("ben", holder="h2", at=3) == []
    for command in (hall.open, hall.close, hall.give_back, hall.renew):
        with pytest.raises(Conflict) as refusal:
            command("ben", holder="h2")
        assert refusal.value.code == "stale_wake"


def test_the_same_holder_coming_back_says_that_the_wake_before_was_told() -> None:
    hall = tagged(1)
    first = hall.wake("ben", at=1)
    hall.post("ops", "agent:ben", at=2)

    assert hall.wake("ben", at=3).messages == [2]
    closed = hall.facts[-2].event
    assert isinstance(closed, WakeClosed)
    assert (closed.wake, closed.why, closed.settled) == (first.id, "taken_again", (1,))


# -- turns


def test_a_turn_runs_once_for_a_wake() -> None:
    hall = tagged(1)
    hall.wake("ben", at=1)
    hall.open("ben")

    with pytest.raises(Conflict) as refusal:
        hall.open("ben")

    assert refusal.value.code == "turn_running"


@pytest.mark.case("F-100")
def test_what_a_turn_answered_does_not_come_back() -> None:
    hall = tagged(3)
    hall.turn("ben", at=4)

    hall.post("ops", "agent:ben", at=5)

    assert hall.wake("ben", at=6).messages == [4]


def test_a_turn_that_raised_is_owed_again_at_most_three_times_then_rides() -> None:
    hall = tagged(1)
    for second in (2, 3):
        hall.wake("ben", at=second)
        hall.open("ben")
        hall.fail("ben")
        assert hall.lanes("ben") == {1: "ready"}
    hall.wake("ben", at=4)
    hall.open("ben")

    [returned, called] = hall.fail("ben")

    assert isinstance(returned, WakeReturned)
    assert returned.demoted == (1,)
    assert called == AttentionCalled("ben", "failed", (1,))
    assert hall.lanes("ben") == {1: "rider"}
    assert hall.entry("ben", 1).why == "failed"
    assert hall.take("ben", at=5) == []
    hall.post("ops", "agent:ben", at=6)
    assert hall.wake("ben", at=7).messages == [1, 2]


def test_attention_is_called_for_what_fails_a_third_time_and_for_nothing_else() -> None:
    hall = tagged(1)
    for second in (2, 3):
        hall.wake("ben", at=second)
        [_] = hall.fail("ben")
    hall.post("ops", "agent:ben", at=4)  # its own first try, in the same wake
    hall.wake("ben", at=5)

    [_, called] = hall.fail("ben")

    assert called == AttentionCalled("ben", "failed", (1,))
    assert hall.lanes("ben") == {1: "rider", 2: "ready"}
    hall.wake("ben", at=6)
    [_] = hall.fail("ben")  # a rider fails once more, and has been called for


def test_where_the_turns_acceptance_settles_a_read_does_not() -> None:
    hall = tagged(2, policy=ACCEPT)

    hall.read("ben", 1, 2, at=3)
    assert hall.lanes("ben") == {1: "ready", 2: "ready"}
    hall.wake("ben", at=4)
    hall.open("ben")
    hall.read("ben", 1, 2, at=5)
    hall.fail("ben")  # it accepted nothing
    assert hall.lanes("ben") == {1: "ready", 2: "ready"}
    hall.turn("ben", at=6)

    assert hall.lanes("ben") == {}


def test_what_a_transport_only_handed_over_waits_for_a_name_where_turns_accept() -> (
    None
):
    hall = tagged(1, policy=ACCEPT)
    hall.wake("ben", at=2)
    hall.close("ben", told=True)
    hall.read("ben", 1, 1, at=3)
    assert hall.lanes("ben") == {1: "told"}

    hall.ack("ben", 1, at=4)

    assert hall.lanes("ben") == {}


def test_what_is_owed_again_charges_no_place_again() -> None:
    hall = room("eve", "ben")
    hall.post("eve", "agent:ben", at=1)
    for second in (2, 3):
        hall.wake("ben", at=second)
        hall.give_back("ben")

    assert hall.seat("ben").charges == (SECOND,)
    assert hall.entry("ben", 1).tries == 0


@pytest.mark.case("F-89")
def test_a_claim_that_ran_out_is_owed_again_and_no_failure() -> None:
    hall = tagged(1)
    taken = hall.wake("ben", at=1)
    hall.open("ben", hold=60)
    assert hall.deadline() == 61

    [returned] = hall.tick(at=61)

    assert isinstance(returned, WakeReturned)
    assert (returned.why, returned.failed) == ("expired", ())
    assert hall.lanes("ben") == {1: "ready"}
    with pytest.raises(Conflict):
        hall.close("ben", wake=taken.id)


def test_all_that_fell_due_by_an_instant_is_done_for_every_seat() -> None:
    hall = room("eve", "ben", "ada")
    hall.join("cy", "digest", minutes=1, at=0)
    hall.post("ops", "all", at=1)
    hall.take("ben", "ada", hold=60, at=2)

    # The earliest instant first, and of one instant in the order of names.
    granted, *returned = hall.tick(at=62)
    assert granted == Granted("cy", (1,), 60 * SECOND, "digest")
    assert [
        (one.conversation, one.why, one.entries)
        for one in returned
        if isinstance(one, WakeReturned)
    ] == [("ada", "expired", (1,)), ("ben", "expired", (1,))]
    assert hall.tick(at=63) == []


def test_a_claim_is_renewed_only_while_it_holds() -> None:
    hall = tagged(1)
    [taken] = hall.take("ben", hold=60, at=1)
    renewed = hall.renew("ben", hold=60, at=30)
    assert renewed == [WakeRenewed("ben", taken.id, 90 * SECOND)]
    assert hall.deadline() == 90

    with pytest.raises(Conflict):
        hall.renew("ben", hold=60, at=90)


def test_a_late_end_counts_as_long_as_nobody_took_the_wake_since() -> None:
    hall = tagged(1)
    hall.take("ben", hold=60, at=1)
    hall.open("ben", hold=60)

    hall.close("ben", at=500)

    assert hall.lanes("ben") == {}


def test_a_late_holder_may_give_its_wake_back_as_well() -> None:
    hall = tagged(1)
    hall.take("ben", hold=60, at=1)

    [returned] = hall.give_back("ben", at=500)

    assert isinstance(returned, WakeReturned)
    assert returned.why == "given_back"
    assert hall.lanes("ben") == {1: "ready"}


def test_another_holder_takes_a_claim_that_ran_out() -> None:
    hall = tagged(1)
    hall.take("ben", hold=60, at=1)

    [taken] = hall.take("ben", holder="h2", at=61)

    assert taken.messages == [1]
    [returned] = [one.event for one in hall.facts if type(one.event) is WakeReturned]
    assert returned.why == "expired"


# -- settling


@pytest.mark.rule("G-WAKE-04")
@pytest.mark.case("F-92")
def test_a_read_settles_what_is_on_the_page_and_told_never_jumps() -> None:
    hall = tagged(5)

    hall.read("ben", 3, 4, at=6)
    assert hall.lanes("ben") == {1: "ready", 2: "ready", 5: "ready"}
    assert hall.seat("ben").told == 0  # 1 and 2 were not shown
    hall.read("ben", 1, 2, at=7)
    assert hall.seat("ben").told == 2
    hall.read("ben", 2, 5, at=8)
    assert hall.seat("ben").told == 5
    hall.read("ben", 1, 2, at=9)
    assert hall.seat("ben").told == 5


def test_a_read_that_settles_nothing_is_written_once_in_six_hours() -> None:
    hall = room("eve", "ben")
    hall.post("ops", at=1)

    assert hall.read("ben", 1, 1, at=2) == []
    [settled] = hall.read("ben", 1, 1, at=6 * HOUR // SECOND)
    assert isinstance(settled, Settled)
    assert settled.entries == ()
    assert hall.read("ben", 1, 1, at=6 * HOUR // SECOND + 1) == []


def test_reading_all_of_an_open_wake_closes_it_unless_its_turn_runs() -> None:
    idle, running = tagged(2), tagged(2)
    for hall in (idle, running):
        hall.wake("ben", at=3)
    running.open("ben")

    for hall in (idle, running):
        hall.read("ben", 1, 1, at=4)
        assert hall.seat("ben").wake is not None
        hall.read("ben", 2, 2, at=5)

    assert idle.seat("ben").wake is None
    assert running.seat("ben").wake is not None
    running.close("ben")
    assert running.seat("ben").wake is None


def test_what_settles_is_recorded_with_its_reason_and_the_wake_that_it_empties() -> (
    None
):
    hall = tagged(3, policy=ACK)
    taken = hall.wake("ben", at=4)

    assert hall.ack("ben", 2, at=5) == [
        Settled("ben", "acked", (2,), told=0, wake="", receipts=(2,))
    ]
    assert hall.ack("ben", 3, 1, 2, at=6) == [
        Settled("ben", "acked", (3, 1), told=0, wake=taken.id, receipts=(3, 1))
    ]

    read = tagged(2)
    taken = read.wake("ben", at=3)
    assert read.read("ben", 1, 2, at=4) == [
        Settled("ben", "read", (1, 2), told=2, wake=taken.id)
    ]


@pytest.mark.case("F-88")
def test_where_acknowledgements_settle_nothing_else_does() -> None:
    hall = tagged(2, policy=ACK)
    taken = hall.turn("ben", at=3)
    assert hall.facts[-1].event == WakeClosed("ben", taken.id, "ended", told=(1, 2))
    assert hall.lanes("ben") == {1: "told", 2: "told"}

    hall.read("ben", 1, 2, at=4)
    assert hall.lanes("ben") == {1: "told", 2: "told"}
    assert hall.take("ben", at=5) == []
    hall.ack("ben", 2, at=6)
    assert hall.lanes("ben") == {1: "told"}
    hall.ack("ben", 1, 2, at=7)

    assert hall.lanes("ben") == {}
    assert hall.ack("ben", 1, 2, at=8) == []
    assert hall.ack("ben", 3, at=9) == []


# -- generations


@pytest.mark.rule("G-HELD-02")
@pytest.mark.case("F-89")
def test_after_a_restart_all_that_is_owed_is_one_wake_with_the_count() -> None:
    hall = room("eve", "ben")
    for second in range(1, 13):
        hall.post("eve", "agent:ben", at=second)
    old = hall.wake("ben", at=20)
    hall.open("ben")
    hall.claim("ben", at=400)

    new = hall.wake("ben", at=401)

    assert (new.messages, new.waited) == (list(range(1, 13)), 2)
    for command in (hall.open, hall.close, hall.fail, hall.renew):
        with pytest.raises(Conflict) as refusal:
            command("ben", wake=old.id)
        assert refusal.value.code == "stale_wake"


def test_a_stale_runtime_is_refused_before_the_new_one_took_anything() -> None:
    hall = tagged(1)
    hall.wake("ben", at=1)
    hall.claim("ben", at=2)

    for command in (hall.open, hall.close, hall.fail, hall.renew):
        with pytest.raises(Conflict) as refusal:
            command("ben")
        assert refusal.value.code == "stale_runtime"


def test_a_turn_of_an_older_claim_is_told_nothing_more() -> None:
    hall = tagged(1)
    old = hall.wake("ben", at=1)
    hall.open("ben")
    hall.post("ops", "agent:ben", at=2)
    hall.claim("ben", at=3)

    assert hall.notice("ben", at=4) == [1, 2]  # to the new one, all of it

    wake = hall.seat("ben").wake
    assert wake is not None
    assert wake.id != old.id
    assert wake.generation == 1


def test_a_turn_whose_claim_ran_out_at_this_instant_is_told_all_of_it_anew() -> None:
    hall = tagged(1)
    hall.take("ben", hold=60, at=1)
    hall.open("ben", hold=60)
    hall.post("ops", "agent:ben", at=2)

    assert hall.notice("ben", at=61) == [1, 2]
    assert isinstance(hall.facts[-1].event, WakeTaken)


@pytest.mark.rule("G-HELD-03")
def test_after_a_restart_next_turn_is_told_only_once_somebody_has_posted() -> None:
    # The fifth of the eight subtlest rules.
    hall = room("eve", "Ada/a", modes={"Ada/a": "next_turn"})
    for second in range(1, 5):
        hall.post("eve", at=second)
    hall.claim("Ada/a", at=10)

    assert hall.take("Ada/a", at=11) == []
    assert hall.notice("Ada/a", at=12) == []
    hall.post("eve", at=13)

    assert hall.notice("Ada/a", at=14) == [1, 2, 3, 4, 5]


@pytest.mark.rule("G-HELD-03")
def test_what_lay_dormant_is_told_even_if_the_new_message_was_read_before() -> None:
    hall = room("eve", "Ada/a", modes={"Ada/a": "next_turn"})
    hall.post("eve", at=1)
    hall.claim("Ada/a", at=10)
    hall.notice("Ada/a", at=11)
    hall.post("eve", at=12)
    hall.read("Ada/a", 2, 2, at=13)

    assert hall.notice("Ada/a", at=14) == [1]


@pytest.mark.rule("G-HELD-03")
def test_what_was_posted_between_a_claim_and_the_rooms_hearing_of_it_is_new() -> None:
    hall = room("eve", "Ada/a", modes={"Ada/a": "next_turn"})
    hall.post("eve", at=1)
    hall.claim("Ada/a", at=10)
    hall.post("eve", at=12)
    assert hall.take("Ada/a", at=13) == []  # here the room hears of it
    hall.read("Ada/a", 2, 2, at=14)

    assert hall.notice("Ada/a", at=15) == [1]


def reclaimed(hall: Room, conversation: str, at: float) -> list[Event]:
    """The room hears of the newest claim, and nobody takes anything."""
    return hall.do(
        lambda: reclaim(hall.state, conversation, hall.facts_of_take(), now=hall.now),
        at=at,
    )


@pytest.mark.rule("G-HELD-03")
def test_what_was_posted_at_the_instant_of_a_claim_is_not_new() -> None:
    hall = tagged(1)
    hall.do(lambda: [Superseded("ben", (1,))])
    hall.post("ops", "agent:ben", at=10)
    hall.claim("ben", at=10)
    reclaimed(hall, "ben", at=11)

    assert hall.wake("ben", at=12).messages == [2]
    assert hall.lanes("ben") == {1: "rider", 2: "taken"}


@pytest.mark.rule("G-HELD-03")
@pytest.mark.parametrize(("posted", "told"), [(10, []), (10.000001, [1, 2])])
def test_who_is_the_first_to_tell_the_room_of_a_claim_is_told_what_is_new(
    posted: float, told: list[int]
) -> None:
    hall = room("eve", "Ada/a", modes={"Ada/a": "next_turn"})
    hall.post("eve", at=1)
    hall.claim("Ada/a", at=10)
    hall.post("eve", at=posted)

    assert hall.notice("Ada/a", at=13) == told


@pytest.mark.rule("G-HELD-03")
def test_what_was_held_before_a_restart_wakes_nothing_that_lies_dormant() -> None:
    one_a_minute = RateWindow(1, timedelta(minutes=1))
    hall = room("eve", "ben", policy=RoomPolicy(wake_window=one_a_minute))
    for second in (1, 2, 3):
        hall.post("eve", "agent:ben", at=second)
    hall.do(lambda: [Superseded("ben", (3,))])
    hall.claim("ben", at=5)

    assert hall.wake("ben", at=6).messages == [1]
    assert hall.wake("ben", at=61).messages == [2]
    assert hall.lanes("ben") == {2: "taken", 3: "rider"}


@pytest.mark.rule("G-HELD-03")
def test_a_wake_that_ran_out_wakes_nothing_that_lies_dormant() -> None:
    hall = tagged(2)
    hall.do(lambda: [Superseded("ben", (1,))])
    hall.claim("ben", at=10)
    reclaimed(hall, "ben", at=11)
    assert [one.messages for one in hall.take("ben", hold=60, at=12)] == [[2]]

    assert hall.wake("ben", at=100).messages == [2]
    assert hall.lanes("ben") == {1: "rider", 2: "taken"}


def test_what_rode_along_and_was_told_rides_again_after_a_restart() -> None:
    hall = tagged(2, policy=ACK)
    hall.do(lambda: [Superseded("ben", (1,))])
    assert hall.turn("ben", at=3).messages == [1, 2]
    hall.claim("ben", at=10)
    reclaimed(hall, "ben", at=11)

    assert hall.lanes("ben") == {1: "rider", 2: "ready"}


@pytest.mark.rule("G-HELD-04")
def test_a_digest_that_missed_ticks_over_a_restart_is_one() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=10, at=0)
    hall.post("eve", at=1)
    hall.post("eve", at=700)
    hall.claim("ben", at=5_000)

    assert hall.wake("ben", at=5_001).messages == [1, 2]
    hall.close("ben")
    assert hall.take("ben", at=9_000) == []


# -- depth


def test_a_wake_has_the_depth_of_the_deepest_that_it_carries() -> None:
    hall = room("eve", "ada")
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("ops", "agent:ada", at=3)
    hall.post("eve", "agent:ada", at=4)

    assert hall.wake("ada", at=5).hops == 1
    hall.open("ada")
    hall.post("ada", "agent:eve", at=6)
    assert hall.wake("eve", at=7).hops == 2


# -- modes


def test_a_changed_mode_hears_again_what_was_not_taken_and_ends_the_rest() -> None:
    hall = room("eve", "ben", modes={"ben": "every_message"})
    hall.post("eve", at=1)
    hall.wake("ben", at=1)
    hall.post("eve", at=2)
    hall.post("eve", "agent:ben", at=3)

    [change] = hall.subscribe("ben", "when_tagged", at=4)

    assert isinstance(change, Subscribed)
    assert change.ended == (2,)
    assert hall.lanes("ben") == {1: "taken", 3: "ready"}
    hall.subscribe("ben", "digest", minutes=10, at=5)
    assert hall.lanes("ben") == {1: "taken", 3: "digest"}
    assert hall.deadline() == 605


def test_a_digest_in_between_is_not_lost_when_the_mode_goes_on() -> None:
    hall = room("eve")
    hall.join("ben", "digest", at=0)
    hall.post("eve", "agent:ben", at=1)
    hall.post("eve", at=2)

    hall.subscribe("ben", "when_tagged", at=3)

    assert hall.wake("ben", at=4).messages == [1]


def test_a_digest_that_may_be_taken_keeps_its_place_when_the_mode_wakes_at_once() -> (
    None
):
    hall = room("eve")
    hall.join("ben", "digest", minutes=1, at=0)
    hall.post("eve", at=1)
    hall.tick(at=60)
    hall.post("eve", at=61)
    assert hall.lanes("ben") == {1: "ready", 2: "digest"}

    [change] = hall.subscribe("ben", "every_message", at=62)

    assert isinstance(change, Subscribed)
    assert change.reheard == (
        (1, "now", "ready", "every_message"),
        (2, "now", "held", "every_message"),
    )
    assert change.ended == ()
    taken = hall.wake("ben", at=62)
    assert (taken.messages, taken.waited) == ([1, 2], 1)


def test_what_was_ready_waits_for_a_digest_and_for_another_wake_as_the_mode_says() -> (
    None
):
    hall = room("eve", "Ada/a", modes={"Ada/a": "every_message"})
    hall.post("eve", at=1)

    hall.subscribe("Ada/a", "digest", minutes=1, at=2)
    assert hall.lanes("Ada/a") == {1: "digest"}
    hall.subscribe("Ada/a", "next_turn", at=3)
    assert hall.lanes("Ada/a") == {1: "rider"}
    assert hall.take("Ada/a", at=4) == []


@pytest.mark.parametrize("mode", ["digest", "on_demand", "when_tagged"])
def test_what_the_hop_guard_made_a_rider_rides_under_every_mode(mode: str) -> None:
    hall = room("eve", "ben", policy=RoomPolicy(max_hops=1))
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("eve", "agent:ben", at=3)
    hall.subscribe("ben", "every_message", at=4)

    [change] = hall.subscribe("ben", mode, at=5)

    assert isinstance(change, Subscribed)
    assert (change.reheard, change.ended) == ((), ())
    rider = hall.entry("ben", 2)
    assert (hall.lanes("ben")[2], rider.why) == ("rider", "hop_guard")


def test_a_seats_subscription_is_what_was_said_when_it_was_changed_last() -> None:
    hall = room("ben")
    hall.subscribe("ben", "digest", minutes=10, tagged_only=True, at=1)

    said = Subscription("digest", timedelta(minutes=10), tagged_only=True)
    assert subscription_of(hall.seat("ben")) == said
    assert hall.subscribe("ben", "digest", minutes=10, tagged_only=True, at=2) == []
