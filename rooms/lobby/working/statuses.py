"""
Statuses, as conversations set them and others see them.

Two laws. Who sets one is fenced like whoever posts, so a runtime that was overtaken
changes nothing (L-ACT-10, L-ACT-12). And the words are read from the record in which
they stand: no state holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.lobby.handles import actor_of, conversation_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream
from rooms.log import statuses
from rooms.log.events import Event
from rooms.log.statuses import Line, OwnerRequestsSet, StatusSet, StatusState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "OwnerRequests",
    "Status",
    "owner_requests_of",
    "set_owner_requests",
    "set_status",
    "status_of",
]


@frozen
class Status:
    """
    The line that an agent keeps for its peers.

    Attributes:
        text: What it says, in its own words.
        set_at: Since when it says so, UTC.
    """

    text: str
    set_at: datetime


@frozen
class OwnerRequests:
    """
    What of an agent waits on its owner.

    Attributes:
        count: How many things, 1 to 20 a conversation.
        text: Which, in its own words.
        set_at: Since when it says so, UTC.
    """

    count: int
    text: str
    set_at: datetime


def set_status(desk: Desk, text: Any, *, by: Any, now: datetime | None) -> None:
    """As `Lobby.set_status`, which documents it."""

    def decide(state: StatusState, conversation: str, agent: str) -> list[Event]:
        current = _words(desk, agent, state.lines.get(conversation))
        return statuses.set_status(conversation, text, current)

    _record(desk, decide, by, now)


def set_owner_requests(
    desk: Desk, count: Any, text: Any, *, by: Any, now: datetime | None
) -> None:
    """As `Lobby.set_owner_requests`, which documents it."""

    def decide(state: StatusState, conversation: str, agent: str) -> list[Event]:
        current = _words(desk, agent, state.requests.get(conversation))
        return statuses.set_owner_requests(state, conversation, count, text, current)

    _record(desk, decide, by, now)


def _record(
    desk: Desk,
    decide_words: Callable[[StatusState, str, str], list[Event]],
    by: Any,
    now: datetime | None,
) -> None:
    actor, one = actor_of(by, desk), conversation_of(by)
    stream = agent_stream(one.agent)

    def decide(_: int) -> Decision:
        state = desk.talks(one.agent)
        said = decide_words(state.statuses, state.talk(one.id).id, one.agent)
        return Decision({stream: said})

    desk.record(decide, stream, by=actor, now=now)


def status_of(desk: Desk, agent: str, conversations: Iterable[str]) -> Status | None:
    """The newest line of these conversations of an agent; the lock is held."""
    lines = desk.talks(agent).statuses.lines
    found = [lines[one] for one in conversations if one in lines]
    if not found:
        return None
    newest = max(found, key=lambda line: line.version)
    return Status(_words(desk, agent, newest), moment(newest.at) or values.LAST)


def owner_requests_of(
    desk: Desk, agent: str, conversations: Iterable[str]
) -> OwnerRequests | None:
    """
    How much of these conversations of an agent waits on the owner, with the words of
    what waits longest; the lock is held.
    """
    requests = desk.talks(agent).statuses.requests
    found = [requests[one] for one in conversations if one in requests]
    if not found:
        return None
    oldest = min(found, key=lambda line: line.version)
    return OwnerRequests(
        sum(line.count for line in found),
        _words(desk, agent, oldest),
        moment(oldest.at) or values.LAST,
    )


def _words(desk: Desk, agent: str, line: Line | None) -> str:
    """What a record says, or "" for none; the lock is held."""
    fact = None if line is None else desk.fact(agent_stream(agent), line.version)
    event = None if fact is None else fact.event
    return event.text if isinstance(event, StatusSet | OwnerRequestsSet) else ""
