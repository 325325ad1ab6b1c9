"""
A lobby, as its host has it.

Who is here (`identities`), what rooms there are (`rooms`), which teams work in them
(`teaming`), what is owed and told (`waking`), what rests (`resting`), what is seen over
all rooms (`looking`), what is kept (`keeping`); and opening one, with which all of it
begins (`handle`).
"""

from __future__ import annotations

from rooms.lobby.lobby.handle import Lobby

__all__ = ["Lobby"]
