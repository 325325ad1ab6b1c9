"""
One lobby with a little of everything in it, the same on every storage.

The clock stands still, ids and salts count: two scenes that were handled alike have the
same log, byte for byte.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from rooms import Lobby, RateWindow, Room, RoomPolicy, Storage
from rooms.log.records import Record

__all__ = ["NOON", "Clock", "Scene", "records_of"]

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Clock:
    """What time it is; it stands still until a test advances it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        """Lets so much time pass."""
        self.now += by


class Scene:
    """
    A lobby in which two agents and a person talk.

    Attributes:
        eve: A conversation of a single agent, owned by ana; it holds a wake.
        tee: A conversation of a threaded agent, in a turn.
        bo: A conversation in the lobby that is in no room.
        room: A room that ana owns.
        waiting: What ana has to come there.
        wake: Taken for eve, and nobody opened a turn yet.
        turn: The open turn of tee.
    """

    def __init__(self, storage: Storage, prefix: str = "") -> None:
        self.storage = storage
        self.prefix = prefix
        self.clock = Clock()
        self.made = Counter[str]()
        self.lobby = self.opened()
        lobby = self.lobby
        self.ana, self.zoe = lobby.person("ana"), lobby.person("zoe")
        self.agent = lobby.add_agent("eve", owner="ana")
        self.eve = self.agent.conversation()
        self.threaded = lobby.add_agent("tee", threaded=True)
        self.tee = self.threaded.conversation(thread="t-1", label="acme")
        self.bo = lobby.add_agent("bo").conversation()
        self.room: Room = lobby.create_room(
            "work",
            by=self.ana,
            policy=RoomPolicy(wake_window=RateWindow(2, 5 * MINUTE), send_window=None),
        )
        self.room.join(by=self.eve, mode="every_message")
        self.room.join(by=self.tee, mode="every_message")
        self.posted = self.room.post("hello", by=self.ana, request_id="r-1")
        hour = timedelta(hours=1)
        self.waiting = self.room.post("soon", by=self.ana, deliver_at=NOON + hour)
        self.wake, other = lobby.take_wakes()
        self.turn = lobby.turn(other)
        self.turn.__enter__()
        self.reply = self.turn.reply("hello yourself")

    def opened(self) -> Lobby:
        """Another handle of the same lobby."""
        return Lobby(
            self.storage,
            clock=self.clock,
            ids=self._id,
            salt=lambda: bytes(16),
        )

    def _id(self, prefix: str) -> str:
        self.made[prefix] += 1
        return f"{prefix}_{self.prefix}{self.made[prefix]:04}"

    def records(self) -> list[Record]:
        """Everything that is recorded, in the order of its commits."""
        return records_of(self.storage)

    def everything(self) -> Any:
        """What a refused call may not change: records, keys, due instants."""
        due = self.storage.due(2**62, limit=1_000)
        return self.records(), self.storage.streams(), due, self.storage.next_due()


def records_of(storage: Storage) -> list[Record]:
    """All records of a storage, in the order of its commits."""
    found: list[Record] = []
    while records := storage.scan(after=found[-1].position if found else 0):
        found += records
    return found
