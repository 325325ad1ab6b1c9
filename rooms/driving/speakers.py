"""
Speakers: what asks an agent when it has the floor.

Law: what nobody is behind passes, so that the room goes on (P-RUN-04).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rooms.driving.outcomes import Reply
from rooms.driving.views import View
from rooms.lobby import Conversation

__all__ = ["ByName"]


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
