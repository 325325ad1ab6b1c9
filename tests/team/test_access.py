"""What a member of a team may use."""

from __future__ import annotations

from itertools import product

import pytest

from rooms.errors import InvalidInput
from rooms.team import LEVELS, Label, MemberPlan, ToolRule, granted, label_of, summary

TOOLS = ("read", "git_log", "edit", "bash", "git_commit", "git_push")
MAY = {
    "read_only": ("read", "git_log"),
    "edit_workspace": ("read", "git_log", "edit", "bash", "git_commit"),
    "edit_and_push": TOOLS,
}


@pytest.mark.rule("S-ACCESS-01", "S-ACCESS-02", "S-ACCESS-04")
@pytest.mark.parametrize("level", MAY)
def test_a_tool_that_needs_more_is_taken_out_of_the_grant(level: str) -> None:
    grant = granted("scout", level, TOOLS)

    assert grant.tools == ("room", *MAY[level])
    assert [one.tool for one in grant.denied] == [
        tool for tool in TOOLS if tool not in MAY[level]
    ]


@pytest.mark.rule("S-ACCESS-01")
def test_each_level_has_all_that_the_one_before_has() -> None:
    held = [set(granted("one", level, TOOLS).tools) for level in LEVELS]

    assert [len(one) for one in held] == [3, 6, 7]
    assert held[0] < held[1] < held[2]


@pytest.mark.rule("S-ACCESS-03")
@pytest.mark.parametrize("tool", ["frobnicate", "acme.read", "mcp__x__read", "a/read"])
def test_a_tool_that_nobody_mapped_is_denied_until_a_host_does(tool: str) -> None:
    asked = granted("one", "edit_and_push", [tool])
    mapped = granted(
        "one", "read_only", [tool], rules=[ToolRule(tool, Label.READ_FILES)]
    )

    assert not asked.allows(tool)
    assert asked.denied[0].why == "unknown_tool"
    assert summary([tool]) == ("other_tools",)
    assert mapped.allows(tool)


@pytest.mark.rule("S-ACCESS-05")
@pytest.mark.parametrize(
    ("tool", "label"),
    [
        ("read", "read_files"),
        ("readFile", "read_files"),
        ("write_file", "edit_files"),
        ("write_and_push", "push"),
        ("push_then_read", "push"),
        ("git_status", "read_history"),
        ("git-commit", "commit"),
        ("web_fetch", "network"),
        ("thread", None),
        ("bread", None),
    ],
)
def test_a_name_says_what_a_tool_does_by_its_whole_words(
    tool: str, label: str | None
) -> None:
    assert label_of(tool) == label


@pytest.mark.rule("S-ACCESS-05")
def test_a_hosts_rule_outweighs_ours_and_its_last_one_the_first() -> None:
    rules = [ToolRule("read", Label.PUSH), ToolRule("read", Label.NETWORK)]

    assert label_of("read", rules) is Label.NETWORK


@pytest.mark.rule("S-ACCESS-05")
def test_in_a_group_the_highest_label_is_shown() -> None:
    assert summary(["read", "edit", "git_log", "git_commit", "bash"]) == (
        Label.EDIT_FILES,
        Label.RUN_COMMANDS,
        Label.COMMIT,
    )


@pytest.mark.rule("S-ACCESS-06")
@pytest.mark.parametrize("level", LEVELS)
def test_no_level_implies_the_network(level: str) -> None:
    assert not granted("one", level, ["web_fetch"]).allows("web_fetch")
    assert granted("one", level, ["web_fetch"], network=True).allows("web_fetch")


@pytest.mark.rule("S-ACCESS-07")
def test_one_member_cannot_use_what_another_holds() -> None:
    reader, writer = (
        granted("reader", "read_only", ["read"]),
        granted("writer", "edit_workspace", ["edit"]),
    )

    assert [
        one.allows(tool) for one, tool in product((reader, writer), TOOLS[:3:2])
    ] == [
        *(True, False),
        *(False, True),
    ]


@pytest.mark.rule("S-ACCESS-08")
def test_the_teams_own_tool_is_every_members_and_counts_as_no_access() -> None:
    assert [granted("one", level, []).tools for level in LEVELS] == [("room",)] * 3
    assert summary(["room"]) == ()


@pytest.mark.parametrize(
    "tools",
    ["read", [1], [""], ["x" * 129], ["\ud800"], None, list(map(str, range(999)))],
)
def test_what_is_no_list_of_tools_is_refused(tools: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        MemberPlan(key="one", tools=tools)

    assert refused.value.code == "invalid_request"
    assert "tools" in str(refused.value)
