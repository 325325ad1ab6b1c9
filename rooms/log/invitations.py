"""
Invitations: an agent may join, and decides by itself.

Three laws. An invitation permits joining and nothing else: nothing is read before
(G-INVITE-02). Inviting a member, or who is invited already, changes nothing and is no
fault (G-INVITE-07). And joining answers it, declining ends it, and so does the room's
end (G-INVITE-05).
"""

from __future__ import annotations

from collections.abc import Iterable

from rooms.addressing import name_key
from rooms.errors import NotFound
from rooms.log.events import Event, Fact, recorded
from rooms.log.state import RoomState

__all__ = [
    "InvitationEnded",
    "Invited",
    "decline",
    "evolve",
    "invite",
    "invite_all",
    "withdraw",
]


@recorded("invited", body=("reason",))
class Invited(Event):
    """An agent may join the room; the reason is for it to read."""

    agent: str
    reason: str = ""


@recorded("invitation_ended")
class InvitationEnded(Event):
    """An agent may not join any more: it `declined`, or the word was `withdrawn`."""

    agent: str
    why: str


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    match fact.event:
        case Invited() as invited:
            room.invited[name_key(invited.agent)] = fact.version
        case InvitationEnded() as ended:
            room.invited.pop(name_key(ended.agent), None)
        case _:
            return False
    return True


def invite(room: RoomState, agent: str, reason: str = "") -> list[Event]:
    """An invitation, or nothing where the agent is a member or invited already."""
    member = room.member(agent)
    if (member is not None and member.present) or name_key(agent) in room.invited:
        return []
    return [Invited(agent, reason)]


def invite_all(agents: Iterable[str], *, but: str = "") -> list[Event]:
    """The invitations that a new room begins with, none to who creates it."""
    return [Invited(agent) for agent in agents if name_key(agent) != name_key(but)]


def decline(room: RoomState, agent: str) -> list[Event]:
    """
    The end of an agent's invitation, by its own choice.

    Raises:
        NotFound: `unknown_invitation` where there is none.
    """
    return _ended(room, agent, "declined")


def withdraw(room: RoomState, agent: str) -> list[Event]:
    """
    The end of an agent's invitation, by a member.

    Raises:
        NotFound: `unknown_invitation` where there is none.
    """
    return _ended(room, agent, "withdrawn")


def _ended(room: RoomState, agent: str, why: str) -> list[Event]:
    if name_key(agent) not in room.invited:
        raise NotFound(
            "unknown_invitation", f"no invitation of {agent} is open", agent=agent
        )
    return [InvitationEnded(agent, why)]
