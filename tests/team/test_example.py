"""The example of a team runs on a real repository, and says what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.rule("S-CLAIM-05", "S-QUESTION-01", "S-LIMIT-02", "S-WORKSPACE-07")
def test_three_members_in_worktrees_bring_one_result() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "team.py")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [
        "ana: approves 3 members",
        "host: a worktree for builder",
        "host: a worktree for writer",
        "lead: two pieces of work; a higher limit is awaiting_approval",
        "builder: claims orders*, asks for a name, and waits",
        "writer: claims orders.md; builder is at it, too",
        "writer: answers 'What is the column called?'",
        "builder: goes on, told 'placed_at'",
        "team: paused (limit_reached)",
        "ana: raises max_cost to 4.00",
        "host: saved the work of builder",
        "host: saved the work of writer",
        "lead: builder changed orders.py",
        "lead: writer changed orders.md",
        "lead: changed by several: nothing",
        "host: delivers 'Orders say when they were placed.' after a cost of 2.20",
        "team: completed after 5 turns",
    ]
    assert done.stderr == ""
