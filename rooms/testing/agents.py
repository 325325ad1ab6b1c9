"""
Agents that say what a test gave them, in place of a model.

Law: what is said depends on the lines and on how often the agent was asked, and on
nothing else; what it was asked stays for the test to look at.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ScriptedAgent"]


class ScriptedAgent:
    """
    An agent with a script: a callable that a host asks instead of a model.

    It takes whatever the host hands an agent, a rendered wake or a `View`, and gives
    its next line: a text, a `Reply`, or anything that a host expects; an exception is
    raised. `agent.answer` is the same for a host that awaits its agents.

    Args:
        lines: What it says, in order.
        then: What it says when its lines are used up. Without it, being asked again is
            an AssertionError: the test is told of a turn too many.

    Attributes:
        heard: What it was asked with, in order; of several arguments the last.

    For a whole day of agents on a virtual clock see `rooms.simulation`.

    >>> coder = ScriptedAgent("on it", TimeoutError("no answer"), then="")
    >>> coder("fix it")
    'on it'
    >>> coder.heard, coder.left
    (['fix it'], 1)
    """

    def __init__(self, *lines: Any, then: Any = None) -> None:
        self._lines = list(lines)
        self._then = then
        self.heard: list[Any] = []

    def __call__(self, *asked: Any) -> Any:
        """The next line, whatever it is asked."""
        self.heard.append(asked[-1] if asked else None)
        if self._lines:
            line = self._lines.pop(0)
        elif self._then is None:
            message = f"asked {len(self.heard)} times, and has no more lines"
            raise AssertionError(message)
        else:
            line = self._then
        if isinstance(line, BaseException):
            raise line
        return line

    async def answer(self, *asked: Any) -> Any:
        """As a call, for hosts that await."""
        return self(*asked)

    @property
    def left(self) -> int:
        """How many lines it has not said yet."""
        return len(self._lines)
