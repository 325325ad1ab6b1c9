"""Who is seated, holds, rests, is idle and is taken out: what each records."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from log.room import SECOND, Room, room
from rooms import presets
from rooms.errors import NotAllowed
from rooms.log import seats
from rooms.log.events import Fact
from rooms.log.floors.events import FloorEnded, FloorGiven
from rooms.log.invitations import Invited
from rooms.log.ledger import Settled
from rooms.log.owed import Cause, Entry, because
from rooms.log.seat import Seat
from rooms.log.seats import SeatHeld, SeatJoined, SeatLeft, SeatRested, Subscribed
from rooms.log.tries import Pushing, Tries
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy

CAUSE = because("now", "direct", True, "tagged")


def hold(hall: Room, conversation: str, why: str) -> list[object]:
    return [*hall.do(lambda: seats.hold(hall.seat(conversation), why))]


def test_a_seat_is_held_once_for_a_reason_and_none_that_was_given_up() -> None:
    hall = room("eve", "ben")
    hall.leave("ben", at=1)

    assert hold(hall, "eve", "paused") == [SeatHeld("eve", "paused")]
    assert hold(hall, "eve", "paused") == []
    assert hold(hall, "eve", "disabled") == [SeatHeld("eve", "disabled")]
    assert hold(hall, "ben", "paused") == []
    assert hold(hall, "eve", "") == [SeatHeld("eve", "")]


def test_to_join_again_is_a_change_only_with_another_way_to_listen() -> None:
    hall = room("ben")

    assert hall.join("ben", at=1) == []
    assert hall.join("ben", "when_tagged", at=2) == []
    assert hall.join("ben", "every_message", at=3) == [
        Subscribed("ben", "every_message", 900 * SECOND)
    ]


def test_to_rest_again_is_no_change() -> None:
    hall = room("ben")

    assert hall.rest("ben", False, at=1) == []
    assert hall.rest("ben", at=2) == [SeatRested("ben", True)]
    assert hall.rest("ben", at=3) == []
    assert hall.rest("ben", False, at=4) == [SeatRested("ben", False)]


def test_what_is_held_is_heard_again_under_another_mode_as_what_is_ready_is() -> None:
    one_a_minute = RateWindow(1, timedelta(minutes=1))
    hall = room("eve", policy=RoomPolicy(wake_window=one_a_minute))
    hall.join("ben", "every_message")
    hall.post("eve", at=1)
    hall.post("eve", at=2)
    hall.post("eve", "agent:ben", at=3)
    assert hall.lanes("ben") == {1: "ready", 2: "held", 3: "held"}

    tagged = ((3, "now", "held", "tagged"),)
    assert hall.subscribe("ben", "when_tagged", at=4) == [
        Subscribed("ben", "when_tagged", 900 * SECOND, False, "asked", tagged, (1, 2))
    ]


def test_who_leaves_loses_what_it_is_owed_and_leaves_once() -> None:
    hall = room("eve", "Ada/a")
    hall.post("ops", "agent:Ada/a", at=1)

    assert hall.do(lambda: seats.leave(hall.seat("Ada/a")), at=2) == [
        SeatLeft("Ada/a", "left", False, (1,))  # Ada is a member without a seat
    ]
    assert hall.leave("eve", why="removed", at=3) == [SeatLeft("eve", "removed", True)]
    assert hall.leave("eve", at=4) == []


def test_to_listen_otherwise_is_no_sign_of_life_for_which_a_read_is_not_noted() -> None:
    hall = room("eve")
    hall.subscribe("eve", "on_demand", at=20_000)
    hall.post("ops", at=20_001)

    assert hall.read("eve", 1, 1, at=21_599.999999) == []
    assert hall.read("eve", 1, 1, at=21_600) == [Settled("eve", "read", (), told=1)]


def test_where_an_acknowledgement_settles_a_read_is_only_a_sign_of_life() -> None:
    hall = room("eve", policy=RoomPolicy(settle_on="ack"))
    hall.post("ops", "agent:eve", at=1)

    assert hall.read("eve", 1, 1, at=21_600) == [Settled("eve", "read", (), told=1)]
    assert hall.read("eve", 1, 1, at=43_200) == [Settled("eve", "read", (), told=0)]
    assert hall.lanes("eve") == {1: "ready"}


def test_told_rises_over_no_message_that_was_not_shown() -> None:
    hall = room("eve")
    hall.post("ops", "agent:eve", at=1)
    hall.post("ops", "agent:eve", at=2)

    assert hall.read("eve", 2, 2, at=3) == [Settled("eve", "read", (2,), told=0)]
    assert hall.read("eve", 1, 2, at=4) == [Settled("eve", "read", (1,), told=2)]


@pytest.mark.rule("G-IDLE-01", "G-IDLE-03")
def test_who_gave_no_sign_of_life_follows_no_more_and_stays_a_member() -> None:
    hall = room("eve")
    hall.join("ben", "digest", minutes=10, tagged_only=True, at=1)
    hall.post("eve", "agent:ben", at=2)
    hall.post("eve", at=3)

    assert seats.drop_idle(hall.state, 1 * SECOND - 1) == []
    [dropped] = hall.do(lambda: seats.drop_idle(hall.state, 1 * SECOND), at=4)

    # What names it wakes it still, as a label does whom nobody hears of otherwise.
    kept = ((1, "now", "held", "called_back"),)
    assert dropped == Subscribed("ben", None, 600 * SECOND, True, "idle", kept, ())
    assert hall.seat("ben").place == "in"
    assert seats.subscription_of(hall.seat("ben")) is None
    assert seats.drop_idle(hall.state, 1 * SECOND) == []  # it follows no more
    hall.post("ben", at=5)
    assert seats.idle_since(hall.seat("ben")) == 5 * SECOND


# -- out of the room


def removed(hall: Room, agent: str) -> list[object]:
    return [*hall.do(lambda: seats.remove(hall.state, agent))]


def test_a_removed_agent_loses_every_seat_with_what_that_was_owed() -> None:
    hall = room("eve", "Ada/a", "Ada/b", "Ada/c")
    hall.leave("Ada/b", at=1)
    hall.post("ops", "agent:Ada/a", at=2)

    assert removed(hall, "Ada") == [
        SeatLeft("Ada/a", "removed", True, (1,)),
        SeatLeft("Ada/c", "removed", True, ()),
    ]
    assert removed(hall, "Ada") == []
    assert removed(hall, "nobody") == []
    assert hall.state.roster() == ["eve"]


def test_whoever_is_taken_out_with_the_floor_loses_it() -> None:
    hall = room("eve", "ben", policy=presets.panel(planner="round_robin"))
    hall.post("ops", at=1)
    hall.do(lambda: [FloorGiven("ben", 1, round=2)], at=2)

    assert removed(hall, "eve") == [SeatLeft("eve", "removed", True, (1,))]
    assert removed(hall, "ben") == [
        SeatLeft("ben", "removed", True, (1,)),
        FloorEnded("ben", 1, "absent", 2),
    ]


def test_a_turn_that_runs_does_not_go_on_for_who_is_taken_out() -> None:
    hall = room("eve", "ben", policy=presets.panel(planner="round_robin"))
    hall.post("ops", at=1)
    hall.do(lambda: [FloorGiven("ben", 1, round=2)], at=2)
    hall.wake("ben", at=3)
    hall.open("ben")

    assert removed(hall, "ben") == [
        SeatLeft("ben", "removed", True, (1,)),
        FloorEnded("ben", 1, "absent", 2),
    ]


def test_a_member_without_a_seat_is_taken_out_by_its_last_one() -> None:
    hall = room("eve", "Ada/a", "Ada/b", "Ada/c")
    for second, left in enumerate(("Ada/a", "Ada/b", "Ada/c"), 1):
        hall.leave(left, at=second)

    assert removed(hall, "Ada") == [SeatLeft("Ada/c", "removed", True, ())]
    with pytest.raises(NotAllowed) as refusal:
        hall.join("Ada/c", at=4)
    assert refusal.value.code == "invite_required"
    assert refusal.value.details["agent"] == "Ada"


def test_who_left_by_itself_comes_back_and_no_other_agent_pays_for_it() -> None:
    hall = room("eve", "ben")
    hall.leave("ben", at=1)
    assert removed(hall, "eve")

    hall.join("ben", at=2)
    hall.join("cy", at=3)
    assert hall.state.roster() == ["ben", "cy"]


def test_how_many_seats_act_for_a_person_is_counted_while_they_are_there() -> None:
    hall = room("eve")
    for label, person in (("a", "ops"), ("b", "ops"), ("c", "ana"), ("d", "")):
        hall.introduce(f"Ada/{label}")
        joining = partial(seats.join, hall.state, f"Ada/{label}", acts_for=person)
        hall.do(partial(joining, agent="Ada", threaded=True))
    assert hall.state.acted_for == {"ops": 2, "ana": 1}

    hall.leave("Ada/a", at=1)
    hall.leave("Ada/c", at=2)
    hall.leave("Ada/d", at=3)
    assert hall.state.acted_for == {"ops": 1}
    removed(hall, "Ada")
    assert hall.state.acted_for == {}


def test_a_seat_is_there_as_long_as_it_is_sat_on() -> None:
    hall = room("eve", "ben")
    hall.leave("ben", at=1)

    assert seats.is_seated(hall.state, "eve") is True
    assert seats.is_seated(hall.state, "ben") is False
    assert seats.is_seated(hall.state, "cy") is False
    assert seats.is_seated(hall.state, None) is False
    assert seats.member_seat(hall.state, "eve") is hall.seat("eve")
    for nobody in ("ben", "cy", None):
        with pytest.raises(NotAllowed) as refusal:
            seats.member_seat(hall.state, nobody, action="read")
        assert refusal.value.code == "not_a_member"
        assert refusal.value.details["action"] == "read"


def test_where_history_begins_with_joining_nothing_from_before_is_read() -> None:
    hall = room("eve", policy=RoomPolicy(history="since_join"))
    hall.post("eve", at=1)
    hall.join("ben", at=2)
    hall.post("eve", at=3)

    usual = room("eve")
    usual.post("eve", at=1)
    usual.join("ben", at=2)

    assert seats.unread_before(usual.state, "ben") == 0
    assert seats.unread_before(hall.state, "eve") == 0
    assert seats.unread_before(hall.state, "ben") == 1
    assert seats.unread_before(hall.state, "cy") == 2  # it has no seat
    assert seats.unread_before(hall.state, None) == 0
    assert seats.unread_before(room("eve").state, "cy") == 0


# -- what one seat is owed for one message


def test_an_entry_is_what_its_record_says_and_else_as_plain_as_can_be() -> None:
    plain = Entry(7, 5, 1, CAUSE)

    assert (plain.hearing, plain.tag, plain.agents) == ("now", "direct", True)
    assert (plain.why, plain.waited, plain.important) == ("tagged", False, False)
    assert (plain.tries, plain.size, plain.push) == (0, 0, None)
    failed = plain.but(tries=1, why="failed")
    assert failed == Entry(7, 5, 1, Cause("now", "direct", True, "failed", tries=1))
    assert plain.cause is CAUSE


def test_a_seat_to_which_nothing_happened_says_so() -> None:
    seat = Seat("Ada/a", "Ada", True)

    assert (seat.anchor, seat.since, seat.seen_at) == (0, 0, 0)
    assert (seat.charges, seat.depth, seat.wake) == ((), None, None)
    assert seat.entries() == []
    assert seat.oldest("ready") is None


def test_seats_are_equal_in_everything_or_not_at_all() -> None:
    seat = Seat("Ada/a", "Ada", True)

    assert seat == Seat("Ada/a", "Ada", True)
    assert seat != Seat("Ada/b", "Ada", True)
    assert seat != "Ada/a"


def test_what_changes_is_no_key() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Seat("Ada/a", "Ada", True))


def test_what_persons_wrote_is_counted_while_it_is_held_and_digests_when_ready() -> (
    None
):
    hall = room("eve", "ben")
    hall.rest("ben", at=1)
    hall.post("ops", "agent:ben", at=2)
    hall.post("ops", "agent:ben", at=3)
    hall.post("eve", "agent:ben", at=4)
    assert hall.seat("ben").persons_held == 2
    hall.read("ben", 1, 1, at=5)
    assert hall.seat("ben").persons_held == 1
    hall.read("ben", 2, 2, at=6)
    assert hall.seat("ben").persons_held == 0
    hall.rest("ben", False, at=7)
    hall.post("ops", "agent:ben", at=8)
    assert hall.seat("ben").persons_held == 0

    hall.join("ada", "digest", minutes=10, at=9)
    hall.post("ops", at=10)
    assert hall.seat("ada").digests_ready == 0
    hall.tick(at=609)
    assert hall.seat("ada").digests_ready == 1


def test_a_fold_says_whether_the_fact_was_its_own() -> None:
    hall = room("ben")
    rested, joined = Fact(9, 9, "system", 1, SeatRested("ben", True)), hall.facts[-1]

    assert isinstance(joined.event, SeatJoined)
    assert seats.evolve(hall.state, rested) is True
    assert seats.evolve(hall.state, hall.facts[0]) is False


def test_who_left_hears_and_follows_nothing_and_is_no_place_that_somebody_took() -> (
    None
):
    hall = room("eve", "Ada/a", modes={"Ada/a": "every_message"})
    assert [*hall.state.hearing_all] == ["Ada/a"]

    hall.leave("Ada/a", at=1)

    assert hall.seat("Ada/a").place == "left"
    assert [*hall.state.hearing_all] == []
    assert [*hall.state.following] == ["eve"]


def test_who_joins_is_recorded_with_all_that_it_is() -> None:
    hall = room()

    assert hall.join("Ada/a", "digest", minutes=10, tagged_only=True) == [
        SeatJoined("Ada/a", "Ada", True, "digest", 600 * SECOND, True, "joined")
    ]
    member = hall.state.member("Ada")
    assert member is not None
    assert member.threaded is True
    assert [*member.conversations] == ["Ada/a"]


def test_who_joins_has_answered_its_invitation() -> None:
    hall = room()
    hall.do(lambda: [Invited("ben")], at=1)
    assert [*hall.state.invited] == ["ben"]

    hall.join("ben", at=2)

    assert [*hall.state.invited] == []


def test_of_what_waits_a_part_can_be_moved() -> None:
    seat = Seat("ben", "ben", False)
    seat.put("ready", [Entry(seq, seq, 1, CAUSE) for seq in (1, 2)])

    seat.move((1,), "taken")

    assert [(one.seq, seat.lane_of(one.seq)) for one in seat.entries()] == [
        (1, "taken"),
        (2, "ready"),
    ]
    assert seat.lane_of(3) == ""
    assert seat.fresh == 1


def carrying(*others: str) -> Seat:
    """A seat whose wake carries two messages, with another one in each lane."""
    seat = Seat("ben", "ben", False)
    seat.put("taken", [Entry(seq, seq, 1, CAUSE) for seq in (1, 2)])
    for seq, lane in enumerate(others, 3):
        seat.put(lane, [Entry(seq, seq, 1, CAUSE)])
    return seat


def test_what_a_wake_carried_goes_and_nothing_else() -> None:
    alone, busy, part = carrying(), carrying("told", "ready"), carrying("ready")
    for seat, seqs in ((alone, (1, 2)), (busy, (1, 2)), (part, (2,))):
        seat.drop_carried(seqs)

    assert alone.owed is None
    assert [one.seq for one in busy.entries()] == [3, 4]
    assert busy.fresh == 1
    assert not busy.has("taken")
    assert [(one.seq, part.lane_of(one.seq)) for one in part.entries()] == [
        (1, "taken"),
        (3, "ready"),
    ]


@pytest.mark.parametrize("size", [0, 30])
@pytest.mark.parametrize("tried", [True, False])
def test_what_is_counted_of_what_a_wake_carried_is_counted_no_more(
    size: int, tried: bool
) -> None:
    seat, tries = carrying(), Tries("p", 1, 5)
    if tried:
        seat.pushing = Pushing(tries=[tries])
    seat.put("taken", [Entry(3, 3, 1, CAUSE, size, tries if tried else None)])
    assert (seat.backlog, tries.left) == (size, tried)

    seat.drop_carried((1, 2, 3))

    assert (seat.backlog, tries.left, seat.owed) == (0, 0, None)


def test_what_a_wake_does_not_carry_is_dropped_from_where_it_stands() -> None:
    seat = Seat("ben", "ben", False)
    seat.drop_carried((1,))
    assert seat.owed is None
    seat.put("told", [Entry(1, 1, 1, CAUSE)])

    seat.drop_carried((1,))

    assert seat.owed is None


def test_a_window_remembers_no_place_that_is_free_again() -> None:
    one_a_minute = RateWindow(1, timedelta(minutes=1))
    hall = room("eve", "ben", policy=RoomPolicy(wake_window=one_a_minute))
    hall.post("eve", "agent:ben", at=1)

    assert hall.post("eve", "agent:ben", at=61).ready == ["ben"]
    assert hall.seat("ben").charges == (61 * SECOND,)
