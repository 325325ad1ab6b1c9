"""The panel's rules, each with the answer worked out by hand from its text."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, overload

import pytest

from rooms.errors import InvalidInput
from rooms.planning import (
    Plan,
    RoomEvent,
    RoomTurnPlannerProtocol,
    RoundRobinRoomPlanner,
)

ABC = ["a", "b", "c"]
Said = tuple[str, str, int] | tuple[str, str] | str


def log(*said: Said) -> list[RoomEvent]:
    """`"ana"`, `("a", "text")` or `("a", "text", round)`, oldest first."""
    return [RoomEvent(*((one,) if isinstance(one, str) else one)) for one in said]


def drive(
    roster: Sequence[str],
    events: list[RoomEvent],
    planner: RoundRobinRoomPlanner | None = None,
    says: Mapping[str, str] = MappingProxyType({}),
) -> list[tuple[str, int]]:
    """Every turn taken until nobody is left; each agent says the same every time."""
    planner = planner or RoundRobinRoomPlanner()
    taken = []
    while (plan := planner.plan(roster, events)).speaker is not None:
        taken.append((plan.speaker, plan.round))
        events.append(plan.event(says.get(plan.speaker, "")))
    return taken


@pytest.mark.rule("P-PLAN-01", "P-PLAN-02", "P-CAP-07")
def test_the_answer_depends_on_the_arguments_alone() -> None:
    events = log("ana", ("a", "@c"))
    planner = RoundRobinRoomPlanner()
    first = planner.plan_next(ABC, events)
    planner.plan_next(ABC, log("ben"))

    assert first == planner.plan_next(tuple(ABC), list(events)) == "b"
    planner.max_messages = 2
    assert planner.plan(ABC, events).reason == "message_cap"


@pytest.mark.rule("P-PLAN-03", "P-PLAN-04", "P-CAP-06")
def test_the_room_waits_and_says_why() -> None:
    planner = RoundRobinRoomPlanner(max_rounds=1, max_messages=4)
    full = log("ana", "a", "b")

    assert planner.plan([], full) == Plan(None, 0, "empty_roster")
    assert planner.plan(ABC, []) == Plan(None, 0, "no_person")
    assert planner.plan(ABC, log("a", "b")) == Plan(None, 0, "no_person")
    assert planner.plan(["a", "b"], full) == Plan(None, 0, "settled")
    assert planner.plan(["a", "b"], log("ana", ("a", "@b"), "b")) == Plan(
        None, 0, "round_cap"
    )
    assert planner.plan(ABC, log("ana", "a", "b", "c")) == Plan(None, 0, "message_cap")
    capped = log("ana", ("a", "@a"), "b", ("a", "", 1))
    assert RoundRobinRoomPlanner(max_messages=4).plan(ABC, capped) == Plan(
        None, 1, "message_cap"
    )
    assert [planner.plan_next(ABC, events) for events in ([], log("a"))] == [None, None]


@pytest.mark.case("F-14")
def test_a_cap_is_told_from_a_finish_and_from_a_room_that_nobody_opened() -> None:
    planner = RoundRobinRoomPlanner(max_messages=3)
    capped = log("ana", "a", "b")
    never_opened = log("a", "b", "c", "a")

    assert planner.plan(ABC, capped).reason == "message_cap"
    assert planner.plan(ABC, never_opened).reason == "no_person"


@pytest.mark.rule("P-PLAN-05")
def test_roster_order_beats_the_order_of_mention() -> None:
    said = log("ana", ("a", "@c then @b"), "b", "c")

    assert drive(ABC, said) == [("b", 1), ("c", 1)]


@pytest.mark.rule("P-PLAN-06", "P-ROUND-01", "P-ROUND-07")
def test_everybody_speaks_once_then_those_who_were_named() -> None:
    roster = ["planner", "coder", "reviewer"]
    says = {"planner": "step 1. @coder please", "coder": "@reviewer take a look"}

    taken = drive(roster, log("user"), says=says)

    assert taken == [
        ("planner", 0),
        ("coder", 0),
        ("reviewer", 0),
        ("coder", 1),
        ("reviewer", 1),
        ("reviewer", 2),
    ]


@pytest.mark.rule("P-PLAN-07")
def test_a_round_below_the_highest_is_never_filled() -> None:
    said = log("ana", ("a", "@b", 0), ("b", "@c", 1))

    assert RoundRobinRoomPlanner().plan(ABC, said) == Plan("c", 2, "turn")


@pytest.mark.rule("P-PLAN-08")
def test_whoever_spoke_out_of_order_is_skipped() -> None:
    assert drive(ABC, log("ana", "b")) == [("a", 0), ("c", 0)]


@pytest.mark.rule("P-PLAN-09")
def test_a_name_twice_in_the_roster_speaks_once_a_round() -> None:
    assert drive(["a", "b", "a"], log("ana")) == [("a", 0), ("b", 0)]


@pytest.mark.rule("P-ROUND-02", "P-MENTION-08", "P-MENTION-05")
def test_only_members_named_by_an_agent_enter_a_later_round() -> None:
    said = log("ana", ("a", "@c @nobody @B"), "b", "c")

    assert drive(ABC, said) == [("c", 1)]


@pytest.mark.rule("P-ROUND-03")
def test_an_agent_speaks_once_a_round_however_often_it_is_named() -> None:
    said = log("ana", ("a", "@c @c"), ("b", "@c"), "c")

    assert drive(ABC, said) == [("c", 1)]


@pytest.mark.rule("P-ROUND-04", "P-MENTION-09")
def test_a_person_who_names_an_agent_selects_nobody() -> None:
    assert drive(ABC, log(("ana", "@b only you"))) == [("a", 0), ("b", 0), ("c", 0)]


@pytest.mark.rule("P-ROUND-05")
def test_an_agent_may_name_itself() -> None:
    assert drive(["a", "b"], log("ana", ("a", "@a"), "b")) == [("a", 1)]


@pytest.mark.rule("P-ROUND-06")
def test_whoever_is_named_before_its_turn_speaks_now_and_in_the_next_round() -> None:
    said = log("ana", ("a", "@b"))

    assert drive(["a", "b"], said) == [("b", 0), ("b", 1)]


@pytest.mark.rule("P-ROUND-08", "P-PASS-06")
def test_a_round_in_which_nobody_was_named_ends_the_activity() -> None:
    passed = [*log("ana"), *(RoomEvent(name, passed=True) for name in ABC)]

    assert RoundRobinRoomPlanner().plan(ABC, passed) == Plan(None, 0, "settled")


@pytest.mark.rule("P-ROUND-09")
def test_a_plan_stamps_its_event_with_speaker_and_round() -> None:
    plan = RoundRobinRoomPlanner().plan(["a", "b"], log("ana", ("a", "@b"), "b"))

    assert plan.event("text") == RoomEvent("b", "text", 1)
    assert plan.event(passed=True, human=False) == RoomEvent(
        "b", "", 1, passed=True, human=False
    )
    with pytest.raises(InvalidInput, match=r"plan.speaker is nobody \(empty_roster\)"):
        RoundRobinRoomPlanner().plan([], []).event("text")


@pytest.mark.rule("P-ROUND-10")
@pytest.mark.parametrize("carried", [1, 2, 3, 10**9])
def test_a_person_opens_round_0_whatever_its_event_carries(carried: int) -> None:
    assert drive(["a", "b"], log(("ana", "go", carried))) == [("a", 0), ("b", 0)]


@pytest.mark.rule("P-ACTIVITY-01", "P-ACTIVITY-03", "P-ACTIVITY-04")
def test_a_person_in_between_opens_a_new_activity_without_old_mentions() -> None:
    said = log("ana", ("a", "@c"), "ana")

    assert drive(ABC, said) == [("a", 0), ("b", 0), ("c", 0)]


@pytest.mark.rule("P-ACTIVITY-02", "P-CAP-04")
def test_rounds_and_caps_count_from_the_last_person() -> None:
    planner = RoundRobinRoomPlanner(max_rounds=2, max_messages=3)
    said = log("ana", ("a", "@a"), ("a", "@a", 1), "ben", "a")

    assert planner.plan(["a", "b"], said) == Plan("b", 0, "turn")


@pytest.mark.rule("P-ACTIVITY-05")
def test_a_long_history_never_disables_the_room() -> None:
    said = log("ana", *ABC) * 5_000 + log("ana")

    assert RoundRobinRoomPlanner().plan(ABC, said) == Plan("a", 0, "turn")


@pytest.mark.rule("P-ACTIVITY-06")
def test_the_second_of_two_persons_opens_the_activity() -> None:
    said = log(("ana", "@b"), ("ben", "and?"))

    assert RoundRobinRoomPlanner(max_messages=2).plan_next(ABC, said) == "a"


@pytest.mark.rule("P-EVENT-02")
def test_whoever_is_not_on_the_roster_is_a_person() -> None:
    assert RoundRobinRoomPlanner().plan_next(["a"], log("b")) == "a"


@pytest.mark.rule("P-EVENT-04", "P-PLAN-10")
def test_dropping_an_agent_makes_old_events_a_persons_unless_they_are_fixed() -> None:
    loose = log("ana", "a", "b", "c")
    fixed = [RoomEvent("ana"), *(RoomEvent(name, human=False) for name in ABC)]
    planner = RoundRobinRoomPlanner()

    assert planner.plan(["a", "b"], loose) == Plan("a", 0, "turn")
    assert planner.plan(["a", "b"], fixed) == Plan(None, 0, "settled")


@pytest.mark.rule("P-EVENT-04")
def test_an_event_can_be_fixed_as_a_persons_though_the_roster_has_the_name() -> None:
    said = [*log("ana", "a", "b"), RoomEvent("a", "I take over", human=True)]

    assert drive(["a", "b"], said) == [("a", 0), ("b", 0)]


@pytest.mark.rule("P-EVENT-03", "P-PASS-01", "P-PASS-02")
def test_a_pass_uses_the_turn_and_counts() -> None:
    said = [*log("ana"), RoomEvent("a", passed=True)]

    assert RoundRobinRoomPlanner().plan_next(ABC, said) == "b"
    assert RoundRobinRoomPlanner(max_messages=2).plan(ABC, said).reason == "message_cap"


@pytest.mark.rule("P-PASS-03", "P-PASS-05")
def test_no_text_is_read_as_a_pass() -> None:
    plan = RoundRobinRoomPlanner().plan(ABC, log("ana"))

    assert plan.event("pass") == RoomEvent("a", "pass", 0, passed=False)
    assert plan.event("").passed is False


@pytest.mark.rule("P-PASS-04")
def test_a_pass_with_content_admits_whom_it_names() -> None:
    said = [*log("ana"), RoomEvent("a", "@c", passed=True), *log("b", "c")]

    assert drive(ABC, said) == [("c", 1)]


@pytest.mark.rule("P-CAP-01")
def test_no_turn_in_round_max_rounds() -> None:
    taken = drive(["a"], log("ana"), says={"a": "@a"})

    assert taken == [("a", 0), ("a", 1), ("a", 2)]


@pytest.mark.rule("P-CAP-01", "P-CAP-02")
@pytest.mark.parametrize("cap", ["max_rounds", "max_messages"])
@pytest.mark.parametrize("value", [0, -1, True, 2.0, "3", None])
def test_a_cap_below_one_or_of_another_type_is_refused(cap: str, value: object) -> None:
    with pytest.raises(ValueError, match=cap):
        RoundRobinRoomPlanner(**{cap: value})  # type: ignore[arg-type]
    planner = RoundRobinRoomPlanner()
    with pytest.raises(InvalidInput):
        setattr(planner, cap, value)
    assert planner == RoundRobinRoomPlanner()


@pytest.mark.rule("P-CAP-02", "P-CAP-03", "P-PASS-02")
def test_the_message_cap_counts_the_person_and_the_passes() -> None:
    said = [*log("ana", "a"), RoomEvent("b", passed=True), *log("c")]
    five = ["a", "b", "c", "d", "e"]

    assert RoundRobinRoomPlanner(max_messages=4).plan_next(five, said) is None
    assert RoundRobinRoomPlanner(max_messages=5).plan_next(five, said) == "d"
    assert drive(ABC, log("ana"), RoundRobinRoomPlanner(max_messages=1)) == []
    assert len(drive(ABC, log("ana"), RoundRobinRoomPlanner(max_messages=3))) == 2


@pytest.mark.rule("P-CAP-05")
def test_the_message_cap_may_cut_a_round_in_the_middle() -> None:
    roster = [f"agent-{number}" for number in range(25)]

    assert len(drive(roster, log("ana"))) == 19


@pytest.mark.rule("P-MENTION-06")
def test_a_mention_that_ends_a_sentence_admits_unless_the_grammar_is_strict() -> None:
    said = log("ana", ("a", "over to @b."), "b")

    assert RoundRobinRoomPlanner().plan(["a", "b"], said) == Plan("b", 1, "turn")
    strict = RoundRobinRoomPlanner(strict_mentions=True)
    assert strict.plan(["a", "b"], said) == Plan(None, 0, "settled")


@pytest.mark.rule("P-PROTO-01", "P-PROTO-03")
def test_a_planner_is_anything_with_plan_next() -> None:
    class First:
        def plan_next(self, roster: Sequence[str], _: Sequence[Any]) -> str | None:
            return roster[0] if roster else None

    assert isinstance(First(), RoomTurnPlannerProtocol)
    assert isinstance(RoundRobinRoomPlanner(), RoomTurnPlannerProtocol)
    assert not isinstance(object(), RoomTurnPlannerProtocol)


@pytest.mark.case("F-04")
def test_a_person_who_speaks_in_mid_round_replaces_the_queue_by_a_new_round() -> None:
    # The report wants only bo; here P-ROUND-04 and P-ACTIVITY-03 win: the old queue is
    # gone, and the new message is everybody's.
    roster = ["eve", "ada", "bo"]
    said = log(("ops", "ideas?"), ("eve", "A"), ("ops", "@bo only you now"))

    assert drive(roster, said) == [("eve", 0), ("ada", 0), ("bo", 0)]


@pytest.mark.case("F-13")
def test_remarks_of_people_move_no_seat_and_the_roster_keeps_its_order() -> None:
    # The report goes on with ada; here a person's message opens round 0 anew.
    roster = ["eve", "ada", "bo"]
    said = log("ops", "eve", ("ops", "more"), ("ops", "and more"))

    assert drive(roster, said) == [("eve", 0), ("ada", 0), ("bo", 0)]


@pytest.mark.case("F-31")
def test_naming_oneself_is_the_planners_business_and_bounded() -> None:
    # P-ROUND-05 lets an agent name itself; what stops it is the round cap.
    assert len(drive(["eve"], log("ops"), says={"eve": "as @eve, done"})) == 3


class Counting(Sequence[RoomEvent]):
    """A transcript that knows which of its places were read."""

    def __init__(self, events: Sequence[RoomEvent]) -> None:
        self.events = events
        self.read: list[int] = []

    def __len__(self) -> int:
        return len(self.events)

    @overload
    def __getitem__(self, place: int) -> RoomEvent: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[RoomEvent]: ...
    def __getitem__(self, place: int | slice) -> RoomEvent | Sequence[RoomEvent]:
        assert isinstance(place, int)
        self.read.append(place)
        return self.events[place]

    def __iter__(self) -> Iterator[RoomEvent]:
        raise AssertionError("a transcript is read from its end")


@pytest.mark.parametrize("before", [0, 10, 10_000])
def test_only_the_current_activity_is_read(before: int) -> None:
    transcript = Counting(log("ana", "a") * before + log("ana", "a", "b"))

    assert RoundRobinRoomPlanner().plan_next(ABC, transcript) == "c"
    assert len(transcript.read) == 3


def test_no_more_than_the_cap_is_read_of_an_endless_activity() -> None:
    transcript = Counting(log("ana", *["a"] * 10_000))

    assert RoundRobinRoomPlanner(max_messages=20).plan_next(ABC, transcript) is None
    assert len(transcript.read) == 20


def test_a_transcript_may_be_any_sequence_and_a_roster_any_ordered_collection() -> None:
    said = log("ana", "a")

    assert RoundRobinRoomPlanner().plan_next(tuple(ABC), tuple(said)) == "b"
    assert RoundRobinRoomPlanner().plan_next(deque(ABC), said) == "b"
    assert RoundRobinRoomPlanner().plan_next(dict.fromkeys(ABC).keys(), said) == "b"  # type: ignore[arg-type]


def test_a_roster_that_is_used_up_by_reading_is_read_once() -> None:
    plan = RoundRobinRoomPlanner().plan((name for name in "ab"), log("a", "b"))  # type: ignore[arg-type]

    assert plan.reason == "no_person"
    again = (name for name in "ab")
    said = log("ana", ("a", "@b"), ("b", ""))
    assert RoundRobinRoomPlanner().plan_next(again, said) == "b"  # type: ignore[arg-type]


def test_a_huge_cap_is_a_cap() -> None:
    planner = RoundRobinRoomPlanner(max_rounds=10**30, max_messages=10**30)

    assert planner.plan_next(ABC, log("ana", "a")) == "b"


@pytest.mark.parametrize(
    ("roster", "transcript", "field"),
    [
        ("abc", [], "roster"),
        (None, [], "roster"),
        (7, [], "roster"),
        ({"a", "b"}, [], "roster"),
        ({"a": 1}, [], "roster"),
        (["a", 5], [RoomEvent("ana")], "roster[1]"),
        ([1], [], "roster[0]"),
        ([["a"]], [RoomEvent("ana")], "roster[0]"),
        (["a", ""], [RoomEvent("ana")], "roster[1]"),
        ([None], [RoomEvent("ana")], "roster[0]"),
        (["a"], None, "transcript"),
        (["a"], 7, "transcript"),
        (["a"], {RoomEvent("ana")}, "transcript"),
        (["a"], [None], "transcript[0]"),
        (["a"], ["ana"], "transcript[0]"),
        (["a"], [RoomEvent("ana"), {"speaker": "a"}], "transcript[1]"),
    ],
)
def test_arguments_of_wrong_types_are_named(
    roster: Any, transcript: Any, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        RoundRobinRoomPlanner().plan(roster, transcript)

    assert (caught.value.field, caught.value.code) == (field, "invalid_request")
    with pytest.raises(InvalidInput) as caught:
        RoundRobinRoomPlanner().plan_next(roster, transcript)

    assert (caught.value.field, caught.value.code) == (field, "invalid_request")


class Torn(list[RoomEvent]):
    """Events that are all well, and cannot be gone through."""

    def __reversed__(self) -> Iterator[RoomEvent]:
        raise TypeError


def test_a_transcript_that_cannot_be_read_is_named_though_each_event_is_well() -> None:
    with pytest.raises(InvalidInput, match="transcript cannot be read") as caught:
        RoundRobinRoomPlanner().plan(["a"], Torn(log("ana")))

    assert caught.value.field == "transcript"


@pytest.mark.parametrize(
    ("transcript", "told"),
    [
        (7, "transcript is of type int; allowed: a sequence of events"),
        ([{"speaker": "a"}], "transcript.0. is a dict; allowed: an event"),
        (Torn(log("ana")), "transcript cannot be read; allowed: a sequence of events"),
    ],
)
def test_what_is_no_transcript_is_told_with_what_may_be_there(
    transcript: Any, told: str
) -> None:
    with pytest.raises(InvalidInput, match=told):
        RoundRobinRoomPlanner().plan(["a"], transcript)


def test_strict_is_true_or_false() -> None:
    with pytest.raises(InvalidInput) as caught:
        RoundRobinRoomPlanner(strict_mentions=1)  # type: ignore[arg-type]

    assert caught.value.field == "strict_mentions"


def test_an_event_that_says_nothing_of_persons_is_one_of_who_is_not_there() -> None:
    class Theirs:
        def __init__(self, speaker: str) -> None:
            self.speaker, self.content, self.round, self.passed = speaker, "", 0, False

    said = [Theirs("ana"), Theirs("a")]
    assert RoundRobinRoomPlanner().plan(["a", "b"], said) == Plan("b", 0, "turn")


def test_where_names_are_strict_one_that_stands_alone_still_admits() -> None:
    said = log("ana", ("a", "@b please"), ("b", ""))

    strict = RoundRobinRoomPlanner(strict_mentions=True)
    assert strict.plan(["a", "b"], said) == Plan("b", 1, "turn")


# -- a second turn in one round is the turn that was due (decision 3)


@pytest.mark.rule("P-ROUND-03")
def test_a_second_turn_in_a_round_is_that_of_the_next_where_its_agent_was_named() -> (
    None
):
    said = log("ana", ("a", "@a, more"), ("b", ""), ("a", "@b"))

    # In round 0 again, by its number; it was due in round 1, and b is named in that.
    assert RoundRobinRoomPlanner().plan(["a", "b"], said) == Plan("b", 2, "turn")


def test_several_second_turns_are_all_of_the_round_that_was_reached() -> None:
    said = log("ana", ("a", "@a @b"), ("b", "@a"), ("a", ""), ("b", "@a"))

    assert RoundRobinRoomPlanner().plan(["a", "b"], said) == Plan("a", 2, "turn")


def test_a_third_turn_is_two_rounds_on() -> None:
    said = log("ana", ("a", "@a"), ("b", ""), ("a", "@a"), ("a", ""))

    assert RoundRobinRoomPlanner().plan(["a", "b"], said) == Plan(None, 2, "settled")


def test_a_second_turn_for_which_nobody_named_its_agent_stays_in_its_round() -> None:
    said = log("ana", ("a", ""), ("b", ""), ("a", "@b"))

    assert RoundRobinRoomPlanner().plan(["a", "b"], said) == Plan("b", 1, "turn")


def test_a_second_turn_goes_behind_no_cap() -> None:
    said = log("ana", ("a", "@a"), ("b", ""), ("a", "@b"))

    assert RoundRobinRoomPlanner(max_rounds=1).plan(["a", "b"], said) == Plan(
        None, 0, "round_cap"
    )
    assert RoundRobinRoomPlanner(max_rounds=2).plan(["a", "b"], said) == Plan(
        None, 1, "round_cap"
    )
