"""Windows, holds and digests: rules 3 to 6 and 18 of the ledger, as stories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from log.room import SECOND, Room, room
from rooms.errors import InvalidInput, NotFound, OverLimit, SelfAddressed
from rooms.log import folding, snapshots
from rooms.log.ledger import Granted
from rooms.log.state import RoomState
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy


def window(limit: int, seconds: int) -> RateWindow:
    return RateWindow(limit, timedelta(seconds=seconds))


def narrow(limit: int, seconds: int) -> RoomPolicy:
    return RoomPolicy(wake_window=window(limit, seconds))


def busy(messages: int, *, policy: RoomPolicy | None = None) -> Room:
    """eve tagged ben once a second, from second 0 on."""
    hall = room("eve", "ben", policy=policy)
    for second in range(messages):
        hall.post("eve", "agent:ben", at=second)
    return hall


# -- the wake window


@pytest.mark.rule("G-RATE-01", "G-RATE-02", "G-HELD-05")
def test_of_thirteen_tagged_messages_ten_wake_and_three_wait_and_come_as_one() -> None:
    # The fourth of the eight subtlest rules.
    hall = busy(13)

    assert list(hall.lanes("ben").values()) == ["ready"] * 10 + ["held"] * 3
    first = hall.turn("ben", at=60)
    assert (first.messages, first.waited) == (list(range(1, 11)), 0)
    assert hall.deadline() == 300
    assert hall.tick(at=299.999999) == []
    second = hall.wake("ben", at=300)
    assert (second.messages, second.waited) == ([11, 12, 13], 3)
    # One of the three took the place that the first had held, the others none.
    assert [at // SECOND for at in hall.seat("ben").charges] == [*range(1, 10), 300]


@pytest.mark.rule("G-RATE-01")
def test_messages_are_counted_and_not_wakes() -> None:
    hall = room("eve", "ben")
    for second in range(10):
        hall.post("eve", "agent:ben", at=second)
        hall.turn("ben")

    assert hall.post("eve", "agent:ben", at=10).held == ["ben"]


@pytest.mark.rule("G-RATE-01")
def test_the_budget_is_a_seats_own() -> None:
    hall = busy(12)
    hall.join("ada")
    hall.join("Cy/a")
    hall.join("Cy/b")

    assert hall.post("eve", "agent:ada", "agent:Cy/a", at=13).ready == ["ada", "Cy/a"]


@pytest.mark.rule("G-RATE-07", "G-WAKE-04")
def test_what_is_held_can_be_read_and_reading_settles_it() -> None:
    hall = busy(13)
    hall.turn("ben", at=60)

    hall.read("ben", 1, 13, at=61)

    assert hall.lanes("ben") == {}
    assert hall.deadline() is None
    assert hall.take("ben", at=10_000) == []


@pytest.mark.case("F-76")
def test_a_person_is_never_held_and_takes_along_what_was() -> None:
    hall = busy(12)

    post = hall.post("ops", "agent:ben", at=12)

    assert post.ready == ["ben"]
    assert set(hall.lanes("ben").values()) == {"ready"}
    taken = hall.wake("ben", at=12)
    assert (taken.messages, taken.waited) == (list(range(1, 14)), 2)
    assert len(hall.seat("ben").charges) == 10


def test_a_grant_says_of_which_place_and_whether_it_is_charged() -> None:
    hall = busy(4, policy=narrow(2, 60))  # 0 and 1 hold the places, 2 and 3 wait
    assert hall.tick(at=59) == []

    assert hall.tick(at=60) == [
        Granted("ben", (3, 4), 60 * SECOND, "place", charged=True)
    ]
    hall.post("eve", "agent:ben", at=60)
    hall.post("ops", "agent:ben", at=60)
    assert [one.event for one in hall.facts if isinstance(one.event, Granted)][1:] == [
        Granted("ben", (5,), 60 * SECOND, "person", charged=False)
    ]


@pytest.mark.case("F-76")
def test_the_same_pair_is_free_in_another_room() -> None:
    full, other = busy(11), room("eve", "ben")

    assert full.post("eve", "agent:ben", at=11).held == ["ben"]
    assert other.post("eve", "agent:ben", at=11).ready == ["ben"]


def test_nothing_overtakes_what_waits() -> None:
    hall = busy(3, policy=narrow(2, 60))

    # At 60 a place frees, but the oldest that waits takes it.
    post = hall.post("eve", "agent:ben", at=60)

    assert hall.lanes("ben") == {1: "ready", 2: "ready", 3: "ready", 4: "held"}
    assert post.held == ["ben"]
    assert hall.deadline() == 61


def test_what_is_held_does_not_depend_on_how_fast_a_host_takes() -> None:
    quick, slow = room("eve", "ben"), room("eve", "ben")
    for second in range(0, 900, 25):
        quick.tick(at=second)
        assert quick.post("eve", "agent:ben", at=second) is not None
        slow.post("eve", "agent:ben", at=second)
        quick.take("ben")

    quick.tick(at=900)
    slow.tick(at=900)
    assert quick.seat("ben").charges == slow.seat("ben").charges


def test_a_message_of_an_agent_is_ready_where_there_is_no_window() -> None:
    hall = busy(40, policy=RoomPolicy(wake_window=None, send_window=None))

    assert set(hall.lanes("ben").values()) == {"ready"}


@pytest.mark.case("F-74")
def test_a_window_of_no_places_holds_for_ever_and_only_people_pass() -> None:
    hall = room("eve", "ben", "Ada/a", policy=narrow(0, 60))

    assert hall.post("eve", "agent:ben", at=1).held == ["ben"]
    assert hall.post("eve", "agent:Ada", at=2).held == ["new/1"]
    assert hall.deadline() is None
    assert hall.take(at=9_999) == []
    assert hall.post("ops", "agent:ben", at=10_000).ready == ["ben"]


@pytest.mark.case("F-69")
def test_a_place_frees_at_the_instant_and_not_after_it() -> None:
    hall = room("eve", "ben", policy=narrow(3, 60))
    for second in (0, 10, 20):
        hall.post("eve", "agent:ben", at=second)
    late = hall.clone()

    assert hall.post("eve", "agent:ben", at=59.999).held == ["ben"]
    assert hall.deadline() == 60
    assert late.post("eve", "agent:ben", at=60).ready == ["ben"]


@pytest.mark.rule("G-HELD-01")
@pytest.mark.case("F-78")
def test_the_window_is_the_same_after_a_restart() -> None:
    hall = busy(2, policy=narrow(2, 60))
    again = hall.clone()
    loaded = snapshots.decode(snapshots.encode(hall.state), RoomState)
    assert loaded is not None
    again.state = loaded
    anew = hall.clone()
    anew.state = folding.folded(hall.facts)

    for one in (hall, again, anew):
        assert one.post("eve", "agent:ben", at=6).held == ["ben"]
        assert one.deadline() == 60


# -- the send window


@pytest.mark.rule("G-RATE-03", "G-RATE-05")
def test_the_thirty_first_message_within_five_minutes_is_refused() -> None:
    hall = room("eve", "Ada/a", "Ada/b")
    for second in range(30):
        hall.post("eve", at=second)
        hall.post("Ada/a", at=second)

    with pytest.raises(OverLimit) as refusal:
        hall.post("eve", at=30)

    assert refusal.value.code == "send_rate"
    assert refusal.value.retry_at == datetime(1970, 1, 1, 0, 5, tzinfo=UTC)
    assert hall.state.seq == 60
    # The seat is what is counted, not the agent.
    assert hall.post("Ada/b", at=31).seq == 61
    with pytest.raises(OverLimit):
        hall.post("eve", at=299.999)
    assert hall.post("eve", at=300).seq == 62


@pytest.mark.rule("G-RATE-06")
def test_refused_sends_use_up_nothing() -> None:
    hall = room("eve", "Ada/a", "Ada/b", policy=RoomPolicy(send_window=window(1, 60)))

    with pytest.raises(SelfAddressed):
        hall.post("eve", "agent:eve", at=1)
    with pytest.raises(NotFound):
        hall.post("eve", "agent:nobody", at=2)
    with pytest.raises(InvalidInput):
        hall.post("eve", text="  ", at=3)

    assert hall.post("eve", at=4).seq == 1


@pytest.mark.rule("G-RATE-04")
def test_nothing_else_ends_an_exchange() -> None:
    hall = room("eve", "ben")
    for turn in range(100):
        hall.post("eve" if turn % 2 else "ben", "all", at=turn * 40)
        hall.take(at=turn * 40)

    assert hall.state.seq == 100
    assert hall.lanes("ben")[100] == "taken"


# -- holds


@pytest.mark.parametrize("hold", ["rest", "pause"])
def test_on_hold_everything_goes_on_being_owed_and_comes_as_one_wake(hold: str) -> None:
    hall = room("eve", "ben")
    switch = (
        hall.pause if hold == "pause" else lambda on, at: hall.rest("ben", on, at=at)
    )
    switch(True, at=1)
    for second in range(2, 5):
        assert hall.post("eve", "agent:ben", at=second).held == ["ben"]

    assert hall.deadline() is None
    assert hall.take("ben", at=500) == []
    assert hall.notice("ben", at=501) == []
    switch(False, at=600)

    assert hall.deadline() == 600
    taken = hall.wake("ben", at=700)
    assert (taken.messages, taken.waited) == ([1, 2, 3], 3)
    # It took its place when the hold ended, not when somebody came to take.
    assert hall.seat("ben").charges == (600 * SECOND,)


def test_a_person_who_spoke_during_a_hold_is_not_held_by_the_window_after_it() -> None:
    hall = busy(10)
    hall.rest("ben", at=10)
    hall.post("eve", "agent:ben", at=11)
    hall.post("ops", "agent:ben", at=12)

    hall.rest("ben", False, at=20)

    assert hall.deadline() == 20
    taken = hall.wake("ben", at=20)
    assert taken.messages == list(range(1, 13))
    assert len(hall.seat("ben").charges) == 10


def test_a_conversation_started_in_a_paused_room_waits_for_its_end() -> None:
    hall = room("eve", "Ada/a")
    hall.pause(at=1)

    assert hall.post("ops", "agent:Ada", at=2).held == ["new/1"]
    hall.pause(False, at=3)

    assert hall.wake("new/1", at=3).messages == [1]


def test_what_was_ready_before_a_hold_is_not_taken_in_it() -> None:
    hall = busy(2)
    hall.rest("ben", at=5)

    assert hall.take("ben", at=6) == []
    hall.rest("ben", False, at=7)
    assert hall.wake("ben", at=7).messages == [1, 2]


def test_leaving_and_coming_back_resets_no_window() -> None:
    hall = busy(10)
    hall.leave("ben", at=10)
    hall.join("ben", at=11)

    assert hall.post("eve", "agent:ben", at=12).held == ["ben"]
    assert hall.deadline() == 300


# -- digests


@pytest.mark.rule("G-MODE-05")
@pytest.mark.rule("G-HELD-04")
def test_a_digest_is_due_at_the_first_tick_after_something_and_carries_all() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=10, at=100)

    assert hall.deadline() is None
    hall.post("eve", at=1_500)  # ticks at 700, 1300, 1900 ...
    assert hall.deadline() == 1_900
    hall.post("eve", "agent:ben", at=1_600)  # a tag does not hurry it
    assert hall.deadline() == 1_900
    assert hall.take("ben", at=1_899) == []
    hall.post("eve", at=5_000)  # ticks were missed, and are one

    taken = hall.wake("ben", at=5_100)
    assert taken.messages == [1, 2, 3]
    hall.close("ben")
    hall.post("eve", at=5_101)
    # Two digests are never closer than the interval.
    assert hall.deadline() == 5_700
    assert hall.wake("ben", at=5_700).messages == [4]


def test_one_digest_is_ready_at_a_time_and_takes_along_what_came_since() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=1, at=0)
    hall.post("eve", at=1)
    hall.tick(at=60)
    hall.post("eve", at=100)

    assert hall.deadline() is None
    assert hall.tick(at=180) == []
    assert hall.wake("ben", at=181).messages == [1, 2]


@pytest.mark.rule("G-MODE-06")
def test_a_digest_of_tags_is_due_for_a_tag_alone() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=10, tagged_only=True, at=0)

    hall.post("eve", at=10)
    assert hall.deadline() is None
    hall.post("eve", "agent:ben", at=700)
    assert hall.deadline() == 1_200
    hall.post("eve", at=800)

    assert hall.wake("ben", at=1_200).messages == [2]


def test_a_digest_told_as_a_notice_counts_as_one() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=10, at=0)
    hall.post("eve", at=1)
    hall.wake("ben", at=600)
    hall.open("ben", hold=9_000)
    hall.post("eve", at=700)
    assert hall.notice("ben", at=1_300) == [2]
    hall.close("ben")

    hall.post("eve", at=1_301)

    assert hall.deadline() == 1_900


def test_a_window_charges_no_digest() -> None:
    hall = room("eve", policy=narrow(1, 60))
    hall.join("ben", "digest", minutes=1, at=0)
    for second in range(5):
        hall.post("eve", "agent:ben", at=second)

    assert hall.wake("ben", at=60).messages == [1, 2, 3, 4, 5]
    assert hall.seat("ben").charges == ()


# -- other modes, other policies


def test_what_is_heard_anew_takes_its_place_now_and_not_in_the_past() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=60, at=0)
    hall.post("eve", "agent:ben", at=100)

    hall.subscribe("ben", "when_tagged", at=400)

    assert hall.deadline() == 400
    [granted] = hall.tick(at=450)
    assert isinstance(granted, Granted)
    assert (granted.at, granted.charged) == (400 * SECOND, True)


def test_a_wider_window_acts_from_its_change_on() -> None:
    hall = busy(3, policy=narrow(2, 300))

    hall.change(narrow(5, 300), at=100)

    assert hall.deadline() == 100
    [granted] = hall.tick(at=120)
    assert isinstance(granted, Granted)
    assert (granted.entries, granted.at, granted.charged) == ((3,), 100 * SECOND, True)


def test_a_deadline_is_past_only_until_somebody_acts_on_it() -> None:
    hall = busy(12)
    assert hall.deadline() == 300

    assert hall.tick(at=400) != []
    assert hall.deadline() is None
    assert hall.tick(at=401) == []


@pytest.mark.case("F-75")
def test_a_clock_that_steps_back_holds_nothing_longer_than_the_period() -> None:
    hall = room("eve", "ben", policy=narrow(1, 60))
    hall.post("eve", "agent:ben", at=1_000)
    hall.post("eve", "agent:ben", at=900)  # the commit's time is no earlier

    assert hall.deadline() == 1_060
