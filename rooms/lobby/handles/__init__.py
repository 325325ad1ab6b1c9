"""
Handles: light values that stand for an agent, a person or a conversation.

Law: a handle holds no state but its id; two that name the same are equal, and what they
say is read when it is asked.
"""

from __future__ import annotations

from rooms.lobby.handles.agent import Agent
from rooms.lobby.handles.conversation import Conversation, acted_for, relabel
from rooms.lobby.handles.finding import find_conversation
from rooms.lobby.handles.meant import actor_of, agent_meant, conversation_of
from rooms.lobby.handles.person import Person
from rooms.lobby.runtimes.claiming import Claim

__all__ = [
    "Agent",
    "Claim",
    "Conversation",
    "Person",
    "acted_for",
    "actor_of",
    "agent_meant",
    "conversation_of",
    "find_conversation",
    "relabel",
]
