"""Where a team stands, and what takes it from one status to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from rooms.team import (
    FINAL,
    TRANSITIONS,
    MemberStatus,
    StopReason,
    TeamStatus,
    target_of,
)
from rooms.team.statuses import OPEN_FOR_TURNS, diagram

PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/team.md"

# Written from the rule, by hand, and apart from how the table is made.
ARROWS = """
draft adjust adjusting
ready adjust adjusting
adjusting adjusted draft
draft start starting
adjusting start starting
ready start starting
starting opened ready
starting not_started draft
starting conductor_failed paused
ready turn running
pausing settled paused
paused resume running
ready finish completing
running finish completing
pausing finish completing
paused finish completing
completing delivered completed
draft cancel cancelled
adjusting cancel cancelled
starting cancel cancelled
ready cancel cancelled
running cancel cancelled
pausing cancel cancelled
paused cancel cancelled
draft fail failed
adjusting fail failed
starting fail failed
ready fail failed
running fail failed
pausing fail failed
paused fail failed
completing fail failed
"""


@pytest.mark.rule("S-STATUS-01")
def test_there_are_eleven_statuses_and_three_of_them_are_final() -> None:
    told = "draft adjusting starting ready running pausing paused completing"

    assert " ".join(TeamStatus) == f"{told} completed failed cancelled"
    assert {"completed", "failed", "cancelled"} == FINAL
    assert [one for one in TRANSITIONS if one.source in FINAL] == []


@pytest.mark.rule("S-STATUS-02")
def test_turns_start_in_two_statuses() -> None:
    assert {"ready", "running"} == OPEN_FOR_TURNS


@pytest.mark.rule("S-STATUS-03", "S-STATUS-05")
def test_every_action_leads_where_the_rule_says_and_nowhere_else() -> None:
    arrows = [line.split() for line in ARROWS.split("\n") if line]
    wanted = {(source, action): target for source, action, target in arrows}
    actions = sorted({one.action for one in TRANSITIONS} - {"pause"})

    found = {
        (source.value, action): target.value
        for source in TeamStatus
        for action in actions
        if (target := target_of(source, action)) is not None
    }

    assert found == wanted


@pytest.mark.rule("S-STATUS-03", "S-STATUS-06")
@pytest.mark.parametrize("source", TeamStatus)
def test_a_pause_waits_for_the_turns_that_run(source: TeamStatus) -> None:
    open_ = source.value in {"ready", "running"}

    assert target_of(source, "pause", in_flight=True) == ("pausing" if open_ else None)
    assert target_of(source, "pause", in_flight=False) == ("paused" if open_ else None)


@pytest.mark.rule("S-STATUS-08", "S-STATUS-09")
def test_progress_alone_clears_two_of_nine_reasons() -> None:
    assert len(StopReason) == 9
    assert [one.value for one in StopReason if one.needs_progress] == [
        "no_progress",
        "deadlock",
    ]


@pytest.mark.rule("S-STATUS-10")
def test_only_who_works_or_starts_holds_a_slot() -> None:
    told = "starting idle working waiting blocked suspended retiring retired"

    assert " ".join(MemberStatus) == f"{told} completed failed offline"
    assert [one.value for one in MemberStatus if one.holds_slot] == [
        "starting",
        "working",
    ]


def test_the_diagram_of_the_page_is_that_of_the_table() -> None:
    assert f"```text\n{diagram()}\n```\n" in PAGE.read_text("utf-8"), (
        f"the page is stale; put this into {PAGE.name}:\n{diagram()}"
    )
