"""
Waited: whether an agent has seen what it was handed, for others to read.

Law: it is an understatement, and no proof of health. What an agent leaves aside while
it goes on is counted no more, though it waits; and only what it does itself clears it
(L-DISC-07, L-DISC-08).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Waited", "waited"]


@frozen
class Waited:
    """
    What an agent was handed and has not seen, without a word of it.

    Attributes:
        count: How many messages were handed to its runtime for certain, and are not
            seen, since it did anything itself: said something, acknowledged, saved a
            checkpoint, was ready.
        since: When the oldest of them was last written for it, UTC; None for none.
        attention: Whether anything was pushed to it in vain, so that a person should
            look.
    """

    count: int = 0
    since: datetime | None = None
    attention: bool = False


def waited(desk: Desk, conversations: Sequence[str]) -> Waited:
    """What the conversations of an agent were handed; the lock is held."""
    oldest: tuple[int, int] | None = None
    count, attention = 0, False
    for one in conversations:
        attention = attention or desk.written.needs_attention(one)
        for unseen in desk.written.unseen(one):
            count += 1
            found = (desk.deliveries.place(unseen.room, unseen.seq), unseen.at)
            oldest = found if oldest is None else min(oldest, found)
    since = None if oldest is None else moment(oldest[1])
    return Waited(count, since, attention)
