"""A storage, a clock that stands still, and a driver's speakers by script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lobby.place import Clock
from rooms import Conversation, Lobby, MemoryStorage, Message, Room, presets
from rooms.driving import Driven, Reply, View, drive
from rooms.log.state import RoomState
from rooms.storage import Storage
from rooms.testing import CountingIds, CountingSalts

Speaker = Callable[[Conversation, View], Any]


class Scene:
    """One storage that any number of handles open."""

    def __init__(self, storage: Storage | None = None) -> None:
        self.storage = storage or MemoryStorage()
        self.clock, self.ids, self.salts = Clock(), CountingIds(), CountingSalts()
        self.lobby = self.open()
        self.asked: list[tuple[str, int]] = []

    def open(self, storage: Storage | None = None) -> Lobby:
        return Lobby(
            storage or self.storage, clock=self.clock, ids=self.ids, salt=self.salts
        )

    def close(self) -> None:
        self.lobby.close()

    def room(self, preset: str, *names: str, **options: Any) -> Room:
        policy = getattr(presets, preset)(**options)
        ops = self.lobby.person("ops")
        room = self.lobby.create_room(f"{preset}", by=ops, policy=policy)
        for name in names or ("eve", "ada", "bo"):
            room.join(by=self.lobby.add_agent(name).conversation())
        return room

    def ask(self, room: Room, text: str = "Go.", **how: Any) -> Message:
        return room.post(text, by=self.lobby.person("ops"), **how).message

    def says(self, **lines: Any) -> Speaker:
        """
        Each agent says its next line, or its only one; a line may be called, raised.
        """
        scripts = {
            name: list(said) if isinstance(said, list) else said
            for name, said in lines.items()
        }

        def speak(conversation: Conversation, view: View) -> Any:
            name = conversation.agent
            self.asked.append((name, view.round))
            script = scripts.get(name, Reply(passed=True))
            line = script.pop(0) if isinstance(script, list) else script
            if isinstance(line, BaseException):
                raise line
            return line(view) if callable(line) else line

        return speak

    def drive(self, room: Room, **lines: Any) -> Driven:
        return drive(room, self.says(**lines))

    def state(self, room: Room) -> RoomState:
        with room._desk.lock:
            return room._desk.room(room.id)

    def said(self, room: Room) -> list[tuple[str, str]]:
        """The transcript, by who and what."""
        page = room.read(by=self.lobby.person("ops"), limit=1_000)
        return [(_name(one), one.content) for one in page]


def _name(message: Message) -> str:
    return getattr(message.sender, "agent", None) or message.sender.name  # type: ignore[union-attr]


def turns(driven: Driven) -> list[tuple[str, int, str]]:
    return [(one.name, one.round, one.outcome) for one in driven.turns]
