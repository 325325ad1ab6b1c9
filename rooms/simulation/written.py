"""
Scenarios as TOML files, for the command line and for failing seeds that are kept.

Law: a file says what `Scenario` says, in the same words; an unknown key is refused.

    policy = "hall"
    until = "1d"

    [options]
    max_hops = 6
    wake_window = { limit = 10, period = "5m" }

    [agents.eve]
    part = "chatty"
    to = "ben"
    latency = ["1s", "2m"]

    [agents.ben]
    part = "silent"

    [[start]]
    who = "eve"
    text = "go"
    to = "ben"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import evolve, fields

from rooms import values
from rooms.errors import InvalidInput
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy
from rooms.simulation import given
from rooms.simulation.faults import Faults
from rooms.simulation.parts import MANNER, Part, chatty, erratic, scripted, silent
from rooms.simulation.saying import Call, Say
from rooms.simulation.scenario import Opening, Scenario
from rooms.simulation.spans import span
from rooms.simulation.written_teams import known, table, under, written_team

__all__ = ["load_scenario"]

_LARGEST_FILE = 2**20


def load_scenario(path: str | os.PathLike[str]) -> Scenario:
    """
    Reads a scenario from a TOML file, as the how-to on simulating shows one.

    Raises:
        InvalidInput: `invalid_request` for what is no such file, naming the table.
    """
    given_path: Any = path
    if not isinstance(given_path, str | os.PathLike):
        kind = type(given_path).__name__
        raise InvalidInput("path", f"is of type {kind}", allowed="a path of a file")
    try:
        with Path(path).open("rb") as file:
            text = file.read(_LARGEST_FILE + 1)
        written = {} if len(text) > _LARGEST_FILE else tomllib.loads(text.decode())
    except (OSError, ValueError, RecursionError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        wrong = "cannot be read" if isinstance(error, OSError) else "is no TOML"
        raise InvalidInput(
            "path", f"{os.fspath(path)} {wrong}: {problem}", allowed="a TOML file"
        ) from error
    if len(text) > _LARGEST_FILE:
        problem = f"{os.fspath(path)} is above 1 MiB"
        raise InvalidInput("path", problem, allowed="a scenario")
    return evolve(_scenario(written), source=os.fspath(path))


_KEYS = (
    *("agents", "policy", "options", "start", "until", "rooms", "team", "approves"),
    *("faults", "begins"),
)
_PLAIN = ("until", "rooms", "approves", "begins")


def _scenario(written: dict[str, Any]) -> Scenario:
    known("scenario", written, _KEYS)
    options = {
        name: _option(f"options.{name}", value)
        for name, value in table("options", written.get("options", {})).items()
    }
    named = written.get("policy")
    policy: Any = named
    if options:
        base = given.policy(named)
        known("options", options, [one.name for one in fields(RoomPolicy)])
        with under("options"):
            policy = evolve(base, **options)
    agents = {
        name: _written_part(f"agents.{name}", dict(table(f"agents.{name}", part)))
        for name, part in table("agents", written.get("agents", {})).items()
    }
    told = table("faults", written.get("faults", {}))
    known("faults", told, [one.name for one in fields(Faults)])
    with under("faults"):
        faults = Faults(**told)
    rest = {key: written[key] for key in _PLAIN if key in written}
    if "team" in written:
        rest["team"] = written_team(table("team", written["team"]))
    start = written.get("start", [])
    if not isinstance(start, list):
        raise InvalidInput("start", "is no array of tables", allowed="[[start]]")
    return Scenario(
        agents=agents,
        policy=policy,
        start=tuple(_written_opening(n, one) for n, one in enumerate(start)),
        faults=faults,
        **rest,
    )


_PARTS: Mapping[str, Callable[..., Part]] = MappingProxyType(
    {"chatty": chatty, "silent": silent, "erratic": erratic}
)
_ARGUMENTS = {
    "chatty": ("to", "text"),
    "silent": (),
    "erratic": ("speaks", "text"),
    "scripted": ("lines",),
}


def _written_part(where: str, manner: dict[str, Any]) -> Part:
    kind = values.member(f"{where}.part", manner.pop("part", None), _ARGUMENTS)
    known(where, manner, (*_ARGUMENTS[kind], *MANNER))
    if kind != "scripted":
        with under(where):
            return _PARTS[kind](**manner)
    lines = manner.pop("lines", [])
    if not isinstance(lines, list):
        raise InvalidInput(f"{where}.lines", "is no array", allowed="an array of texts")
    said = [_line(f"{where}.lines[{n}]", one) for n, one in enumerate(lines)]
    with under(where):
        return scripted(*said, **manner)


def _line(where: str, line: Any) -> Any:
    """A turn: words, a table of a `Say` or a `Call`, or several of them."""
    if isinstance(line, list):
        return [_line(where, one) for one in line]
    if not isinstance(line, dict):
        return line
    kind, keys = (
        (Call, ("tool", "arguments"))
        if "tool" in line
        else (Say, ("text", "to", "room"))
    )
    known(where, line, keys)
    if kind is Say:
        values.text(f"{where}.text", line.get("text"))
    with under(where):
        return kind(**line)


def _written_opening(number: int, opening: Any) -> Opening:
    said = dict(table(f"start[{number}]", opening))
    known(f"start[{number}]", said, ("who", "text", "to", "room", "at"))
    for key in ("who", "text"):
        if key not in said:
            raise InvalidInput(f"start[{number}].{key}", "is missing", allowed="a text")
    who = values.text(f"start[{number}].who", said.pop("who"), empty=False)
    values.text(f"start[{number}].text", said["text"])
    with under(f"start[{number}]"):
        return Opening(who, Say(**said))


def _option(name: str, value: Any) -> Any:
    """An option as TOML writes it: a window is a table."""
    if not isinstance(value, dict):
        return value
    known(name, value, ("limit", "period"))
    return RateWindow(
        value.get("limit", 10), span(f"{name}.period", value.get("period", "5m"))
    )
