"""Whom an argument means: who acts, which conversation, which agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import Address, AddressKind, parse_address
from rooms.errors import InvalidInput
from rooms.lobby.handles.agent import Agent
from rooms.lobby.handles.conversation import Conversation
from rooms.lobby.handles.person import Person
from rooms.lobby.runtimes.claiming import Claim
from rooms.log.actors import Actor
from rooms.log.directory import AgentEntry

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["actor_of", "agent_meant", "conversation_of"]


def actor_of(by: Any, desk: Desk, *, field: str = "by") -> Actor:
    """
    Who acts: a conversation, a person, a turn, or a claim.

    A handle of another lobby is nobody here, unless this one knows whom it names.
    """
    actor = getattr(by, "actor", None)
    if isinstance(actor, Actor):
        handle = by.conversation if isinstance(by, Claim) else by
        if getattr(handle, "_desk", None) is not desk:
            desk.check_known(actor)
        return actor
    raise _nobody(field, by, "a conversation, a person, a turn or a claim")


def conversation_of(by: Any, *, field: str = "by") -> Conversation:
    """The conversation that acts; a person is refused with `agent_required`."""
    if isinstance(by, Conversation):
        return by
    conversation = getattr(by, "conversation", None)
    if isinstance(conversation, Conversation):
        return conversation
    if isinstance(by, Person):
        raise InvalidInput(
            field,
            "is a person",
            allowed="an agent's conversation",
            code="agent_required",
        )
    raise _nobody(field, by, "an agent's conversation, a turn or a claim")


def agent_meant(desk: Desk, given: Any, *, field: str = "agent") -> AgentEntry:
    """
    The agent that a handle, an id or an address such as `agent:Gennie` means.

    Raises:
        InvalidInput: `agent_required` for a person, `bad_address`, `invalid_request`.
        NotFound: `agent_not_found`.
    """
    if isinstance(given, Person):
        raise _person_given(field)
    name = given.id if isinstance(given, Agent) else given
    if isinstance(given, Address):
        name = str(given)
    text = values.text(field, name, empty=False)
    if ":" in text:
        address = parse_address(text)
        if address.kind is AddressKind.PERSON:
            raise _person_given(field)
        if address.kind is not AddressKind.AGENT or address.name is None:
            raise InvalidInput(field, "is no agent's", allowed="agent:<id>")
        text = address.name
    with desk.lock:
        known = desk.directory().agent(text)
        if known is None and text in desk.directory().persons.values():
            raise _person_given(field)
        return desk.agent(text) if known is None else known


def _nobody(field: str, given: Any, allowed: str) -> InvalidInput:
    """Who cannot act; an agent and a name are told how they come to a conversation."""
    if isinstance(given, Agent):
        allowed += "; `agent.conversation()` is the one of a single agent"
    elif isinstance(given, str):
        allowed += "; `lobby.conversation(name)` is the one of a single agent"
        if "person" in allowed.partition(";")[0]:
            allowed += ", `lobby.person(name)` a person"
    elif hasattr(given, "sync"):
        allowed += "; of a turn of `rooms.aio`, its `sync`"
    return InvalidInput(field, f"is of type {type(given).__name__}", allowed=allowed)


def _person_given(field: str) -> InvalidInput:
    return InvalidInput(field, "is a person", allowed="an agent", code="agent_required")
