"""
Validation: all that is wrong with a blueprint, at once.

Two laws. Every fault is told together, so that one repair is enough (S-PROPOSAL-04).
And what a team may be is what the host has (`Catalogue`) and the person allows
(`Envelope`), never what a planner says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.team.access import SURFACE, Label, ToolRule
from rooms.team.blueprints import Blueprint, MemberPlan, WorkspaceMode, check_words
from rooms.team.limits import TeamLimits

__all__ = ["FAULTS", "Catalogue", "Envelope", "Fault", "check_blueprint", "faults"]

FAULTS: Mapping[str, str] = MappingProxyType(
    {
        "title_empty": "The title is empty.",
        "objective_empty": "The objective is empty.",
        "approach_empty": "The approach is empty.",
        "success_criteria_empty": "No criterion tells success.",
        "no_members": "There is no member.",
        "too_many_members": "There are more members than the limit.",
        "conductor_count": "There is not exactly one conductor.",
        "member_key_empty": "A member has no key.",
        "member_key_invalid": "A key is not of a-z, 0-9 and -, a letter first.",
        "duplicate_member_key": "Two members have one key.",
        "member_responsibility_empty": "A member answers for nothing.",
        "member_mandate_empty": "A member is told nothing.",
        "model_unknown": "The host has no such model.",
        "model_not_allowed": "The model is not allowed here.",
        "thinking_not_allowed": "The thinking level is not allowed here.",
        "tool_unknown": "The host has no such tool.",
        "tool_not_allowed": "The tool is not allowed here.",
        "skill_unknown": "The host has no such skill.",
        "skill_not_allowed": "The skill is not allowed here.",
        "delivery_not_allowed": "The destination is not allowed here.",
        "shared_tree_not_approved": "The person did not approve one shared tree.",
    }
)
"""What may be wrong with a blueprint, by its code (S-PROPOSAL-06)."""

_KEY = re.compile(r"[a-z][a-z0-9-]*")
_MOST = 10_000
_LONGEST_NAME = 500

Names = tuple[str, ...] | None
"""Names in their order, or None for any."""


def _names(name: str, given: Any) -> Names:
    if given is None:
        return None
    named = tuple(dict.fromkeys(values.names(name, given)))
    values.whole_number(f"{name} (how many)", len(named), at_least=0, at_most=_MOST)
    return tuple(check_words(name, one, most=_LONGEST_NAME) for one in named)


def _models(given: Any) -> Names:
    return _names("models", given)


def _thinking(given: Any) -> Names:
    return _names("thinking", given)


def _tools(given: Any) -> Names:
    return _names("tools", given)


def _skills(given: Any) -> Names:
    return _names("skills", given)


def _destinations(given: Any) -> Names:
    return _names("destinations", given)


def _rules(given: Any) -> tuple[ToolRule, ...]:
    pairs = tuple(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, tuple | list):
        kind = type(given).__name__
        raise InvalidInput("tool_rules", f"is of type {kind}", allowed="a mapping")
    rules = []
    for place, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != len(ToolRule._fields):
            raise InvalidInput(
                f"tool_rules[{place}]", "is no pair", allowed="a name and a label"
            )
        rules.append(ToolRule(values.text("tool_rules", pair[0]), _label(pair[1])))
    return tuple(rules)


def _label(given: Any) -> Label:
    return Label(values.member("tool_rules", given, Label))


@frozen(kw_only=True)
class Catalogue:
    """
    What a host has. None is anything: the host checks it itself.

    Attributes:
        models: The models, such as `provider/model`.
        thinking: The levels of thinking, the lowest first.
        tools: The tools.
        skills: The skills.
        tool_rules: What a tool of that name does, for those whose name does not say it,
            above all a plugin's: a mapping to labels, or pairs.
    """

    models: Names = field(default=None, converter=_models)
    thinking: Names = field(default=None, converter=_thinking)
    tools: Names = field(default=None, converter=_tools)
    skills: Names = field(default=None, converter=_skills)
    tool_rules: tuple[ToolRule, ...] = field(default=(), converter=_rules)


@frozen(kw_only=True)
class Envelope:
    """
    What a person allows. None is whatever the host has.

    Attributes:
        limits: The ceilings.
        models: The models, the one that others become first.
        thinking: The levels of thinking.
        tools: The tools.
        skills: The skills.
        destinations: Where results may go.
        shared_tree: Whether editing members may share one tree.
        network: Whether members may reach the network.
        chat: The chat that the team was started from, in the host's word; "" for none.
    """

    limits: TeamLimits = field(factory=TeamLimits)
    models: Names = field(default=None, converter=_models)
    thinking: Names = field(default=None, converter=_thinking)
    tools: Names = field(default=None, converter=_tools)
    skills: Names = field(default=None, converter=_skills)
    destinations: Names = field(default=None, converter=_destinations)
    shared_tree: bool = False
    network: bool = False
    chat: str = ""

    def __attrs_post_init__(self) -> None:
        limits: Any = self.limits
        if not isinstance(limits, TeamLimits):
            kind = type(limits).__name__
            raise InvalidInput("limits", f"is of type {kind}", allowed="TeamLimits")
        values.flag("shared_tree", self.shared_tree)
        values.flag("network", self.network)
        values.storable("chat", self.chat)
        values.whole_number(
            "chat (characters)", len(self.chat), at_least=0, at_most=500
        )

    def recorded(self) -> dict[str, Any]:
        """The envelope in JSON's own types."""
        written: dict[str, Any] = {
            name: None if (given := getattr(self, name)) is None else list(given)
            for name in _NAMED
        }
        flags = {"shared_tree": self.shared_tree, "network": self.network}
        return {**written, **flags, "limits": self.limits.recorded()}

    @classmethod
    def from_record(cls, given: Mapping[str, Any], *, chat: str = "") -> Envelope:
        """The envelope of a record; what this version does not know is left."""
        known = {name: given[name] for name in (*_NAMED, *_FLAGS) if name in given}
        return cls(**known, limits=TeamLimits.from_record(given["limits"]), chat=chat)


