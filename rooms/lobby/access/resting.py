"""
Resting, as the shell does it: a lead rests agents, and what is due lets them go on.

Two laws. It is all of the agents that are named or none, in one commit with every seat
that it holds or lets go (L-REST-01). And an agent whose rest is over goes on in the
same way whoever comes to say so, however late (L-REST-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from rooms import values
from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.access.describing import held_in_rooms
from rooms.lobby.access.managing import entry_named, several
from rooms.lobby.handles import Agent, actor_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log import resting as rules
from rooms.log.actors import SYSTEM, Actor
from rooms.log.directory import AgentEntry
from rooms.log.events import Event
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Rested", "end_rests", "rest", "resume"]


@frozen
class Rested:
    """
    How an agent was left.

    Attributes:
        agent: The agent.
        paused: Whether nothing is delivered to it.
        until: When it goes on by itself, UTC; None where somebody has to say so.
    """

    agent: Agent
    paused: bool
    until: datetime | None = None


def rest(
    desk: Desk, agents: Any, *, by: Any, until: Any, now: datetime | None
) -> tuple[Rested, ...]:
    """As `Lobby.rest`, which documents it."""
    end = 0 if until is None else values.micros("until", until)
    return _set(desk, agents, by=by, resting=True, until=end, now=now)


def resume(
    desk: Desk, agents: Any, *, by: Any, now: datetime | None
) -> tuple[Rested, ...]:
    """As `Lobby.resume`, which documents it."""
    return _set(desk, agents, by=by, resting=False, until=0, now=now)


def _set(
    desk: Desk, given: Any, *, by: Any, resting: bool, until: int, now: datetime | None
) -> tuple[Rested, ...]:
    actor = actor_of(by, desk)
    named = several("agents", given)
    if not named:
        raise InvalidInput("agents", "is empty", allowed="one agent or more")
    told: list[AgentEntry] = []

    def decide(at: int) -> Decision:
        check_fence(desk, actor)
        _check_lead(desk, actor)
        entries = [entry_named(desk, "agents", one) for one in named]
        told[:] = list({one.agent: one for one in entries}.values())
        events = [
            (one, rules.rest(one, actor.agent, resting=resting, until=until))
            for one in told
        ]
        rules.check_end(until, at)
        appends: dict[str, Sequence[Event]] = {
            LOBBY: [event for _, some in events for event in some]
        }
        for one, some in events:
            if some:
                appends |= _held(desk, one, resting)
        return Decision(appends)

    desk.record(decide, LOBBY, by=actor, now=now)
    end = moment(until) if until else None
    return tuple(Rested(Agent(one.agent, desk), resting, end) for one in told)


def _check_lead(desk: Desk, by: Actor) -> None:
    if by.kind == "person":
        raise InvalidInput(
            "by",
            "is a person",
            allowed="an agent; the host says `agent.change(paused=...)`",
            code="owner_pauses",
        )
    if not desk.agent(by.agent).may.manage_rooms:
        raise NotAllowed(
            "room_management_forbidden",
            "only an agent that may manage rooms lets others rest",
        )


def _held(desk: Desk, entry: AgentEntry, resting: bool) -> dict[str, list[Event]]:
    """What it does to every seat of the agent."""
    return held_in_rooms(desk, entry, evolve(entry.may, paused=resting).held)


def end_rests(desk: Desk, now: datetime | None) -> None:
    """Lets go on whose rest is over; one that cannot go on holds up no other."""
    with desk.lock:
        due = desk.directory().rested_until(desk.time(now))
    for name in due:
        _end_rest(desk, name, now)


def _end_rest(desk: Desk, name: str, now: datetime | None) -> None:
    def decide(at: int) -> Decision:
        entry = desk.agent(name)
        events = rules.end_of_rest(entry, at)
        held = _held(desk, entry, resting=False) if events else {}
        return Decision({LOBBY: events, **held})

    with desk.passing_over(agent_stream(name)):
        desk.record(decide, LOBBY, by=SYSTEM, now=now)
