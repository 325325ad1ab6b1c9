"""The thread's rounds, each answer worked out by hand from the rule's text."""

import itertools

import pytest

from rooms.errors import InvalidInput
from rooms.planning import CastPlanner, CastReply, RoundPlan

FAILED = object()


def replies(**outcomes: object) -> list[CastReply]:
    """A round: `a="text"`, or `a=FAILED`."""
    return [
        CastReply(name, ok=False, error="refused")
        if outcome is FAILED
        else CastReply(name, str(outcome))
        for name, outcome in outcomes.items()
    ]


def ended(ran: int, reason: str) -> tuple[tuple[str, ...], int, bool, str]:
    return (), ran, True, reason


def facts(plan: RoundPlan) -> tuple[tuple[str, ...], int, bool, str]:
    return plan.speakers, plan.round, plan.done, plan.reason


@pytest.mark.rule("R-ROUND-01", "R-ROUND-08")
def test_every_round_runs_the_same_cast_in_written_order() -> None:
    planner = CastPlanner(max_rounds=3)
    cast = ["b", "a", "b"]

    assert facts(planner.plan_round(cast, [])) == (("b", "a"), 1, False, "")
    first = replies(b="x", a="pass")
    assert facts(planner.plan_round(cast, [first])) == (("b", "a"), 2, False, "")


@pytest.mark.rule("R-ROUND-02", "R-ROUND-03")
def test_nothing_that_is_said_brings_anybody_in() -> None:
    said = [replies(a="@c please", b="ask @c, he must speak next")]

    assert CastPlanner().plan_round(["a", "b"], said).speakers == ("a", "b")


@pytest.mark.rule("R-ROUND-04", "R-CAP-04", "R-PASS-05")
def test_a_room_of_one_is_one_round_in_which_nothing_is_read_as_silence() -> None:
    planner = CastPlanner(max_rounds=10)

    assert planner.plan_round(["proto"], []).may_pass is False
    for reply in ("pass", "", "done"):
        plan = planner.plan_round(["proto"], [replies(proto=reply)])
        assert (facts(plan), plan.note) == (ended(1, "capped"), "")


@pytest.mark.rule("R-ROUND-05", "R-FAIL-02", "R-FAIL-05")
def test_whoever_failed_is_out_and_one_survivor_ends_the_room() -> None:
    planner = CastPlanner(max_rounds=3)
    three = [replies(a="x", b=FAILED, c="y")]

    assert facts(planner.plan_round(["a", "b", "c"], three)) == (
        ("a", "c"),
        2,
        False,
        "",
    )
    lone = planner.plan_round(["a", "b"], [replies(a="x", b=FAILED)])
    assert (facts(lone), lone.note) == (ended(1, "capped"), "")


@pytest.mark.rule("R-ROUND-05", "R-NOTE-04")
def test_a_room_that_loses_all_but_one_in_a_later_round_ends_without_a_note() -> None:
    said = [replies(a="x", b="y"), replies(a="x", b=FAILED)]

    plan = CastPlanner(max_rounds=5).plan_round(["a", "b"], said)

    assert (facts(plan), plan.note) == (ended(2, "capped"), "")


@pytest.mark.rule("R-ROUND-06")
def test_the_plan_is_a_function_of_cast_outcomes_and_cap() -> None:
    said = [replies(a="x", b="pass")]

    assert CastPlanner(2).plan_round(["a", "b"], said) == CastPlanner(2).plan_round(
        ("a", "b"), tuple(map(tuple, said))
    )


@pytest.mark.rule("R-ROUND-07", "R-CAP-02", "R-NOTE-03")
def test_at_most_max_rounds_rounds_run_and_the_cap_says_so() -> None:
    planner = CastPlanner(max_rounds=2)
    said: list[list[CastReply]] = []
    dispatched = 0
    while not (plan := planner.plan_round(["a", "b"], said)).done:
        dispatched += len(plan.speakers)
        said.append(replies(a="on and on", b="and on"))

    assert (dispatched, plan.reason) == (4, "capped")
    assert "2 rounds" in plan.note
    assert "Ask again" in plan.note
    assert "max_rounds" in plan.note


@pytest.mark.rule("R-PASS-01", "R-CAP-01")
def test_passing_is_offered_above_one_round_and_only_then() -> None:
    assert CastPlanner(max_rounds=2).plan_round(["a", "b"], []).may_pass
    assert not CastPlanner(max_rounds=1).plan_round(["a", "b"], []).may_pass
    assert not CastPlanner(max_rounds=9).plan_round(["a"], []).may_pass


@pytest.mark.rule("R-PASS-05", "R-CAP-01", "R-NOTE-04")
def test_at_one_round_a_pass_is_a_reply_and_the_end_has_no_note() -> None:
    plan = CastPlanner(max_rounds=1).plan_round(
        ["a", "b"], [replies(a="pass", b="pass")]
    )

    assert (facts(plan), plan.note) == (ended(1, "capped"), "")


@pytest.mark.rule("R-PASS-04", "R-SETTLE-01", "R-SETTLE-05")
def test_a_whole_round_of_silence_settles_without_a_note() -> None:
    plan = CastPlanner().plan_round(["a", "b"], [replies(a="pass", b=" ")])

    assert (facts(plan), plan.note) == (ended(1, "settled"), "")


