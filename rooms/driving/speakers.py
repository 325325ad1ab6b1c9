"""
Speakers: what asks an agent when it has the floor.

Law: what nobody is behind passes, so that the room goes on (P-RUN-04).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable, iscoroutine
from typing import Any

from rooms.driving.outcomes import Answer, Reply, answered, failed
from rooms.driving.views import View
from rooms.errors import InvalidInput
from rooms.lobby import Conversation

__all__ = ["Asynchronous", "ByName", "Synchronous", "asked", "to_await"]


class Asynchronous(InvalidInput):
    """A mistake in the call, and no failure of the agent: it loses no turn."""

    def __init__(self, *instead: str) -> None:
        named = " or ".join(f"`{one}`" for one in instead)
        allowed = f"a function; {named} takes it"
        super().__init__("speak", "is asynchronous", allowed=allowed)


class Synchronous(InvalidInput):
    """As `Asynchronous`, of a plain function where a coroutine function belongs."""

    def __init__(self, instead: str) -> None:
        allowed = f"a coroutine function; `{instead}` takes a plain one"
        super().__init__("speak", "is not asynchronous", allowed=allowed)


def to_await(given: Any, *, instead: str) -> Awaitable[Any]:
    """What a coroutine function gives; anything else is a mistake in the call."""
    if not isawaitable(given):
        raise Synchronous(instead)
    return given


def asked(speak: Callable[[Conversation, View], Any], view: View) -> Answer:
    """What a speaker answers at once, or how it failed."""
    try:
        reply = speak(view.conversation, view)
    except Exception as error:  # noqa: BLE001 - an agent may raise anything
        return failed(error)
    if iscoroutine(reply):
        reply.close()
        raise Asynchronous("drive_async", "address_async")
    return answered(reply, may_pass=view.may_pass)


class ByName:
    """Asks each agent's own function; the driver looks at whom it names."""

    def __init__(self, agents: Mapping[str, Callable[[View], Any]]) -> None:
        self.agents = agents

    def __call__(self, conversation: Conversation, view: View) -> Any:
        """What the agent answers; a pass where nobody is behind it."""
        agent = self.agents.get(conversation.agent)
        return _Passes() if agent is None else agent(view)


class _Passes(Reply):
    """A pass that can be awaited, too."""

    def __init__(self) -> None:
        super().__init__(passed=True)

    def __await__(self) -> Any:
        yield from ()
        return Reply(passed=True)
