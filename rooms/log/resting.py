"""
Resting: a lead lets agents have nothing delivered, until it says so or for a while.

Two laws. To rest is to be paused: one flag, whoever sets it, and what is owed waits
(L-REST-02). And a rest that was given an end ends by whoever comes to act on it,
however late, and never by itself (L-REST-03).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.errors import Conflict, InvalidInput
from rooms.log.events import Event, recorded

if TYPE_CHECKING:
    from rooms.log.directory import AgentEntry

__all__ = ["AgentRested", "check_end", "end_of_rest", "rest"]


@recorded("agent_rested")
class AgentRested(Event):
    """
    Nothing is delivered to an agent from here on, or it goes on.

    Attributes:
        agent: The agent.
        resting: Whether it rests.
        until: When it goes on, or 0 where somebody has to say so.
        why: `asked`, or `due` for a rest that came to its end.
    """

    agent: str
    resting: bool
    until: int = 0
    why: str = "asked"


def check_end(until: int, now: int) -> None:
    """
    Refuses a rest that would be over.

    Raises:
        InvalidInput: `resume_at_past`.

    Source: L-REST-04.
    """
    if 0 < until <= now:
        raise InvalidInput(
            "until", "is over", allowed="an instant to come", code="resume_at_past"
        )


def rest(
    entry: AgentEntry, by_agent: str, *, resting: bool, until: int = 0
) -> list[Event]:
    """
    What another agent's rest comes to, in the place of any before; nothing where it is
    the same.

    Raises:
        InvalidInput: `cannot_rest_self`.
        Conflict: `agent_disabled`.

    Source: L-REST-06, L-REST-07.
    """
    if entry.agent == by_agent:
        raise InvalidInput(
            "agents", "has the one that asks", allowed="others", code="cannot_rest_self"
        )
    if not entry.may.enabled:
        raise Conflict(
            "agent_disabled",
            f"{entry.agent} takes no part at present",
            current={"enabled": False},
            agent=entry.agent,
        )
    if (entry.may.paused, entry.paused_until) == (resting, until):
        return []
    return [AgentRested(entry.agent, resting, until)]


def end_of_rest(entry: AgentEntry, now: int) -> list[Event]:
    """The end of a rest that was given one, if that has come."""
    if not 0 < entry.paused_until <= now:
        return []
    return [AgentRested(entry.agent, False, why="due")]