@pytest.mark.rule("R-SETTLE-02")
def test_only_the_last_round_is_judged() -> None:
    cast = ["a", "b"]
    spoke, silent = replies(a="x", b="pass"), replies(a="pass", b="pass")

    assert CastPlanner().plan_round(cast, [spoke, silent]).reason == "settled"
    assert not CastPlanner().plan_round(cast, [silent, spoke]).done


@pytest.mark.rule("R-SETTLE-03", "R-SETTLE-06")
def test_a_failure_is_not_speech() -> None:
    said = [replies(a="pass", b="pass", c=FAILED)]

    assert CastPlanner().plan_round(["a", "b", "c"], said).reason == "settled"


@pytest.mark.rule("R-SETTLE-03")
def test_a_qualified_pass_is_speech() -> None:
    said = [
        replies(a="x", b="y", c="z"),
        replies(a="Pass, but note the auth change", b="pass", c=FAILED),
    ]

    assert facts(CastPlanner().plan_round(["a", "b", "c"], said)) == (
        ("a", "b"),
        3,
        False,
        "",
    )


@pytest.mark.rule("R-SETTLE-04")
def test_endings_are_looked_for_as_exhausted_settled_capped() -> None:
    cast = ["a", "b"]
    dead, silent = replies(a=FAILED, b=FAILED), replies(a="pass", b="pass")

    assert CastPlanner(2).plan_round(cast, [dead]).reason == "exhausted"
    assert CastPlanner(2).plan_round(cast, [silent, dead]).reason == "exhausted"
    talk = replies(a="x", b="y")
    assert CastPlanner(2).plan_round(cast, [talk, silent]).reason == "settled"
    assert CastPlanner(2).plan_round(cast, [talk, talk]).reason == "capped"


@pytest.mark.rule("R-SETTLE-04", "R-ROUND-05")
def test_everybody_failing_one_after_the_other_is_exhausted() -> None:
    said = [replies(a=FAILED, b="x", c="y"), replies(b=FAILED, c=FAILED)]

    assert CastPlanner().plan_round(["a", "b", "c"], said).reason == "exhausted"


@pytest.mark.rule("R-CAP-03", "R-FAIL-03")
def test_a_new_address_starts_at_round_one_with_everybody() -> None:
    planner = CastPlanner()
    planner.plan_round(["a", "b"], [replies(a="x", b=FAILED)])

    assert facts(planner.plan_round(["a", "b"], [])) == (("a", "b"), 1, False, "")


@pytest.mark.rule("R-SETTLE-01")
def test_a_round_in_the_middle_goes_on_with_those_who_have_no_outcome() -> None:
    planner = CastPlanner()
    cast = ["a", "b", "c"]
    half = [replies(a="x", b=FAILED, c="y"), replies(a="pass")]

    assert facts(planner.plan_round(cast, [[]])) == (("a", "b", "c"), 1, False, "")
    assert facts(planner.plan_round(cast, half)) == (("c",), 2, False, "")
    assert planner.plan_round(cast, half).may_pass
    half[-1] += replies(c="pass")
    assert planner.plan_round(cast, half).reason == "settled"


def test_nobody_addressed_is_settled_at_once() -> None:
    assert facts(CastPlanner().plan_round([], [])) == ended(0, "settled")


@pytest.mark.rule("R-SETTLE-01", "R-SETTLE-03", "R-SETTLE-04", "R-ROUND-05")
def test_every_pair_of_rounds_ends_as_a_reading_of_the_rules_says() -> None:
    outcomes = ["talk", "pass", FAILED]
    for first in itertools.product(outcomes, repeat=2):
        left = [name for name, it in zip("ab", first, strict=True) if it is not FAILED]
        plan = CastPlanner(2).plan_round(
            ["a", "b"], [replies(**dict(zip("ab", first, strict=True)))]
        )
        if not left:
            expected = "exhausted"
        elif "talk" not in first:
            expected = "settled"
        else:
            expected = "capped" if len(left) == 1 else ""
        assert plan.reason == expected, first


@pytest.mark.parametrize(
    ("cast", "rounds", "field"),
    [
        ("ab", [], "cast"),
        (None, [], "cast"),
        (["a", ""], [], "cast[1]"),
        (["a"], None, "rounds"),
        (["a"], "x", "rounds"),
        (["a"], [None], "rounds[0]"),
        (["a"], [[None]], "rounds[0][0]"),
        (["a"], [[], [CastReply("b")]], "rounds[1][0].author"),
    ],
)
def test_wrong_arguments_are_named(cast: object, rounds: object, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        CastPlanner().plan_round(cast, rounds)  # type: ignore[arg-type]

    assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "reply"),
    [
        ("author", {"author": ""}),
        ("author", {"author": None}),
        ("text", {"author": "a", "text": None}),
        ("ok", {"author": "a", "ok": 1}),
        ("error", {"author": "a", "error": ValueError()}),
    ],
)
def test_an_outcome_that_cannot_be_is_refused(
    field: str, reply: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        CastReply(**reply)  # type: ignore[arg-type]

    assert caught.value.field == field


def test_what_is_no_cast_and_no_reply_is_told_by_its_type() -> None:
    with pytest.raises(InvalidInput, match="rounds is of type int"):
        CastPlanner().plan_round(["a"], 7)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"rounds\[0\]\[0\] is of type str"):
        CastPlanner().plan_round(["a"], [["a"]])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match=r"author is 'b'; allowed: a "):
        CastPlanner().plan_round(["a"], [[CastReply("b")]])
