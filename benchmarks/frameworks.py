"""
What a turn and a message cost beside two frameworks, in a session of their own.

Where there is a choice it is the one in the frameworks' favour. AutoGen's team begins
anew with each message, so that it never grows, and is measured twice: with its state
saved after a turn, which is how a host makes it durable, and at length with nothing
stored at all. LangGraph is asked in two ways: a graph whose one node says nothing is
invoked, as hosts do, or its state is set from outside, which runs nothing and saves
once. Both write with the pragmas of ours. Nobody calls a model: what remains is
what the frameworks do themselves.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.paired import Pair, Row, compare
from benchmarks.planning import ROSTER
from benchmarks.scene import TEXT, UNPACED, Scene, folder, lengthen
from rooms import Lobby, RoomPolicy
from rooms.driving import drive
from rooms.storage import open_storage

TURNS = 40  # of a planned room, at most ten rounds of all
LENGTHS = {10: (30, 80), 1_000: (200, 500), 10_000: (2_000, 6_000)}
ROUNDS = 21
NEEDED = ("autogen_agentchat", "langgraph")


def rows(_: ModuleType | None) -> Iterator[Row]:
    if not all(find_spec(name) for name in NEEDED):
        return  # as everywhere but in their own session
    peer = "autogen-agentchat's round robin"
    yield Row(
        "one durable turn driven, relaxed",
        f"{peer}, its state saved, peer / ours",
        _turns(1, saved=True),
        must=10,
        stretch=25,
        more_is_better=True,
    )
    yield Row(
        f"one durable turn driven, relaxed, of {TURNS} a message",
        f"{peer}, which stores nothing, peer / ours",
        _turns(TURNS, saved=False),
        more_is_better=True,
    )
    for length, (must, stretch) in LENGTHS.items():
        invoked, updated = _message(length)
        yield Row(
            f"one message into a thread of {length:,}, relaxed",
            "langgraph with its SqliteSaver, invoked, peer / ours",
            invoked,
            must=must,
            stretch=stretch,
            more_is_better=True,
        )
        yield Row(
            f"one message into a thread of {length:,}, relaxed",
            "the same, its state set from outside, peer / ours",
            updated,
            more_is_better=True,
        )


def _of(module: str, name: str) -> Any:
    """What a framework brings, which is installed for these rows alone."""
    return getattr(import_module(module), name)


# -- a turn


def _turns(turns: int, *, saved: bool) -> Pair:
    """Nanoseconds a turn, of a message that so many turns answer."""
    with folder() as where, Lobby.open(_url(where)) as lobby:
        file = _relaxed(where / "team.db") if saved else None
        loop = asyncio.new_event_loop()
        theirs = _round_robin(loop, turns, file)
        pair = compare(theirs, _driven(lobby, turns), rounds=ROUNDS)
        loop.close()
        if file is not None:
            file.close()
    assert pair.first is not None
    assert pair.second is not None
    return Pair(pair.ratio, pair.first / turns, pair.second / turns)


def _relaxed(file: Path) -> sqlite3.Connection:
    """A file as ours is, relaxed."""
    opened = sqlite3.connect(file, check_same_thread=False)
    opened.execute("PRAGMA journal_mode=WAL")
    opened.execute("PRAGMA synchronous=NORMAL")
    return opened


def _driven(lobby: Lobby, turns: int) -> Callable[[], None]:
    """A person's message, and turns of all in their order."""
    ana = lobby.person("ana")
    policy = RoomPolicy(
        planner="roster",
        max_rounds=-(-turns // len(ROSTER)),
        max_messages=turns + 1,
        wake_window=None,
        send_window=None,
    )
    room = lobby.create_room("r", by=ana, policy=policy)
    for name in ROSTER:
        room.join(by=lobby.add_agent(name).conversation())

    def message() -> None:
        room.post("go", by=ana)
        driven = drive(room, lambda *_: "done")
        assert len(driven.turns) == turns

    return message


def _round_robin(
    loop: asyncio.AbstractEventLoop, turns: int, file: sqlite3.Connection | None
) -> Callable[[], None]:
    for quiet in ("autogen_core", "autogen_core.events"):
        logging.getLogger(quiet).setLevel(logging.ERROR)
    agent = _of("autogen_agentchat.agents", "BaseChatAgent")
    text = _of("autogen_agentchat.messages", "TextMessage")
    response = _of("autogen_agentchat.base", "Response")
    ends = _of("autogen_agentchat.conditions", "MaxMessageTermination")
    round_robin = _of("autogen_agentchat.teams", "RoundRobinGroupChat")

    async def answer(self: Any, messages: Any, token: Any) -> Any:
        del messages, token
        return response(chat_message=text(content="done", source=self.name))

    async def forget(self: Any, token: Any) -> None:
        del self, token

    says = type(agent)(
        "Says",
        (agent,),
        {
            "produced_message_types": (text,),
            "on_messages": answer,
            "on_reset": forget,
        },
    )
    team = round_robin(
        [says(name, description=name) for name in ROSTER],
        termination_condition=ends(turns + 1),  # the task counts
    )
    if file is not None:
        file.execute("CREATE TABLE team (id INTEGER PRIMARY KEY, state TEXT)")

    async def message() -> None:
        result = await team.run(task="go")
        assert len(result.messages) == turns + 1
        if file is not None:
            state = json.dumps(await team.save_state())
            file.execute("INSERT OR REPLACE INTO team VALUES (1, ?)", (state,))
            file.commit()
        await team.reset()

    return lambda: loop.run_until_complete(message())


# -- a message


def _message(length: int) -> list[Pair]:
    with folder() as where:
        storage = open_storage(_url(where))
        scene = Scene(storage, policy=UNPACED)
        lengthen(storage, scene.room.id, length)
        saved = _relaxed(where / "graph.db")
        ways = _graph(saved, length)
        pairs = [compare(way, scene.post, rounds=ROUNDS) for way in ways]
        saved.close()
        scene.lobby.close()
    return pairs


def _graph(saved: sqlite3.Connection, length: int) -> list[Callable[[], Any]]:
    """Two ways to bring a message into a thread of that length, each time the same."""
    human = _of("langchain_core.messages", "HumanMessage")
    state = _of("langgraph.graph", "MessagesState")
    start, end = _of("langgraph.graph", "START"), _of("langgraph.graph", "END")
    saver = _of("langgraph.checkpoint.sqlite", "SqliteSaver")(saved)
    saver.setup()
    numbers = count(1)

    def said() -> Any:
        return human(content=TEXT, id=f"m-{next(numbers)}")

    graph = _of("langgraph.graph", "StateGraph")(state)
    graph.add_node("listen", lambda _: {"messages": []})
    graph.add_edge(start, "listen")
    graph.add_edge("listen", end)
    compiled = graph.compile(checkpointer=saver)
    thread = {"configurable": {"thread_id": "t"}}
    before = [said() for _ in range(length)]
    compiled.invoke({"messages": before}, thread)
    # From the same place each time, so that the thread does not grow meanwhile.
    place = compiled.get_state(thread).config
    assert len(compiled.get_state(place).values["messages"]) == length

    def invoke() -> None:
        done = compiled.invoke({"messages": [said()]}, place)
        assert len(done["messages"]) == length + 1

    def update() -> None:
        compiled.update_state(place, {"messages": [said()]}, as_node="listen")

    return [invoke, update]


def _url(where: Path) -> str:
    return f"sqlite:///{where / 'lobby.db'}?durability=relaxed"