_NAMED = ("models", "thinking", "tools", "skills", "destinations")
_FLAGS = ("shared_tree", "network")


@frozen
class Fault:
    """
    One thing that is wrong with a blueprint.

    Attributes:
        code: One of `FAULTS`.
        where: The field, such as `members[2].model`.
        value: What stands there, where a name does; "" otherwise.
    """

    code: str
    where: str
    value: str = ""

    def __str__(self) -> str:
        shown = f" ({self.value[:80]!a})" if self.value else ""
        return f"{self.where}: {FAULTS[self.code]}{shown}"


def faults(
    blueprint: Blueprint,
    envelope: Envelope | None = None,
    catalogue: Catalogue | None = None,
) -> tuple[Fault, ...]:
    """
    All that is wrong with a blueprint, in its own order; nothing for a valid one.

    >>> [one.code for one in faults(Blueprint(title="Fix it", objective="It works"))]
    ['approach_empty', 'success_criteria_empty', 'no_members', 'conductor_count']

    Source: S-PROPOSAL-05, S-PROPOSAL-06.
    """
    allowed, has = envelope or Envelope(), catalogue or Catalogue()
    return tuple(_faults(blueprint, allowed, has))


def check_blueprint(
    blueprint: Blueprint,
    envelope: Envelope | None = None,
    catalogue: Catalogue | None = None,
) -> None:
    """
    Refuses a blueprint that has any fault.

    Raises:
        InvalidInput: `invalid_blueprint`; `faults` has all of them.
    """
    found = faults(blueprint, envelope, catalogue)
    if found:
        raise InvalidInput(
            "blueprint",
            "is none that can start: " + " ".join(map(str, found[:5])),
            code="invalid_blueprint",
            faults=found,
        )


def _faults(blueprint: Blueprint, allowed: Envelope, has: Catalogue) -> Iterator[Fault]:
    for name in ("title", "objective", "approach"):
        if not getattr(blueprint, name).strip():
            yield Fault(f"{name}_empty", name)
    if not any(one.strip() for one in blueprint.success_criteria):
        yield Fault("success_criteria_empty", "success_criteria")
    if not blueprint.members:
        yield Fault("no_members", "members")
    most = min(blueprint.limits.max_members, allowed.limits.max_members)
    if len(blueprint.members) > most:
        yield Fault("too_many_members", "members")
    if blueprint.conductor is None:
        yield Fault("conductor_count", "members")
    seen = set[str]()
    for place, member in enumerate(blueprint.members):
        yield from _of_member(member, f"members[{place}]", seen, allowed, has)
    destination = blueprint.delivery.name
    if destination and not _in(destination, allowed.destinations):
        yield Fault("delivery_not_allowed", "delivery.destination", destination)
    shared = blueprint.workspace is WorkspaceMode.SHARED_WORKING_TREE
    if shared and not allowed.shared_tree:
        yield Fault("shared_tree_not_approved", "workspace")


def _of_member(
    member: MemberPlan, where: str, seen: set[str], allowed: Envelope, has: Catalogue
) -> Iterator[Fault]:
    yield from _of_key(member.key, f"{where}.key", seen)
    for name in ("responsibility", "mandate"):
        if not getattr(member, name).strip():
            yield Fault(f"member_{name}_empty", f"{where}.{name}")
    if member.model:
        yield from _named(
            "model", member.model, f"{where}.model", has.models, allowed.models
        )
    levels = has.thinking if allowed.thinking is None else allowed.thinking
    if member.thinking and not _in(member.thinking, levels):
        yield Fault("thinking_not_allowed", f"{where}.thinking", member.thinking)
    for tool in (one for one in member.tools if one != SURFACE):
        yield from _named("tool", tool, f"{where}.tools", has.tools, allowed.tools)
    for skill in member.skills:
        yield from _named("skill", skill, f"{where}.skills", has.skills, allowed.skills)


def _of_key(key: str, where: str, seen: set[str]) -> Iterator[Fault]:
    if not key:
        yield Fault("member_key_empty", where)
    elif not _KEY.fullmatch(key):
        yield Fault("member_key_invalid", where, key)
    elif key in seen:
        yield Fault("duplicate_member_key", where, key)
    seen.add(key)


def _named(
    kind: str, name: str, where: str, known: Names, allowed: Names
) -> Iterator[Fault]:
    if not _in(name, known):
        yield Fault(f"{kind}_unknown", where, name)
    elif not _in(name, allowed):
        yield Fault(f"{kind}_not_allowed", where, name)


def _in(name: str, names: Names) -> bool:
    return names is None or name in names
