"""
A chat server on loopback, where people talk with three scripted agents.

    python examples/chat_server.py          # then, from two terminals: nc 127.0.0.1 8765

The first line that a client sends is its name, every other one a message. Whom a
message names at its start (`@ada @bo hello`) answers it; without names it is talk among
people. It needs the standard library and `rooms`, and no network.
"""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import suppress

from rooms import Conversation, Lobby, Person, RoomsError, presets
from rooms.driving import Thread, View, drive_async

AGENTS = {
    "ada": "I count: {count} so far.",
    "bo": "{who} asked: {text}",
    "cy": "pass",
}


async def speak(conversation: Conversation, view: View) -> str:
    """Asks an agent; here it fills in its line, after a moment of thought."""
    await asyncio.sleep(0.01)
    if view.round:
        return "pass"
    who = getattr(view.message.sender, "name", "")
    count = view.message.seq
    return AGENTS[conversation.agent].format(count=count, who=who, text=view.text)


async def line_of(reader: StreamReader) -> str:
    """The next line that says something; "" at the end."""
    while line := await reader.readline():
        if text := line.decode("utf-8", "replace").strip():
            return text
    return ""


class ChatServer:
    """One room, and whoever is connected to it."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.host = lobby.person("host")
        self.room = lobby.create_room(
            "chat", by=self.host, policy=presets.thread(max_rounds=2), request_id="chat"
        )
        for name in AGENTS:
            self.room.join(by=lobby.add_agent(name).conversation())
        self.thread = Thread(self.room)
        self.clients: set[StreamWriter] = set()
        self.told = self.room.position

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """A client, from its name to the end of its connection."""
        try:
            person = self.lobby.person(await line_of(reader))
            self.clients.add(writer)
            while text := await line_of(reader):
                await self.post(text, person, writer)
                await writer.drain()
        except RoomsError as refused:  # such as a name that is none, or a long message
            writer.write(f"* {refused}\n".encode())
        finally:
            self.clients.discard(writer)
            writer.close()

    async def post(self, text: str, by: Person, writer: StreamWriter) -> None:
        """Posts a line, and drives the room for as long as somebody is next."""
        answer = self.thread.open(text, by=by)
        self.tell()
        if answer.refused:  # for its sender alone: nothing was recorded
            writer.write(f"* {answer.render()}\n".encode())
        # Somebody else may drive already: then it goes on with this message, too.
        await drive_async(self.room, self.speak, timeout=30)
        self.tell()

    async def speak(self, conversation: Conversation, view: View) -> str:
        """Asks an agent, once everybody has seen what came before."""
        self.tell()
        return await speak(conversation, view)

    def tell(self) -> None:
        """Sends every client what it has not seen yet, in the room's order."""
        for message in self.room.read(by=self.host, after=self.told, limit=1_000):
            self.told = message.seq
            sender = message.sender
            name = sender.agent if isinstance(sender, Conversation) else sender.name
            for client in self.clients:
                client.write(f"{name}: {message.content}\n".encode())


async def main(port: int = 8765) -> None:
    """Serves until it is interrupted."""
    with Lobby.in_memory() as lobby:
        chat = ChatServer(lobby)
        async with await asyncio.start_server(chat.serve, "127.0.0.1", port) as server:
            print(f"People talk with {', '.join(AGENTS)}: nc 127.0.0.1 {port}")
            await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
