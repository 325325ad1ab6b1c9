"""Who has the floor next: the planners by name, and what bounds every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rooms import InvalidInput, RoomEvent
from rooms.planning.floors import (
    PLANNERS,
    FloorOptions,
    FloorPlan,
    FloorQuestion,
    HadFloor,
    plan_floor,
    plan_with,
)

ROSTER = ("eve", "ada", "bo")


def question(
    *turns: HadFloor | str,
    cast: Sequence[str] = (),
    cover: Sequence[str] = (),
    roster: Sequence[str] = ROSTER,
    **options: Any,
) -> FloorQuestion:
    """`eve: words` is a turn in round 0, `1 eve: words` one in round 1."""
    return FloorQuestion(
        roster,
        RoomEvent("ops", "ideas?", human=True),
        [turn if isinstance(turn, HadFloor) else _turn(turn) for turn in turns],
        cast,
        cover,
        FloorOptions(**options),
    )


def _turn(line: str) -> HadFloor:
    who, _, said = line.partition(": ")
    number, _, name = who.rpartition(" ")
    silent = {"pass": "passed", "fail": "failed", "nothing": "empty"}
    outcome = silent.get(said, "spoke")
    content = "" if said in silent else said
    return HadFloor(name, content, int(number or 0), outcome)


def named(planner: str, *turns: HadFloor | str, **more: Any) -> tuple[Any, ...]:
    plan = plan_floor(planner, question(*turns, **more))
    return plan.speaker, plan.round, plan.reason


# -- the panel


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([], ("eve", 0, "turn")),
        (["eve: A"], ("ada", 0, "turn")),
        (["eve: A", "ada: nothing", "bo: pass"], (None, 0, "settled")),
        (["eve: @bo", "ada: @eve then @bo", "bo: ok"], ("eve", 1, "turn")),
        (["eve: @eve", "ada: pass", "bo: pass", "1 eve: @eve"], (None, 1, "round_cap")),
    ],
)
def test_the_panel_is_everybody_and_then_whom_agents_name(
    turns: list[str], expected: tuple[Any, ...]
) -> None:
    assert named("mentions", *turns, max_rounds=2) == expected


def test_a_failed_turn_of_the_panel_that_is_used_up_names_nobody() -> None:
    failed = HadFloor("eve", "@ada please", 0, "failed")

    assert named("mentions", failed, "ada: ok", "bo: ok") == (None, 0, "settled")


# -- the thread


def test_the_thread_asks_the_cast_in_written_order_and_in_rounds() -> None:
    said: list[str] = []
    asked = []
    for line in ("bo: yes", "eve: no", "1 bo: pass", "1 eve: pass"):
        asked.append(named("addressed", *said, cast=("bo", "eve"))[:2])
        said.append(line)

    assert asked == [("bo", 0), ("eve", 0), ("bo", 1), ("eve", 1)]
    assert named("addressed", *said, cast=("bo", "eve")) == (None, 1, "settled")


def test_passing_is_offered_where_there_are_rounds_and_never_to_one_alone() -> None:
    assert plan_floor("addressed", question(cast=("bo", "eve"))).may_pass
    assert not plan_floor("addressed", question(cast=("bo",))).may_pass
    alone = question(cast=("bo", "eve"), max_rounds=1)
    assert not plan_floor("addressed", alone).may_pass


def test_one_alone_has_one_round_and_its_end_is_no_cap() -> None:
    assert named("addressed", "bo: done", cast=("bo",)) == (None, 0, "settled")


def test_rounds_that_talk_on_end_at_the_cap() -> None:
    said = ["bo: a", "eve: b", "1 bo: c", "1 eve: d"]

    assert named("addressed", *said, cast=("bo", "eve"), max_rounds=2) == (
        *(None, 1, "round_cap"),
    )


def test_who_failed_is_asked_no_more_and_two_are_needed() -> None:
    assert named("addressed", "bo: fail", "eve: b", cast=("bo", "eve")) == (
        *(None, 0, "settled"),
    )
    assert named("addressed", "bo: fail", "eve: fail", cast=("bo", "eve")) == (
        *(None, 0, "exhausted"),
    )
    three = ("bo", "eve", "ada")
    assert named("addressed", "bo: fail", "eve: b", "ada: c", cast=three) == (
        *("eve", 1, "turn"),
    )


@pytest.mark.rule("R-FAIL-02")
def test_who_failed_rounds_ago_is_asked_no_more_either() -> None:
    said = ["bo: fail", "eve: b", "ada: c", "1 eve: d"]
    three = {"cast": ("bo", "eve", "ada")}

    assert named("addressed", *said, **three) == ("ada", 1, "turn")
    assert named("addressed", *said, "1 ada: e", **three) == ("eve", 2, "turn")


# -- what users ask for beyond


@pytest.mark.case("F-10")
def test_the_others_step_in_only_where_the_default_responders_turn_failed() -> None:
    asked = {"cast": ("eve",), "cover": ("ada", "bo")}

    assert named("addressed", **asked) == ("eve", 0, "turn")
    assert named("addressed", "eve: pass", **asked) == (None, 0, "settled")
    assert named("addressed", "eve: fail", **asked) == ("ada", 0, "turn")
    assert named("addressed", "eve: fail", "ada: I do", **asked) == ("bo", 0, "turn")
    assert named("addressed", "eve: fail", "ada: I do", "bo: pass", **asked) == (
        *(None, 0, "settled"),
    )
    lost = ("eve: fail", "ada: fail", "bo: fail")
    assert named("addressed", *lost, **asked) == (None, 0, "exhausted")


@pytest.mark.case("F-08")
def test_of_several_hand_offs_in_one_reply_none_is_lost() -> None:
    asked: dict[str, Any] = {"cast": ("eve",), "handoffs": True}
    said = ["eve: @bo price it, @ada test it"]

    assert named("addressed", *said, **asked) == ("bo", 0, "turn")
    assert named("addressed", *said, "bo: priced", **asked) == ("ada", 0, "turn")
    both = [*said, "bo: priced, @eve", "ada: tested"]
    assert named("addressed", *both, **asked) == ("eve", 1, "turn")
    assert named("addressed", *both, "1 eve: thanks", **asked) == (None, 1, "settled")


def test_who_waits_already_or_names_itself_gets_no_turn_more_by_it() -> None:
    asked: dict[str, Any] = {"cast": ("eve", "ada"), "handoffs": True}

    said = ["eve: @ada and @eve", "ada: done"]
    assert named("addressed", *said, **asked) == (None, 0, "settled")
    assert named("addressed", cast=(), handoffs=True) == (None, 0, "settled")


def test_a_name_that_ends_a_sentence_is_handed_to_as_well() -> None:
    asked: dict[str, Any] = {"cast": ("eve",), "handoffs": True}

    assert named("addressed", "eve: go on, @bo.", **asked) == ("bo", 0, "turn")


def test_hand_offs_are_exhausted_only_where_everybody_failed() -> None:
    asked: dict[str, Any] = {"cast": ("eve", "ada"), "handoffs": True}

    assert named("addressed", "eve: fail", "ada: done", **asked) == (
        *(None, 0, "settled"),
    )
    assert named("addressed", "eve: fail", "ada: fail", **asked) == (
        *(None, 0, "exhausted"),
    )
    # Who failed has no turn again, whoever names it.
    said = ["eve: fail", "ada: @eve, @bo", "bo: @eve"]
    assert named("addressed", *said, **asked) == (None, 0, "settled")


def test_hand_offs_come_to_an_end() -> None:
    asked: dict[str, Any] = {"cast": ("eve",), "handoffs": True, "max_rounds": 2}
    said = [f"{turn // 2} {('eve', 'ada')[turn % 2]}: @ada @eve" for turn in range(6)]

    assert plan_floor("addressed", question(*said[:5], **asked)) == FloorPlan(
        "ada", 2, "turn", may_pass=True
    )
    assert named("addressed", *said, **asked) == (None, 2, "round_cap")


def test_each_who_was_asked_in_the_last_allowed_round_answers_whoever_asked() -> None:
    said = ["eve: @ada, why?", "ada: @bo, really?", "bo: yes"]
    asked: dict[str, Any] = {"max_rounds": 1, "last_question": True}

    assert named("mentions", *said, **asked) == ("ada", 1, "turn")
    assert named("mentions", *said, "1 ada: so", **asked) == ("bo", 1, "turn")
    answered = (*said, "1 ada: so", "1 bo: hm")
    assert named("mentions", *answered, **asked)[2] == "round_cap"  # as without them


def test_the_panel_of_many_has_no_cap_of_its_own() -> None:
    many = [f"p{number}" for number in range(25)]
    said = [f"{name}: hm" for name in many[:22]]

    assert named("mentions", *said, roster=many) == ("p22", 0, "turn")


@pytest.mark.parametrize("planner", ["mentions", "roster"])
def test_a_question_in_the_last_allowed_round_is_answered_once(planner: str) -> None:
    said = ["eve: hm", "ada: @eve, is it safe?", "bo: @ada, fine."]
    asked: dict[str, Any] = {"max_rounds": 1, "cast": ROSTER}

    assert named(planner, *said, **asked)[0] is None
    asked["last_question"] = True
    assert named(planner, *said, **asked) == ("eve", 1, "turn")
    answered = [*said, "1 eve: it is, @bo?"]
    assert named(planner, *answered, **asked)[0] is None  # and the answer asks nobody


def test_a_stop_line_counts_as_a_whole_line_after_everyone_spoke() -> None:
    stop = {"stop_line": "DONE", "max_rounds": 9}

    early = ["eve: DONE", "ada: @bo go on", "bo: @eve @ada DONE?"]
    assert named("mentions", *early, **stop) == ("eve", 1, "turn")
    assert named("mentions", *early, "1 eve: well\n DONE \n@ada", **stop) == (
        *(None, 1, "stopped"),
    )


# -- bounds


@pytest.mark.parametrize("planner", sorted(PLANNERS))
def test_the_message_cap_counts_the_opener_and_every_turn(planner: str) -> None:
    capped = {"max_messages": 3, "cast": ROSTER}

    assert named(planner, "eve: a", **capped) == ("ada", 0, "turn")
    assert named(planner, "eve: a", "ada: pass", **capped) == (None, 0, "message_cap")


@pytest.mark.parametrize("planner", sorted(PLANNERS))
def test_nobody_is_there_to_ask(planner: str) -> None:
    assert named(planner, roster=()) == (None, 0, "empty_roster")
    assert named(planner, "eve: a", "2 eve: b", roster=()) == (None, 2, "empty_roster")


def test_where_somebody_elses_planner_names_nobody_the_activity_has_settled() -> None:
    assert plan_with(Says(None), question("eve: a", "1 ada: b")) == FloorPlan(
        None, 1, "settled"
    )
    assert plan_with(Says(None), question()) == FloorPlan(None, 0, "settled")


class Says:
    """A planner that always says the same."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[Any, Any]] = []

    def plan_next(self, roster: Any, transcript: Any) -> Any:
        self.asked.append((roster, transcript))
        return self.answer


