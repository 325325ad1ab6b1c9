"""
A day in a lobby, call by call: all that writes, so that each write can be made to fail.

The clock stands still but for what the day says, and ids count within a call: a call
that is made again, since it failed, leaves the same log as one that succeeded at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from lobby.campaign.scene import NOON, Clock
from rooms import (
    Conflict,
    Lobby,
    NotFound,
    Room,
    RoomPolicy,
    SQLiteStorage,
    StorageError,
)
from rooms.lobby import Person, Posted, Turn, Wake

__all__ = ["Day"]

HOUR = timedelta(hours=1)
ALL = RoomPolicy(default_mode="every_message", wake_window=None, send_window=None)
ACK = RoomPolicy(
    default_mode="every_message",
    wake_window=None,
    send_window=None,
    settle_on="ack",
    retention=timedelta(days=1),
)
FILE = {"notes.txt": b"a file of some pages " * 300}


class Day:
    """
    One lobby and what is done in it.

    Attributes:
        calls: Each by its name, in their order; what one gives, a later one may use.
        shown: What people and agents were told was recorded, by the call's name.
    """

    lobby: Lobby
    room: Room
    other: Room
    ana: Person

    def __init__(self, storage: SQLiteStorage) -> None:
        self.storage = storage
        self.clock = Clock()
        self.shown: dict[str, Any] = {}
        self.call, self.made, self.deleted = "", 0, False
        self.calls: Mapping[str, Callable[[], Any]] = {
            "open": self._open,
            "person": lambda: self.lobby.person("ana"),
            "eve": lambda: self.lobby.add_agent("eve", owner="ana"),
            "tee": lambda: self.lobby.add_agent("tee", threaded=True),
            "thread": lambda: self.lobby.conversation("tee", thread="t-1"),
            "room": lambda: self._create("room", "work", ALL),
            "other": lambda: self._create("other", "inbox", ACK),
            "join": lambda: self.room.join(by=self.eve),
            "join too": lambda: self.room.join(by=self.tee),
            "join other": lambda: self.other.join(by=self.eve),
            "post": lambda: self._post("post", "hello"),
            "long post": lambda: self._post("long post", "words " * 2_400),
            "batch": self._batch,
            "search": lambda: self._found("words"),
            "take": self._take,
            "turn": self._turn,
            "reply": lambda: self._keep("reply", self.turn.reply("hello yourself")),
            "end": self._end,
            "read": lambda: self.room.read(by=self.tee, limit=5),
            "mail": lambda: self._post("mail", "for you", to="other"),
            "mail taken": self._take,
            "acknowledge": lambda: self.other.acknowledge(
                [self._id("mail")], by=self.eve
            ),
            "claim": self._claim,
            "upload": lambda: self.lobby.contents.upload(b"x" * 9_000, by=self.ana),
            "file": lambda: self._post("file", "see this", attachments=FILE),
            "erase": lambda: self.room.erase(self._id("file"), by=self.ana),
            "wait": lambda: self._post("wait", "later", deliver_at=NOON + HOUR),
            "snapshot": lambda: self.lobby._desk.commits.save_snapshots(every=1),
            "an hour later": lambda: self._later(HOUR),
            "release": self._release,
            "a day later": lambda: self._later(timedelta(days=1)),
            "sweep": self._sweep,
            "search again": lambda: self._found("later"),
            "compact": self.storage.compact,
            "delete": self._delete,
        }

    def do(self, name: str) -> Any:
        """Makes one call."""
        self.call, self.made = name, 0
        return self.calls[name]()

    def said(self, lobby: Lobby) -> list[tuple[int, str]]:
        """What stands in the room, as its owner reads it."""
        page = lobby.room("work").read(by=lobby.person("ana"), limit=100)
        return [(one.seq, one.content) for one in page]

    # -- the calls

    def _open(self) -> None:
        self.lobby = Lobby(
            self.storage, clock=self.clock, ids=self._new, salt=lambda: bytes(16)
        )

    def _new(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}_{self.call.replace(' ', '-')}-{self.made}"

    @property
    def eve(self) -> Any:
        return self.lobby.conversation("eve")

    @property
    def tee(self) -> Any:
        return self.lobby.conversation("tee", thread="t-1")

    def _create(self, field: str, name: str, policy: RoomPolicy) -> None:
        self.ana = self.lobby.person("ana")
        made = self.lobby.create_room(
            name, by=self.ana, policy=policy, request_id=f"make {name}"
        )
        setattr(self, field, made)

    def _post(self, name: str, text: str, *, to: str = "room", **more: Any) -> None:
        room: Room = getattr(self, to)
        self._keep(name, room.post(text, by=self.ana, request_id=name, **more))

    def _keep(self, name: str, posted: Posted) -> None:
        self.shown[name] = posted

    def _id(self, name: str) -> str:
        found: str = self.shown[name].message.id
        return found

    def _batch(self) -> None:
        with self.lobby.batch():
            made = [
                self.room.post(f"b-{number}", by=self.ana, request_id=f"b-{number}")
                for number in range(5)
            ]
        self.shown |= {f"b-{number}": one for number, one in enumerate(made)}

    def _found(self, word: str) -> None:
        assert self.room.search(word, by=self.ana)

    def _take(self) -> None:
        self.wake: Wake
        (self.wake,) = self.lobby.take_wakes(conversations=[self.eve], holder="h")

    def _turn(self) -> None:
        self.turn: Turn
        try:
            self.turn = self.lobby.turn(self.wake).__enter__()
        except Conflict as gone:
            if gone.code not in {"stale_wake", "turn_running"}:
                raise
            self._take()  # the turn failed at its start, and gave it back, or does now
            self.turn = self.lobby.turn(self.wake).__enter__()

    def _end(self) -> None:
        self.turn.end()

    def _claim(self) -> None:
        self.eve.claim()

    def _release(self) -> None:
        self.lobby.deliver()

    def _sweep(self) -> None:
        self.lobby.sweep()

    def _later(self, by: timedelta) -> None:
        self.clock.advance(by)

    def _delete(self) -> None:
        try:
            self.other.delete(by=self.ana)
        except StorageError as error:
            self.deleted = error.recorded
            raise
        except NotFound:
            if not self.deleted:  # it was said to be there still
                raise
