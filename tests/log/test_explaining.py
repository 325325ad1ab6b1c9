"""What became of a message, in answers worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from log.room import HOUR, SECOND, Room, room
from rooms.errors import NotFound
from rooms.log.events import Fact
from rooms.log.explaining import Explanation, SeatExplanation, explain
from rooms.log.seats import Subscribed
from rooms.policy import RoomPolicy


def of(hall: Room, seq: int, conversation: str) -> SeatExplanation:
    [found] = [
        one
        for one in explain(hall.facts, seq).seats
        if one.conversation == conversation
    ]
    return found


def steps(hall: Room, seq: int, conversation: str) -> list[tuple[float, str]]:
    return [(one.at / SECOND, one.what) for one in of(hall, seq, conversation).steps]


def crowd() -> Room:
    """One seat of each mode; eve speaks to ada."""
    hall = room("eve", "ada", "ben", modes={"ben": "every_message"})
    hall.join("cy", "digest", minutes=10)
    hall.join("dee", "digest", tagged_only=True)
    hall.join("Fay/x", "next_turn")
    hall.join("gus", "on_demand")
    hall.join("hal", "when_tagged")
    hall.do(lambda: [Subscribed("hal", None, 0, why="idle")])
    hall.post("eve", "agent:ada", at=100)
    return hall


def test_every_seat_has_an_answer_with_its_rule_and_where_it_is_from() -> None:
    answers = {
        one.conversation: (one.outcome, one.rule, one.recorded)
        for one in explain(crowd().facts, 1).seats
    }

    assert answers == {
        "eve": ("author", "own_message", True),
        "ada": ("woken", "tagged", True),
        "ben": ("woken", "every_message", True),
        "cy": ("digest", "digest", True),
        "dee": ("read_only", "digest_not_tagged", False),
        "Fay/x": ("rider", "next_turn", True),
        "gus": ("read_only", "not_following", False),
        "hal": ("read_only", "not_following", False),
    }


def test_who_was_not_woken_is_told_what_would_have_done_it() -> None:
    hall = crowd()
    hall.post("eve", at=101)

    assert of(hall, 2, "ada").would_wake == "its label, a reply to it or an `all`"
    assert of(hall, 2, "gus").would_wake == "its label or a reply to it"
    assert of(hall, 2, "ben").would_wake == ""


def test_what_was_held_tells_until_when_and_what_filled_the_window() -> None:
    hall = room("eve", "ben")
    for second in range(12):
        hall.post("eve", "agent:ben", at=second)

    held = of(hall, 12, "ben")

    assert (held.outcome, held.rule) == ("held", "tagged")
    assert held.until == 300 * SECOND
    assert held.filled_by == tuple(range(1, 11))
    assert held.would_wake == "a person's message"


def test_a_place_taken_by_a_release_is_one_of_those_that_fill_the_window() -> None:
    hall = room("eve", "ben")
    for second in range(12):
        hall.post("eve", "agent:ben", at=second)
    hall.tick(at=300)

    hall.post("eve", "agent:ben", at=300)

    # At 300 the place of message 1 went to 11, which took 12 along.
    assert of(hall, 13, "ben").filled_by == (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)


def test_a_hold_is_named_as_such_and_has_no_end_that_is_known() -> None:
    hall = room("eve", "ben")
    hall.rest("ben", at=1)
    hall.post("eve", "agent:ben", at=2)
    hall.rest("ben", False, at=3)

    held = of(hall, 1, "ben")

    assert (held.outcome, held.until, held.filled_by) == ("held", None, ())
    assert held.would_wake == "the end of the rest"


def test_the_steps_tell_when_and_how_it_was_granted_taken_and_settled() -> None:
    hall = room("eve", "ben")
    for second in range(12):
        hall.post("eve", "agent:ben", at=second)
    hall.turn("ben", at=20)
    hall.tick(at=310)
    hall.turn("ben", at=400)

    assert steps(hall, 12, "ben") == [
        (310, "granted"),
        (400, "taken"),
        (400, "opened"),
        (400, "settled"),
    ]
    assert of(hall, 12, "ben").settled
    assert steps(hall, 1, "ben") == [(20, "taken"), (20, "opened"), (20, "settled")]


def test_a_failing_turn_an_older_claim_and_a_notice_are_told() -> None:
    hall = room("ben")
    hall.post("ops", "agent:ben", at=1)
    hall.wake("ben", at=2)
    hall.open("ben")
    hall.fail("ben", at=3)
    hall.wake("ben", at=4)
    hall.claim("ben", at=5)
    hall.take("ben", holder="h2", at=6)
    hall.open("ben")
    hall.post("ops", "agent:ben", at=7)
    hall.notice("ben", holder="h2", at=8)
    hall.close("ben", at=9)

    assert [(one.what, one.why) for one in of(hall, 1, "ben").steps] == [
        ("taken", "as a turn by h1"),
        ("opened", ""),
        ("returned", "as its turn failed"),
        ("taken", "as a turn by h1"),
        ("returned", "to a newer claim"),
        ("taken", "as a turn by h2"),
        ("opened", ""),
        ("settled", "by the turn's end"),
    ]
    assert steps(hall, 2, "ben") == [(8, "told"), (9, "settled")]


def test_a_turn_is_a_step_of_what_its_own_wake_carries_and_of_nothing_else() -> None:
    hall = room("ben", policy=RoomPolicy(settle_on="ack"))
    hall.post("ops", "agent:ben", at=1)
    hall.turn("ben", at=2)
    hall.post("ops", "agent:ben", at=3)
    hall.turn("ben", at=4)

    assert steps(hall, 1, "ben") == [(2, "taken"), (2, "opened"), (2, "told")]
    assert steps(hall, 2, "ben") == [(4, "taken"), (4, "opened"), (4, "told")]


def test_how_it_ended_is_told() -> None:
    hall = room("ada", "ben", "cy", modes={"ben": "every_message"})
    hall.post("ops", "agent:ada", "agent:cy", at=1)
    hall.read("ada", 1, 1, at=2)
    hall.subscribe("ben", "when_tagged", at=3)
    hall.leave("cy", at=4)

    ends = [one.steps[-1] for one in explain(hall.facts, 1).seats]

    assert [(one.what, one.why) for one in ends] == [
        ("settled", "by a read"),
        ("ended", "by a change of mode"),
        ("ended", "as it left"),
    ]


def test_an_acknowledgement_settles_what_was_told_before() -> None:
    hall = room("ben", policy=RoomPolicy(settle_on="ack"))
    hall.post("ops", "agent:ben", at=1)
    hall.turn("ben", at=2)
    assert not of(hall, 1, "ben").settled

    hall.ack("ben", 1, at=3)

    assert steps(hall, 1, "ben")[2:] == [(2, "told"), (3, "settled")]


def test_the_mode_of_that_time_counts_and_not_the_one_of_now() -> None:
    hall = room("eve", "ben")
    hall.post("eve", at=1)
    hall.subscribe("ben", "every_message", at=2)
    hall.join("late", at=3)

    answer = explain(hall.facts, 1)

    assert [one.conversation for one in answer.seats] == ["eve", "ben"]
    assert of(hall, 1, "ben").mode == "when_tagged"
    assert of(hall, 1, "ben").rule == "not_tagged"


def test_the_hop_guard_is_named() -> None:
    hall = room("eve", "ada", policy=RoomPolicy(max_hops=1))
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("eve", "agent:ada", at=3)

    rider = of(hall, 2, "ada")

    assert (rider.outcome, rider.rule, rider.recorded) == ("rider", "hop_guard", True)
    assert rider.would_wake == "a person's message"


def test_a_conversation_that_it_started_is_told_of() -> None:
    hall = room("ben", "Eve/a")
    hall.post("ben", "agent:Eve", at=1)

    assert of(hall, 1, "new/1").outcome == "woken"
    assert of(hall, 1, "new/1").rule == "started"


def test_no_more_facts_are_read_than_are_needed() -> None:
    hall = room("ben")
    hall.post("ops", "agent:ben", at=1)
    hall.turn("ben", at=2)
    needed = len(hall.facts)
    for second in range(3, 60):
        hall.post("ops", at=second)
    read: list[int] = []

    def reading() -> Iterator[Fact]:
        for fact in hall.facts:
            read.append(fact.version)
            yield fact

    explain(reading(), 1)

    assert read == list(range(1, needed + 1))


@pytest.mark.parametrize("seq", [0, -1, 2, 10**30])
def test_a_message_that_is_not_there_is_refused(seq: int) -> None:
    hall = room("ben")
    hall.post("ops", at=1)

    with pytest.raises(NotFound) as refusal:
        explain(hall.facts, seq)

    assert refusal.value.code == "unknown_message"


def test_people_are_told_in_words() -> None:
    hall = room("eve", "ben", "cy")
    for second in range(11):
        hall.post("eve", "agent:ben", at=second)
    hall.read("ben", 11, 11, at=HOUR // SECOND)

    told = explain(hall.facts, 11, {"ben": "agent:ben", "eve": "agent:eve"})

    assert isinstance(told, Explanation)
    assert str(told).splitlines() == [
        "message 11 by agent:eve, at 1970-01-01 00:00:10",
        "agent:eve: author, by own_message (recorded)",
        (
            "agent:ben: held until 1970-01-01 00:05:00, by tagged (recorded);"
            " the window was full of 1-10; a person's message would have woken it"
        ),
        "  at 1970-01-01 01:00:00: settled by a read",
        (
            "cy: read only, by not_tagged (derived);"
            " its label, a reply to it or an `all` would have woken it"
        ),
    ]
