"""Where a lobby of a test is kept, and a clock that stands still until it is set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from rooms import Lobby, Storage
from rooms.storage import open_storage

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class Clock:
    """What time it is; it stands still until a test advances it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float = 0, **more: float) -> None:
        self.now += timedelta(seconds=seconds, **more)

    def at(self, seconds: float) -> datetime:
        """The instant so many seconds after noon."""
        return NOON + timedelta(seconds=seconds)


class Place:
    """Where a lobby is kept; each `open` is another handle, as a process has one."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = Clock()
        self.kept: Storage | None = open_storage(url) if url == "memory:" else None
        self.handles: list[Lobby] = []
        self._numbers = count(1)

    @property
    def storage(self) -> Storage:
        """The storage itself, as another process would see it."""
        return self.kept or open_storage(self.url)

    def open(self, **options: Any) -> Lobby:
        lobby = Lobby(
            self.storage,
            clock=self.clock,
            ids=self._id,
            salt=lambda: b"s" * 16,
            **options,
        )
        self.handles.append(lobby)
        return lobby

    def crash(self) -> Lobby:
        """Nobody closes anything; another process opens what is stored."""
        return self.open()

    def close(self) -> None:
        """Closes every handle; in memory they share the storage that goes."""
        for lobby in self.handles if self.kept is None else self.handles[:1]:
            lobby.close()

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):04}"
