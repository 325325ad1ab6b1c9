"""Snapshots: what they hold, what they refuse, and that nothing else leaves them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from log.exploring import OPERATIONS, SETTINGS, Setting, step
from log.room import Room, room
from rooms.log import agents, directory, folding, runtimes, snapshots
from rooms.log.agents import AgentState
from rooms.log.directory import LobbyState
from rooms.log.events import Fact
from rooms.log.state import RoomState

NAMES = list(OPERATIONS)


def busy() -> Room:
    hall = room("eve", "ben", "Ada/a", modes={"ben": "digest"})
    for second in range(12):
        hall.post("eve", "agent:Ada/a", "agent:ben", at=second)
    hall.take("Ada/a", at=20)
    hall.open("Ada/a")
    hall.rest("ben", at=21)
    return hall


def lobby() -> LobbyState:
    state = LobbyState()
    events = [
        *directory.add_agent(state, "Eve", threaded=True, owner="ana", conversation=""),
        *directory.add_agent(state, "ben", threaded=False, owner="", conversation="c"),
        *directory.add_person(state, "ana"),
        directory.RoomListed("room_1", "open", "the room"),
    ]
    for version, event in enumerate(events, 1):
        directory.evolve(state, Fact(version, 5, "system", 1, event))
    return state


def agent() -> AgentState:
    state = AgentState()
    for conversation in ("c1", "c2"):
        for event in agents.start(
            state, conversation, label="acme", thread=conversation
        ):
            agents.evolve(state, Fact(state.version + 1, 5, "system", 1, event))
    return state


def test_a_runtime_comes_back_with_what_it_waits_for() -> None:
    state = agent()
    for events in (
        runtimes.claim(state.talk("c1"), "r-1", incarnation="i-1", nonce="n-1"),
        runtimes.claim(state.talk("c2"), "r-1", incarnation="i-2", nonce="n-2"),
        [runtimes.RuntimeReady("c2", 0), runtimes.RuntimeRetired("c2", 2, "reset")],
    ):
        for event in events:
            agents.evolve(state, Fact(state.version + 1, 5, "system", 1, event))

    again = snapshots.decode(snapshots.encode(state), AgentState)

    assert again == state
    assert again is not None
    assert again.deadline() == 5
    assert again.talk("c2").retired == ("r-1",)


BUSY = snapshots.encode(busy().state)


def test_each_kind_of_state_comes_back_as_it_was() -> None:
    for state in (busy().state, lobby(), agent(), RoomState(), LobbyState()):
        content = snapshots.encode(state)

        assert snapshots.decode(content, type(state)) == state
        again = snapshots.decode(content, type(state))
        assert again is not None
        assert snapshots.encode(again) == content


@settings(max_examples=150, derandomize=True)
@given(
    setting=st.sampled_from(SETTINGS),
    names=st.lists(st.sampled_from(NAMES), max_size=25),
    cut=st.integers(0, 25),
)
def test_a_snapshot_and_the_facts_after_it_give_what_all_facts_give(
    setting: Setting, names: list[str], cut: int
) -> None:
    walk = setting.start()
    content, known = snapshots.encode(walk.room.state), len(walk.room.facts)
    for place, name in enumerate(names):
        after = walk.clone()
        if step(walk, after, name, OPERATIONS[name]):
            walk = after
        if place == cut:
            content, known = snapshots.encode(walk.room.state), len(walk.room.facts)

    loaded = snapshots.decode(content, RoomState)
    assert loaded is not None
    for fact in walk.room.facts[known:]:
        folding.evolve(loaded, fact)

    assert loaded == walk.room.state == folding.folded(walk.room.facts)
    assert snapshots.encode(loaded) == snapshots.encode(walk.room.state)
    assert loaded.deadline() == walk.room.state.deadline()
    assert loaded.due(10**18) == walk.room.state.due(10**18)


def test_it_is_json_that_tells_its_schema_and_kind() -> None:
    read = json.loads(snapshots.encode(busy().state))

    assert (read["schema"], read["kind"]) == (snapshots.SCHEMA, "RoomState")


def test_another_kind_or_schema_is_not_read() -> None:
    content = snapshots.encode(lobby())

    assert snapshots.decode(content, RoomState) is None
    other = content.replace(b":%d," % snapshots.SCHEMA, b":1,", 1)
    assert snapshots.decode(other, LobbyState) is None


def test_every_single_damaged_byte_is_seen() -> None:
    content = snapshots.encode(lobby())

    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1
        assert snapshots.decode(bytes(damaged), LobbyState) is None
        assert snapshots.decode(content[:place], LobbyState) is None
    assert snapshots.decode(content + b" ", LobbyState) is None


@pytest.mark.parametrize(
    "inner",
    [
        "null",
        "[]",
        "{}",
        "1",
        '"x"',
        "[" * 5_000,
        '{"lobby":[1]}',
        '{"lobby":[1,2],"agents":[[1]],"persons":[],"rooms":{}}',
        '{"lobby":[1,2],"agents":[],"persons":[null],"rooms":{}}',
        '{"lobby":[1,2],"agents":[],"persons":[],"rooms":7}',
        '{"room":[],"policy":{},"seats":[],"members":[]}',
    ],
)
@pytest.mark.parametrize("kind", [RoomState, LobbyState, AgentState])
def test_what_has_a_fitting_digest_and_no_sense_is_none(
    inner: str, kind: type[RoomState | LobbyState | AgentState]
) -> None:
    content = snapshots._opening(kind, inner.encode()) + inner.encode() + b"}"

    assert snapshots.decode(content, kind) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_state_or_none(content: bytes) -> None:
    assert snapshots.decode(content, RoomState) is None


@settings(max_examples=300, derandomize=True)
@given(st.data())
def test_a_state_with_one_value_exchanged_is_never_an_error(
    data: st.DataObject,
) -> None:
    tree = json.loads(BUSY)["state"]
    _exchange(tree, data)
    inner = json.dumps(tree).encode()

    content = snapshots._opening(RoomState, inner) + inner + b"}"

    found = snapshots.decode(content, RoomState)

    assert found is None or isinstance(found, RoomState)


def _exchange(tree: object, data: st.DataObject) -> None:
    """Puts something else into a place of the tree that is drawn."""
    while True:
        assert isinstance(tree, dict | list)
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = data.draw(st.sampled_from(keys))
        inner = tree[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            tree = inner
            continue
        other: list[object] = [None, -1, "x", [], {}, [[]], True, 10**30]
        tree[key] = data.draw(st.sampled_from(other))
        return
