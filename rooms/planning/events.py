"""
What a planner reads: the events of a shared transcript.

An event is a frozen, hashable value that says who spoke, what, and in which round. It
is checked once, when it is made, so that no planner meets a round below zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput

__all__ = ["Event", "RoomEvent"]


class Event(Protocol):
    """
    What a planner needs of an event; PraisonAI's own `RoomEvent` has it too.

    An object that also has `human` (True, False or None) fixes with it whether a person
    spoke; without it, or with None, whoever is not on the roster is a person.
    """

    @property
    def speaker(self) -> str:
        """The id of an agent on the roster, or anybody else's."""

    @property
    def content(self) -> str:
        """The text; `@name` in an agent's text admits that agent to the next round."""

    @property
    def round(self) -> int:
        """The round that the turn belonged to, from 0."""

    @property
    def passed(self) -> bool:
        """Whether the speaker had its turn and said nothing of substance."""


@frozen
class RoomEvent:
    """
    One immutable entry of a room's transcript.

    Attributes:
        speaker: An agent id of the roster, or any other id; not empty.
        content: The text, any characters.
        round: The round of the turn, from 0. A person's event counts as round 0
            whatever it carries.
        passed: The speaker was scheduled and passed: the turn is used up.
        human: True or False fixes for good whether a person spoke; None leaves it to
            the roster that the planner is asked with.

    Raises:
        InvalidInput: `invalid_request` for a wrong type, an empty speaker or a negative
            round.

    Source: P-EVENT-01 to 03. Refusing what the original lets in is P-EVENT-05; `human`
    answers P-EVENT-04, by which dropping an agent from the roster rewrites history.

    >>> RoomEvent("coder", "done, @reviewer please", round=1).passed
    False
    """

    speaker: str
    content: str = ""
    round: int = 0
    passed: bool = False
    human: bool | None = None

    def __attrs_post_init__(self) -> None:
        values.text("speaker", self.speaker, empty=False)
        values.text("content", self.content)
        values.whole_number("round", self.round, at_least=0)
        values.flag("passed", self.passed)
        if self.human is not None:
            values.flag("human", self.human)


def speaks_for_a_person(event: Event, roster: frozenset[str] | set[str]) -> bool:
    """Whether a person spoke: as the event says, else whoever is not on the roster."""
    human: Any = getattr(event, "human", None)
    return event.speaker not in roster if human is None else bool(human)


def from_mapping(field: str, event: Mapping[Any, Any]) -> InvalidInput:
    """What is said of an event as it was loaded from JSON, and not yet made one."""
    kind = type(event).__name__
    return InvalidInput(field, f"is a {kind}", allowed="an event: RoomEvent(**it)")
