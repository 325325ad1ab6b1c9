"""
The view: what resolution may ask of a room.

One law: no question costs more than its answer, so a room of 10,000 conversations
resolves an address as fast as one of two. The log's state offers this from indexes that
it keeps anyway: agents by key, labels by agent, those who follow, authors by message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from attrs import field, frozen

__all__ = ["Author", "Member", "RoomView"]


@frozen
class Member:
    """
    An agent as a room sees it.

    Attributes:
        agent: The id as registered.
        threaded: Whether it has many conversations, or one.
        present: Whether it is a member of the room now.
        conversation: The only conversation of a single agent, once there is one; None
            for a threaded agent.
        seated: Whether any conversation of it has, or ever had, a seat in the room.
    """

    agent: str
    threaded: bool = field(kw_only=True)
    present: bool = field(default=True, kw_only=True)
    conversation: str | None = field(default=None, kw_only=True)
    seated: bool = field(default=True, kw_only=True)


@frozen
class Author:
    """Who wrote a message: a conversation of an agent, or a person (both None)."""

    agent: str | None = None
    conversation: str | None = None


class RoomView(Protocol):
    """
    What resolution asks of a room; each answer costs no more than its length.

    Agents are named by `name_key(id)` (an index by key), labels as `check_label` has
    them (an index by agent and by every label ever held), conversations by our own ids.
    """

    def member(self, key: str, /) -> Member | None:
        """The agent of that key, whether it is in the room or not."""

    def labelled(self, agent: str, label: str, /) -> str | None:
        """The conversation that has, or ever had, the label (`G-LABEL-06`)."""

    def following(self, agent: str, /) -> Sequence[str]:
        """The conversations of an agent that follow the room, in their order."""

    def everyone_following(self) -> Sequence[str]:
        """All conversations that follow the room, in their order."""

    def left(self, conversation: str, /) -> bool:
        """Whether the conversation left the room by its own choice (`G-ROOM-14`)."""

    def author(self, message: str, /) -> Author | None:
        """Who wrote the message, or None for a message that the room does not have."""

    def last_partner(self, conversation: str, /) -> str | None:
        """The address with which the conversation last talked here."""

    def agents(self) -> Iterable[str]:
        """The ids of the members; read only as far as a refusal needs them."""

    def labels(self, agent: str, /) -> Iterable[str]:
        """The labels of an agent's conversations; read in the same manner."""
