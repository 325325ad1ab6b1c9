"""
Owning: what takes the word of the person whose room it is.

Law: whose word is behind the caller is the lobby's to say, and never a message's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.tools.arguments import Argument, Text
from rooms.tools.tool import AGENT, ROOM, Caller, Tool

__all__ = ["TOOLS"]


def _pause(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"paused": caller.room(given).pause(by=caller.by, now=caller.now).id}


def _unpause(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"unpaused": caller.room(given).unpause(by=caller.by, now=caller.now).id}


def _archive(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"archived": caller.room(given).archive(by=caller.by, now=caller.now).id}


def _restore(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"restored": caller.room(given).restore(by=caller.by, now=caller.now).id}


def _remove(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.remove(given["agent"], by=caller.by, now=caller.now)
    return {"room": room.id, "members": [str(one) for one in room.members]}


def _erase(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room, message = caller.room(given), given["message"]
    room.erase(message, by=caller.by, now=caller.now)
    return {"erased": message}


def _delete(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.delete(by=caller.by, now=caller.now)
    return {"deleted": room.id}


TOOLS = (
    Tool(
        "pause_room",
        "Hold every wake of a room until it goes on.",
        _pause,
        (ROOM,),
        needs="own",
    ),
    Tool(
        "unpause_room",
        "Let a paused room's wakes go on.",
        _unpause,
        (ROOM,),
        needs="own",
    ),
    Tool(
        "archive_room",
        "Close a room to everything new; it can be read, and restored.",
        _archive,
        (ROOM,),
        needs="own",
    ),
    Tool(
        "restore_room", "Open an archived room again.", _restore, (ROOM,), needs="own"
    ),
    Tool(
        "remove_agent_from_room",
        "Take an agent out of a room, with all its conversations; it comes back only"
        " when it is invited.",
        _remove,
        (ROOM, AGENT),
        needs="own",
    ),
    Tool(
        "erase_message",
        "Take the words of a message away, and its files, for ever.",
        _erase,
        (ROOM, Argument("message", Text(1), "The id of the message.")),
        needs="own",
        destroys=True,
    ),
    Tool(
        "delete_room",
        "End a room: nobody reads it again.",
        _delete,
        (ROOM,),
        needs="delete_room",
        destroys=True,
    ),
)
