"""
Serves a room to an agent that speaks the Model Context Protocol, over stdio.

    python examples/tools_mcp.py team.db coder

Point a client at that command, such as in its `mcpServers`. The agent is added to the
lobby and joins the room `work`, where others may be at the same time: run the command
once for each of them, with the same file. It needs `pip install 'mcp>=2.3'`.
"""

from __future__ import annotations

import asyncio
import sys

try:
    from mcp.server.stdio import stdio_server
except ImportError:
    sys.exit("this example needs the package mcp: pip install 'mcp>=2.3'")

from rooms import Conversation, Lobby, tools


def seated(lobby: Lobby, name: str) -> Conversation:
    """The conversation of an agent, in the room that all of them share."""
    one = lobby.add_agent(name).conversation()
    room = lobby.create_room("work", by=lobby.person("host"), request_id="work")
    room.join(by=one)
    return one


async def serve(where: str, name: str) -> None:
    """Answers until the client closes its end."""
    with Lobby.open(where) as lobby:
        server = tools.server(seated(lobby, name))
        async with stdio_server() as (incoming, outgoing):
            options = server.create_initialization_options()
            await server.run(incoming, outgoing, options)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tools_mcp.py WHERE AGENT")
    asyncio.run(serve(sys.argv[1], sys.argv[2]))
