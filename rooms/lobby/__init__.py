"""The shell around the log: one storage, a clock, ids, commits, hooks and handles."""

from rooms.lobby.answers import Message, Page, Posted, Report, Wake
from rooms.lobby.handles import Agent, Claim, Conversation, Person
from rooms.lobby.lobby import Lobby
from rooms.lobby.room import Room
from rooms.lobby.turns import Turn

__all__ = [
    "Agent",
    "Claim",
    "Conversation",
    "Lobby",
    "Message",
    "Page",
    "Person",
    "Posted",
    "Report",
    "Room",
    "Turn",
    "Wake",
]
