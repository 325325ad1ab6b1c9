"""
What a team's room lets through that others do not, and the other way round.

Law: who leads is read from the roster or the policy, never from a text
(S-CONDUCTOR-05).
"""

from __future__ import annotations

from rooms.addressing import name_key
from rooms.log.actors import Actor
from rooms.log.records import record_id
from rooms.log.state import RoomState

__all__ = ["answers", "may_wake_all"]


def answers(room: RoomState, reply_to: str | None, by: Actor) -> bool:
    """
    Whether a reply answers an open question of a member, asked of who replies: it is
    never refused for a full inbox (S-QUESTION-05).
    """
    team = room.team
    if team is None or not reply_to:
        return False
    member = team.member_of(by.conversation or "")
    return member is not None and any(
        record_id(room.id, one.version) == reply_to and member.key in one.to
        for one in team.questions.values()
    )


def may_wake_all(room: RoomState, by: Actor) -> bool:
    """Whether a message to all wakes those whom it reaches (S-QUESTION-13)."""
    who = room.policy.broadcast_wake
    if who == "any" or by.kind != "conversation":
        return True
    if who == "never":
        return False
    if room.team is not None:
        lead = room.team.conductor
        return lead is not None and lead.conversation == by.id
    named = room.policy.lead
    return named != "" and name_key(named) == name_key(by.agent)
