"""
Which rules of docs/rules/ are proven, and how: `python tests/rules.py`.

Two laws: every rule has exactly one status (tested, host, left out or open), and every
`@pytest.mark.rule(...)` names a rule that is there. What is not tested stands in
docs/rules/status.toml, for a whole area or rule by rule; a rule's own line goes before
its area's, and an open area counts only for those of its rules that no test proves.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import field, frozen

__all__ = ["Entry", "Marker", "Report", "read", "report"]

CATALOGUES = ("hall", "broker", "team", "panel", "thread")
STATUSES = ("tested", "host", "left out", "open")
# The word in status.toml, the status, and the key that says why.
KINDS = {
    "host": ("host", "hook"),
    "left-out": ("left out", "reason"),
    "open": ("open", "issue"),
}
RULE = re.compile(r"^- \*\*([A-Z]-[A-Z]+-\d+)\*\*", re.MULTILINE)


@frozen
class Marker:
    """Where a test cites a rule."""

    rule: str
    place: str


@frozen
class Entry:
    """Why some rules are not tested: the hook, the reason or the issue."""

    status: str
    why: str
    areas: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@frozen
class Report:
    """Each rule's status with its why, and what is wrong with them."""

    statuses: dict[str, tuple[str, str]]
    faults: list[str] = field(factory=list)

    def lines(self) -> Iterator[str]:
        """A line a catalogue, then the open rules by issue, then the faults."""
        catalogues = dict.fromkeys(rule[0] for rule in self.statuses)
        for catalogue in catalogues:
            counts = Counter(
                status
                for rule, (status, _) in self.statuses.items()
                if rule.startswith(catalogue)
            )
            parts = ", ".join(f"{counts[status]} {status}" for status in STATUSES)
            yield f"{catalogue} {counts.total()}: {parts}"
        waiting: dict[str, dict[str, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for rule, (status, why) in self.statuses.items():
            if status == "open":
                waiting[why][area(rule)].append(rule.rpartition("-")[2])
        for issue, areas in waiting.items():
            yield f"\nopen until: {issue}"
            for name, numbers in areas.items():
                yield f"  {name} {' '.join(numbers)}"
        for fault in self.faults:
            yield f"FAULT: {fault}"


def area(rule: str) -> str:
    """The catalogue's letter and the area: `G-ADDR` of `G-ADDR-03`."""
    return rule.rpartition("-")[0]


def report(
    rules: Iterable[str], markers: Iterable[Marker], entries: Iterable[Entry]
) -> Report:
    """Give each rule its status and say what contradicts the two laws."""
    listed, cited, said = list(rules), list(markers), list(entries)
    faults = [
        f"{rule} stands twice in the catalogues"
        for rule, count in Counter(listed).items()
        if count > 1
    ]
    known = set(listed)
    faults += [
        f"{m.place} cites {m.rule}, which is no rule"
        for m in cited
        if m.rule not in known
    ]
    tested = {marker.rule for marker in cited}
    by_rule = _statuses(said, "rules", known, faults)
    by_area = _statuses(said, "areas", {area(rule) for rule in listed}, faults)
    statuses: dict[str, tuple[str, str]] = {}
    for rule in dict.fromkeys(listed):
        own, its_area = by_rule.get(rule), by_area.get(area(rule))
        if rule in tested:
            other = own or (its_area if its_area and its_area[0] != "open" else None)
            if other:
                faults.append(f"{rule} is tested and also {other[0]}: {other[1]}")
            statuses[rule] = ("tested", "")
        elif status := own or its_area:
            statuses[rule] = status
        else:
            statuses[rule] = ("none", "")
            faults.append(
                f"{rule} has no status: no test cites it, status.toml neither"
            )
    served = {area(rule) for rule, given in statuses.items() if given[0] == "open"}
    faults += [
        f"{name} is open in status.toml, but none of its rules is"
        for name, (status, _) in by_area.items()
        if status == "open" and name not in served
    ]
    return Report(statuses, faults)


def _statuses(
    entries: list[Entry], kind: str, known: set[str], faults: list[str]
) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for entry in entries:
        for name in entry.rules if kind == "rules" else entry.areas:
            if name not in known:
                faults.append(f"status.toml names {name}, which is not there")
            elif name in found:
                faults.append(f"{name} has two statuses in status.toml")
            found[name] = (entry.status, entry.why)
    return found


def read(root: Path) -> Report:
    """The report on a project: its docs/rules/ and its tests/."""
    catalogues = [
        (root / "docs" / "rules" / f"{name}.md").read_text("utf-8")
        for name in CATALOGUES
    ]
    rules = [rule for text in catalogues for rule in RULE.findall(text)]
    faults: list[str] = []
    markers = [
        marker
        for path in sorted((root / "tests").rglob("test_*.py"))
        for marker in markers_of(
            path.read_text("utf-8"), path.relative_to(root).as_posix(), faults
        )
    ]
    status = tomllib.loads((root / "docs/rules/status.toml").read_text("utf-8"))
    found = report(rules, markers, entries_of(status))
    return Report(found.statuses, faults + found.faults)


def entries_of(status: dict[str, Any]) -> list[Entry]:
    """What status.toml says, one entry for each of its tables."""
    return [
        Entry(
            status=KINDS[kind][0],
            why=table[KINDS[kind][1]],
            areas=tuple(table.get("areas", ())),
            rules=tuple(table.get("rules", ())),
        )
        for kind, tables in status.items()
        for table in tables
    ]


def markers_of(source: str, path: str, faults: list[str]) -> list[Marker]:
    """The rules that a test file cites: on functions, on classes, in `pytestmark`."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            prefix = "Test" if isinstance(node, ast.ClassDef) else "test_"
            faults += [
                f"{path}:{node.lineno} {node.name} cites a rule, but is no test"
                for decorator in node.decorator_list
                if _is_rule_marker(decorator) and not node.name.startswith(prefix)
            ]
    markers = []
    for call in filter(_is_rule_marker, ast.walk(tree)):
        assert isinstance(call, ast.Call)
        place = f"{path}:{call.lineno}"
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                markers.append(Marker(argument.value, place))
            else:
                faults.append(f"{place} cites a rule that is not written out")
        if not call.args:
            faults.append(f"{place} cites no rule at all")
    return markers


def _is_rule_marker(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.rule")


if __name__ == "__main__":
    outcome = read(Path(__file__).resolve().parent.parent)
    print("\n".join(outcome.lines()))
    sys.exit(1 if outcome.faults else 0)
