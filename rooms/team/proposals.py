"""
Proposals: what a person is shown before a team starts.

Two laws. Everything shown beside the words is computed from the validated blueprint,
and never taken from what a planner says of it (S-PROPOSAL-02). And a difference between
two proposals names each field that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from attrs import evolve, fields, frozen

from rooms.errors import InvalidInput
from rooms.team.access import Grant, Label, granted, summary
from rooms.team.blueprints import Blueprint, MemberPlan, WorkspaceMode
from rooms.team.clamping import Clamp, clamped
from rooms.team.delivery import CHAT, Destination, default_destination
from rooms.team.limits import TeamLimits
from rooms.team.validation import Catalogue, Envelope, Fault, check_blueprint, faults

__all__ = [
    "Asked",
    "Difference",
    "Planner",
    "Proposal",
    "Questions",
    "differences",
    "drawn",
    "proposed",
]


@frozen
class Asked:
    """
    What a planner is asked.

    Attributes:
        problem: The problem, word for word.
        blueprint: What there is already; None for the first one.
        instruction: How it should change; "" for the first one.
        faults: What was wrong with the planner's last answer, all at once.
    """

    problem: str
    blueprint: Blueprint | None = None
    instruction: str = ""
    faults: tuple[Fault, ...] = ()


@frozen
class Questions:
    """What a planner has to know before it can draw anything."""

    texts: tuple[str, ...]


Planner = Callable[[Asked], Blueprint | Questions]
"""The host's: it answers with a blueprint, or with questions."""


def drawn(
    planner: Planner | Blueprint,
    asked: Asked,
    *,
    envelope: Envelope | None = None,
    catalogue: Catalogue | None = None,
) -> Blueprint | Questions:
    """
    A valid blueprint of a planner, or its questions; one that is wrong may be repaired
    once, with all its faults told together.

    A blueprint that is handed in instead of a planner is checked, and never repaired.

    Raises:
        InvalidInput: `invalid_blueprint` with `faults`; `invalid_request` for an answer
            that is neither.

    Source: S-PROPOSAL-04, S-PROPOSAL-07.
    """
    if not callable(planner):
        return _whole(planner, envelope, catalogue)
    answer = planner(asked)
    wrong = _wrong(answer, envelope, catalogue)
    if wrong:
        answer = planner(evolve(asked, faults=wrong))
    return _whole(answer, envelope, catalogue)


def _wrong(
    answer: Blueprint | Questions,
    envelope: Envelope | None,
    catalogue: Catalogue | None,
) -> tuple[Fault, ...]:
    if not isinstance(answer, Blueprint):
        return ()
    within = clamped(answer, envelope, catalogue).blueprint
    return faults(within, envelope, catalogue)


def _whole(
    answer: Any,
    envelope: Envelope | None,
    catalogue: Catalogue | None,
) -> Blueprint | Questions:
    if isinstance(answer, Blueprint):
        within = clamped(answer, envelope, catalogue).blueprint
        check_blueprint(within, envelope, catalogue)
        return answer
    if not isinstance(answer, Questions):
        kind = type(answer).__name__
        raise InvalidInput("plan", f"is of type {kind}", allowed="a Blueprint")
    return answer


@frozen
class Proposal:
    """
    A proposal, as a person approves it.

    Attributes:
        blueprint: What was drawn, within the envelope.
        delivery: Where the result goes, by name.
        grants: What each member may use.
        access: By member, what its tools do, in labels for people.
        clamps: What was lowered or dropped to get there.
        warnings: What to look at: `shared_tree`, `can_push`, `reaches_network`,
            `external_delivery`, `tools_denied`, `single_slot`.
        revision: Which version of the team's draft it is; "" for none that is stored.
    """

    blueprint: Blueprint
    delivery: Destination
    grants: tuple[Grant, ...]
    access: tuple[tuple[str, tuple[Label | str, ...]], ...]
    clamps: tuple[Clamp, ...] = ()
    warnings: tuple[str, ...] = ()
    revision: str = ""

    @property
    def members(self) -> int:
        """How many members it has."""
        return len(self.blueprint.members)

    @property
    def max_cost(self) -> Decimal:
        """What it may cost at most."""
        return self.blueprint.limits.max_cost

    @property
    def max_time(self) -> timedelta:
        """How long it may work at most."""
        return self.blueprint.limits.max_time

    def grant(self, key: str) -> Grant | None:
        """What the member of a key may use."""
        return next((one for one in self.grants if one.key == key), None)


