"""
Limits: how much a team may use, as a person approved it.

Law: a limit is a ceiling, and nothing here raises one (S-LIMIT-02).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from attrs import Attribute, field, fields, frozen

from rooms import values
from rooms.team.access import LEVELS, Access, lower
from rooms.team.amounts import amount, from_micros, half_of, micros_of

__all__ = ["CLAIM_POLICIES", "LARGEST_LIMIT", "TeamLimits", "lowest"]

CLAIM_POLICIES = ("warn", "block")
"""What an overlap of claims does, the milder first."""

_LONGEST = timedelta(days=365)
LARGEST_LIMIT = 2**53
"""The largest number by which a limit is recorded."""


def _count(least: int, most: int = LARGEST_LIMIT) -> Any:
    def check(_: Any, attribute: Attribute[Any], value: Any) -> None:
        values.whole_number(attribute.name, value, at_least=least, at_most=most)

    return check


def _cost(given: Any) -> Decimal:
    return amount("max_cost", given)


def _member_cost(given: Any) -> Decimal:
    return amount("max_member_cost", given)


def _time(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.duration(attribute.name, value, at_least=timedelta(seconds=1))
    if value > _LONGEST:
        values.whole_number(
            f"{attribute.name} (days)", value.days, at_least=0, at_most=365
        )


def _flag(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.flag(attribute.name, value)


def _claims(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.member(attribute.name, value, CLAIM_POLICIES)


def _access(value: Any) -> Access:
    return Access(values.member("access", value, LEVELS))


@frozen(kw_only=True)
class TeamLimits:
    """
    The ceilings of a team.

    Attributes:
        max_members: How many members there are at once.
        max_cost: What all turns together may cost, in the host's unit.
        max_time: How long it works; pauses are free (S-LIMIT-06).
        access: The highest level that a member may have.
        max_active_turns: How many turns run at once.
        max_roster_changes: How often members are added, retired or replaced.
        max_replacements: How many of those may be replacements.
        max_tokens: What all turns together may use.
        max_member_cost: What the turns of one member may cost; half of all by itself.
        max_member_tokens: What those of one member may use; half of all by itself.
        max_member_turns: How many turns one member has.
        max_retries: How often one turn is tried again.
        max_failures: How many failures in a row make a member `failed`.
        max_idle: How long nothing structural comes of it before it is stopped.
        nested: Whether members may start agents of their own.
        claims: What an overlap of claims does: `warn` or `block`.

    Raises:
        InvalidInput: `invalid_request`, naming the limit and what it may be.

    Source: S-PROPOSAL-08, S-LIMIT-01.
    """

    max_members: int = field(default=5, validator=_count(1, 1_000))
    max_cost: Decimal = field(default=Decimal(5), converter=_cost)
    max_time: timedelta = field(default=timedelta(minutes=60), validator=_time)
    access: Access = field(default=Access.EDIT_WORKSPACE, converter=_access)
    max_active_turns: int = field(default=3, validator=_count(1, 1_000))
    max_roster_changes: int = field(default=5, validator=_count(0))
    max_replacements: int = field(default=3, validator=_count(0))
    max_tokens: int = field(default=2_000_000, validator=_count(0))
    max_member_cost: Decimal = field(converter=_member_cost)
    max_member_tokens: int = field(validator=_count(0))
    max_member_turns: int = field(default=30, validator=_count(1))
    max_retries: int = field(default=2, validator=_count(0, 100))
    max_failures: int = field(default=3, validator=_count(1, 100))
    max_idle: timedelta = field(default=timedelta(minutes=5), validator=_time)
    nested: bool = field(default=False, validator=_flag)
    claims: str = field(default="warn", validator=_claims)

    @max_member_cost.default
    def _half_of_cost(self) -> Decimal:
        return half_of(self.max_cost)

    @max_member_tokens.default
    def _half_of_tokens(self) -> int:
        tokens: Any = self.max_tokens
        return tokens // 2 if isinstance(tokens, int) else 0  # which is refused next

    def recorded(self) -> dict[str, Any]:
        """The limits in JSON's own types: costs in millionths, durations in µs."""
        return {
            one.name: _written(getattr(self, one.name)) for one in fields(TeamLimits)
        }

    @classmethod
    def from_record(cls, given: Mapping[str, Any]) -> TeamLimits:
        """The limits of a record; those that this version does not know are left."""
        known = {one.name: given[one.name] for one in fields(cls) if one.name in given}
        for name in _COSTS & known.keys():
            known[name] = from_micros(known[name])
        for name in _TIMES & known.keys():
            known[name] = timedelta(microseconds=known[name])
        return cls(**known)


_COSTS = {"max_cost", "max_member_cost"}
_TIMES = {"max_time", "max_idle"}


def _written(value: Any) -> Any:
    if isinstance(value, Decimal):
        return micros_of(value)
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    return value.value if isinstance(value, Access) else value


def lowest(first: TeamLimits, second: TeamLimits) -> TeamLimits:
    """
    The lower of the two in everything; the stricter policy for claims (S-PROPOSAL-07).

    >>> lowest(TeamLimits(max_members=9), TeamLimits(claims="block")).max_members
    5
    """
    chosen: dict[str, Any] = {}
    for one in fields(TeamLimits):
        ours, theirs = getattr(first, one.name), getattr(second, one.name)
        if one.name == "access":
            chosen[one.name] = lower(ours, theirs)
        elif one.name == "claims":
            chosen[one.name] = max(ours, theirs, key=CLAIM_POLICIES.index)
        elif one.name == "nested":
            chosen[one.name] = ours and theirs
        else:
            chosen[one.name] = min(ours, theirs)
    return TeamLimits(**chosen)
