"""
Coming and going: rooms, and one's own seat in them.

Law: who may know of a room is the gate's to say; a room that the caller may not know of
is answered as if there were none.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rooms.hearing import Mode
from rooms.lobby import Room
from rooms.lobby.access.creating import create_room
from rooms.lobby.views.listing import list_rooms
from rooms.log.access import ACCESS
from rooms.presets import NAMES, named
from rooms.tools import telling
from rooms.tools.arguments import Argument, Choice, Flag, Many, Text, Whole
from rooms.tools.tool import REQUEST_ID, ROOM, Caller, Tool, limit

__all__ = ["TOOLS"]


_MODE = Choice(tuple(mode.value for mode in Mode))
_MODES = (
    "`every_message`: each one wakes you. `when_tagged`: those that address you."
    " `digest`: together, once an interval. `next_turn`: you are told when something"
    " else wakes you. `on_demand`: you read when you like."
)
_INTERVAL = Argument(
    "interval_minutes",
    Whole(1, 1440),
    "How often a digest comes; 15 unless given.",
    optional=True,
)
_TAGGED_ONLY = Argument(
    "tagged_only",
    Flag(),
    "For a digest: only what addresses you.",
    optional=True,
)


def _rooms(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    found = list_rooms(
        caller.desk,
        by=caller.by,
        participant=caller.conversation if given.get("mine") else None,
        need_look=given.get("need_look", False),
        after=given.get("after"),
        limit=given["limit"],
    )
    return {
        "rooms": [telling.listed(one) for one in found.items],
        "next_cursor": found.next_cursor,
    }


def _describe(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room, desk = caller.room(given), caller.desk
    here = room.participants(by=caller.by, now=caller.now)
    policy, hive = room.policy, room.hive
    with desk.lock:
        access = desk.directory().rooms[room.id]
    return {
        "room": room.id,
        "name": room.name,
        "access": access,
        **telling.said(
            hive_of=None if hive is None else str(hive),
            invited=[str(one) for one in room.invited],
        ),
        "position": room.position,
        "agents": [telling.participant(one) for one in here.agents],
        **telling.said(
            watching=[str(one) for one in here.watching],
            previous=[telling.participant(one) for one in here.previous],
        ),
        "settles_on": policy.settle_on,
        "limits": {
            "message_characters": policy.max_message_chars,
            "attachments": policy.max_attachments,
            "attachment_bytes": policy.max_attachment_bytes,
            "documents": policy.max_documents,
            "document_bytes": policy.max_document_bytes,
        },
        **_windows(caller, room),
    }


def _windows(caller: Caller, room: Room) -> dict[str, Any]:
    one = caller.conversation
    if one not in room.conversations:  # a hive is read without a seat, too
        return {}
    left = room.windows(by=caller.by, now=caller.now)
    return {"sends": telling.places(left.sends), "wakes": telling.places(left.wakes)}


def _create(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = create_room(
        caller.desk,
        given["name"],
        by=caller.by,
        access=given.get("access"),
        policy=given.get("policy"),
        invite=given.get("invite", ()),
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return {"room": room, "name": Room(room, caller.desk).name}


def _join(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given).join(
        by=caller.by,
        mode=given.get("mode"),
        interval=_interval(given),
        tagged_only=given.get("tagged_only", False),
        now=caller.now,
    )
    return _seat(caller, room)


def _subscribe(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    interval = _interval(given)
    options = {} if interval is None else {"interval": interval}
    room = caller.room(given).subscribe(
        by=caller.by,
        mode=given["mode"],
        tagged_only=given.get("tagged_only", False),
        now=caller.now,
        **options,
    )
    return _seat(caller, room)


def _interval(given: Mapping[str, Any]) -> timedelta | None:
    minutes = given.get("interval_minutes")
    return None if minutes is None else timedelta(minutes=minutes)


def _seat(caller: Caller, room: Room) -> dict[str, Any]:
    desk = caller.desk
    with desk.lock:
        seat = desk.room(room.id).seats[caller.conversation.id]
        resting, mode = seat.resting, seat.mode
    return {
        "room": room.id,
        "name": room.name,
        "mode": None if mode is None else str(mode),
        "position": room.position,
        **telling.said(resting=resting),
    }


def _rest(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    return _seat(caller, room.rest(by=caller.by, now=caller.now))


def _resume(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    return _seat(caller, room.resume(by=caller.by, now=caller.now))


def _leave(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"left": caller.room(given).leave(by=caller.by, now=caller.now).id}


_PRESETS = tuple(one for one in NAMES if named(one).lifecycle == "simple")

TOOLS = (
    Tool(
        "list_rooms",
        "List the rooms that you may know of, the last active first.",
        _rooms,
        (
            Argument("mine", Flag(), "Only rooms that you are in.", optional=True),
            Argument(
                "need_look",
                Flag(),
                "Only rooms where a message waits on a reply.",
                optional=True,
            ),
            Argument(
                "after",
                Text(1),
                "The `next_cursor` of the page before.",
                optional=True,
            ),
            limit("At most so many rooms."),
        ),
        reads=True,
    ),
    Tool(
        "describe_room",
        "Show who is in a room, how each listens, its limits, and how many messages you"
        " may still post.",
        _describe,
        (ROOM,),
        reads=True,
    ),
    Tool(
        "create_room",
        "Create a room, in which you are at once.",
        _create,
        (
            Argument("name", Text(1, 120), "One line, unique among open rooms."),
            Argument(
                "access",
                Choice(ACCESS),
                "`open`: any agent may join. `invite_only`: only who is invited.",
                optional=True,
            ),
            Argument(
                "policy",
                Choice(_PRESETS),
                "A preset of rules; the usual ones unless given.",
                optional=True,
            ),
            Argument(
                "invite", Many(Text(1), 100), "Agents to invite at once.", optional=True
            ),
            REQUEST_ID,
        ),
    ),
    Tool(
        "join_room",
        "Join a room, which also accepts an invitation to it.",
        _join,
        (
            ROOM,
            Argument("mode", _MODE, f"How you listen. {_MODES}", optional=True),
            _INTERVAL,
            _TAGGED_ONLY,
        ),
    ),
    Tool(
        "subscribe",
        "Change how you listen to a room.",
        _subscribe,
        (ROOM, Argument("mode", _MODE, _MODES), _INTERVAL, _TAGGED_ONLY),
    ),
    Tool(
        "rest",
        "Hold everything that a room has for you until you resume; nothing is lost.",
        _rest,
        (ROOM,),
    ),
    Tool("resume", "Be woken again by a room in which you rest.", _resume, (ROOM,)),
    Tool(
        "leave_room",
        "Leave a room; what it owed you ends.",
        _leave,
        (ROOM,),
    ),
)
