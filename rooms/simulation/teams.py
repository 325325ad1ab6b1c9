"""
The teams of a scenario: who is in them, and what the person allows.

Two laws. In a room of a team every agent that is seated is a member, as `team` says or
as it is by itself, and the first one leads unless another one does. And the first words
of a person in such a room are the problem: it has the team prepared, approves it, and
starts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import evolve

from rooms.errors import InvalidInput
from rooms.log.rooms import check_room_name
from rooms.team import Blueprint, Envelope, MemberPlan, TeamLimits, faults
from rooms.team.delivery import CHAT

if TYPE_CHECKING:
    from rooms.simulation.scenario import Opening, Scenario

__all__ = ["blueprint_of", "check_teams", "envelope_of", "is_team", "opened_by"]

_NO_KEY = re.compile(r"[^a-z0-9-]")


def is_team(scenario: Scenario) -> bool:
    """Whether the rooms of a scenario are those of teams."""
    return scenario.policy.lifecycle == "managed"


def check_teams(scenario: Scenario) -> None:
    """
    Refuses a scenario whose teams cannot be started.

    Raises:
        InvalidInput: `invalid_request` naming the field; `invalid_blueprint` with all
            the faults.
    """
    plan: Any = scenario.team
    if plan is not None and not isinstance(plan, Blueprint):
        kind = type(plan).__name__
        raise InvalidInput("team", f"is of type {kind}", allowed="a Blueprint")
    if not is_team(scenario):
        if plan is not None:
            raise InvalidInput(
                "team", "is given, and no room is a team's", allowed="policy='team'"
            )
        return
    for place, planned in enumerate([] if plan is None else plan.members):
        if all(planned.agent not in seated for seated in scenario.seated.values()):
            raise InvalidInput(
                f"team.members[{place}].agent",
                f"is {planned.agent!r}, who plays no part",
                allowed=", ".join(scenario.agents),
            )
    for room in scenario.seated:
        _check_title(room, "team.title" if scenario.rooms is None else "rooms")
        blueprint = blueprint_of(scenario, room)
        found = faults(blueprint, envelope_of(blueprint))
        if found:
            told = " ".join(map(str, found[:5]))
            raise InvalidInput(
                "team",
                f"cannot start in {room!r}: {told}",
                code="invalid_blueprint",
                faults=found,
            )
        _check_opening(scenario, room, blueprint)


def _check_title(room: str, field: str) -> None:
    """A team's room is called by its title, so far as that can be a room's name."""
    if " ".join(check_room_name(room, field=field).split()) != room:
        problem = f"is {room!r}, with blanks that no team's room keeps"
        raise InvalidInput(field, problem, allowed="single blanks between words")


def _check_opening(scenario: Scenario, room: str, blueprint: Blueprint) -> None:
    opening = opened_by(scenario, room)
    if opening is None:
        raise InvalidInput(
            "start",
            f"has no person's words in {room!r}",
            allowed="a person who says the problem: it starts the team",
        )
    lead = blueprint.conductor
    for named in opening.say.to:
        if lead is not None and named not in {lead.agent, lead.key}:
            raise InvalidInput(
                f"start[{scenario.start.index(opening)}].to",
                f"is {named!r}, who does not lead",
                allowed=f"{lead.agent}, who is told the problem, or nobody",
            )


def opened_by(scenario: Scenario, room: str) -> Opening | None:
    """What starts the team of a room: the earliest that a person says in it."""
    first = next(iter(scenario.seated))
    said = [
        one
        for one in scenario.start
        if one.who not in scenario.agents and (one.say.room or first) == room
    ]
    return min(said, key=lambda one: one.say.at, default=None)


def blueprint_of(scenario: Scenario, room: str) -> Blueprint:
    """The team of a room as it is to be, with all that a draft needs."""
    seated, given = scenario.seated[room], scenario.team
    plan = given or Blueprint(limits=TeamLimits(max_members=max(5, len(seated))))
    members = [one for agent in seated for one in _members(plan, agent)]
    if members and not any(one.lead for one in members):
        members[0] = evolve(members[0], lead=True)
    return evolve(
        plan,
        title=room,
        objective=plan.objective or "What the problem asks for.",
        approach=plan.approach or "As each plays its part.",
        success_criteria=plan.success_criteria or ("The conductor says so.",),
        members=members,
    )


def _members(plan: Blueprint, agent: str) -> Iterator[MemberPlan]:
    """As which members an agent works: those that are planned, or one of its own."""
    planned = [one for one in plan.members if one.agent == agent]
    for one in planned or [MemberPlan(key=_key(agent), agent=agent)]:
        yield evolve(
            one,
            responsibility=one.responsibility or "its part",
            mandate=one.mandate or "Play your part.",
        )


def _key(agent: str) -> str:
    """What a team calls an agent of which nothing else was said."""
    return _NO_KEY.sub("-", agent.lower())


def envelope_of(blueprint: Blueprint) -> Envelope:
    """What the person allows: all that the blueprint asks for."""
    chat = "the chat" if blueprint.delivery.name == CHAT else ""
    return Envelope(limits=blueprint.limits, shared_tree=True, network=True, chat=chat)
