"""
`rooms replay FILE`: drive a recorded transcript again and compare turn by turn.

The record is followed as it stands, also behind a divergence: what is compared is what
the planner would have done next with what was done next.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, Literal

from attrs import frozen

from rooms import values
from rooms.cli.transcripts import Recorded, Transcript, read_transcript
from rooms.errors import InvalidInput
from rooms.planning import Plan, RoomEvent, RoundRobinRoomPlanner
from rooms.planning.events import speaks_for_a_person

__all__ = ["Step", "add_to", "steps"]


@frozen
class Step:
    """
    One recorded event, or the end of the record, beside what was planned there.

    Attributes:
        kind: `opens` for a person's event, `turn` for an agent's, `end` for the end.
        planned: What the planner answers to all that stands before.
        recorded: The event and its line; None at the end.
    """

    kind: Literal["opens", "turn", "end"]
    planned: Plan
    recorded: Recorded | None

    @property
    def agrees(self) -> bool:
        """Whether the planner would have taken the recorded turn; others always do."""
        if self.kind != "turn" or self.recorded is None:
            return True
        event = self.recorded.event
        return (event.speaker, event.round) == (
            self.planned.speaker,
            self.planned.round,
        )


def steps(
    planner: RoundRobinRoomPlanner, roster: Sequence[str], events: Sequence[Recorded]
) -> list[Step]:
    """Every event of the record beside the plan for its place, and the end."""
    members = frozenset(roster)
    activity: list[
        RoomEvent
    ] = []  # all that a plan depends on, never more than the cap
    taken: list[Step] = []
    for recorded in events:
        person = speaks_for_a_person(recorded.event, members)
        plan = planner.plan(roster, activity)
        taken.append(Step("opens" if person else "turn", plan, recorded))
        if person:
            activity = [recorded.event]
        elif len(activity) <= planner.max_messages:
            activity.append(recorded.event)
    taken.append(Step("end", planner.plan(roster, activity), None))
    return taken


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "replay",
        help="drive a recorded transcript again and name the first divergence",
        description="Reads a transcript of the panel's events (JSON or JSON Lines),"
        " prints every turn that the round-robin planner takes, with its round and"
        " reason, and compares it with the turn recorded.",
        epilog="Exit code: 0 the record is what the planner does, 1 it diverges,"
        " 2 the file cannot be used.",
    )
    command.add_argument("file", metavar="FILE", help="the transcript")
    command.add_argument(
        "--roster", metavar="A,B,C", help="the agents in speaking order"
    )
    command.add_argument("--max-rounds", type=int, metavar="N", help="3 unless said")
    command.add_argument("--max-messages", type=int, metavar="N", help="20 unless said")
    command.add_argument(
        "--strict-mentions",
        action="store_true",
        help="take '@coder.' for the name 'coder.', as the peer's planner does",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replays the file and prints what it found; 0 if all turns agree, else 1."""
    transcript = read_transcript(arguments.file)
    roster = _roster(arguments.roster, transcript)
    planner = RoundRobinRoomPlanner(
        _first(arguments.max_rounds, transcript.max_rounds, 3),
        _first(arguments.max_messages, transcript.max_messages, 20),
        strict_mentions=arguments.strict_mentions,
    )
    taken = steps(planner, roster, transcript.events)
    agrees = all(step.agrees for step in taken)
    hint = "" if agrees else _hint(planner, roster, transcript.events)
    if arguments.json:
        print(json.dumps(_report(roster, transcript, taken, hint), indent=2))
    else:
        print("\n".join(_lines(arguments.file, roster, transcript, taken, hint)))
    return 0 if agrees else 1


def _first(*given: int | None) -> int:
    return next(number for number in given if number is not None)


def _roster(named: str | None, transcript: Transcript) -> tuple[str, ...]:
    if named is not None:
        return values.names("--roster", [name.strip() for name in named.split(",")])
    if transcript.roster is None:
        raise InvalidInput(
            "roster",
            "is not known",
            allowed="--roster A,B,C, or a header with a roster in the file",
        )
    return transcript.roster


