"""
Whose schedules: their sender's own, or those of an agent for whom somebody stands.

Law: what an agent scheduled is its own to change, and its owner's; anybody else is let
by the host alone (L-SCHED-11, L-RECUR-16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.addressing import name_key
from rooms.errors import NotAllowed
from rooms.lobby.derived.coming import sender_of
from rooms.lobby.handles import actor_of, agent_meant
from rooms.lobby.recording.decisions import Consents
from rooms.log.actors import Actor

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Whose", "whose"]


@frozen
class Whose:
    """
    Who acts, and on whose schedules.

    Attributes:
        actor: Who acts.
        sender: Whose they are, as the rows of what is to come name it.
        agent: The agent whose they are, or "" for a person.
        consents: What the host said, where it lets somebody.
    """

    actor: Actor
    sender: str
    agent: str
    consents: Consents = ()

    def wrote(self, sender: str, author: str) -> bool:
        """Whether a message is theirs that was written by these."""
        return self.sender == (name_key(author) if sender else f"person:{author}")


def whose(desk: Desk, by: Any, of: Any) -> Whose:
    """
    Whose schedules somebody means; nobody holds the lock when it is called.

    Raises:
        NotAllowed: `not_owner`.
        NotFound: `agent_not_found`.
    """
    desk.check_usable()
    actor = actor_of(by, desk)
    if of is None:
        return Whose(actor, sender_of(actor), actor.agent)
    entry = agent_meant(desk, of, field="of")
    theirs = Whose(actor, name_key(entry.agent), entry.agent)
    if theirs.sender == sender_of(actor):
        return theirs
    if actor.kind == "person" and entry.owner and actor.id == entry.owner:
        return theirs
    consents = desk.may(actor, "manage_schedules", entry.agent)
    if not consents:
        raise NotAllowed(
            "not_owner",
            f"only the owner of {entry.agent} does this",
            agent=entry.agent,
        )
    return Whose(actor, theirs.sender, entry.agent, consents)
