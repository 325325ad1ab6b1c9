"""Rooms, who is in them, and on whose word something is done there."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["ACCESS"]

ACCESS: Mapping[str, Code] = {
    "room_not_found": Code(
        "No room of that id or name is in the lobby.",
        "Look at `lobby.rooms`; a word that begins with `room_` is an id.",
        404,
    ),
    "room_exists": Code(
        "A room of that name is open already.",
        "Open it with `lobby.room(name)`, or choose another name.",
        409,
    ),
    "room_deleted": Code(
        "The room is deleted.",
        "Nothing can be done in it any more; its name is free again.",
        410,
    ),
    "room_archived": Code(
        "The room is archived: it can be read, and its name is kept.",
        "Have its owner restore it, or choose another name.",
        409,
    ),
    "room_capacity": Code(
        "The lobby holds as many rooms as it may.",
        "Delete one, or open it with a larger `max_rooms`.",
        409,
    ),
    "not_a_member": Code(
        "Only a conversation that has a seat in the room may do this.",
        "Join the room first; an open room needs no invitation.",
        403,
    ),
    "not_room_member": Code(
        "Agents that a message names are not in the room.",
        "Name others than those in `not_members`, or have a lead let them in.",
        409,
    ),
    "member_limit": Code(
        "The room would have more members than it may.",
        "Keep to the `limit` in `details`: take somebody out first.",
        409,
    ),
    "not_owner": Code(
        "Only the room's owner, or whom the host's `rooms_may` lets, may do this.",
        "Ask the owner, a person; a turn that a room woke has nobody's word.",
        403,
    ),
    "owner_required": Code(
        "Only whose it is may do this, or the person behind it, or the host.",
        "Do it as that one; a person whom the host lets may look, too.",
        403,
    ),
    "administrator_required": Code(
        "Only an administrator may do this: whom the host's `rooms_may` lets.",
        "Ask an administrator, or have the host's plugin let this person.",
        403,
    ),
    "origin_room_mail": Code(
        "The turn was woken by a room message, and that is nobody's word.",
        "Let the person itself ask for it, in a turn of its own.",
        403,
    ),
    "read_only_access": Code(
        "People watch in this room: they neither create it nor post in it.",
        "Let an agent do it, or choose a policy with `people='post'`.",
        403,
    ),
    "invite_required": Code(
        "A single agent was to be added, which decides by itself whether it joins;"
        " or an agent that was removed from the room would join it again.",
        "Invite it: `room.invite(agent, by=...)`.",
        403,
    ),
    "unknown_invitation": Code(
        "No invitation of this agent is open in the room.",
        "An open room needs none: join it. Else ask a member for another one.",
        404,
    ),
    "may_not_delegate": Code(
        "The host does not let the actor give work to this agent.",
        "Ask the host: its `rooms_may` answers `add_agent`. Or invite the agent.",
        403,
    ),
    "room_management_forbidden": Code(
        "Who is in the room is a lead's to say, or its owner's.",
        "Ask an agent that may `manage_rooms`, or the room's owner.",
        403,
    ),
    "hive_closed": Code(
        "A hive is one agent's own: only its public conversations take part.",
        "Let a public conversation of it do so, and address those that are there.",
        403,
    ),
}
