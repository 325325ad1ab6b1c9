"""What a team is to be: all faults at once, and nothing above what is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from attrs import evolve, fields
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.errors import InvalidInput
from rooms.team import (
    FAULTS,
    Asked,
    Blueprint,
    Catalogue,
    Destination,
    Envelope,
    MemberPlan,
    Questions,
    TeamLimits,
    WorkspaceMode,
    amount,
    binding,
    check_blueprint,
    clamped,
    default_destination,
    differences,
    drawn,
    faults,
    is_external,
    lowest,
    proposed,
    restricted,
)


def member(key: str, **more: Any) -> MemberPlan:
    told = {"responsibility": f"{key} things", "mandate": f"Do {key} things.", **more}
    return MemberPlan(key=key, **told)


SOUND = Blueprint(
    title="Migrate the orders",
    objective="The orders live in the new table.",
    approach="One reads, one writes.",
    success_criteria=["All tests pass."],
    members=[
        member("lead", lead=True, tools=["read"]),
        member("builder", tools=["read", "edit", "bash"]),
    ],
)
HAS = Catalogue(
    models=["a/large", "a/small", "b/odd"],
    thinking=["off", "low", "medium", "high"],
    tools=["read", "edit", "bash", "git_push", "web_fetch"],
    skills=["review", "deploy"],
)
MAY = Envelope(
    models=["a/small", "a/large"],
    thinking=["low", "medium"],
    tools=["read", "edit", "bash"],
    skills=["review"],
    destinations=["pr", "chat_post"],
)


def with_lead(**more: Any) -> Blueprint:
    return evolve(SOUND, members=[evolve(SOUND.members[0], **more), SOUND.members[1]])


WRONG: dict[str, Callable[[], Blueprint]] = {
    "title_empty": lambda: evolve(SOUND, title=" "),
    "objective_empty": lambda: evolve(SOUND, objective=""),
    "approach_empty": lambda: evolve(SOUND, approach="\n"),
    "success_criteria_empty": lambda: evolve(SOUND, success_criteria=["", " "]),
    "no_members": lambda: evolve(SOUND, members=[]),
    "too_many_members": lambda: evolve(
        SOUND, members=[*SOUND.members, *(member(f"m{n}") for n in range(4))]
    ),
    "conductor_count": lambda: with_lead(lead=False),
    "member_key_empty": lambda: with_lead(key=""),
    "member_key_invalid": lambda: with_lead(key="Lead"),
    "duplicate_member_key": lambda: with_lead(key="builder"),
    "member_responsibility_empty": lambda: with_lead(responsibility=""),
    "member_mandate_empty": lambda: with_lead(mandate=" "),
    "model_unknown": lambda: with_lead(model="a/gone"),
    "model_not_allowed": lambda: with_lead(model="b/odd"),
    "thinking_not_allowed": lambda: with_lead(thinking="high"),
    "tool_unknown": lambda: with_lead(tools=["saw"]),
    "tool_not_allowed": lambda: with_lead(tools=["git_push"]),
    "skill_unknown": lambda: with_lead(skills=["sing"]),
    "skill_not_allowed": lambda: with_lead(skills=["deploy"]),
    "delivery_not_allowed": lambda: evolve(SOUND, delivery=Destination("email_send")),
    "shared_tree_not_approved": lambda: evolve(SOUND, workspace="shared_working_tree"),
}


@pytest.mark.rule("S-PROPOSAL-05")
def test_a_sound_blueprint_has_no_fault() -> None:
    assert faults(SOUND, MAY, HAS) == ()
    assert faults(SOUND) == ()


@pytest.mark.rule("S-PROPOSAL-05", "S-PROPOSAL-06")
@pytest.mark.parametrize("code", WRONG)
def test_each_fault_is_told_by_its_code(code: str) -> None:
    found = [one.code for one in faults(WRONG[code](), MAY, HAS)]

    assert code in found
    assert set(found) - {code} <= {"conductor_count"}  # no member is no conductor


@pytest.mark.rule("S-PROPOSAL-06")
def test_every_code_has_a_case_and_words() -> None:
    assert list(WRONG) == list(FAULTS)
    assert all(FAULTS.values())


@pytest.mark.rule("S-PROPOSAL-04", "S-PROPOSAL-06")
def test_all_that_is_wrong_is_told_at_once() -> None:
    bare = Blueprint(members=[MemberPlan(key="A"), MemberPlan(key="A", model="x")])

    with pytest.raises(InvalidInput) as refused:
        check_blueprint(bare, MAY, HAS)

    assert refused.value.code == "invalid_blueprint"
    assert [one.code for one in refused.value.details["faults"]] == [
        *("title_empty", "objective_empty", "approach_empty"),
        *("success_criteria_empty", "conductor_count"),
        *("member_key_invalid", "member_responsibility_empty", "member_mandate_empty"),
        *("member_key_invalid", "member_responsibility_empty", "member_mandate_empty"),
        "model_unknown",
    ]


@pytest.mark.rule("S-PROPOSAL-08")
def test_the_default_limits() -> None:
    told = TeamLimits()

    assert (told.max_members, told.max_cost, told.max_time) == (
        *(5, Decimal(5)),
        timedelta(minutes=60),
    )
    assert (told.access, told.max_active_turns) == ("edit_workspace", 3)
    assert (told.max_roster_changes, told.max_replacements) == (5, 3)
    assert (told.max_tokens, told.max_member_tokens) == (2_000_000, 1_000_000)
    assert told.max_member_cost == Decimal("2.5")
    assert (told.max_member_turns, told.max_retries, told.max_failures) == (30, 2, 3)
    assert (told.max_idle, told.nested, told.claims) == (
        *(timedelta(minutes=5), False),
        "warn",
    )


@pytest.mark.rule("S-PROPOSAL-07", "S-WORKSPACE-03")
def test_clamping_lowers_the_whole_first_and_members_within_it() -> None:
    drawn_too_far = evolve(
        SOUND,
        limits=TeamLimits(max_members=3, max_cost=9, access="edit_and_push"),
        workspace="shared_working_tree",
        members=[
            member("a", model="b/odd", thinking="high"),
            member("b", access="edit_and_push", tools=["read", "git_push", "room"]),
            member("c", thinking="off", skills=["deploy", "review"]),
            member("lead", lead=True),
        ],
    )

    within, changes = clamped(drawn_too_far, MAY, HAS)

    assert [one.key for one in within.members] == ["a", "b", "lead"]  # never the lead
    assert within.limits.max_cost == 5
    assert within.limits.access == "edit_workspace"
    assert within.workspace is WorkspaceMode.WORKTREE_PER_MEMBER
    a, b, _ = within.members
    assert (a.model, a.thinking) == ("a/small", "medium")
    assert (b.access, b.tools) == ("edit_workspace", ("read", "room"))
    assert {one.where for one in changes} == {
        *("limits.max_cost", "limits.access", "limits.max_member_cost"),
        "workspace",
        *("members.a.thinking", "members.a.model"),
        *("members.b.access", "members.b.tools"),
        "members.c",
    }


@pytest.mark.rule("S-PROPOSAL-07")
@pytest.mark.parametrize(
    ("asked", "becomes"),
    [("off", "low"), ("low", "low"), ("medium", "medium"), ("high", "medium")],
)
def test_thinking_becomes_the_highest_allowed_below_or_the_lowest(
    asked: str, becomes: str
) -> None:
    within, _ = clamped(with_lead(thinking=asked), MAY, HAS)

    assert within.members[0].thinking == becomes


@pytest.mark.rule("S-PROPOSAL-07")
@pytest.mark.parametrize("first", ["warn", "block"])
@pytest.mark.parametrize("second", ["warn", "block"])
def test_the_stricter_policy_for_claims_wins(first: str, second: str) -> None:
    both = lowest(TeamLimits(claims=first), TeamLimits(claims=second))

    assert both.claims == ("block" if "block" in {first, second} else "warn")


blueprints = st.builds(
    Blueprint,
    members=st.lists(
        st.builds(
            MemberPlan,
            key=st.sampled_from(["a", "b", "c", "d"]),
            lead=st.booleans(),
            access=st.sampled_from(["read_only", "edit_workspace", "edit_and_push"]),
            tools=st.lists(st.sampled_from(["read", "edit", "git_push"]), max_size=3),
            skills=st.lists(st.sampled_from(["review", "deploy"]), max_size=2),
            model=st.sampled_from(["", "a/small", "b/odd"]),
            thinking=st.sampled_from(["", "off", "low", "high", "odd"]),
            network=st.booleans(),
        ),
        max_size=8,
    ),
    limits=st.builds(
        TeamLimits,
        max_members=st.integers(1, 9),
        max_cost=st.integers(0, 9),
        access=st.sampled_from(["read_only", "edit_workspace", "edit_and_push"]),
        claims=st.sampled_from(["warn", "block"]),
        nested=st.booleans(),
    ),
    workspace=st.sampled_from(WorkspaceMode),
)


@settings(max_examples=sized(50, 200), deadline=None)
@given(blueprints)
def test_what_was_clamped_lies_within_and_is_clamped_no_further(
    blueprint: Blueprint,
) -> None:
    within, changes = clamped(blueprint, MAY, HAS)

    assert clamped(within, MAY, HAS) == (within, ())
    assert (changes == ()) == (within == blueprint)
    assert lowest(within.limits, MAY.limits) == within.limits
    # Conductors are never dropped, so only they may be too many.
    assert len(within.members) <= within.limits.max_members or all(
        one.lead for one in within.members
    )
    left = {one.code for one in faults(within, MAY, HAS)}
    assert left.isdisjoint(
        {"model_not_allowed", "tool_not_allowed", "skill_not_allowed"}
        | {"thinking_not_allowed", "shared_tree_not_approved"}
    )


@settings(max_examples=sized(30, 100), deadline=None)
@given(blueprints)
def test_a_blueprint_is_read_back_as_it_was_recorded(blueprint: Blueprint) -> None:
    plan, words = (
        json.loads(json.dumps(half)) for half in (blueprint.plan(), blueprint.words())
    )

    assert Blueprint.from_record(plan, words) == blueprint
    assert Blueprint.from_record(plan).members[:1] == tuple(
        evolve(one, responsibility="", mandate="") for one in blueprint.members[:1]
    )


@pytest.mark.rule("S-PROPOSAL-04")
def test_a_planner_may_ask_instead_and_may_repair_once() -> None:
    asked: list[Asked] = []

    def planner(request: Asked) -> Blueprint | Questions:
        asked.append(request)
        return SOUND if request.faults else Blueprint()

    assert drawn(planner, Asked("Fix it")) == SOUND
    assert [len(one.faults) for one in asked] == [0, 6]
    questions = Questions(("Which table?",))
    assert drawn(lambda _: questions, Asked("Fix it")) is questions

    tries = iter([Blueprint(), Blueprint(), SOUND])
    with pytest.raises(InvalidInput, match="blueprint") as refused:
        drawn(lambda _: next(tries), Asked("Fix it"))
    assert refused.value.code == "invalid_blueprint"
    assert next(tries) is SOUND  # which nobody asked for any more


@pytest.mark.rule("S-PROPOSAL-02", "S-PROPOSAL-13")
def test_what_is_shown_is_computed_from_the_blueprint() -> None:
    shown = proposed(
        evolve(SOUND, approach="It is free, takes a minute and has no risk."),
        Envelope(limits=TeamLimits(max_cost=2)),
    )

    assert (shown.members, shown.max_cost) == (2, Decimal(2))
    assert shown.max_time == timedelta(hours=1)
    assert dict(shown.access)["builder"] == ("edit_files", "run_commands")
    assert shown.delivery.name == "workspace_files"
    assert shown.warnings == ()
    assert [one.where for one in shown.clamps] == [
        "limits.max_cost",
        "limits.max_member_cost",
    ]


@pytest.mark.rule("S-PROPOSAL-02")
def test_what_to_look_at_is_warned_of() -> None:
    far = evolve(
        SOUND,
        workspace="shared_working_tree",
        delivery=Destination("webhook_post"),
        limits=TeamLimits(access="edit_and_push", max_active_turns=1),
        members=[
            SOUND.members[0],
            member(
                "b", access="edit_and_push", tools=["git_push", "saw"], network=True
            ),
        ],
    )
    allowed = Envelope(
        limits=TeamLimits(access="edit_and_push"), shared_tree=True, network=True
    )

    assert proposed(far, allowed).warnings == (
        *("shared_tree", "can_push", "reaches_network", "external_delivery"),
        *("tools_denied", "single_slot"),
    )


def test_a_difference_names_each_field_that_changed() -> None:
    other = evolve(
        SOUND,
        title="Other",
        limits=TeamLimits(max_cost=1),
        members=[evolve(SOUND.members[0], mandate="Lead."), member("new")],
    )

    assert {one.where for one in differences(SOUND, other)} == {
        *("title", "limits.max_cost", "limits.max_member_cost"),
        *("members.lead.mandate", "members.builder", "members.new"),
    }
    assert differences(SOUND, SOUND) == ()


@pytest.mark.rule("S-PROPOSAL-09")
def test_a_list_for_the_machine_restricts_by_what_is_there() -> None:
    there = ["a/small", "a/large"]

    assert restricted(" a/large ,x/none,, a/large", there) == (
        ("a/large",),
        ("x/none",),
    )
    assert restricted("x/none", there) == (None, ("x/none",))
    assert restricted("", there) == (None, ())


@pytest.mark.rule("S-DELIVER-04")
@pytest.mark.parametrize(
    ("destination", "outside"),
    [
        *(("pr", False), ("workspace_files", False), ("saved_artifact", False)),
        *(("email_draft", False), ("invoking_chat", False)),
        *(("email_send", True), ("chat_post", True), ("webhook_post", True)),
        *(("carrier_pigeon", True), ("", True)),
    ],
)
def test_what_leaves_is_outside_and_so_is_what_nobody_knows(
    destination: str, outside: object
) -> None:
    assert is_external(destination) is outside


@pytest.mark.rule("S-DELIVER-05")
def test_the_default_destination_follows_access_and_chat() -> None:
    assert default_destination("read_only") == "saved_artifact"
    assert default_destination("edit_workspace") == "workspace_files"
    assert default_destination("edit_and_push") == "pr"
    assert default_destination("edit_and_push", chat=True) == "invoking_chat"
    chat = proposed(SOUND, Envelope(chat="c-1"))
    named = proposed(evolve(SOUND, delivery=Destination("pr")), Envelope(chat="c-1"))
    assert chat.delivery.name == "invoking_chat"
    assert named.delivery.name == "pr"


@pytest.mark.rule("S-DELIVER-06")
def test_a_yes_is_bound_to_place_parameters_and_exact_text() -> None:
    bound = binding("chat_post", {"to": "ops", "as": "bot"}, "v1")

    assert binding("chat_post", {"as": "bot", "to": "ops"}, " v1\n") == bound
    others = [
        binding("chat_post", {"to": "ops", "as": "bot"}, "v2"),
        binding("chat_post", {"to": "ops", "as": "bot"}, "v 1"),
        binding("chat_post", {"to": "dev", "as": "bot"}, "v1"),
        binding("email_send", {"to": "ops", "as": "bot"}, "v1"),
        binding("chat_post", {}, '[["as","bot"]],v1'),
    ]
    assert bound not in others
    assert len(set(others)) == 5


@pytest.mark.parametrize(
    "cost",
    [-1, "-0.01", float("nan"), float("inf"), "1e400", "NaN", True, None, [], "x"],
)
def test_a_cost_that_is_none_is_refused(cost: object) -> None:
    with pytest.raises(InvalidInput, match="max_cost"):
        TeamLimits(max_cost=cost)


def test_costs_are_exact_in_millionths() -> None:
    assert sum([amount("cost", 0.1)] * 10) == 1
    assert str(amount("cost", "-0")) == "0.000000"
    assert TeamLimits.from_record(TeamLimits(max_cost="0.333333").recorded()) == (
        TeamLimits(max_cost="0.333333")
    )


@pytest.mark.parametrize("name", [one.name for one in fields(TeamLimits)])
def test_a_limit_that_is_none_is_refused_by_its_name(name: str) -> None:
    wrongs: tuple[Any, ...] = (object(), -1, "\ud800", 10**400, [1])
    for wrong in wrongs:
        with pytest.raises(InvalidInput) as refused:
            TeamLimits(**{name: wrong})
        assert name in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, one.name)
        for kind in (Blueprint, MemberPlan, Envelope, Catalogue)
        for one in fields(kind)
    ],
)
@pytest.mark.parametrize("wrong", [object(), 7, "\ud800", "x" * 10**6])
def test_nonsense_in_a_blueprint_is_refused(
    kind: type[Any], name: str, wrong: object
) -> None:
    needed = {"key": "one"} if kind is MemberPlan else {}
    with pytest.raises(InvalidInput):
        kind(**{**needed, name: wrong})


@pytest.mark.parametrize(
    "name", ["models", "thinking", "tools", "skills", "destinations"]
)
@pytest.mark.parametrize("odd", ["half a pair: \ud800", "x" * 501])
def test_names_that_no_log_keeps_are_in_no_envelope(name: str, odd: str) -> None:
    named: dict[str, Any] = {name: [odd]}
    with pytest.raises(InvalidInput) as error:
        Envelope(**named)
    assert error.value.code == "invalid_request"
