"""Labels and threads of an agent's conversations (G-LABEL)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from log.room import room
from rooms.errors import Conflict, InvalidInput, NotFound
from rooms.log import agents, runtimes
from rooms.log.agents import AgentState
from rooms.log.events import Event, Fact


def fold(state: AgentState, events: Iterable[Event]) -> AgentState:
    for event in events:
        agents.evolve(state, Fact(state.version + 1, 7, "system", 1, event))
    return state


def having(**labels: str) -> AgentState:
    """Conversations with the labels that somebody chose for them."""
    state = AgentState()
    for conversation, label in labels.items():
        fold(state, agents.start(state, conversation, label=label))
    return state


def label(state: AgentState, conversation: str) -> str:
    return state.talk(conversation).label


@pytest.mark.rule("G-LABEL-01")
def test_a_chosen_label_is_kept_in_its_one_form() -> None:
    state = having(c1="Acme-Renewal")

    assert label(state, "c1") == "acme-renewal"
    for wrong in ("two words", "a" * 33, "", "-x"):
        with pytest.raises(InvalidInput):
            agents.start(state, "c2", label=wrong)


@pytest.mark.rule("G-LABEL-02")
def test_a_first_post_names_a_conversation_that_nobody_named() -> None:
    state = fold(AgentState(), agents.start(AgentState(), "c1"))
    fold(state, agents.label_from_post(state, "c1", "Renewal of Acme\nmore words"))

    assert label(state, "c1") == "renewal-of-acme"
    assert agents.label_from_post(state, "c1", "Something else again") == []
    assert agents.label_from_post(having(c2="mine"), "c2", "Not asked for") == []


@pytest.mark.rule("G-LABEL-02")
def test_a_subject_names_a_conversation_from_its_start() -> None:
    state = AgentState()
    fold(state, agents.start(state, "c1", about="The Orders migration, again"))

    assert label(state, "c1") == "the-orders-migration-again"


@pytest.mark.rule("G-LABEL-03")
def test_a_label_that_is_held_gets_a_suffix_for_one_agent_only() -> None:
    state, other = having(c1="acme", c2="acme", c3="acme"), having(c9="acme")

    assert [label(state, one) for one in ("c1", "c2", "c3")] == [
        "acme",
        "acme-2",
        "acme-3",
    ]
    assert label(other, "c9") == "acme"


@pytest.mark.rule("G-LABEL-04")
@pytest.mark.parametrize("word", ["new", "all", "NEW", "All"])
def test_the_words_of_addresses_are_no_labels(word: str) -> None:
    state = having(c1="acme")

    with pytest.raises(InvalidInput):
        agents.start(state, "c2", label=word)
    with pytest.raises(InvalidInput):
        agents.relabel(state, "c1", word)


@pytest.mark.rule("G-LABEL-05")
def test_another_thread_leaves_the_label_as_it_is() -> None:
    state = AgentState()
    fold(state, agents.start(state, "c1", label="acme", thread="t-1"))

    fold(state, agents.bind(state, "c1", "t-2"))

    assert label(state, "c1") == "acme"
    assert state.threads == {"t-2": "c1"}
    assert agents.bind(state, "c1", "t-2") == []


@pytest.mark.rule("G-LABEL-06", "G-LABEL-07", "G-ADDR-13")
def test_old_labels_stay_taken_and_go_on_reaching() -> None:
    # The seventh of the eight subtlest rules.
    hall = room("ben", "Eve/acme", "Eve/other")
    own = hall.post("Eve/acme", at=1)
    eve = hall.talk("Eve")
    hall.say("Eve", agents.relabel(eve, "Eve/acme", "acme-renewal"))

    hall.say("Eve", agents.relabel(eve, "Eve/other", "acme"))

    assert label(eve, "Eve/acme") == "acme-renewal"
    assert label(eve, "Eve/other") == "acme-2"
    assert hall.post("ben", "agent:Eve/acme", at=2).ready == ["Eve/acme"]
    assert hall.post("ben", "agent:Eve/acme-renewal", at=3).ready == ["Eve/acme"]
    assert hall.post("ben", "agent:Eve/acme-2", at=4).ready == ["Eve/other"]
    assert hall.post("ben", reply_to=own, at=5).ready == ["Eve/acme"]


@pytest.mark.rule("G-LABEL-06")
def test_a_former_label_may_be_the_current_one_again() -> None:
    state = having(c1="one")
    fold(state, agents.relabel(state, "c1", "two"))
    fold(state, agents.relabel(state, "c1", "one"))

    assert state.talk("c1").labels == ["two", "one"]
    assert state.labels == {"one": "c1", "two": "c1"}


def test_asking_for_the_same_label_again_changes_nothing() -> None:
    state = having(c1="acme", c2="other")
    fold(state, agents.relabel(state, "c2", "acme"))

    assert label(state, "c2") == "acme-2"
    assert agents.relabel(state, "c2", "acme") == []
    assert agents.relabel(state, "c2", "acme-2") == []


@pytest.mark.rule("G-LABEL-08")
def test_a_suffix_stays_within_the_length() -> None:
    longest = "a" * 32

    state = having(c1=longest, c2=longest)

    assert label(state, "c2") == "a" * 30 + "-2"


def test_a_thread_carries_one_conversation() -> None:
    state = AgentState()
    fold(state, agents.start(state, "c1", thread="t-1"))
    fold(state, agents.start(state, "c2"))

    with pytest.raises(Conflict) as refusal:
        agents.bind(state, "c2", "t-1")
    assert (refusal.value.code, refusal.value.current) == ("thread_bound", "c1")
    with pytest.raises(Conflict):
        agents.start(state, "c3", thread="t-1")


def test_each_claim_has_the_next_generation() -> None:
    state = having(c1="acme")
    fold(state, runtimes.claim(state.talk("c1")))
    fold(state, runtimes.claim(state.talk("c1")))

    assert state.talk("c1").generation == 2
    assert state.talk("c1").claimed_at == 7
    with pytest.raises(NotFound):
        state.talk("c9")