def proposed(
    blueprint: Blueprint,
    envelope: Envelope | None = None,
    catalogue: Catalogue | None = None,
    *,
    revision: str = "",
) -> Proposal:
    """
    What a person is shown of a blueprint: it within the envelope, and what that means.

    Raises:
        InvalidInput: `invalid_blueprint`, with `faults`, for one that is wrong even
            within the envelope.
    """
    allowed, has = envelope or Envelope(), catalogue or Catalogue()
    within, clamps = clamped(blueprint, allowed, has)
    check_blueprint(within, allowed, has)
    grants = tuple(
        granted(
            one.key, one.access, one.tools, network=one.network, rules=has.tool_rules
        )
        for one in within.members
    )
    labels = tuple(
        (one.key, summary(one.tools, has.tool_rules)) for one in within.members
    )
    delivery = _delivery(within, allowed)
    return Proposal(
        within,
        delivery,
        grants,
        labels,
        clamps,
        tuple(_warnings(within, delivery, grants, labels)),
        revision,
    )


def _delivery(blueprint: Blueprint, allowed: Envelope) -> Destination:
    named = blueprint.delivery
    if named.name:
        return named
    highest = max(
        (one.access for one in blueprint.members), key=_level, default="read_only"
    )
    chosen = default_destination(highest, chat=bool(allowed.chat))
    return Destination(chosen, named.params)


def _level(access: str) -> int:
    return ("read_only", "edit_workspace", "edit_and_push").index(access)


def _warnings(
    blueprint: Blueprint,
    delivery: Destination,
    grants: tuple[Grant, ...],
    labels: tuple[tuple[str, tuple[Label | str, ...]], ...],
) -> Iterator[str]:
    if blueprint.workspace is WorkspaceMode.SHARED_WORKING_TREE:
        yield "shared_tree"
    pushing = {one.key for one in grants if one.access == "edit_and_push"}
    if any(key in pushing and Label.PUSH in shown for key, shown in labels):
        yield "can_push"
    if any(one.network for one in grants):
        yield "reaches_network"
    if delivery.external:
        yield "external_delivery"
    if any(one.denied for one in grants):
        yield "tools_denied"
    if blueprint.limits.max_active_turns == 1 and len(blueprint.members) > 1:
        yield "single_slot"


class Difference(NamedTuple):
    """One field that is another: `where`, what stood there, and what stands there."""

    where: str
    before: object
    after: object


def differences(before: Blueprint, after: Blueprint) -> tuple[Difference, ...]:
    """
    What one blueprint changes of another, field by field, members by their keys.

    >>> differences(Blueprint(title="a"), Blueprint(title="b"))
    (Difference(where='title', before='a', after='b'),)
    """
    return tuple(_differences(before, after))


def _differences(before: Blueprint, after: Blueprint) -> Iterator[Difference]:
    for one in fields(Blueprint):
        was, now = getattr(before, one.name), getattr(after, one.name)
        if one.name == "limits":
            for limit in fields(TeamLimits):
                yield from _differing(f"limits.{limit.name}", limit.name, was, now)
        elif one.name != "members" and was != now:
            yield Difference(one.name, was, now)
    keys = dict.fromkeys(one.key for one in (*before.members, *after.members))
    for key in keys:
        old, new = before.member(key), after.member(key)
        if old is None or new is None:
            yield Difference(f"members.{key}", old, new)
            continue
        for part in fields(MemberPlan):
            yield from _differing(f"members.{key}.{part.name}", part.name, old, new)


def _differing(where: str, name: str, was: object, now: object) -> Iterator[Difference]:
    if getattr(was, name) != getattr(now, name):
        yield Difference(where, getattr(was, name), getattr(now, name))


def lacks_chat(proposal: Proposal, envelope: Envelope) -> bool:
    """Whether the result goes to a chat that there is none of (S-PROPOSAL-11)."""
    return proposal.delivery.name == CHAT and not envelope.chat
