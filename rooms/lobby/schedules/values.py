"""
What schedules hand back.

Law: all of them are values that nobody can change, and a list is compact: words are
cut, and those whom a message is for are counted (L-RECUR-13).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from attrs import field, frozen

if TYPE_CHECKING:
    from rooms.lobby.messages import Message
    from rooms.lobby.room import Room

__all__ = ["Cancelled", "Scheduled", "WaitingMessage", "excerpt"]

_EXCERPT = 300
_CUT = "…"


def excerpt(content: str) -> str:
    """Words as a list shows them: 300 characters at most, with an ellipsis if cut."""
    if len(content) <= _EXCERPT:
        return content
    return content[: _EXCERPT - len(_CUT)] + _CUT


def _measured(words: str) -> str:
    return f"<{len(words)} characters>"


@frozen
class WaitingMessage:
    """
    A message that waits for its time.

    Attributes:
        id: Its id, which it keeps.
        room: Where it will be.
        to: Whom it addresses.
        deliver_at: When, UTC.
        recipients: How many conversations it is for.
        content: What it says, at most 300 characters of it.
        content_truncated: Whether that is not all.
    """

    id: str
    room: Room
    to: tuple[str, ...]
    deliver_at: datetime
    recipients: int
    content: str = field(repr=_measured)
    content_truncated: bool = False


@frozen
class Scheduled:
    """
    What somebody has to come.

    Attributes:
        messages: Messages that wait, the soonest first.
    """

    messages: tuple[WaitingMessage, ...]


@frozen
class Cancelled:
    """
    What was cancelled.

    Attributes:
        message: The message, which its recipients never see.
        already_cancelled: Whether it was cancelled before; nothing was done.
    """

    message: Message
    already_cancelled: bool = False
