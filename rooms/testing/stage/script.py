"""A script of a stage: what is asked, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

__all__ = ["Command", "Outcome"]


@frozen
class Outcome:
    """
    What a command came to.

    Attributes:
        answer: What was returned; handles in it are equal where their ids are.
        refusal: The error's class, code and words, or None.
        details: The error's details.
    """

    answer: Any = None
    refusal: tuple[str, str, str] | None = None
    details: Mapping[str, Any] = field(factory=dict)


@frozen
class Command:
    """
    A call of one of the verbs of a `Stage`.

    >>> str(Command("post", {"by": "eve", "text": "hello"}))
    "stage.post(by='eve', text='hello')"
    """

    verb: str
    options: Mapping[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"stage.{self.verb}({given})"
