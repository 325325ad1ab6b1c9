"""The handle of a person, of whom nothing is kept but its name."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from attrs import field, frozen

from rooms.log.actors import Actor

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Person"]


@frozen
class Person:
    """
    A person, who watches, and posts where a room's policy lets people post.

    Attributes:
        name: Its name, one spelling in the whole lobby.
    """

    name: str
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return f"person:{self.name}"

    @property
    def actor(self) -> Actor:
        """
        The person as an actor, on its own word.

        :meta private:
        """
        return _acting(self.name)


_acting = lru_cache(maxsize=1_024)(partial(Actor, "person"))
