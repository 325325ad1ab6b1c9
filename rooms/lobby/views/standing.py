"""
Standing: how an agent stands, in one word, for people to look at.

Law: the first that fits is it, and messages decide nothing; that an agent rests is
shown beside it (L-VIEW-01).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from rooms.lobby.working.reporting import Work

__all__ = ["UNANSWERED", "Standing", "standing_of"]

Standing = Literal[
    "not_responding", "waiting_on_owner", "away", "working", "failed", "idle"
]

UNANSWERED = timedelta(minutes=15)
"""How long a message that was written for an agent may be unseen (L-VIEW-01)."""


def standing_of(
    *,
    unseen_since: datetime | None,
    asks: bool,
    connected: bool,
    work: Work | None,
    now: datetime,
) -> Standing:
    """
    How an agent stands.

    Args:
        unseen_since: When the oldest message was written for it that it has not seen,
            and since which it did nothing itself; None for none.
        asks: Whether something of it waits on its owner.
        connected: Whether somebody runs it.
        work: Whether it is in a turn, where anybody said so.
        now: The instant to tell it for.
    """
    if unseen_since is not None and now - unseen_since >= UNANSWERED:
        return "not_responding"
    if asks:
        return "waiting_on_owner"
    if not connected:
        return "away"
    return "idle" if work is None else work.state
