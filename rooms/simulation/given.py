"""
What a scenario is given, checked and in one form.

Law: what is refused names its argument, what is wrong with it, and what may be there.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from rooms import presets, values
from rooms.errors import InvalidInput
from rooms.hearing import Mode
from rooms.policy import RoomPolicy
from rooms.simulation.spans import span
from rooms.team.amounts import amount

__all__ = [
    "after",
    "approves",
    "begins",
    "cost",
    "crash_every",
    "down_for",
    "every",
    "fails",
    "latency",
    "mode",
    "odds",
    "policy",
    "to",
    "tokens",
    "until",
]

_SECOND = timedelta(seconds=1)
_MOST_TOKENS = 10**12
_TOLD = 10**18
_LONGEST_TURN = timedelta(days=29)  # with its claim: that holds for 30 days at most
_LAST_BEGINNING = datetime(9000, 1, 1, tzinfo=UTC)  # what is to come needs years, too


def to(given: Any) -> tuple[str, ...]:
    """Names or addresses, of which one may stand alone."""
    return values.names("to", (given,) if isinstance(given, str) else given)


def after(given: Any) -> timedelta:
    """How long after the beginning."""
    return span("at", given)


def until(given: Any) -> timedelta:
    """When a run ends at the latest."""
    return span("until", given)


def begins(given: Any) -> datetime:
    """The time at which a run begins."""
    instant = values.instant("begins", given)
    if instant > _LAST_BEGINNING:
        raise InvalidInput(
            "begins", "is too late", allowed=f"at most {_LAST_BEGINNING.isoformat()}"
        )
    return instant


def down_for(given: Any) -> timedelta:
    """How long a host is away."""
    return span("down_for", given)


def latency(given: Any) -> tuple[timedelta, timedelta]:
    """A span, or the shortest and the longest."""
    shortest, longest = (span("latency", one) for one in _pair("latency", given))
    if shortest > longest:
        raise InvalidInput("latency", "falls", allowed="the shortest, then the longest")
    if longest > _LONGEST_TURN:
        raise InvalidInput("latency", f"is {longest}", allowed="at most 29 days")
    return shortest, longest


def cost(given: Any) -> tuple[Decimal, Decimal]:
    """What a turn costs: an amount, or the lowest and the highest."""
    low, high = (amount("cost", one) for one in _pair("cost", given))
    if low > high:
        raise InvalidInput("cost", "falls", allowed="the lowest, then the highest")
    return low, high


def tokens(given: Any) -> tuple[int, int]:
    """How many tokens a turn uses: a number, or the lowest and the highest."""
    low, high = (
        values.whole_number("tokens", one, at_least=0, at_most=_MOST_TOKENS)
        for one in _pair("tokens", given)
    )
    if low > high:
        raise InvalidInput("tokens", "falls", allowed="the lowest, then the highest")
    return low, high


def _pair(name: str, given: Any) -> tuple[Any, Any]:
    if not isinstance(given, list | tuple):
        given = (given, given)
    if len(given) != 2:
        raise InvalidInput(name, "is no pair", allowed="one, or the lowest and highest")
    return given[0], given[1]


def mode(given: Any) -> Mode | None:
    """How an agent subscribes, or None."""
    return None if given is None else Mode(values.member("mode", given, Mode))


def every(given: Any) -> timedelta | None:
    """How often something happens on average, or None for never."""
    return None if given is None else span("every", given, at_least=_SECOND)


def crash_every(given: Any) -> timedelta | None:
    """How long a host runs on average, or None for ever."""
    return None if given is None else span("crash_every", given, at_least=_SECOND)


def odds(name: str, given: Any) -> float:
    """How likely something is."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        kind = type(given).__name__
        raise InvalidInput(name, f"is of type {kind}", allowed="a number from 0 to 1")
    if not 0 <= given <= 1:
        told = "out of range" if abs(given) > _TOLD else given
        raise InvalidInput(name, f"is {told}", allowed="a number from 0 to 1")
    return float(given)


def fails(given: Any) -> float:
    """How likely a turn fails."""
    return odds("fails", given)


def approves(given: Any) -> float:
    """How likely a person says yes."""
    return odds("approves", given)


def policy(given: Any) -> RoomPolicy:
    """A policy, by its preset's name too; None is the defaults."""
    if given is None:
        return RoomPolicy()
    if isinstance(given, RoomPolicy):
        return given
    if not isinstance(given, str):
        problem = f"is of type {type(given).__name__}"
        raise InvalidInput(
            "policy", problem, allowed="a RoomPolicy, or a preset's name"
        )
    return presets.named(given)
