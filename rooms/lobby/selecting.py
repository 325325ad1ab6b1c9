"""
Selecting: whose wakes are asked for, and where there may be some.

Two laws. Who asks for an agent that is not there, or by a claim that is not the newest,
is refused rather than told that nothing waits (report F-93). And what is found only may
have something to take: the room's state decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import InvalidInput
from rooms.lobby.fence import check_fence
from rooms.lobby.handles import Agent, Conversation, actor_of, conversation_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["agents_asked", "candidates", "conversations_asked"]


def agents_asked(desk: Desk, agents: Any) -> list[str] | None:
    """The ids of agents; one that is not there is refused (report F-93)."""
    if agents is None:
        return None
    if isinstance(agents, str | bytes) or not isinstance(agents, Iterable):
        kind = type(agents).__name__
        raise InvalidInput("agents", f"is of type {kind}", allowed="several agents")
    names = [one.id if isinstance(one, Agent) else one for one in agents]
    with desk.lock:
        return [desk.agent(values.text("agents", name)).agent for name in names]


def conversations_asked(desk: Desk, conversations: Any) -> list[Conversation] | None:
    """The conversations of a take; a claim that is not the newest is refused."""
    if conversations is None:
        return None
    if not isinstance(conversations, Iterable):
        kind = type(conversations).__name__
        problem = f"is of type {kind}"
        raise InvalidInput("conversations", problem, allowed="several conversations")
    found = []
    for one in conversations:
        conversation = conversation_of(one, field="conversations")
        with desk.lock:
            check_fence(desk, actor_of(one, desk, field="conversations"))
        found.append(conversation)
    return found


def candidates(
    desk: Desk,
    agents: Iterable[str] | None,
    conversations: Sequence[Conversation] | None,
    holder: str,
    limit: int,
) -> list[tuple[str, list[str]]]:
    """Rooms, each with the conversations there that may have something to take."""
    wanted = None if conversations is None else {one.id for one in conversations}
    keys = None if agents is None else {name_key(name) for name in agents}
    rooms: dict[str, dict[str, None]] = {}
    with desk.lock:
        for room, one in desk.taken_by(holder):
            if (wanted is None or one.id in wanted) and (
                keys is None or name_key(one.agent) in keys
            ):
                rooms.setdefault(room, {})[one.id] = None
        most = max(4 * limit, 100)
        if conversations is None:
            ready = desk.wakes.ready(agents, limit=most)
        else:
            ids = [one.id for one in conversations]
            ready = desk.wakes.ready_for(ids, limit=most)
        for seat in ready:
            if keys is None or seat.agent in keys:
                rooms.setdefault(seat.room, {})[seat.conversation] = None
    return [(room, list(found)) for room, found in rooms.items()]
