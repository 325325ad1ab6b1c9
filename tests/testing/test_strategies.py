"""The strategies give what they say: valid values, and commands a stage can play."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rooms import Address, Lobby, RoomPolicy, Subscription, parse_address
from rooms.addressing import check_agent_id, check_label, find_mentions
from rooms.errors import InvalidInput
from rooms.hearing import check_mode_for
from rooms.pacing import RateWindow
from rooms.testing import Command, CountingIds, FakeClock, Stage, strategies
from rooms.testing.commands import commands

NAMES = ("Eve", "ben", "cy")
VERBS = sorted(
    name
    for name, verb in inspect.getmembers_static(Stage)
    if callable(verb)
    and not name.startswith("_")
    and name not in {"perform", "go_on_with", "actor", "room", "message"}
)


@given(strategies.agent_ids())
def test_agent_ids_may_be_given_to_agents(name: str) -> None:
    assert check_agent_id(name) == name


@given(strategies.labels())
def test_labels_may_be_given_to_conversations(label: str) -> None:
    assert check_label(label) == label


@given(strategies.addresses())
def test_addresses_read_back(address: Address) -> None:
    assert parse_address(str(address)) == address


@given(strategies.mention_texts(NAMES))
def test_texts_of_mentions_call_only_those_who_are_there(text: str) -> None:
    assert set(find_mentions(text, NAMES).names) <= set(NAMES)


@given(strategies.hostile_texts())
def test_hostile_texts_can_be_stored(text: str) -> None:
    assert text.encode().decode() == text


@given(strategies.policies())
def test_policies_are_what_they_record(policy: RoomPolicy) -> None:
    assert RoomPolicy.from_record(policy.recorded()) == policy


@given(strategies.subscriptions(threaded=False))
def test_a_single_agent_may_choose_such_a_subscription(
    subscription: Subscription,
) -> None:
    assert check_mode_for(subscription.mode, threaded=False) == subscription.mode


@pytest.mark.parametrize("kind", [Address, RateWindow, RoomPolicy, Subscription])
def test_hypothesis_knows_the_values(kind: type[Any]) -> None:
    @settings(max_examples=5)
    @given(st.from_type(kind))
    def is_one(value: Any) -> None:
        assert isinstance(value, kind)

    is_one()


def test_testing_without_strategies_loads_no_hypothesis() -> None:
    program = "import sys, rooms.testing.stage; print('hypothesis' in sys.modules)"

    told = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert told.split() == ["False"]


# -- commands


def test_there_are_commands_for_every_verb() -> None:
    for verb in VERBS:
        assert commands(verb) is not None
    assert len(VERBS) > 25
    assert get_type_hints(Command)["verb"] is str


def test_another_verb_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"verb is 'pst'; allowed: .*post, "):
        commands("pst")


@settings(max_examples=300, derandomize=True)
@given(st.lists(st.one_of(*map(commands, VERBS)), max_size=12))
def test_a_stage_plays_every_command_or_says_why_not(played: list[Command]) -> None:
    clock = FakeClock()
    with Lobby.in_memory(clock=clock, ids=CountingIds()) as lobby:
        stage = Stage(lobby, clock)
        stage.add_agent("Eve", threaded=True)
        stage.add_agent("ben")
        stage.add_agent("cy")
        stage.start("Eve", label="work")
        stage.create_room("r", by="ben")
        for command in played:
            outcome = stage.perform(command)

            assert outcome.refusal is None or outcome.answer is None
            assert str(command).startswith(f"stage.{command.verb}(")


def test_a_commands_text_is_the_call_itself() -> None:
    command = Command("post", {"text": "hello", "by": "ben", "to": ["room"]})
    lobby = Lobby.in_memory(clock=FakeClock())
    stage = Stage(lobby, FakeClock())
    stage.add_agent("ben")
    stage.create_room("r", by="ben")

    exec(str(command), {"stage": stage})

    assert [one.content for one in lobby.room("r").read(by=lobby.person("a"))] == [
        "hello"
    ]


def test_a_stage_that_goes_on_with_another_handle_forgets_what_it_had_in_hand() -> None:
    clock = FakeClock()
    lobby = Lobby.in_memory(clock=clock)
    stage = Stage(lobby, clock)
    stage.add_agent("ben")
    stage.add_agent("cy")
    stage.create_room("r", by="ben")
    stage.join("cy")
    stage.post("hello", by="ben", to=["agent:cy"])
    stage.take()
    assert len(stage.wakes) == 1

    stage.go_on_with(Lobby(lobby._desk.storage, clock=clock))

    assert (stage.wakes, stage.turns, stage.claims) == ([], [], [])
    assert stage.perform(Command("open_turn", {"wake": 0})).answer is None
    assert [one.id for one in stage.lobby.rooms] == stage.rooms
