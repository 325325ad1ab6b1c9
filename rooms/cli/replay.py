"""
`rooms replay FILE`: drive a recorded transcript again and compare turn by turn.

Two laws: "agrees" is said only where at least one turn was compared; and what would
make a record agree, where we know it, is told and never assumed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, Protocol

from attrs import evolve

from rooms import values
from rooms.cli import progress
from rooms.cli.replay_report import Found, lines, report
from rooms.cli.steps import Step, steps
from rooms.cli.transcripts import STANDARD_INPUT, read_transcript
from rooms.errors import InvalidInput
from rooms.planning import RoundRobinRoomPlanner
from rooms.rendering.showing import listed, shown
from rooms.transcripts import Transcript

__all__ = ["add_to", "run"]

_OF_FORM = {"operator": "thread", "lead": "thread", "day_first": "chat"}
_ROUNDS_ALONE = (
    "with --ignore-rounds every turn agrees: every divergence is in the round alone, as"
    " PraisonAI's Room stamps another planner's turns"
)


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "replay",
        help="drive a recorded transcript again and name the first divergence",
        description="Reads a transcript of a room's events (JSON or JSON Lines), or"
        " of another form, plans every turn with the round-robin planner, and compares"
        " it with the turn recorded.",
        epilog="Exit code: 0 every recorded turn is the planner's, 1 one is not,"
        " 2 the file cannot be used or there was nothing to compare.",
    )
    command.add_argument("file", metavar="FILE", help="the transcript; - reads stdin")
    command.add_argument(
        "--form", default="events", metavar="NAME", help="events, thread or chat"
    )
    command.add_argument(
        "--roster", metavar="A,B,C", help="the agents in speaking order"
    )
    command.add_argument("--max-rounds", type=int, metavar="N", help="3 unless said")
    command.add_argument("--max-messages", type=int, metavar="N", help="20 unless said")
    command.add_argument(
        "--strict-mentions",
        action="store_true",
        help="take '@coder.' for the name 'coder.', as PraisonAI's planner does",
    )
    command.add_argument(
        "--ignore-rounds",
        action="store_true",
        help="compare the speakers alone, for a record of PraisonAI's Room with"
        " another planner than its own",
    )
    command.add_argument(
        "--operator", metavar="NAME", help="of a thread: what the person is called"
    )
    command.add_argument(
        "--lead", metavar="NAME", help="of a thread: what its own agent is called"
    )
    days = command.add_mutually_exclusive_group()
    days.add_argument(
        "--day-first",
        action="store_true",
        default=None,
        help="of a chat: 05/01/2026 is in January",
    )
    days.add_argument(
        "--month-first",
        dest="day_first",
        action="store_false",
        default=None,
        help="of a chat: it is in May",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    progress.add_option(command)
    command.set_defaults(run=run)


class _Driven(Protocol):
    """Drives the record again with a planner."""

    def __call__(
        self, planner: RoundRobinRoomPlanner, *, ignoring: bool
    ) -> list[Step]: ...


def run(arguments: argparse.Namespace) -> int:
    """Replays the file and prints what it found; 0 if all turns agree, else 1."""
    transcript = _transcript(arguments)
    roster = _roster(arguments.roster, transcript)
    planner = RoundRobinRoomPlanner(
        _first(arguments.max_rounds, transcript.max_rounds, 3),
        _first(arguments.max_messages, transcript.max_messages, 20),
        strict_mentions=arguments.strict_mentions or bool(transcript.strict_mentions),
    )
    with progress.watched(arguments) as work:

        def driven(planner: RoundRobinRoomPlanner, *, ignoring: bool) -> list[Step]:
            work.expect(lambda: len(transcript.events))
            events = work.passing(transcript.events)
            return steps(
                planner,
                roster,
                events,
                ignore_rounds=ignoring,
                has_rounds=arguments.form == "events",
            )

        taken = driven(planner, ignoring=arguments.ignore_rounds)
        _check_compared(roster, taken)
        hints = [
            *_in_other_case(roster, taken),
            *_unlisted(roster, taken),
            *_what_would_agree(planner, taken, driven),
        ]
    found = Found(_name(arguments.file), roster, taken, hints, transcript.ignored)
    if arguments.json:
        print(json.dumps(report(found), indent=2))
    else:
        print("\n".join(lines(found)))
    return 0 if found.agrees else 1


def _transcript(arguments: argparse.Namespace) -> Transcript:
    """What the file holds, but for those who failed: they took no turn (P-RUN-06)."""
    how = {}
    for option, form in _OF_FORM.items():
        given = getattr(arguments, option)
        if given is None:
            continue
        if arguments.form != form:
            problem = f"is for another form than {shown(arguments.form)}"
            days = "--day-first" if given else "--month-first"
            said = days if option == "day_first" else f"--{option}"
            raise InvalidInput(said, problem, allowed=f"--form {form}")
        how[option] = given
    found = read_transcript(arguments.file, arguments.form, **how)
    return evolve(found, events=tuple(one for one in found.events if not one.failed))


def _name(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path


def _first(*given: int | None) -> int:
    return next(number for number in given if number is not None)


def _roster(named: str | None, transcript: Transcript) -> tuple[str, ...]:
    if named is not None:
        return values.names("--roster", [name.strip() for name in named.split(",")])
    if transcript.roster is None:
        speakers = dict.fromkeys(one.event.speaker for one in transcript.events)
        raise InvalidInput(
            "roster",
            "is not known",
            allowed="--roster A,B,C, or a header with a roster in the file; speakers"
            f" there: {listed(speakers)}",
        )
    return transcript.roster


def _check_compared(roster: Sequence[str], taken: Sequence[Step]) -> None:
    if any(step.kind == "turn" for step in taken):
        return
    speakers = _people(taken)
    also = "".join(f"; {hint}" for hint in _in_other_case(roster, taken))
    raise InvalidInput(
        "roster",
        f"({listed(roster) or 'empty'}) has nobody whose turn is in the file, so"
        f" nothing was compared; speakers there: {listed(speakers)}{also}",
    )


def _people(taken: Sequence[Step]) -> list[str]:
    """Who opens an activity, each once."""
    opened = (step.recorded for step in taken if step.kind == "opens")
    return list(dict.fromkeys(it.event.speaker for it in opened if it is not None))


def _in_other_case(roster: Sequence[str], taken: Sequence[Step]) -> list[str]:
    """Who counts as a person, and is on the roster but for the case of the name."""
    by_key = {name.casefold(): name for name in roster}
    return [
        f"{shown(name)} counts as a person: the roster has {shown(by_key[key])}"
        for name in _people(taken)
        if name not in roster and (key := name.casefold()) in by_key
    ]


def _unlisted(roster: Sequence[str], taken: Sequence[Step]) -> list[str]:
    """Who takes turns and is not on the roster, so that each of them diverges."""
    turns = (step.recorded for step in taken if step.kind == "turn")
    speakers = dict.fromkeys(it.event.speaker for it in turns if it is not None)
    return [
        f"{shown(name)} is no person and not on the roster"
        for name in speakers
        if name not in roster
    ]


def _what_would_agree(
    planner: RoundRobinRoomPlanner, taken: Sequence[Step], driven: _Driven
) -> list[str]:
    """The options with which a record that diverges would agree, if there are any."""
    off = [step for step in taken if not step.agrees]
    if not off:
        return []
    if all(step.verdict == "other_round" for step in off):
        return [_ROUNDS_ALONE]
    if planner.strict_mentions:
        return []
    strict = evolve(planner, strict_mentions=True)
    for ignoring in (taken[0].ignore_rounds, True):
        again = driven(strict, ignoring=ignoring)
        if all(step.agrees for step in again):
            needs_rounds = ignoring and not taken[0].ignore_rounds
            options = "--strict-mentions" + " --ignore-rounds" * needs_rounds
            return [f"with {options} every turn agrees"]
    return []
