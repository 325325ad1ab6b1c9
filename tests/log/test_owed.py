"""What a message is to each seat: rules 1, 2 and 12 of the ledger, as stories."""

from __future__ import annotations

from datetime import timedelta

import pytest

from log.room import room
from rooms import presets
from rooms.errors import InvalidInput, NotAllowed, NotFound, SelfAddressed
from rooms.log.posting.owing import Pace, owed_to
from rooms.log.seats import SeatLeft, Subscribed
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy

ANYWHERE = RoomPolicy(mentions="anywhere", mentions_from="any")


# -- modes


@pytest.mark.rule("G-MODE-03", "G-MODE-10")
def test_every_message_wakes_for_what_others_say_and_never_for_its_own() -> None:
    hall = room("eve", "ben", modes={"eve": "every_message", "ben": "every_message"})

    first = hall.post("eve", at=1)
    second = hall.post("ben", at=2)

    assert first.ready == ["ben"]
    assert second.ready == ["eve"]
    assert first.why == {"ben": "every_message"}


@pytest.mark.rule("G-MODE-04")
def test_when_tagged_wakes_for_label_reply_and_both_alls_only() -> None:
    hall = room("eve", "Ada/acme")
    own = hall.post("Ada/acme", at=1)

    assert hall.post("eve", at=2).ready == []
    assert hall.post("eve", "agent:Ada", at=3).ready == ["new/1"]  # no tag for acme
    assert hall.post("eve", "agent:Ada/acme", at=4).ready == ["Ada/acme"]
    assert hall.post("eve", reply_to=own, at=5).ready == ["Ada/acme"]
    assert hall.post("eve", "agent:Ada/all", at=6, confirm=True).ready == [
        "Ada/acme",
        "new/1",
    ]
    assert hall.post("eve", "all", at=7, confirm=True).ready == ["Ada/acme", "new/1"]


@pytest.mark.rule("G-MODE-02")
def test_who_joins_without_a_word_follows_as_when_tagged_or_as_the_room_says() -> None:
    usual = room("eve")
    lively = room("eve", policy=RoomPolicy(default_mode="every_message"))

    assert usual.seat("eve").mode == "when_tagged"
    assert lively.seat("eve").mode == "every_message"

    usual.subscribe("eve", "digest", minutes=30, at=1)

    assert usual.seat("eve").mode == "digest"


@pytest.mark.rule("G-MODE-09")
def test_a_single_agent_may_choose_any_mode_but_next_turn() -> None:
    hall = room()
    for mode in ("when_tagged", "every_message", "digest", "on_demand"):
        hall.join(f"a-{mode}", mode)

    with pytest.raises(InvalidInput) as refusal:
        hall.join("eve", "next_turn")
    with pytest.raises(InvalidInput):
        hall.subscribe("a-digest", "next_turn")

    assert refusal.value.field == "mode"
    assert "eve" not in hall.state.seats


@pytest.mark.rule("G-MODE-08")
@pytest.mark.rule("G-FOLLOW-08")
def test_on_demand_hears_neither_the_room_nor_all_and_stays_a_member() -> None:
    hall = room("eve", "ben")
    hall.subscribe("ben", "on_demand", at=1)

    assert hall.post("eve", at=2).why == {}
    assert hall.post("ops", "all", at=3).ready == ["eve"]
    assert hall.state.roster() == ["eve", "ben"]
    assert hall.read("ben", 1, 2, at=4) == []


@pytest.mark.case("F-45")
def test_each_mode_hears_what_is_addressed_to_another_in_its_own_way() -> None:
    hall = room("eve", "ada", modes={"eve": "every_message"})
    hall.join("Bo/desk", "next_turn")
    hall.join("cy", "on_demand")

    post = hall.post("ops", text="@ada please", at=1)

    assert sorted(post.ready) == ["ada", "eve"]
    assert post.riders == ["Bo/desk"]
    assert "cy" not in post.why
    assert post.why["eve"] == "every_message"
    assert post.why["ada"] == "tagged"


