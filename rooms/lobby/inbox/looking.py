"""
Looking: whose inbox it is, and who may look into it.

Law: an inbox is its conversation's own. The host looks into any; so does the person for
whom the conversation acts, or whom the host lets read every room: to look, and to
change nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.access.gate import sees_every_room
from rooms.lobby.handles import (
    Agent,
    Conversation,
    acted_for,
    actor_of,
    conversation_of,
    find_conversation,
)
from rooms.lobby.recording.fence import check_fence
from rooms.log.actors import Actor

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["acting", "is_behind", "looking", "owner_of"]


def owner_of(desk: Desk, of: Any) -> Conversation:
    """
    The conversation whose inbox is meant.

    Raises:
        InvalidInput: `agent_required` for a person; `invalid_request` for a threaded
            agent, which has many.
        NotFound: `agent_not_found`, `unknown_conversation`.
    """
    desk.check_usable()
    if isinstance(of, str | Agent):
        return find_conversation(desk, of if isinstance(of, str) else of.id)
    one = conversation_of(of, field="of")
    desk.check_known(one.actor)
    return one


def looking(desk: Desk, inbox: Conversation, by: Any) -> Actor:
    """
    Who looks into an inbox; it may be asked of the host, so nobody holds the lock.

    Raises:
        NotAllowed: `owner_required` for another conversation, and for a person for
            whom it does not act and whom the host does not let read every room.
        Conflict: `stale_runtime`, `stale_wake`.
    """
    desk.check_usable()
    actor = actor_of(by, desk)
    if actor.kind == "conversation" and actor.id == inbox.id:
        with desk.lock:
            check_fence(desk, actor)
        return actor
    if actor.kind == "person" and (
        is_behind(desk, inbox, actor) or sees_every_room(desk, actor)
    ):
        return actor
    raise NotAllowed(
        "owner_required",
        "an inbox is its conversation's own, and its person's to look into",
        agent=inbox.agent,
    )


def is_behind(desk: Desk, inbox: Conversation, person: Actor) -> bool:
    """Whether an inbox is that of a person's own agent, or conversation."""
    with desk.lock:
        return person.id in {
            acted_for(desk, inbox.agent, inbox.id),
            desk.agent(inbox.agent).owner,
        }


def acting(desk: Desk, inbox: Conversation, by: Any) -> Actor:
    """
    Who changes something in an inbox: its conversation, or a claim or turn of it.

    Raises:
        InvalidInput: `agent_required` for a person, who only looks.
        NotAllowed: `owner_required` for another conversation.
    """
    desk.check_usable()
    actor = actor_of(by, desk)
    if actor.kind != "conversation":
        raise InvalidInput(
            "by", "is a person", allowed="the inbox's own", code="agent_required"
        )
    if actor.id != inbox.id:
        raise NotAllowed(
            "owner_required", "an inbox is its conversation's own", agent=inbox.agent
        )
    return actor
