"""
`rooms simulate SCENARIO`: play a scenario, from one seed or from many.

Law: a seed that fails is told with the one command that repeats it.
"""

from __future__ import annotations

import argparse
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.cli import progress
from rooms.errors import InvalidInput
from rooms.rendering.showing import shown

if TYPE_CHECKING:
    from rooms.simulation import Run, Scenario

__all__ = ["add_to"]

_SHOWN = ("messages", "wakes", "turns", "holds")


def add_to(commands: Any) -> None:
    """Declares the command and its arguments."""
    command = commands.add_parser(
        "simulate",
        help="play a scenario on a virtual clock",
        description="Reads a scenario (TOML) and plays it: scripted and random agents,"
        " hosts that crash, storages that fail. One seed gives one log.",
        epilog="Exit code: 0 every run kept what the library promises, 1 one did not,"
        " with the command that repeats it, 2 the scenario cannot be used.",
    )
    command.add_argument("scenario", metavar="SCENARIO", help="the TOML file")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="0 unless said"
    )
    command.add_argument(
        "--seeds", type=int, metavar="N", help="play N seeds, the given one first"
    )
    command.add_argument(
        "--database", metavar="DB", help="keep the lobby in a new file"
    )
    command.add_argument(
        "--records",
        metavar="KIND",
        help="print rows: messages, wakes, turns, holds, digests, charges, seats, team,"
        " usage, refusals or notes",
    )
    command.add_argument("--json", action="store_true", help="a JSON object a line")
    progress.add_option(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plays the seeds; 1 if one of them failed, else 0."""
    from rooms.simulation import SimulationFailed, load_scenario  # noqa: PLC0415
    from rooms.simulation.run import RECORDS  # noqa: PLC0415 - a lobby, when played

    scenario = load_scenario(arguments.scenario)
    if arguments.records is not None:
        values.member("--records", arguments.records, RECORDS)
    several = arguments.seeds
    if several is not None:
        values.whole_number("--seeds", several, at_least=1)
        if arguments.database is not None:
            raise InvalidInput("--database", "holds one run", allowed="one seed")
    failed = 0
    for seed in range(arguments.seed, arguments.seed + (several or 1)):
        try:
            played = _played(scenario, seed, arguments)
        except SimulationFailed as error:
            failed += 1
            _tell_failure(error, as_json=arguments.json)
        else:
            _tell(played, arguments)
    return 1 if failed else 0


def _played(scenario: Scenario, seed: int, arguments: argparse.Namespace) -> Run:
    """One run, watched."""
    with progress.watched(arguments, f"seed {seed}") as work:

        def show(passed: timedelta) -> None:
            work.show(passed / scenario.until if scenario.until else 1)

        return scenario.run(seed, path=arguments.database, progress=show)


def _tell(played: Run, arguments: argparse.Namespace) -> None:
    from rooms.simulation.report import reported, teams_told  # noqa: PLC0415

    if arguments.records is not None:
        of_seed = {} if arguments.seeds is None else {"seed": played.seed}
        for found in played.records(arguments.records):
            row = of_seed | found
            if arguments.json:
                print(json.dumps(row, default=_written))
            else:
                said = [f"{key}={_cell(value)}" for key, value in row.items()]
                print(shown(" ".join(said), at_most=2_000))
        return
    counted = {kind: len(played.records(kind)) for kind in _SHOWN}
    if arguments.json:
        told = {"seed": played.seed, "reason": played.reason, "ended": played.ended}
        told |= counted | {"trace_hash": played.trace_hash}
        told |= {"teams": teams_told(played), "refusals": played.records("refusals")}
        print(json.dumps(told, default=_written))
    else:
        first, *more = reported(played)
        print(f"{first} trace {played.trace_hash}")
        for line in more:
            print(line)


def _tell_failure(error: Any, *, as_json: bool) -> None:
    if as_json:
        told = {"seed": error.seed, "problem": error.problem, "command": error.command}
        print(json.dumps(told | {"at": error.at}, default=_written))
    else:
        print(f"seed {error.seed}: {shown(error.problem, at_most=2_000)}")
        print(f"  repeat it: {error.command}")


def _cell(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _written(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    from rooms.simulation.spans import as_span  # noqa: PLC0415 - for a command alone

    return as_span(value) if isinstance(value, timedelta) else str(value)
