"""
The lobby for asyncio hosts: the same names, each call awaited.

    async with aio.Lobby.open("team.db") as lobby:
        eve = (await lobby.add_agent("eve")).conversation()
        room = await lobby.create_room("work", by=eve)
        await room.post("Hello.", by=eve)

One worker thread does what the calls ask for, in their order; calls that wait together
are made durable with one wait for the disk. No loop is made here: it is whatever loop
the caller runs in, a notebook's too.
"""

from __future__ import annotations

from rooms.aio.lobby import (
    Contents,
    Files,
    Inbox,
    Lobby,
    Memory,
    Room,
    Schedules,
)
from rooms.aio.teams import Member, Team, Teams
from rooms.aio.turns import Turn

__all__ = [
    "Contents",
    "Files",
    "Inbox",
    "Lobby",
    "Member",
    "Memory",
    "Room",
    "Schedules",
    "Team",
    "Teams",
    "Turn",
]
