"""
Clamping: a blueprint brought within what a person allows.

Two laws. Clamping only lowers or drops, and tells each change (S-PROPOSAL-07). And what
was clamped once is not changed again: the result lies within.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from attrs import evolve, fields, frozen

from rooms.team.access import SURFACE, lower
from rooms.team.blueprints import Blueprint, MemberPlan, WorkspaceMode
from rooms.team.limits import TeamLimits, lowest
from rooms.team.validation import Catalogue, Envelope, Names

__all__ = ["Clamp", "Clamped", "clamped", "restricted"]


@frozen
class Clamp:
    """
    One change that clamping made.

    Attributes:
        where: The field, such as `limits.max_cost` or `members.builder.model`.
        before: What stood there.
        after: What stands there now; None where it was dropped.
    """

    where: str
    before: Any
    after: Any


class Clamped(NamedTuple):
    """A blueprint within its envelope, and each change that brought it there."""

    blueprint: Blueprint
    changes: tuple[Clamp, ...]


def clamped(
    blueprint: Blueprint,
    envelope: Envelope | None = None,
    catalogue: Catalogue | None = None,
) -> Clamped:
    """
    A blueprint within an envelope: first the whole, then each member within that.

    Args:
        blueprint: What was drawn.
        envelope: What the person allows; the default limits unless given.
        catalogue: What the host has; it says in which order levels of thinking stand.

    >>> drawn = Blueprint(limits=TeamLimits(max_members=9))
    >>> clamped(drawn).changes
    (Clamp(where='limits.max_members', before=9, after=5),)
    """
    allowed, has = envelope or Envelope(), catalogue or Catalogue()
    limits = lowest(blueprint.limits, allowed.limits)
    changes = [
        Clamp(f"limits.{one.name}", before, after)
        for one in fields(TeamLimits)
        if (before := getattr(blueprint.limits, one.name))
        != (after := getattr(limits, one.name))
    ]
    mode = blueprint.workspace
    if mode is WorkspaceMode.SHARED_WORKING_TREE and not allowed.shared_tree:
        mode = WorkspaceMode.WORKTREE_PER_MEMBER  # S-WORKSPACE-03
        changes.append(Clamp("workspace", blueprint.workspace, mode))
    kept = _kept(blueprint.members, limits.max_members)
    members = []
    for place, one in enumerate(blueprint.members):
        if place not in kept:
            changes.append(Clamp(f"members.{one.key}", one.key, None))
            continue
        member = _clamp_member(one, limits, allowed, has)
        members.append(member)
        changes += _changes_of(one, member)
    within = evolve(blueprint, limits=limits, workspace=mode, members=members)
    return Clamped(within, tuple(changes))


def _kept(members: Sequence[MemberPlan], most: int) -> set[int]:
    """The places of the members that fit: from the end, all go but conductors."""
    kept = set(range(len(members)))
    for place in reversed(range(len(members))):
        if len(kept) > most and not members[place].lead:
            kept.remove(place)
    return kept


def _clamp_member(
    one: MemberPlan, limits: TeamLimits, allowed: Envelope, has: Catalogue
) -> MemberPlan:
    return evolve(
        one,
        access=lower(one.access, limits.access),
        model=_model(one.model, allowed.models),
        thinking=_thinking(one.thinking, allowed.thinking, has.thinking),
        tools=_held(one.tools, allowed.tools),
        skills=_held(one.skills, allowed.skills),
        network=one.network and allowed.network,
    )


def _model(model: str, allowed: Names) -> str:
    if not model or allowed is None or model in allowed:
        return model
    return allowed[0] if allowed else ""


def _thinking(level: str, allowed: Names, ordered: Names) -> str:
    """The highest allowed level at or below it, else the lowest allowed one."""
    if not level or allowed is None or level in allowed:
        return level
    order = ordered if ordered is not None else allowed
    ranks = {name: rank for rank, name in enumerate(order)}
    held = sorted(
        (one for one in allowed if one in ranks), key=lambda one: ranks[one]
    ) or list(allowed)
    below = [one for one in held if ranks.get(one, 0) <= ranks.get(level, -1)]
    return below[-1] if below else (held[0] if held else "")


def _held(names: tuple[str, ...], allowed: Names) -> tuple[str, ...]:
    if allowed is None:
        return names
    return tuple(one for one in names if one in allowed or one == SURFACE)


def _changes_of(before: MemberPlan, after: MemberPlan) -> Iterator[Clamp]:
    for one in fields(MemberPlan):
        was, now = getattr(before, one.name), getattr(after, one.name)
        if was != now:
            yield Clamp(f"members.{before.key}.{one.name}", was, now)


def restricted(given: str, available: Sequence[str]) -> tuple[Names, tuple[str, ...]]:
    """
    What a list for the whole machine allows, and its entries that mean nothing.

    Args:
        given: Names between commas, such as the value of an environment variable.
        available: What there is.

    Returns:
        The allowed names in the order of the list, or None where none of its entries
        is there, so that it restricts nothing; and the entries to log.

    >>> restricted("a/large, a/gone", ["a/small", "a/large"])
    (('a/large',), ('a/gone',))

    Source: S-PROPOSAL-09.
    """
    entries = dict.fromkeys(part.strip() for part in given.split(",") if part.strip())
    known = tuple(one for one in entries if one in available)
    ignored = tuple(one for one in entries if one not in available)
    return known or None, ignored
