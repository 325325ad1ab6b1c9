"""
Agents as others find them: who takes part, and what each is for.

Law: what is shown is what all of a lobby may read; a role, what an agent may do, what
it is owed and who may speak for it are no business of its peers (L-DISC-03).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.lobby.access.describing import said_of
from rooms.lobby.handles import Agent, actor_of
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.working.statuses import (
    OwnerRequests,
    Status,
    owner_requests_of,
    status_of,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.log.directory import AgentEntry

__all__ = ["ListedAgent", "list_agents"]


@frozen
class ListedAgent:
    """
    An agent that takes part.

    Attributes:
        agent: The agent.
        work_description: What it does.
        machine: Where it runs.
        paused: Whether nothing is delivered to it for now.
        paused_until: When that ends by itself, UTC; None where somebody has to say so.
        connected: Whether a helper of one of its conversations checked in of late; that
            says nothing of a model, or of work.
        status: The line that it keeps for its peers, in its own words; None for none.
        owner_requests: What of it waits on its owner; None for nothing.

    For an agent of many conversations they are the newest line of all, and how much
    waits in all, with the words of what waits longest.
    """

    agent: Agent
    work_description: str
    machine: str
    paused: bool
    paused_until: datetime | None
    connected: bool
    status: Status | None = None
    owner_requests: OwnerRequests | None = None


def list_agents(
    desk: Desk, *, by: Any, now: datetime | None
) -> tuple[ListedAgent, ...]:
    """As `Lobby.list_agents`, which documents it."""
    actor = actor_of(by, desk)
    desk.check_usable()
    with desk.lock:
        check_fence(desk, actor)
        present = desk.presence.present(desk.time(now))
        every = [one for one in desk.directory().agents.values() if one.may.enabled]
        return tuple(_listed(desk, one, present) for one in every)


def _listed(desk: Desk, entry: AgentEntry, present: frozenset[str]) -> ListedAgent:
    said = said_of(desk, entry)
    talks = desk.talks(entry.agent).talks
    return ListedAgent(
        Agent(entry.agent, desk),
        said.work_description,
        said.machine,
        entry.may.paused,
        values.moment(entry.paused_until) if entry.paused_until else None,
        any(one in present for one in talks),
        status_of(desk, entry.agent, talks),
        owner_requests_of(desk, entry.agent, talks),
    )
