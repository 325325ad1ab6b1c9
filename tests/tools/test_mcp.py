"""The tools over the Model Context Protocol, to the official package's own clients."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from lobby.place import Clock
from rooms import Conversation, InvalidInput, Lobby, Room, __version__, tools

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
run_sync = pytest.importorskip("anyio.to_thread").run_sync  # comes with it

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tools_mcp.py"


def with_client(server: Any, talk: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with mcp.Client(server) as client:
            await talk(client)

    asyncio.run(main())


def told(result: Any) -> Any:
    """What a call answered; the text and the structured content say the same."""
    [content] = result.content
    assert json.loads(content.text) == result.structured_content
    return result.structured_content


def test_a_client_is_offered_the_catalogue(ben: Conversation) -> None:
    async def talk(client: Any) -> None:
        assert client.server_info.version == __version__
        listed = (await client.list_tools()).tools
        assert [one.model_dump(by_alias=True, exclude_none=True) for one in listed] == [
            dict(one) for one in tools.catalog(ben, dialect="mcp").tools
        ]

    with_client(tools.server(ben), talk)


def test_a_client_reads_and_answers_what_waits(
    tea: Room, eve: Conversation, ben: Conversation
) -> None:
    asked = tea.post("Tea?", by=eve, to=[ben]).message

    async def talk(client: Any) -> None:
        [wake] = told(await client.call_tool("take_wakes", {}))["wakes"]
        assert wake["messages"][0]["content"] == "Tea?"
        answer = await client.call_tool(
            "post_message",
            {"room": "tea", "content": "Yes.", "reply_to": asked.id},
        )
        assert told(answer)["woken"] == ["agent:Eve/acme"]
        assert not answer.is_error

    with_client(tools.server(ben), talk)
    assert tea.latest(by=eve).items[-1].sender == ben


def test_what_the_lobby_refuses_is_an_answer_to_the_model(
    tea: Room, ben: Conversation
) -> None:
    async def talk(client: Any) -> None:
        for name, arguments, code in (
            ("post_message", {"room": "nowhere", "content": "x"}, "room_not_found"),
            ("post_message", {"room": "tea"}, "invalid_request"),
            ("delete_room", {"room": "tea"}, "tool_forbidden"),
            ("claim", {}, "operation_not_dispatchable"),
            ("brew", {}, "unknown_tool"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert told(result)["error"]["code"] == code

    with_client(tools.server(ben), talk)


def test_whoever_comes_back_for_more_is_the_same_whatever_thread_works(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation, clock: Clock
) -> None:
    tea.post("Tea?", by=eve, to=[ben])

    async def talk(client: Any) -> None:
        assert len(told(await client.call_tool("take_wakes", {}))["wakes"]) == 1
        done = Event()  # keeps the thread that worked busy, so another one works now
        busy = asyncio.create_task(run_sync(done.wait))
        await asyncio.sleep(0.05)
        assert told(await client.call_tool("take_wakes", {}))["wakes"] == []
        done.set()
        await busy

    with_client(tools.server(ben), talk)
    clock.advance(hours=1)
    assert lobby.take_wakes() == []  # it was told, and is not owed again


def test_a_server_is_for_an_agent(lobby: Lobby) -> None:
    with pytest.raises(InvalidInput) as raised:
        tools.server(lobby.person("ana"))  # type: ignore[arg-type]

    assert raised.value.code == "agent_required"


def test_without_the_extra_it_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp_types'] = None\n"
        "from rooms import Lobby, tools\n"
        "with Lobby.in_memory() as lobby:\n"
        "    one = lobby.add_agent('a').conversation()\n"
        "    tools.catalog(one)\n"
        "    try: tools.server(one)\n"
        "    except ImportError as error: print(error.code, error.extra)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["missing_extra", "mcp"]


def test_the_example_serves_two_processes_over_stdio(tmp_path: Path) -> None:
    where = str(tmp_path / "team.db")

    def served(name: str) -> Any:
        command = [str(EXAMPLE), where, name]
        here = {"PYTHONPATH": str(EXAMPLE.parents[1])}  # else a client passes little on
        return mcp.StdioServerParameters(command=sys.executable, args=command, env=here)

    async def main() -> None:
        async with (
            mcp.Client(mcp.stdio_client(served("coder"))) as coder,
            mcp.Client(mcp.stdio_client(served("reviewer"))) as reviewer,
        ):
            sent = await coder.call_tool(
                "post_message",
                {"room": "work", "content": "Please look.", "to": ["agent:reviewer"]},
            )
            assert told(sent)["woken"] == ["agent:reviewer"]
            [wake] = told(await reviewer.call_tool("take_wakes", {}))["wakes"]
            [message] = wake["messages"]
            assert message["content"] == "Please look."
            assert message["sender"] == "agent:coder"
            await reviewer.call_tool(
                "post_message",
                {"room": "work", "content": "Good.", "reply_to": message["id"]},
            )
            [answer] = told(await coder.call_tool("take_wakes", {}))["wakes"]
            assert answer["messages"][0]["content"] == "Good."

    asyncio.run(main())
    with Lobby.open(where) as lobby:
        room = lobby.room("work")
        page = room.read(by=lobby.person("host"))
        assert [one.content for one in page] == ["Please look.", "Good."]
        assert all(not found.damages for found in lobby.verify().values())
