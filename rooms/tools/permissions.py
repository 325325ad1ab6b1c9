"""
Permissions: what a caller may do at all, whatever the room.

Two laws. There is one place that says so, read by the catalogue and by every call. And
it only spares a model what it would be refused: the call behind a tool asks the same
gate again, and knows the room.
"""

from __future__ import annotations

from attrs import frozen

from rooms.lobby.access.authority import person_behind
from rooms.lobby.handles import actor_of
from rooms.lobby.team.authority import roles_in_teams
from rooms.log.directory import AgentEntry
from rooms.tools.tool import Caller, Tool

__all__ = ["Withheld", "withheld"]


@frozen
class Withheld:
    """
    A tool that the caller is not offered.

    Attributes:
        name: The tool's name.
        reason: The code with which its call would be refused.
        detail: The reason in words.
    """

    name: str
    reason: str
    detail: str


def withheld(tool: Tool, caller: Caller) -> Withheld | None:
    """Why a caller is not offered a tool; None where it is."""
    found = _WHY[tool.needs](caller) if tool.needs else None
    return None if found is None else Withheld(tool.name, *found)


Why = tuple[str, str]


def _add_agent(caller: Caller) -> Why | None:
    if not _has_person(caller):
        return _nobody(caller)
    if not caller.desk.hears("rooms_may"):
        return "may_not_delegate", "the host lets nobody give work to an agent here"
    return None


def _broadcast(caller: Caller) -> Why | None:
    """L-AGENT-05."""
    if _entry(caller).may.can_broadcast:
        return None
    return "broadcast_forbidden", "the agent may not write to all agents at once"


def _manage(caller: Caller) -> Why | None:
    """An agent that leads, an owner's own word, or whom the host lets (L-AGENT-06)."""
    may = _entry(caller).may.manage_rooms or _has_person(caller)
    if may or caller.desk.hears("rooms_may"):
        return None
    return "room_management_forbidden", "the agent may not say who is in a room"


def _lead(caller: Caller) -> Why | None:
    """L-AGENT-06."""
    if _entry(caller).may.manage_rooms:
        return None
    return "room_management_forbidden", "the agent may not let others rest"


def _entry(caller: Caller) -> AgentEntry:
    with caller.desk.lock:
        return caller.desk.agent(caller.conversation.agent)


def _own(caller: Caller) -> Why | None:
    """The owner may, by a conversation on its word, or whom the host lets."""
    if _has_person(caller) or caller.desk.hears("rooms_may"):
        return None
    return _nobody(caller)


def _delete_room(caller: Caller) -> Why | None:
    """A person, on its own word (G-DELETE-04), or a lead that the room lets."""
    leads = _entry(caller).may.manage_rooms
    return None if leads or _has_person(caller) else _nobody(caller)


def _team_member(caller: Caller) -> Why | None:
    """S-SURFACE-01: who is on a roster."""
    if _roles(caller):
        return None
    return "not_a_member", "the agent is in no team"


def _conductor(caller: Caller) -> Why | None:
    """S-CONDUCTOR-07."""
    roles = _roles(caller)
    if any(roles):
        return None
    if roles:
        return "lead_only", "only the conductor of the team may do this"
    return _team_member(caller)


def _roles(caller: Caller) -> list[bool]:
    """For each team that the caller is in, whether it leads."""
    return roles_in_teams(caller.desk, caller.conversation.id)


def _label(caller: Caller) -> Why | None:
    if caller.conversation.threaded:
        return None
    return "invalid_request", "a single agent's one conversation is called by its name"


def _has_person(caller: Caller) -> bool:
    actor = actor_of(caller.by, caller.desk)
    return person_behind(caller.desk, actor) is not None


def _nobody(caller: Caller) -> Why:
    if actor_of(caller.by, caller.desk).wake:
        return (
            "origin_room_mail",
            "a turn that a room message woke has nobody's word",
        )
    return "person_required", "only a person's own word is enough, and there is none"


_WHY = {
    "add_agent": _add_agent,
    "can_broadcast": _broadcast,
    "conductor": _conductor,
    "delete_room": _delete_room,
    "label": _label,
    "lead": _lead,
    "manage_rooms": _manage,
    "own": _own,
    "team_member": _team_member,
}
