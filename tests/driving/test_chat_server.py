"""The chat server of the docs: two clients on loopback talk to three agents."""

from __future__ import annotations

import asyncio
import runpy
from asyncio import StreamReader, StreamWriter
from pathlib import Path
from typing import Any

from rooms import Conversation, Lobby, Message

ROSTER = "* Nobody is called nobody. Available: ada, bo, cy."
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/chat_server.py"


def spoken(message: Message) -> str:
    sender = message.sender
    name = sender.agent if isinstance(sender, Conversation) else sender.name
    return f"{name}: {message.content}"


class Client:
    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.seen: list[str] = []

    def say(self, line: str) -> None:
        self.writer.write(f"{line}\n".encode())

    async def answered(self, line: str) -> None:
        """Says something that the server answers to its sender alone."""
        self.say(f"@nobody {line}")
        await self.until(ROSTER)
        self.seen.clear()

    async def until(self, line: str, times: int = 1) -> None:
        """Reads until a line has been seen so often."""
        while self.seen.count(line) < times:
            read = await asyncio.wait_for(self.reader.readline(), timeout=10)
            assert read, f"the server closed before {line!r}"
            self.seen.append(read.decode().rstrip("\n"))


def test_two_clients_talk_to_three_agents() -> None:
    server_class: Any = runpy.run_path(str(EXAMPLE))["ChatServer"]

    async def scene(lobby: Lobby) -> tuple[list[str], list[str], list[str]]:
        chat = server_class(lobby)
        server = await asyncio.start_server(chat.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        clients = [
            Client(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(2)
        ]
        ana, ben = clients
        ana.say("ana")
        ben.say("ben")
        await ana.answered("Hello?")  # who is answered is connected
        await ben.answered("Hello?")
        ana.say("@ada @bo @cy hello")
        ben.say("@bo and me?")  # while the first is driven
        ana.say("@nobody there?")
        for one in clients:
            await one.until("bo: ben asked: and me?")
        await ana.until(ROSTER)
        ben.say("just talk")
        for one in clients:
            await one.until("ben: just talk")
            one.writer.close()
        server.close()
        await server.wait_closed()
        room = lobby.room("chat")
        said = [spoken(one) for one in room.read(by=lobby.person("host"))]
        return ana.seen, ben.seen, said

    with Lobby.in_memory() as lobby:
        ana, ben, said = asyncio.run(scene(lobby), debug=True)

    assert [line for line in ana if not line.startswith("*")] == said
    assert ben == said
    assert set(said) == {
        "ana: @ada @bo @cy hello",
        "ada: I count: 1 so far.",
        "bo: ana asked: hello",
        "ben: @bo and me?",
        "bo: ben asked: and me?",
        "ben: just talk",
    }
    assert said.index("bo: ana asked: hello") < said.index("bo: ben asked: and me?")
    assert ana.count(ROSTER) == 1