@pytest.mark.case("F-46")
def test_who_is_woken_by_an_untagged_message_is_named() -> None:
    hall = room("eve", modes={"eve": "every_message"})

    assert hall.post("ops", text="hello", at=1).ready == ["eve"]


@pytest.mark.case("F-50")
def test_woken_held_stored_and_unresolved_are_four_answers() -> None:
    from rooms.log.posting import MessagePosted  # noqa: PLC0415

    one_a_minute = RateWindow(1, timedelta(minutes=1))
    policy = RoomPolicy(
        mentions="anywhere", mentions_from="any", wake_window=one_a_minute
    )
    hall = room("dee", "eve", "ada", "bo", policy=policy, modes={"bo": "on_demand"})
    hall.post("dee", "agent:ada", at=1)

    post = hall.post("dee", "agent:eve", "agent:ada", text="see @ghost", at=2)

    assert post.ready == ["eve"]
    assert post.held == ["ada"]
    assert "bo" not in post.why
    message = hall.facts[-1].event
    assert isinstance(message, MessagePosted)
    assert message.unresolved == ("ghost",)
    with pytest.raises(NotFound) as refusal:
        hall.post("dee", "agent:ghost", at=3)
    assert refusal.value.code == "unknown_address"


@pytest.mark.case("F-99")
def test_a_newcomer_is_owed_nothing_of_what_was_said_before() -> None:
    hall = room("eve", "bo")
    for second in range(1, 4):
        hall.post("eve", at=second)
    hall.leave("bo", at=4)
    hall.post("ops", text="where is bo?", at=5)

    hall.join("bo", "digest", at=6)

    assert hall.lanes("bo") == {}
    assert hall.deadline() is None
    assert hall.take("bo", at=9_000) == []


# -- addresses


@pytest.mark.rule("G-ADDR-05", "G-ADDR-06")
@pytest.mark.rule("G-FOLLOW-07")
def test_a_bare_address_starts_a_conversation_and_wakes_no_other_by_address() -> None:
    # The hall's first of its eight subtlest rules.
    hall = room("ben", "Eve/a", "Eve/b", modes={"Eve/b": "every_message"})

    post = hall.post("ben", "agent:Eve", at=1)

    assert post.started == ["new/1"]
    assert sorted(post.ready) == ["Eve/b", "new/1"]
    assert "Eve/a" not in post.why
    assert hall.seat("new/1").mode == "when_tagged"
    assert hall.wake("new/1", at=2).messages == [1]


@pytest.mark.rule("G-ADDR-05")
@pytest.mark.parametrize("mode", ["next_turn", "on_demand", "digest"])
def test_whatever_the_rooms_mode_a_started_conversation_wakes_at_once(
    mode: str,
) -> None:
    hall = room(policy=RoomPolicy(default_mode=mode))
    hall.join("Eve/a", "when_tagged")

    post = hall.post("ops", "agent:Eve", at=1)

    assert post.ready == ["new/1"]
    assert hall.wake("new/1", at=1).messages == [1]


@pytest.mark.rule("G-ADDR-11")
@pytest.mark.case("F-31")
def test_its_own_name_in_its_own_text_wakes_nobody_and_other_names_count() -> None:
    hall = room("eve", "ada", policy=ANYWHERE, modes={"eve": "every_message"})

    assert hall.post("eve", text="as @eve I say: done", at=1).why == {}
    assert hall.post("eve", text="@eve and @ada: done", at=2).ready == ["ada"]
    with pytest.raises(SelfAddressed):
        hall.post("eve", "agent:eve", at=3)


@pytest.mark.case("F-31")
def test_a_threaded_agent_that_names_itself_starts_no_second_conversation() -> None:
    hall = room("Eve/a", policy=ANYWHERE)

    assert hall.post("Eve/a", text="I, @Eve, am here", at=1).started == []


