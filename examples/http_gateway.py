"""
A gateway over HTTP: people post to a room and read it, and agents answer behind it.

    pip install starlette uvicorn
    python examples/http_gateway.py        # it prints a token, and how to use it

It is written with Starlette, and any other framework of ASGI is alike. The lobby is that
of `rooms.aio`, so no request waits in the event loop for the disk.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

try:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route
except ImportError:
    sys.exit("this example needs the package starlette: pip install starlette uvicorn")

from rooms import Conversation, Credentials, RoomsError, aio
from rooms.driving import View, drive_async
from rooms.errors import CODES, InvalidInput

AGENTS = ("ada", "bo")
USAGE = """
curl -H 'Authorization: Bearer {token}' http://127.0.0.1:8000/messages \\
     -d '{{"text": "Hello."}}'
curl -H 'Authorization: Bearer {token}' http://127.0.0.1:8000/messages
"""


async def speak(conversation: Conversation, view: View) -> str:
    """Asks an agent; yours would ask a model with `view.render()`."""
    await asyncio.sleep(0.01)
    return f"{conversation.agent} has read {view.text!r}."


class Gateway:
    """One planned room, behind two routes."""

    def __init__(self, lobby: aio.Lobby, room: aio.Room) -> None:
        self.lobby, self.room = lobby, room
        self.credentials = Credentials(lobby.sync)
        self.driving: set[asyncio.Task[Any]] = set()

    async def who(self, request: Request) -> Any:
        """Whoever the request's token stands for; `unauthorized` for none."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return await self.lobby.run(self.credentials.actor, token)

    def drive(self) -> None:
        """Lets agents speak; where somebody drives already, that one goes on."""
        task = asyncio.create_task(drive_async(self.room, speak, timeout=30))
        self.driving.add(task)
        task.add_done_callback(self.driving.discard)

    async def post(self, request: Request) -> JSONResponse:
        """Stores a message, answers at once, and lets the agents speak meanwhile."""
        who = await self.who(request)
        try:
            text: Any = dict(await request.json()).get("text")
        except (TypeError, ValueError) as error:  # also of JSON that is no object
            raise InvalidInput("body", "is no JSON object", allowed="one") from error
        if not isinstance(text, str):
            raise InvalidInput("text", "is no string", allowed='{"text": "Hello."}')
        posted = await self.room.post(
            text, by=who, request_id=request.headers.get("idempotency-key")
        )
        self.drive()
        message = posted.message
        told = {"id": message.id, "seq": message.seq, "duplicate": posted.duplicate}
        return JSONResponse(told, 201)

    async def read(self, request: Request) -> JSONResponse:
        """What was said after a number; a client asks again with the last it has."""
        who = await self.who(request)
        after = request.query_params.get("after", "0")
        if not (after.isascii() and after.isdecimal() and len(after) < 10):
            raise InvalidInput("after", "is no number", allowed="the last one's `seq`")
        page = await self.room.read(by=who, after=int(after), limit=100)
        return JSONResponse(
            [
                {"seq": one.seq, "from": str(one.sender), "text": one.content}
                for one in page
            ]
        )


async def refused(_: Request, error: Exception) -> JSONResponse:
    """What the library refuses, by its stable code; nothing was changed."""
    assert isinstance(error, RoomsError)
    told = {"code": error.code, "message": str(error)}
    return JSONResponse({"error": told}, CODES[error.code].http)


async def opened(lobby: aio.Lobby) -> Gateway:
    """The room and its agents, made where they are not there yet."""
    host = await lobby.person("host")
    room = await lobby.create_room("chat", by=host, policy="panel", request_id="chat")
    for name in AGENTS:
        await room.join(by=(await lobby.add_agent(name)).conversation())
    return Gateway(lobby, room)


def application(where: str) -> Starlette:
    """The application, as a server of ASGI takes it."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with aio.Lobby.open(where) as lobby:
            gateway = app.state.gateway = await opened(lobby)
            ana = await lobby.person("ana")
            token = app.state.token = await lobby.run(gateway.credentials.rotate, ana)
            print(USAGE.format(token=token))
            gateway.drive()  # what the process before had left
            yield
            for task in tuple(gateway.driving):  # a turn that is cut is given back
                task.cancel()
            await asyncio.gather(*gateway.driving, return_exceptions=True)

    async def post(request: Request) -> JSONResponse:
        return await request.app.state.gateway.post(request)  # type: ignore[no-any-return]

    async def read(request: Request) -> JSONResponse:
        return await request.app.state.gateway.read(request)  # type: ignore[no-any-return]

    return Starlette(
        routes=[
            Route("/messages", post, methods=["POST"]),
            Route("/messages", read, methods=["GET"]),
        ],
        exception_handlers={RoomsError: refused},
        lifespan=lifespan,
    )


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(application("chat.db"), host="127.0.0.1", port=8000)
