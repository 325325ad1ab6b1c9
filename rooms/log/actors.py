"""
Actors: who does something, and on whose word.

Two laws. An actor is an argument and never read out of a text. And authority is a
person's: a conversation acts on its own initiative, and a turn that a room message woke
never has anybody's word (foundation 15).
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

__all__ = ["SYSTEM", "Actor"]


@frozen
class Actor:
    """
    Who acts.

    Attributes:
        kind: `conversation`, `person`, or `system` for what falls due by itself.
        id: The conversation's id or the person's name.
        agent: The conversation's agent, else "".
        word_of: The person on whose word a turn acts, else "". A person has its own.
        wake: The wake that opened the turn, else "".
        generation: The claim that the conversation acts under; 0 where it has none.
        runtime: The runtime's name and incarnation, as the claim has them; None where
            it does not act by the claim itself, as in a turn on a wake.
    """

    kind: Literal["conversation", "person", "system"]
    id: str = ""
    agent: str = ""
    word_of: str = ""
    wake: str = ""
    generation: int = 0
    runtime: tuple[str, str] | None = None

    @property
    def recorded(self) -> str:
        """The actor as a record names it."""
        if self.kind == "conversation":
            return self.id
        return f"person:{self.id}" if self.kind == "person" else "system"

    @property
    def conversation(self) -> str | None:
        """The conversation's id, or None for a person."""
        return self.id if self.kind == "conversation" else None

    @property
    def person(self) -> str | None:
        """Who stands behind this with an own word, or None."""
        if self.kind == "person":
            return self.id
        return self.word_of or None


SYSTEM = Actor("system")
"""Whoever records what falls due by itself, or what a lobby does of its own."""