@pytest.mark.case("F-25")
def test_a_person_calls_everybody_by_an_at_all() -> None:
    hall = room("eve", "ada", "bo", policy=ANYWHERE, modes={"bo": "on_demand"})

    assert hall.post("ops", text="@all next task", at=1).ready == ["eve", "ada"]
    assert hall.post("eve", text="@all green", at=2).ready == ["ada"]


def test_an_agents_text_calls_nobody_where_only_people_may_mention() -> None:
    hall = room("eve", "ada")

    assert hall.post("eve", text="@ada look", at=1).why == {}
    assert hall.post("ops", text="@ada look", at=2).ready == ["ada"]


# -- replies


@pytest.mark.rule("G-FOLLOW-03")
def test_a_reply_or_a_label_wakes_who_does_not_follow() -> None:
    hall = room("eve", "Ada/x")
    own = hall.post("Ada/x", at=1)
    hall.subscribe("Ada/x", "on_demand", at=2)

    by_reply = hall.post("eve", reply_to=own, at=3)
    by_label = hall.post("eve", "agent:Ada/x", at=4)

    assert by_reply.ready == by_label.ready == ["Ada/x"]
    assert by_reply.why == {"Ada/x": "called_back"}


@pytest.mark.case("F-51")
def test_a_persons_reply_wakes_its_author_and_an_agents_as_the_room_says() -> None:
    quiet = room("eve", "ada", policy=RoomPolicy(reply_wakes_author=False))
    usual = room("eve", "ada")

    for hall, heard in ((quiet, []), (usual, ["eve"])):
        own = hall.post("eve", at=1)

        assert hall.post("ops", reply_to=own, text="and tests?", at=2).ready == ["eve"]
        assert hall.post("ada", reply_to=own, text="noted", at=3).ready == heard


@pytest.mark.case("F-33")
def test_a_reply_can_be_said_to_nobody() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(reply_wakes_author=False))
    own = hall.post("eve", at=1)

    post = hall.post("ada", reply_to=own, text="noted", at=2)

    assert post.why == {}


# -- following and leaving


@pytest.mark.rule("G-FOLLOW-01", "G-FOLLOW-02")
def test_who_posts_follows_and_keeps_a_stronger_mode() -> None:
    # The sixth of the eight subtlest rules.
    hall = room("eve", "ben", modes={"eve": "digest", "ben": "on_demand"})

    hall.post("eve", at=1)
    own = hall.post("ben", at=2)

    assert hall.seat("eve").mode == "digest"
    assert hall.seat("ben").mode == "when_tagged"
    assert hall.post("eve", "all", at=3).ready == ["ben"]
    assert hall.post("eve", reply_to=own, at=4).ready == ["ben"]


def test_who_follows_by_posting_is_recorded_once_with_that_reason() -> None:
    hall = room("ben", modes={"ben": "on_demand"})
    hall.post("ben", at=1)
    hall.post("ben", at=2)

    followed = [one.event for one in hall.facts if isinstance(one.event, Subscribed)]
    assert followed == [Subscribed("ben", "when_tagged", 900_000_000, why="posted")]


def test_what_may_wake_nobody_rides_to_each_in_the_way_it_was_addressed() -> None:
    hall = room("eve", "ben", "Ada/a", modes={"Ada/a": "next_turn"})
    pace = Pace(hall.actor("ops"), rides="quiet", now=1)
    heard = [("ben", "group"), ("eve", "direct"), ("Ada/a", "none")]

    assert owed_to(hall.state, heard, [], pace) == (
        [],
        [
            ("ben", "rider", "group", "quiet", "rider"),
            ("eve", "rider", "direct", "quiet", "rider"),
            ("Ada/a", "rider", "none", "next_turn", "rider"),  # as it asked to
        ],
    )


