"""
Addressees: whom a scenario's messages name, and who of them can never be there.

Law: all agents of a run are those of its scenario, so an address that names another one
reaches nobody, whenever it is said. A label may come later, and a person need not speak
to be spoken to, if it is called `person:<name>`.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rooms.addressing import AddressKind, parse_address
from rooms.addressing.names import name_key
from rooms.errors import InvalidInput
from rooms.simulation.teams import blueprint_of, is_team

if TYPE_CHECKING:
    from rooms.simulation.scenario import Scenario

__all__ = ["check_addressees", "strangers"]

_NOBODYS = frozenset({AddressKind.ROOM, AddressKind.ALL, AddressKind.PERSON})


def check_addressees(scenario: Scenario) -> None:
    """
    Refuses a scenario in which somebody will address who can never be there.

    Raises:
        InvalidInput: `invalid_request`, naming the field, the name and the closest one;
            `bad_address` for what is no address.
    """
    for name, part in scenario.agents.items():
        _check(scenario, f"agents[{name!r}].to", part.addresses)
    for number, opening in enumerate(scenario.start):
        _check(scenario, f"start[{number}].to", opening.say.to)


def _check(scenario: Scenario, field: str, to: Iterable[str]) -> None:
    names = _names(scenario)
    for one in to:
        try:
            reached = one in names or _is_there(scenario, one)
        except InvalidInput as error:
            raise InvalidInput(
                field,
                error.details["problem"],
                allowed=error.details["allowed"],
                code=error.code,
            ) from None
        if not reached:
            meant = one.partition(":")[2] or one
            close = get_close_matches(meant.partition("/")[0], names, n=1)
            nearest = f"; the closest is {close[0]!r}" if close else ""
            raise InvalidInput(
                field,
                f"names {one!r}, who plays no part{nearest}",
                allowed=f"{', '.join(names)}; room, all, person:<name>",
            )


def _names(scenario: Scenario) -> list[str]:
    """What somebody may be called by alone: agents, members' keys, who speaks up."""
    names = dict.fromkeys(scenario.agents)
    if is_team(scenario):
        for room in scenario.seated:
            members = blueprint_of(scenario, room).members
            names |= dict.fromkeys(one.key for one in members)
    if scenario.policy.bare_word == "person":
        names |= dict.fromkeys(opening.who for opening in scenario.start)
    return list(names)


def _is_there(scenario: Scenario, one: str) -> bool:
    """Whether an address that is no name can reach somebody, now or later."""
    address = parse_address(one, bare_word="agent")
    if address.kind in _NOBODYS:
        return True
    if ":" not in one and scenario.policy.bare_word == "person":
        return False
    return address.key in map(name_key, scenario.agents)


def strangers(scenario: Scenario, to: Iterable[str]) -> tuple[str, ...]:
    """The words in `to` that a room takes for persons, and nobody else speaks of."""
    if scenario.policy.bare_word != "person":
        return ()
    names = _names(scenario)
    words = (one for one in to if ":" not in one and one not in names)
    return tuple(one for one in words if not _is_there(scenario, one))
