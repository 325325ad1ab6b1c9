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

from collections.abc import Mapping
from typing import Any

from attrs import fields

from rooms import values
from rooms.errors import InvalidInput
from rooms.simulation.spans import span
from rooms.team import Blueprint, Destination, MemberPlan, TeamLimits

__all__ = ["table", "written_team"]


def table(name: str, given: Any) -> Mapping[str, Any]:
    """
    A table as it is read.

    Raises:
        InvalidInput: `invalid_request` for anything else.
    """
    if not isinstance(given, Mapping):
        raise InvalidInput(name, "is no table", allowed=f"[{name}]")
    return given


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
        told["delivery"] = Destination(**sent)
    members = table("team.members", told.pop("members", {}))
    return Blueprint(
        members=[_member(name, one) for name, one in members.items()], **told
    )


def _member(name: str, given: Any) -> MemberPlan:
    where = f"team.members.{name}"
    told = {"agent": name, "key": name} | dict(table(where, given))
    _known(where, told, MemberPlan)
    return MemberPlan(**told)


def _limits(given: Mapping[str, Any]) -> TeamLimits:
    _known("team.limits", given, TeamLimits)
    told = dict(given)
    for name in ("max_time", "max_idle"):
        if name in told:
            told[name] = span(f"team.limits.{name}", told[name])
    return TeamLimits(**told)


def _known(where: str, given: Mapping[str, Any], kind: type[Any]) -> None:
    for key in given:
        values.member(where, key, [one.name for one in fields(kind)])