def test_who_may_not_wake_all_is_heard_with_the_next_wake_and_wakes_whom_it_names() -> (
    None
):
    hall = room("eve", "ben", "Ada/a", modes={"Ada/a": "next_turn"})
    pace = Pace(hall.actor("eve"), rides="", now=1, wakes_all=False)
    heard = [("ben", "group"), ("eve", "direct"), ("Ada/a", "group")]

    assert owed_to(hall.state, heard, [], pace) == (
        [],
        [
            ("ben", "rider", "group", "broadcast", "rider"),
            ("eve", "now", "direct", "tagged", "ready"),
            ("Ada/a", "rider", "group", "next_turn", "rider"),  # as it asked to
        ],
    )


def test_who_hears_nothing_of_it_keeps_it_from_nobody_behind() -> None:
    hall = room("eve", "ben", modes={"ben": "on_demand"})
    pace = Pace(hall.actor("ops"), rides="", now=1)

    assert owed_to(hall.state, [("ben", "group"), ("eve", "direct")], [], pace) == (
        [],
        [("eve", "now", "direct", "tagged", "ready")],
    )


def test_in_a_planned_room_each_rides_in_the_way_it_was_addressed() -> None:
    hall = room("eve", "ben", policy=presets.panel())
    pace = Pace(hall.actor("ops"), rides="", now=1)

    assert owed_to(hall.state, [("ben", "group"), ("eve", "direct")], [], pace) == (
        [],
        [
            ("ben", "rider", "group", "planned", "rider"),
            ("eve", "rider", "direct", "planned", "rider"),
        ],
    )


def test_what_the_seats_own_window_holds_is_not_held_by_the_pairs() -> None:
    one_a_minute = RateWindow(1, timedelta(minutes=1))
    policy = RoomPolicy(wake_window=one_a_minute, pair_window=one_a_minute)
    hall = room("eve", "ben", policy=policy)

    assert hall.post("eve", "agent:ben", at=1).ready == ["ben"]
    post = hall.post("eve", "agent:ben", at=2)

    assert post.held == ["ben"]
    assert post.why == {"ben": "tagged"}


@pytest.mark.rule("G-FOLLOW-01")
def test_who_was_dropped_follows_anew_by_posting() -> None:
    hall = room("eve")
    hall.do(lambda: [Subscribed("eve", None, 0, why="idle")], at=1)

    hall.post("eve", at=2)

    assert hall.seat("eve").mode == "when_tagged"


@pytest.mark.rule("G-FOLLOW-04", "G-ROOM-14")
def test_a_label_of_who_left_by_choice_starts_a_successor() -> None:
    # The third of the eight subtlest rules, its first half.
    hall = room("ben", "Eve/a")
    own = hall.post("Eve/a", at=1)
    hall.leave("Eve/a", at=2)

    by_reply = hall.post("ben", reply_to=own, at=3)

    assert by_reply.started == ["new/1"]
    assert by_reply.ready == ["new/1"]
    assert hall.lanes("Eve/a") == {}
    assert hall.post("ben", "agent:Eve/a", at=4).started == ["new/2"]


@pytest.mark.rule("G-FOLLOW-05")
def test_a_dropped_subscription_is_no_leaving_and_replies_still_land() -> None:
    # The third of the eight subtlest rules, its second half.
    hall = room("ben", "Eve/b")
    own = hall.post("Eve/b", at=1)
    hall.do(lambda: [Subscribed("Eve/b", None, 0, why="idle")], at=2)

    assert hall.post("ops", "all", at=3).ready == ["ben"]
    post = hall.post("ben", reply_to=own, at=4)

    assert post.started == []
    assert post.ready == ["Eve/b"]


@pytest.mark.rule("G-FOLLOW-08")
def test_leaving_ends_a_single_agents_membership_and_only_the_seat_of_a_threaded() -> (
    None
):
    hall = room("eve", "Ada/x", "Ada/y")

    hall.leave("eve", at=1)
    hall.leave("Ada/x", at=2)

    assert hall.state.roster() == ["Ada"]
    with pytest.raises(NotAllowed) as refusal:
        hall.post("eve", at=3)
    assert refusal.value.code == "not_a_member"
    assert hall.post("Ada/y", at=4).seq == 1


