"""
Keeping: a curator is named, and members give what should be remembered.

Law: a fragment changes nothing that the room remembers; it waits for the curator.
"""

from __future__ import annotations

from typing import Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import Conflict, InvalidInput, NotAllowed, NotFound, OverLimit
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.memory.credentials import check_no_credential
from rooms.log.memory.events import CuratorNamed, FragmentKept
from rooms.log.remembered import MemoryState
from rooms.log.rooms import check_open
from rooms.log.seats import member_seat
from rooms.log.state import RoomState

__all__ = [
    "KINDS",
    "appoint",
    "check_kept",
    "check_words",
    "memory_of",
    "remember",
]

KINDS = ("gotcha", "fix", "procedure")
"""What may be remembered."""

_NOTHING = MemoryState()
_MOST_WAITING = 200
_LONGEST = {"text": 2_000, "evidence": 300}


def memory_of(room: RoomState) -> MemoryState:
    """A room's memory; an empty one where nobody ever named a curator."""
    return _NOTHING if room.memory is None else room.memory


def appoint(room: RoomState, agent: str | None) -> list[Event]:
    """
    The agent that curates from here on; None ends the memory.

    Raises:
        NotAllowed: `not_a_member` for an agent that is not in the room.

    Source: L-MEM-01.
    """
    check_open(room)
    current = memory_of(room).curator
    if agent is None:
        return [CuratorNamed()] if current else []
    member = room.member(agent)
    if member is None or not member.present:
        raise NotAllowed(
            "not_a_member", f"{agent} is not in the room", action="curate_memory"
        )
    same = bool(current) and name_key(current) == name_key(agent)
    return [] if same else [CuratorNamed(member.agent)]


def check_kept(room: RoomState) -> MemoryState:
    """
    The memory of a room that keeps one.

    Raises:
        Conflict: `memory_not_kept`.
    """
    memory = memory_of(room)
    if not memory.curator:
        raise Conflict(
            "memory_not_kept", "the room's owner named no curator", current=None
        )
    return memory


def remember(
    room: RoomState,
    kind: str,
    text: str,
    evidence: str,
    *,
    about: int | None,
    by: Actor,
) -> list[Event]:
    """
    Something to remember, for the curator.

    Args:
        about: The active entry or the waiting fragment that it corrects, by its record;
            None for nothing.

    Raises:
        NotAllowed: `not_a_member`.
        Conflict: `memory_not_kept`.
        NotFound: `memory_entry_not_found` for what it may not be about.
        OverLimit: `memory_backlog` where 200 wait already.

    Source: L-MEM-02, L-MEM-03.
    """
    check_open(room)
    member_seat(room, by.id, action="remember")
    memory = check_kept(room)
    if about is not None:
        entry, fragment = memory.entries.get(about), memory.fragments.get(about)
        active = entry is not None and not entry.archived
        waiting = fragment is not None and fragment.state == "pending"
        if not active and not waiting:
            raise NotFound(
                "memory_entry_not_found",
                "it is about no active entry and no waiting fragment of this room",
                field="about",
            )
    if sum(1 for _ in memory.pending()) >= _MOST_WAITING:
        raise OverLimit(
            "memory_backlog",
            f"{_MOST_WAITING} fragments wait for the curator",
            limit=_MOST_WAITING,
        )
    return [FragmentKept(kind, by.id, by.agent, about or 0, text, evidence)]


def check_words(field: str, value: Any, *, most: int | None = None) -> str:
    """
    Words that may be remembered, so long at most, and no credential among them.

    Raises:
        InvalidInput: `too_large`, `secret_refused`, `invalid_request`.
    """
    words = values.storable(field, value)
    limit = _LONGEST.get(field, 0) if most is None else most
    if len(words) > limit:
        raise InvalidInput(
            field,
            f"has {len(words)} characters",
            allowed=f"at most {limit}",
            code="too_large",
            limit=limit,
        )
    return check_no_credential(field, words)
