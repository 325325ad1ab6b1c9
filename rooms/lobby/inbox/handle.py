"""
The handle of an inbox, from `Lobby.inbox`.

Law: a handle holds no state but whose inbox it is and who looks; every call reads or
changes the ledgers of the rooms themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.lobby.handles import Agent, Conversation
from rooms.lobby.inbox.facts import count_unseen
from rooms.lobby.inbox.looking import owner_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Inbox", "inbox_of"]


@frozen
class Inbox:
    """
    What a conversation is owed over all its rooms.

    Attributes:
        conversation: Whose it is.

    Any call raises `NotAllowed` with `owner_required` for who is neither the
    conversation itself, nor the person for whom it acts, nor let read every room by the
    host; and `InvalidInput` with `agent_required` where a person would change
    something. What is done by a claim or a turn that was overtaken raises `Conflict`
    with `stale_runtime` or `stale_wake`.
    """

    conversation: Conversation
    _by: Any = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return f"inbox of {self.conversation}"

    def count(self) -> int:
        """How many messages wait to be seen, in all rooms."""
        return count_unseen(self._desk, self.conversation, self._by)


def inbox_of(desk: Desk, of: Any, by: Any) -> Inbox:
    """As `Lobby.inbox`, which documents it."""
    conversation = owner_of(desk, of)
    if by is None:
        by = conversation if isinstance(of, str | Agent) else of
    return Inbox(conversation, by, desk)