@pytest.mark.rule("G-HELD-06")
@pytest.mark.case("F-123")
def test_leaving_ends_all_that_is_owed_and_the_open_wake() -> None:
    hall = room("eve", "ben")
    for second in range(12):
        hall.post("eve", "agent:ben", at=second)
    taken = hall.wake("ben", at=20)
    assert len(taken.messages) == 10

    [left] = hall.leave("ben", at=21)

    assert isinstance(left, SeatLeft)
    assert left.ended == tuple(range(1, 13))
    assert left.membership_ended
    assert hall.seat("ben").wake is None
    assert hall.deadline() is None
    hall.join("ben", at=22)
    assert hall.take("ben", at=900) == []


# -- the hop guard


@pytest.mark.case("F-27")
def test_two_agents_that_alternate_come_to_an_end_and_nothing_is_lost() -> None:
    # The fourth message of agents since the person's wakes nobody any more.
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=4))
    hall.post("ops", "agent:eve", at=1)
    heard = []
    for second, (one, other) in enumerate([("eve", "ada"), ("ada", "eve")] * 2, 2):
        hall.turn(one, at=second)
        heard.append(hall.post(one, f"agent:{other}", at=second))

    assert [post.ready for post in heard] == [["ada"], ["eve"], ["ada"], []]
    assert heard[-1].why == {"eve": "hop_guard"}
    assert hall.lanes("eve") == {5: "rider"}
    assert hall.take("eve", at=10) == []
    # It is told with the next wake, whoever causes it.
    hall.post("ops", "agent:eve", at=11)
    assert hall.wake("eve", at=11).messages == [5, 6]


@pytest.mark.case("F-27")
def test_the_guard_holds_whether_or_not_a_host_opens_turns() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=2))
    hall.post("ops", "agent:eve", at=1)
    hall.take("eve")  # and no turn is opened
    assert hall.post("eve", "agent:ada", at=2).ready == ["ada"]
    hall.take("ada")

    assert hall.post("ada", "agent:eve", at=3).riders == ["eve"]


@pytest.mark.case("F-36")
def test_coming_back_resets_neither_the_window_nor_the_depth() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=2))
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("eve", "agent:ada", at=3)
    hall.turn("ada", at=4)
    hall.leave("ada", at=5)
    hall.join("ada", at=6)

    assert hall.post("ada", text="standing by", at=7).why == {}
    assert hall.post("ada", "agent:eve", at=8).riders == ["eve"]
    assert hall.seat("ada").charges == (3_000_000,)


def test_reading_what_a_person_wrote_begins_a_new_chain() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=2))
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("eve", "agent:ada", at=3)
    hall.turn("ada", at=4)
    assert hall.seat("ada").depth == 1

    hall.post("ops", "agent:ada", at=5)
    hall.read("ada", 1, 3, at=6)

    assert hall.seat("ada").depth == 0
    assert hall.post("ada", "agent:eve", at=7).ready == ["eve"]


def test_an_acknowledgement_of_something_older_does_not_lift_the_guard() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=2, settle_on="ack"))
    hall.post("ops", "agent:ada", at=1)
    hall.turn("ada", at=2)
    hall.post("ops", "agent:eve", at=3)
    hall.turn("eve", at=4)
    hall.post("eve", "agent:ada", at=5)
    hall.turn("ada", at=6)

    hall.ack("ada", 1, at=7)

    assert hall.post("ada", "agent:eve", at=8).riders == ["eve"]


def test_reading_in_a_turn_does_not_lift_that_turns_depth() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=2))
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("eve", "agent:ada", at=3)
    hall.wake("ada", at=4)
    hall.open("ada")
    hall.post("ops", "agent:ada", at=5)
    hall.read("ada", 3, 3, at=6)

    assert hall.post("ada", "agent:eve", at=7).riders == ["eve"]
