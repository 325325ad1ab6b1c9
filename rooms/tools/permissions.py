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


def _own(caller: Caller) -> Why | None:
    """The owner may, by a conversation on its word, or whom the host lets."""
    if _has_person(caller) or caller.desk.hears("rooms_may"):
        return None
    return _nobody(caller)


def _delete_room(caller: Caller) -> Why | None:
    """Only a person may, on its own word (G-DELETE-04)."""
    return None if _has_person(caller) else _nobody(caller)


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
    "delete_room": _delete_room,
    "label": _label,
    "own": _own,
}