@pytest.mark.rule("P-PROTO-04")
def test_a_planner_that_never_ends_is_bounded() -> None:
    first, turns = Says("eve"), list[HadFloor]()
    while plan_with(first, question(*turns)).speaker:
        turns.append(HadFloor("eve", "on", 0))

    assert len(turns) == 99  # with the opener, 100 messages
    assert plan_with(first, question(*turns)).reason == "message_cap"
    assert plan_with(first, question("eve: a", max_messages=2)).reason == "message_cap"


@pytest.mark.rule("P-PROTO-05")
@pytest.mark.parametrize("answer", ["cy", "Eve", ""])
def test_a_planner_that_names_somebody_outside_the_roster_is_refused(
    answer: str,
) -> None:
    with pytest.raises(InvalidInput) as refused:
        plan_with(Says(answer), question())

    assert refused.value.code == "not_on_roster"


@pytest.mark.parametrize("answer", [b"eve", 1, ["eve"]])
def test_a_plan_that_is_no_name_is_refused(answer: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        plan_with(Says(answer), question())

    assert refused.value.field == "the plan"


@pytest.mark.rule("P-RUN-05")
def test_another_planner_is_given_events_and_the_activitys_current_round() -> None:
    planner = Says("bo")

    plan = plan_with(planner, question("1 eve: @ada", "1 ada: pass"))

    assert plan == FloorPlan("bo", 1, "turn")
    [(roster, transcript)] = planner.asked
    assert roster == ROSTER
    assert transcript == (
        RoomEvent("ops", "ideas?", human=True),
        RoomEvent("eve", "@ada", 1, human=False),
        RoomEvent("ada", "", 1, passed=True, human=False),
    )
