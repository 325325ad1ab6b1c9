"""The report on the rules, and the checker that makes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import rules
from rules import Entry, Marker

ROOT = Path(__file__).resolve().parent.parent
OPEN = Entry("open", "Another issue", areas=("G-ADDR",))


def faults_of(source: str) -> list[str]:
    faults: list[str] = []
    rules.markers_of(source, "tests/test_x.py", faults)
    return faults


def cited_in(source: str) -> list[str]:
    faults: list[str] = []
    cited = [m.rule for m in rules.markers_of(source, "tests/test_x.py", faults)]

    assert faults == []

    return cited


def test_every_rule_of_the_project_has_exactly_one_status() -> None:
    assert rules.read(ROOT).faults == []


def test_the_report_is_printed_by_one_command() -> None:
    done = subprocess.run(
        [sys.executable, "tests/rules.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("G 182: ")
    assert [line[0] for line in done.stdout.splitlines()[:5]] == list("GLSPR")


def test_a_tested_rule_and_an_open_one_are_counted_apart() -> None:
    found = rules.report(
        ["G-ADDR-01", "G-ADDR-02"], [Marker("G-ADDR-01", "tests/test_x.py:1")], [OPEN]
    )

    assert found.faults == []
    assert list(found.lines()) == [
        "G 2: 1 tested, 0 host, 0 left out, 1 open",
        "\nopen until: Another issue",
        "  G-ADDR 02",
    ]


def test_a_rule_without_a_status_is_a_fault() -> None:
    found = rules.report(["G-ADDR-01"], [], [])

    assert found.faults == [
        "G-ADDR-01 has no status: no test cites it, status.toml neither"
    ]


def test_a_marker_that_names_no_rule_is_a_fault() -> None:
    found = rules.report(
        ["G-ADDR-01"], [Marker("G-ADDR-10", "tests/test_x.py:7")], [OPEN]
    )

    assert found.faults == ["tests/test_x.py:7 cites G-ADDR-10, which is no rule"]


def test_a_rule_that_is_tested_and_left_out_is_a_fault() -> None:
    left_out = Entry("left out", "one vendor's", rules=("G-ADDR-01",))
    found = rules.report(["G-ADDR-01"], [Marker("G-ADDR-01", "here")], [left_out])

    assert found.faults == ["G-ADDR-01 is tested and also left out: one vendor's"]


def test_a_tested_rule_of_an_area_that_is_left_out_is_a_fault() -> None:
    left_out = Entry("left out", "one vendor's", areas=("G-ADDR",))
    found = rules.report(["G-ADDR-01"], [Marker("G-ADDR-01", "here")], [left_out])

    assert found.faults == ["G-ADDR-01 is tested and also left out: one vendor's"]


def test_two_entries_for_one_rule_are_a_fault() -> None:
    entries = [
        Entry("host", "rooms_may", rules=("G-ADDR-01",)),
        Entry("left out", "one vendor's", rules=("G-ADDR-01",)),
    ]

    assert rules.report(["G-ADDR-01"], [], entries).faults == [
        "G-ADDR-01 has two statuses in status.toml"
    ]


def test_a_rules_own_entry_goes_before_its_areas() -> None:
    host = Entry("host", "rooms_may", rules=("G-ADDR-01",))
    found = rules.report(["G-ADDR-01", "G-ADDR-02"], [], [OPEN, host])

    assert found.faults == []
    assert found.statuses["G-ADDR-01"] == ("host", "rooms_may")


def test_an_open_area_of_which_nothing_is_open_any_more_is_a_fault() -> None:
    found = rules.report(["G-ADDR-01"], [Marker("G-ADDR-01", "here")], [OPEN])

    assert found.faults == ["G-ADDR is open in status.toml, but none of its rules is"]


def test_an_entry_for_a_rule_that_is_not_there_is_a_fault() -> None:
    host = Entry("host", "rooms_may", rules=("G-ADDR-99",))
    found = rules.report(["G-ADDR-01"], [Marker("G-ADDR-01", "here")], [host])

    assert found.faults == ["status.toml names G-ADDR-99, which is not there"]


def test_a_rule_that_stands_twice_is_a_fault() -> None:
    found = rules.report(["G-ADDR-01", "G-ADDR-01"], [], [OPEN])

    assert found.faults == ["G-ADDR-01 stands twice in the catalogues"]


def test_markers_are_found_on_functions_classes_modules_and_parameters() -> None:
    source = """
import pytest

pytestmark = [pytest.mark.rule("G-ROOM-01"), pytest.mark.slow]

@pytest.mark.rule("G-ADDR-01", "G-ADDR-02")
def test_one(): ...

@pytest.mark.rule("G-ADDR-03")
class TestTwo:
    @pytest.mark.parametrize(
        "x", [pytest.param(1, marks=pytest.mark.rule("G-ADDR-04"))]
    )
    async def test_three(self, x): ...
"""

    assert sorted(cited_in(source)) == [
        "G-ADDR-01",
        "G-ADDR-02",
        "G-ADDR-03",
        "G-ADDR-04",
        "G-ROOM-01",
    ]


def test_a_marker_on_what_is_no_test_is_a_fault() -> None:
    source = "@pytest.mark.rule('G-ADDR-01')\ndef one(): ..."

    assert faults_of(source) == [
        "tests/test_x.py:2 one cites a rule, but is no test",
    ]


def test_a_marker_must_write_its_rules_out() -> None:
    source = "@pytest.mark.rule(*RULES)\ndef test_one(): ..."

    assert faults_of(source) == [
        "tests/test_x.py:1 cites a rule that is not written out"
    ]
    assert faults_of("@pytest.mark.rule()\ndef test_one(): ...") == [
        "tests/test_x.py:1 cites no rule at all"
    ]


def test_a_rule_is_read_only_where_a_line_of_the_catalogue_begins_with_it() -> None:
    text = "- **G-ADDR-01** one\n see **G-ADDR-02**\n- **P-RUN-10** ten\n"

    assert rules.RULE.findall(text) == ["G-ADDR-01", "P-RUN-10"]
