"""
The team of a scenario in TOML.

Law: `[team]` says what a `Blueprint` says, in the same words, its members by the names
of their agents.

    [team]
    approach = "Read, move, compare."
    delivery = { name = "email_send", params = { to = "ana@example.org" } }

    [team.limits]
    max_cost = 2
    max_time = "30m"

    [team.members.builder]
    access = "edit_workspace"
    tools = ["read", "edit"]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from attrs import fields

from rooms.errors import InvalidInput
from rooms.simulation.spans import span
from rooms.team import Blueprint, Destination, MemberPlan, TeamLimits

__all__ = ["known", "table", "under", "written_team"]


def table(name: str, given: Any) -> Mapping[str, Any]:
    """
    A table as it is read.

    Raises:
        InvalidInput: `invalid_request` for anything else.
    """
    if not isinstance(given, Mapping):
        raise InvalidInput(name, "is no table", allowed=f"[{name}]")
    return given


def known(where: str, given: Iterable[str], keys: Iterable[str]) -> None:
    """
    Refuses a key that a table does not have.

    Raises:
        InvalidInput: `invalid_request`, naming the table, the key and the closest one.
    """
    keys = tuple(keys)
    for key in given:
        if key not in keys:
            close = get_close_matches(key[:80], keys, n=1)
            nearest = f"; the closest is {close[0]!r}" if close else ""
            raise InvalidInput(
                where, f"has no key {key[:80]!r}{nearest}", allowed=", ".join(keys)
            )


@contextmanager
def under(where: str) -> Iterator[None]:
    """Tells what is wrong with a value by its table, too."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(
            f"{where}.{error.field}",
            error.details["problem"],
            allowed=error.details["allowed"],
            code=error.code,
        ) from error


def written_team(given: Mapping[str, Any]) -> Blueprint:
    """
    The blueprint of a table.

    Raises:
        InvalidInput: `invalid_request`, naming the key.
    """
    told = dict(given)
    _known("team", told, Blueprint)
    if "limits" in told:
        told["limits"] = _limits(table("team.limits", told["limits"]))
    if "delivery" in told:
        sent = table("team.delivery", told["delivery"])
        _known("team.delivery", sent, Destination)
        with under("team.delivery"):
            told["delivery"] = Destination(**sent)
    members = table("team.members", told.pop("members", {}))
    return Blueprint(
        members=[_member(name, one) for name, one in members.items()], **told
    )


def _member(name: str, given: Any) -> MemberPlan:
    where = f"team.members.{name}"
    told = {"agent": name, "key": name} | dict(table(where, given))
    _known(where, told, MemberPlan)
    with under(where):
        return MemberPlan(**told)


def _limits(given: Mapping[str, Any]) -> TeamLimits:
    _known("team.limits", given, TeamLimits)
    told = dict(given)
    for name in ("max_time", "max_idle"):
        if name in told:
            told[name] = span(f"team.limits.{name}", told[name])
    with under("team.limits"):
        return TeamLimits(**told)


def _known(where: str, given: Mapping[str, Any], kind: type[Any]) -> None:
    known(where, given, [one.name for one in fields(kind)])
