"""
What other subpackages are given: a lobby or a room, and not one of `rooms.aio`.

Law: whoever hands over another thing is refused before anything is recorded, and one of
`rooms.aio` is told its `sync`.
"""

from __future__ import annotations

from typing import Any

from rooms.errors import InvalidInput
from rooms.lobby.lobby.handle import Lobby
from rooms.lobby.room.handle import Room

__all__ = ["check_lobby", "check_room"]


def check_lobby(given: Any) -> None:
    """Refuses what is no lobby with `invalid_request`."""
    _check(given, Lobby, "lobby", "`lobby.sync`, in `lobby.run(...)`")


def check_room(
    given: Any, *, instead: str = "`room.sync`, in `lobby.run(...)`"
) -> None:
    """Refuses what is no room with `invalid_request`."""
    _check(given, Room, "room", instead)


def _check(given: Any, kind: type, field: str, instead: str) -> None:
    if isinstance(given, kind):
        return
    if isinstance(getattr(given, "sync", None), kind):
        raise InvalidInput(field, "is one of rooms.aio", allowed=instead)
    named = type(given).__name__
    raise InvalidInput(field, f"is of type {named}", allowed=f"a {kind.__name__}")