def _hint(
    planner: RoundRobinRoomPlanner, roster: Sequence[str], events: Sequence[Recorded]
) -> str:
    """What would make the record agree, where we know it."""
    strict = RoundRobinRoomPlanner(
        planner.max_rounds, planner.max_messages, strict_mentions=True
    )
    if all(step.agrees for step in steps(strict, roster, events)):
        return "with --strict-mentions every turn agrees"
    return ""


def _lines(
    path: str,
    roster: Sequence[str],
    transcript: Transcript,
    taken: Sequence[Step],
    hint: str,
) -> list[str]:
    roster_shown = ", ".join(_shown(name) for name in roster)
    file_shown = _shown(path, at_most=4_096)
    lines = [f"{file_shown}: {len(transcript.events)} events; roster {roster_shown}"]
    width = max((len(_shown(step.planned.speaker or "")) for step in taken), default=0)
    for step in taken:
        lines.extend(_step_lines(step, width))
    if transcript.ignored:
        names = ", ".join(_shown(name) for name in transcript.ignored)
        lines.append(f"ignored fields: {names}")
    turns = [step for step in taken if step.kind == "turn"]
    first = next((step for step in turns if not step.agrees), None)
    if first is None:
        lines.append(f"agrees: all {len(turns)} recorded turns are the planner's")
    else:
        off = sum(not step.agrees for step in turns)
        lines.append(f"first divergence: {_divergence(first)}")
        lines.append(f"diverges: {off} of {len(turns)} recorded turns are not planned")
    return [*lines, hint] if hint else lines


def _step_lines(step: Step, width: int) -> list[str]:
    plan, recorded = step.planned, step.recorded
    waits = f"           waits for a person: {plan.reason}"
    if recorded is None:
        due = f"           next: {_shown(plan.speaker or '')}, round {plan.round}"
        return [due if plan.speaker else waits]
    place = f"line {recorded.line:>5} "
    if step.kind == "opens":
        opens = f"{place} {_shown(recorded.event.speaker)} opens an activity"
        if plan.speaker:
            opens += f" (before {_shown(plan.speaker)}'s turn)"
            return [opens]
        return [opens] if plan.reason == "no_person" else [waits, opens]
    speaker = _shown(plan.speaker or "nobody")
    said = "passed" if recorded.event.passed else "as recorded"
    verdict = said if step.agrees else f"DIVERGES: {_divergence(step)}"
    return [f"{place} {speaker:<{width}}  round {plan.round}  {plan.reason}  {verdict}"]


def _divergence(step: Step) -> str:
    assert step.recorded is not None  # noqa: S101 - only turns diverge
    event, plan = step.recorded.event, step.planned
    recorded = f"line {step.recorded.line} has {_shown(event.speaker)}"
    planned = f"{_shown(plan.speaker)}" if plan.speaker else f"nobody ({plan.reason})"
    return f"{recorded} in round {event.round}, planned {planned} in round {plan.round}"


def _report(
    roster: Sequence[str], transcript: Transcript, taken: Sequence[Step], hint: str
) -> dict[str, Any]:
    entries = [_entry(step) for step in taken]
    turns = [step for step in taken if step.kind == "turn"]
    diverging = [step for step in turns if not step.agrees]
    return {
        "agrees": not diverging,
        "roster": list(roster),
        "turns": len(turns),
        "diverging": len(diverging),
        "first_divergence": _entry(diverging[0]) if diverging else None,
        "hint": hint,
        "ignored_fields": list(transcript.ignored),
        "steps": entries,
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


def _shown(name: str, *, at_most: int = 60) -> str:
    """A name that cannot move the cursor or forge a line, cut to `at_most` signs."""
    short = name if len(name) <= at_most else f"{name[: at_most - 1]}…"
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode()
        for sign in short
    )
