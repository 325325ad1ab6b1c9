"""
A room, as everybody has it who is in it, or watches it.

What it is (`facts`), a conversation's own seat (`seating`), who else is in it
(`membership`), what its owner does (`owning`), what is read (`reading`); and posting,
which all of them are for (`handle`).
"""

from __future__ import annotations

from rooms.lobby.room.handle import Room

__all__ = ["Room"]
