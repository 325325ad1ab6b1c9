"""What a room remembers, and who curates it."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["MEMORY"]

MEMORY: Mapping[str, Code] = {
    "memory_not_kept": Code(
        "The room keeps no memory: its owner has named no curator.",
        "Ask the owner: `room.memory.appoint(agent, by=owner)`.",
        409,
    ),
    "memory_entry_not_found": Code(
        "The id names no entry, or no fragment that waits, of this room.",
        "Read `field`; look at `recall`, `entries` or the curator's `review`.",
        404,
    ),
    "memory_backlog": Code(
        "As many fragments wait for the room's curator as may wait.",
        "Wait until the curator has had its run.",
        409,
    ),
    "not_curator": Code(
        "Only the agent that the room's owner named as curator may do this.",
        "Let that agent do it, or ask the owner to name another.",
        403,
    ),
}
