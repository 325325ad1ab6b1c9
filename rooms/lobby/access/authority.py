"""
Authority: the person behind what is done.

Two laws. A threaded agent has a person behind it only in a turn that the host opened on
that person's word; a single one acts with its owner's permissions (G-ADD-05, G-DELETE-
04). And a turn that a room message woke has nobody's, whatever the message says
(G-SAFE-02).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.log.actors import Actor

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["person_behind"]


def person_behind(desk: Desk, by: Actor) -> Actor | None:
    """The person as an actor, or None where there is nobody's word or permission."""
    if by.kind == "person":
        return by
    name = by.person or ""
    if not name and by.kind == "conversation" and not by.wake:
        with desk.lock:
            entry = desk.agent(by.agent)
        name = "" if entry.threaded else entry.owner
    return Actor("person", name) if name else None
