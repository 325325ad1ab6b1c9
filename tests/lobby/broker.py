"""What the stories of the broker have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rooms import Conversation, Lobby, RoomsError

__all__ = ["added", "code_of", "inbox", "refusal"]


def added(lobby: Lobby, *names: str, **facts: Any) -> tuple[Conversation, ...]:
    """The conversations of single agents that are added."""
    return tuple(lobby.add_agent(name, **facts).conversation() for name in names)


def refusal(call: Callable[[], Any]) -> RoomsError:
    """How a call is refused."""
    with pytest.raises(RoomsError) as refused:
        call()
    return refused.value


def code_of(call: Callable[[], Any]) -> str:
    """The code with which a call is refused."""
    return refusal(call).code


def inbox(lobby: Lobby, one: Conversation) -> list[str]:
    """What a conversation is owed now over all its rooms, in the order of its wakes."""
    wakes = lobby.take_wakes(conversations=[one], limit=100)
    return [message.content for wake in wakes for message in wake.messages]
