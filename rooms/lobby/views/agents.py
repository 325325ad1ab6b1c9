"""
Agents as others find them: who takes part, and what each is for.

Law: what is shown is what all of a lobby may read; a role, what an agent may do, what
it is owed and who may speak for it are no business of its peers (L-DISC-03).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.lobby.access.describing import said_of
from rooms.lobby.derived.gauges import Reading, reading
from rooms.lobby.handles import Agent, actor_of
from rooms.lobby.pushing.waited import waited
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.runtimes.bootstraps import stuck_since
from rooms.lobby.working.connecting import connected
from rooms.lobby.working.reporting import Work, work_of
from rooms.lobby.working.statuses import (
    OwnerRequests,
    Status,
    owner_requests_of,
    status_of,
)
from rooms.lobby.working.strips import last_seen

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

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
        connected: Whether somebody runs one of its conversations, as the host says in
            `rooms_state`, else whether a helper checked in of late; that says nothing
            of a model, or of work.
        ready: Whether a runtime that named itself has read its context, and takes what
            it is owed; False where none did.
        last_seen_at: When whoever runs it last gave a sign, UTC; None for never.
        work: Whether it is in a turn; None where it is not connected or nobody says.
        last_message_at: When it last wrote, or was written to alone, in a message that
            is still there, UTC; None for never. What a schedule wrote counts for none.
        gauges: What it last reported that it used of what renews itself.
        status: The line that it keeps for its peers, in its own words; None for none.
        owner_requests: What of it waits on its owner; None for nothing.
        unseen_notified: How many messages it was handed for certain, and has not seen,
            since it did anything itself. That it is 0 proves nothing.
        oldest_unseen_notified_at: When the oldest of them was last written for it, UTC.
        attention_required: Whether something was pushed to it in vain, or its runtime
            answers no bootstrap: a person should look.

    For an agent of many conversations `work` is that of those that are connected:
    working while one of them works, else the last stop. `status` is the newest line of
    all, and `owner_requests` how much waits in all, with the words of what waits
    longest.
    """

    agent: Agent
    work_description: str
    machine: str
    paused: bool
    paused_until: datetime | None
    connected: bool
    ready: bool = False
    last_seen_at: datetime | None = None
    work: Work | None = None
    last_message_at: datetime | None = None
    gauges: Reading | None = None
    status: Status | None = None
    owner_requests: OwnerRequests | None = None
    unseen_notified: int = 0
    oldest_unseen_notified_at: datetime | None = None
    attention_required: bool = False


def list_agents(
    desk: Desk, *, by: Any, waiting: Any, now: datetime | None
) -> tuple[ListedAgent, ...]:
    """As `Lobby.list_agents`, which documents it."""
    values.flag("waiting", waiting)
    actor = actor_of(by, desk)
    desk.check_usable()
    at = desk.time(now)
    with desk.lock:
        check_fence(desk, actor)
        every = [
            Agent(one.agent, desk)
            for one in desk.directory().agents.values()
            if one.may.enabled
        ]
        talks = [one for agent in every for one in agent.conversations()]
    there = connected(desk, talks, at)
    with desk.lock:
        listed = tuple(_listed(desk, agent, there, at) for agent in every)
    return _waiting(listed) if waiting else listed


def _waiting(listed: Iterable[ListedAgent]) -> tuple[ListedAgent, ...]:
    """Those of which something waits on the owner, the longest first (L-VIEW-02)."""
    asked = ((one.owner_requests, one) for one in listed)
    since = [(asks.set_at, one) for asks, one in asked if asks is not None]
    return tuple(one for _, one in sorted(since, key=lambda pair: pair[0]))


def _listed(desk: Desk, agent: Agent, there: frozenset[str], at: int) -> ListedAgent:
    entry = desk.agent(agent.id)
    said, talks = said_of(desk, entry), agent.conversations()
    running = [one.id for one in talks if one.id in there]
    seen = max((last_seen(desk, one) for one in talks), default=0)
    if running and desk.hears("rooms_state"):
        seen = at
    spoke = desk.lately.last_message_at(agent.id)
    ids = [one.id for one in talks]
    bound = desk.talks(agent.id).talks.values()
    handed = waited(desk, ids)
    stuck = [since for one in bound if (since := stuck_since(one)) is not None]
    return ListedAgent(
        agent,
        said.work_description,
        said.machine,
        entry.may.paused,
        values.moment(entry.paused_until) if entry.paused_until else None,
        bool(running),
        any(one.runtime is not None and one.runtime.ready for one in bound),
        values.moment(seen) if seen else None,
        work_of(desk, agent.id, running),
        None if spoke is None else values.moment(spoke),
        reading(desk, agent.id, now=values.moment(at)),
        status_of(desk, agent.id, ids),
        owner_requests_of(desk, agent.id, ids),
        handed.count,
        handed.since,
        handed.attention or any(values.micros("at", one) <= at for one in stuck),
    )
