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
from rooms.lobby.handles import Agent, Conversation, actor_of
from rooms.lobby.pushing.waited import waited
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.runtimes.bootstraps import stuck_since
from rooms.lobby.views.standing import Standing, standing_of
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
        standing: How it stands, the first that fits: `not_responding` where it has not
            seen for 15 minutes what it was handed, `waiting_on_owner`, `away`,
            `working`, `failed`, `idle`. Messages that wait decide nothing.
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
        last_agent_seen_at: When the agent itself last acknowledged anything, or saved a
            checkpoint, UTC; None for never.
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
    standing: Standing
    work_description: str
    machine: str
    paused: bool
    paused_until: datetime | None
    connected: bool
    ready: bool = False
    last_seen_at: datetime | None = None
    last_agent_seen_at: datetime | None = None
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
    ids = [one.id for one in talks]
    running = [one for one in ids if one in there]
    work = work_of(desk, agent.id, running)
    asks = owner_requests_of(desk, agent.id, ids)
    handed, bound = waited(desk, ids), desk.talks(agent.id).talks.values()
    stuck = [since for one in bound if (since := stuck_since(one)) is not None]
    now = values.moment(at) or values.LAST
    return ListedAgent(
        agent=agent,
        standing=standing_of(
            unseen_since=handed.since,
            asks=asks is not None,
            connected=bool(running),
            work=work,
            now=now,
        ),
        work_description=said.work_description,
        machine=said.machine,
        paused=entry.may.paused,
        paused_until=_moment(entry.paused_until),
        connected=bool(running),
        ready=any(one.runtime is not None and one.runtime.ready for one in bound),
        last_seen_at=_last_seen(desk, talks, there, now),
        last_agent_seen_at=_moment(desk.lately.last_saw_at(agent.id)),
        work=work,
        last_message_at=_moment(desk.lately.last_message_at(agent.id)),
        gauges=reading(desk, agent.id, now=now),
        status=status_of(desk, agent.id, ids),
        owner_requests=asks,
        unseen_notified=handed.count,
        oldest_unseen_notified_at=handed.since,
        attention_required=handed.attention or any(one <= now for one in stuck),
    )


def _last_seen(
    desk: Desk,
    conversations: Iterable[Conversation],
    there: frozenset[str],
    now: datetime,
) -> datetime | None:
    """When an agent gave a sign: now, where the host says that somebody runs it."""
    every = list(conversations)
    if desk.hears("rooms_state") and any(one.id in there for one in every):
        return now
    return _moment(max((last_seen(desk, one) for one in every), default=0))


def _moment(at: int | None) -> datetime | None:
    """An instant, or None for 0, which is never."""
    return values.moment(at) if at else None
