"""
An agent of a run while it is played: its part, its chance, and what it remembers.

Law: what it says is decided once, and has a request id of its own, so that saying it
again after a failure says it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define

from rooms.errors import InvalidInput
from rooms.simulation.parts import Heard, Part
from rooms.simulation.saying import Call, Say

if TYPE_CHECKING:
    from rooms import Wake
    from rooms.lobby.team.briefing import Brief

__all__ = ["PartRaised", "Voice"]

_ANSWERS = "text, a Say, a Call, several of them, or None"


class PartRaised(Exception):
    """A part raised instead of answering."""


@define
class Voice:
    """
    An agent in one run.

    Attributes:
        name: The agent's.
        part: What it plays.
        random: Its own random source.
        speak: What answers, begun anew for the run.
        others: The other agents' names, sorted.
    """

    name: str
    part: Part
    random: Random
    speak: Callable[[Heard], Any]
    others: tuple[str, ...]
    turns: int = 0
    posts: int = 0

    def fails(self) -> bool:
        """Whether its next turn fails; drawn each time."""
        return self.random.random() < self.part.fails

    def asked(
        self,
        now: datetime,
        wake: Wake | None,
        brief: Callable[[], Brief | None] = lambda: None,
    ) -> list[tuple[str, Say | Call]]:
        """
        What it says and does, each with a request id.

        Raises:
            PartRaised: Where its part does.
        """
        heard = Heard(
            *(self.name, now, wake, self.random, self.others, self.turns), brief=brief
        )
        self.turns += 1
        try:
            return self._worded(self.speak(heard))
        except Exception as error:  # a part may raise anything
            told = f"the part of {self.name} raised {type(error).__name__}: {error}"
            raise PartRaised(told) from error

    def _worded(self, answer: Any) -> list[tuple[str, Say | Call]]:
        if answer is None:
            return []
        if isinstance(answer, str | Say | Call):
            answer = [answer]
        if not isinstance(answer, Iterable):
            kind = type(answer).__name__
            raise InvalidInput("its answer", f"is of type {kind}", allowed=_ANSWERS)
        worded: list[tuple[str, Say | Call]] = []
        for one in answer:
            self.posts += 1
            say = one if isinstance(one, Say | Call) else Say(one)
            worded.append((f"{self.name}-{self.posts}", say))
        return worded
