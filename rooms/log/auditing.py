"""
Audit: who looked where by the right to read every room.

Law: what is recorded names the room and the kind of thing, and none of its words; it
stands in the lobby's stream, so it outlives the room (G-AUDIT-02 to G-AUDIT-04).
"""

from __future__ import annotations

from typing import Literal

from rooms.log.events import Event, recorded

__all__ = ["OversightRead", "What"]

What = Literal["messages", "members", "files", "documents", "subscriptions", "memory"]


@recorded("oversight_read", critical=False)
class OversightRead(Event):
    """A person read what it could read only by the right to read every room."""

    person: str
    room: str
    what: str
