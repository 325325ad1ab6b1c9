"""
What a replay found, as lines for people and as one JSON object.

One law: the recorded turn stands on the left and the planned one beside it, so a line
is about what its number in the file holds. No name can forge a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from rooms.cli.steps import Step
from rooms.planning import Plan
from rooms.rendering.showing import listed, shown

__all__ = ["Found", "lines", "report"]

_WIDEST_NAME = 24  # a longer one pushes its own line aside, and no other


@frozen
class Found:
    """
    A record beside its plans, and what is to be said of it.

    Attributes:
        file: The name under which the record was read.
        roster: The agents in speaking order.
        steps: As `steps` gives them.
        hints: A sentence each, on what would change the outcome.
        ignored: The names of fields that were passed over.
    """

    file: str
    roster: Sequence[str]
    steps: Sequence[Step]
    hints: Sequence[str] = ()
    ignored: Sequence[str] = ()

    @property
    def turns(self) -> list[Step]:
        """The steps that were compared."""
        return [step for step in self.steps if step.kind == "turn"]

    @property
    def diverging(self) -> list[Step]:
        """Those of them that are not the planner's."""
        return [step for step in self.turns if not step.agrees]

    @property
    def agrees(self) -> bool:
        """Whether every turn is the planner's."""
        return not self.diverging


def lines(found: Found) -> Iterator[str]:
    """The record line by line, then the verdict and the hints."""
    events = _count(len(found.steps) - 1, "event")
    roster = ", ".join(map(shown, found.roster))
    yield f"{shown(found.file, at_most=4_096)}: {events}; roster {roster}"
    recorded = [step.recorded for step in found.steps if step.recorded]
    number = max((len(str(it.line)) for it in recorded), default=1)
    widths = [len(shown(it.event.speaker)) for it in recorded]
    name = max((width for width in widths if width <= _WIDEST_NAME), default=1)
    for step in found.steps:
        yield from _step_lines(step, number, name)
    if found.ignored:
        yield f"ignored fields: {listed(found.ignored, at_most=20)}"
    turns, diverging = found.turns, found.diverging
    if diverging:
        yield f"first divergence: {_divergence(diverging[0])}"
        yield f"diverges: {len(diverging)} of {_count(len(turns), 'turn')}"
    else:
        yield f"agrees: {_count(len(turns), 'turn')}"
    yield from found.hints


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _step_lines(step: Step, number: int, name: int) -> Iterator[str]:
    plan, recorded = step.planned, step.recorded
    aside = " " * (len("line ") + number)
    waits = f"{aside}  waits for a person: {plan.reason}"
    if recorded is None:
        due = f"{aside}  next: {shown(plan.speaker or '')}, round {plan.round}"
        yield due if plan.speaker else waits
        return
    place = f"line {recorded.line:>{number}}  {shown(recorded.event.speaker):<{name}}"
    if step.kind == "turn":
        yield f"{place}  round {recorded.event.round}  {_beside(step)}"
    elif plan.speaker:
        yield f"{place}  opens an activity (before {shown(plan.speaker)}'s turn)"
    else:
        if plan.reason != "no_person":
            yield waits
        yield f"{place}  opens an activity"


def _beside(step: Step) -> str:
    """What was planned, as it stands beside the recorded turn."""
    plan, recorded = step.planned, step.recorded
    passed = "passed, " if recorded and recorded.event.passed else ""
    match step.verdict:
        case "agrees":
            return f"{passed}as planned"
        case "other_round" if step.agrees:
            return f"{passed}as planned, but for round {plan.round}"
        case "other_round":
            return f"OTHER ROUND: it was due in round {plan.round}"
    return f"DIVERGES: {_due(plan)}"


def _due(plan: Plan) -> str:
    if plan.speaker is None:
        return f"nobody was due ({plan.reason})"
    return f"{shown(plan.speaker)} was due in round {plan.round}"


def _divergence(step: Step) -> str:
    assert step.recorded is not None  # noqa: S101 - only turns diverge
    event, plan = step.recorded.event, step.planned
    who = f"line {step.recorded.line}: {shown(event.speaker)} spoke"
    if step.verdict == "other_round":
        return f"{who} in round {event.round}, it was due in round {plan.round}"
    return f"{who}, {_due(plan)}"


def report(found: Found) -> dict[str, Any]:
    """The same, fit for JSON."""
    diverging = found.diverging
    return {
        "agrees": found.agrees,
        "roster": list(found.roster),
        "turns": len(found.turns),
        "diverging": len(diverging),
        "first_divergence": _entry(diverging[0]) if diverging else None,
        "hint": "; ".join(found.hints),
        "ignored_fields": list(found.ignored),
        "steps": [_entry(step) for step in found.steps],
    }


def _entry(step: Step) -> dict[str, Any]:
    plan = step.planned
    entry: dict[str, Any] = {
        "kind": step.kind,
        "planned": {
            "speaker": plan.speaker,
            "round": plan.round,
            "reason": plan.reason,
        },
        "agrees": step.agrees,
        "verdict": step.verdict,
    }
    if step.recorded is not None:
        event = step.recorded.event
        entry["line"] = step.recorded.line
        entry["recorded"] = {
            "speaker": event.speaker,
            "round": event.round,
            "passed": event.passed,
        }
    return entry
