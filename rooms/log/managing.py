"""
Managing: who is in a room whose membership a lead says.

Two laws. A change names whom it concerns and leaves the others alone, so that two leads
never undo each other; and it is all of it or nothing (L-ROOM-05 to L-ROOM-07). Whoever
is taken out loses what it was owed here, and coming back brings none of it (L-ROOM-09).
"""

from __future__ import annotations

from collections.abc import Sequence

from rooms.addressing import name_key
from rooms.errors import OverLimit
from rooms.log import invitations, seats
from rooms.log.directory import AgentEntry
from rooms.log.events import Event
from rooms.log.rooms import check_open
from rooms.log.state import RoomState

__all__ = ["change_members", "set_members"]


def change_members(
    room: RoomState, add: Sequence[AgentEntry], remove: Sequence[AgentEntry]
) -> list[Event]:
    """
    Lets agents in and takes others out. Who is in already, or out, is left as it is.

    A single agent has its seat at once; a threaded one is let in, and its conversations
    take their seats themselves.

    Raises:
        OverLimit: `member_limit`.
        Conflict: `room_archived`.
    """
    check_open(room)
    coming = [one for one in add if not _is_let_in(room, one.agent)]
    going = [one for one in remove if _is_let_in(room, one.agent)]
    present = len(room.roster()) + len(room.invited)
    most, count = room.policy.max_members, present + len(coming) - len(going)
    if coming and most is not None and count > most:
        raise OverLimit(
            "member_limit",
            f"the room would have {count} members, and may have {most}",
            limit=most,
        )
    events = [event for one in going for event in _out(room, one.agent)]
    return [*events, *(event for one in coming for event in _in(room, one))]


def set_members(room: RoomState, wanted: Sequence[AgentEntry]) -> list[Event]:
    """
    Lets exactly these in; those who are in already keep their seats.

    Raises:
        OverLimit: `member_limit`.
    """
    kept = {name_key(one.agent) for one in wanted}
    there = [name_key(one) for one in room.roster()]
    others = [one for one in (*there, *room.invited) if one not in kept]
    gone = [AgentEntry(one, False, "", "") for one in dict.fromkeys(others)]
    return change_members(room, wanted, gone)


def _is_let_in(room: RoomState, agent: str) -> bool:
    member = room.member(agent)
    return name_key(agent) in room.invited or (member is not None and member.present)


def _in(room: RoomState, entry: AgentEntry) -> list[Event]:
    if entry.threaded:
        return invitations.invite(room, entry.agent, "")
    return seats.join(
        room,
        entry.conversation,
        agent=entry.agent,
        threaded=False,
        why="managed",
        acts_for=entry.owner,
        held=entry.may.held,
    )


def _out(room: RoomState, agent: str) -> list[Event]:
    events: list[Event] = []
    if name_key(agent) in room.invited:
        events += invitations.withdraw(room, agent)
    return [*events, *seats.remove(room, agent)]
