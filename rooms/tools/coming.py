"""
Coming and going: who is here, rooms, membership, modes, invitations.

Law: who may know of a room is the gate's to say; a room that the caller may not know of
is answered as if there were none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from rooms.hearing import Mode
from rooms.lobby import Agent, Conversation, Person, Room
from rooms.lobby.access.creating import create_room
from rooms.lobby.access.inviting import invitations
from rooms.lobby.access.resting import Rested, rest, resume
from rooms.lobby.handles import actor_of, relabel
from rooms.lobby.views.agents import list_agents
from rooms.lobby.views.listing import list_rooms
from rooms.log.access import ACCESS
from rooms.presets import NAMES, named
from rooms.tools import telling
from rooms.tools.arguments import Argument, Choice, Flag, Instant, Many, Text, Whole
from rooms.tools.tool import AGENT, REQUEST_ID, ROOM, Caller, Tool, limit

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


def _agents(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    found = list_agents(
        caller.desk,
        by=caller.by,
        waiting=given.get("waiting", False),
        now=caller.now,
    )
    return {
        "you": str(caller.conversation),
        "agents": [
            {
                "agent": str(one.agent),
                "threaded": one.agent.threaded,
                **telling.said(
                    owner=one.agent.owner,
                    work_description=one.work_description,
                    machine=one.machine,
                    paused=one.paused,
                    paused_until=telling.instant(one.paused_until),
                    connected=one.connected,
                    standing=None if one.standing == "away" else one.standing,
                    ready=one.ready,
                    work=telling.work(one.work),
                    last_agent_seen_at=telling.instant(one.last_agent_seen_at),
                    last_message_at=telling.instant(one.last_message_at),
                    status=telling.status(one.status),
                    owner_requests=telling.owner_requests(one.owner_requests),
                    unseen_notified=one.unseen_notified or None,
                    oldest_unseen_notified_at=telling.instant(
                        one.oldest_unseen_notified_at
                    ),
                    attention_required=one.attention_required or None,
                ),
            }
            for one in found
        ],
    }


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
    return {"room": room.id, "invited": addresses(room.invited)}


def _uninvite(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.uninvite(given["agent"], by=caller.by, now=caller.now)
    return {"room": room.id, "invited": addresses(room.invited)}


def _add(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    added = caller.room(given).add(
        given["agent"],
        by=caller.by,
        reason=given["reason"],
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return {"added": str(added)}


def _rest_agents(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    found = rest(
        caller.desk,
        given["agents"],
        by=caller.by,
        until=given.get("until"),
        now=caller.now,
    )
    return _rested(found)


def _resume_agents(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return _rested(resume(caller.desk, given["agents"], by=caller.by, now=caller.now))


def _rested(found: Iterable[Rested]) -> dict[str, Any]:
    return {
        "agents": [
            {
                "agent": str(one.agent),
                "paused": one.paused,
                **telling.said(until=telling.instant(one.until)),
            }
            for one in found
        ]
    }


def _set_members(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.set_members(given["members"], by=caller.by, now=caller.now)
    return {"room": room.id, "members": addresses(room.members)}


def _change_members(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given)
    room.change_members(
        add=given.get("add", ()),
        remove=given.get("remove", ()),
        by=caller.by,
        now=caller.now,
    )
    return {"room": room.id, "members": addresses(room.members)}


def addresses(many: tuple[Agent | Conversation | Person, ...]) -> list[str]:
    """Agents and others by their addresses."""
    return [str(one) for one in many]


def _relabel(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    one, desk = caller.conversation, caller.desk
    by = actor_of(caller.by, desk)
    relabel(desk, one, given["label"], by=by, now=caller.now)
    return {"you": str(caller.conversation)}


_PRESETS = tuple(one for one in NAMES if named(one).lifecycle == "simple")

TOOLS = (
    Tool(
        "list_agents",
        "List the agents of the lobby, and your own address. A threaded agent has many"
        " conversations: its bare name starts a new one.",
        _agents,
        (
            Argument(
                "waiting",
                Flag(),
                "Only those of which something waits on the owner, the longest first.",
                optional=True,
            ),
        ),
        reads=True,
    ),
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
    Tool(
        "rest_agents",
        "Let other agents have nothing delivered for a while: what is said to them is"
        " owed, and comes when they go on. What they do meanwhile goes on.",
        _rest_agents,
        (
            Argument("agents", Many(Text(1), 100), "Agents: their ids."),
            Argument(
                "until",
                Instant(),
                "When they go on by themselves, with a zone, as 2026-03-02T12:00:00Z;"
                " without it you have to resume them.",
                optional=True,
            ),
        ),
        needs="lead",
    ),
    Tool(
        "resume_agents",
        "Let agents that rest go on: what came meanwhile is delivered at once.",
        _resume_agents,
        (Argument("agents", Many(Text(1), 100), "Agents: their ids."),),
        needs="lead",
    ),
    Tool(
        "set_label",
        "Change the label of your conversation, by which it is addressed; former labels"
        " go on reaching it.",
        _relabel,
        (Argument("label", Text(1), "Two to five words for what you work on."),),
        needs="label",
    ),
)
