"""Inviting: who else is in a room, asked for by invitation or said by a lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.lobby.access.inviting import invitations
from rooms.tools import telling
from rooms.tools.arguments import Argument, Many, Text
from rooms.tools.tool import AGENT, REQUEST_ID, ROOM, Caller, Tool

__all__ = ["TOOLS"]


def _invitations(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    del given
    found = invitations(caller.desk, by=caller.by)
    return {"invitations": [telling.invitation(one) for one in found]}


def _decline(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.decline(by=caller.by, now=caller.now)
    return {"declined": room.id}


def _invite(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    reason = given.get("reason", "")
    room.invite(given["agent"], by=caller.by, reason=reason, now=caller.now)
    return {"room": room.id, "invited": telling.addresses(room.invited)}


def _uninvite(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.uninvite(given["agent"], by=caller.by, now=caller.now)
    return {"room": room.id, "invited": telling.addresses(room.invited)}


def _add(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    added = caller.room(given).add(
        given["agent"],
        by=caller.by,
        reason=given["reason"],
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return {"added": str(added)}


def _set_members(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.set_members(given["members"], by=caller.by, now=caller.now)
    return {"room": room.id, "members": telling.addresses(room.members)}


def _change_members(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.change_members(
        add=given.get("add", ()),
        remove=given.get("remove", ()),
        by=caller.by,
        now=caller.now,
    )
    return {"room": room.id, "members": telling.addresses(room.members)}


TOOLS = (
    Tool(
        "list_invitations",
        "List the invitations that your agent has not answered.",
        _invitations,
        reads=True,
    ),
    Tool("decline_invitation", "Decline an invitation.", _decline, (ROOM,)),
    Tool(
        "invite_agent",
        "Invite an agent into a room that you are in; it decides by itself.",
        _invite,
        (
            ROOM,
            AGENT,
            Argument("reason", Text(), "What for; the agent reads it.", optional=True),
        ),
    ),
    Tool(
        "withdraw_invitation",
        "Take back an invitation that was not answered yet.",
        _uninvite,
        (ROOM, AGENT),
    ),
    Tool(
        "add_agent_to_room",
        "Bring a threaded agent into a room, in a fresh conversation that is told why."
        " It takes a person's word.",
        _add,
        (
            ROOM,
            AGENT,
            Argument("reason", Text(1), "Why: the message that it begins with."),
            REQUEST_ID,
        ),
        needs="add_agent",
    ),
    Tool(
        "set_room_members",
        "Say who is in a managed room: exactly these agents.",
        _set_members,
        (ROOM, Argument("members", Many(Text(1), 100), "Agents: their ids.")),
        needs="manage_rooms",
    ),
    Tool(
        "change_room_members",
        "Let agents into a managed room, and take others out; the rest stays.",
        _change_members,
        (
            ROOM,
            Argument("add", Many(Text(1), 100), "Agents: their ids.", optional=True),
            Argument("remove", Many(Text(1), 100), "Likewise.", optional=True),
        ),
        needs="manage_rooms",
    ),
)
