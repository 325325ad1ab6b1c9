"""
Sweeping: one call that ends whatever is past its time.

Law: each thing that ends says so in its own room's log, and a room that is damaged
keeps no other from being swept.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import frozen

from rooms import values
from rooms.lobby.contents.uploading import lapse
from rooms.lobby.keeping.expiring import expire
from rooms.lobby.waking import idling
from rooms.lobby.waking.idling import Dropped

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Swept", "sweep"]


@frozen
class Swept:
    """
    What a sweep ended.

    Attributes:
        dropped: The subscriptions of those that gave no sign of life for long.
        messages: How many messages went that were kept for as long as their rooms keep
            any.
        uploads: How many contents went that were handed in an hour ago, and that no
            message took.
    """

    dropped: tuple[Dropped, ...] = ()
    messages: int = 0
    uploads: int = 0


def sweep(desk: Desk, *, idle_for: timedelta, now: datetime | None) -> Swept:
    """As `Lobby.sweep`, which documents it."""
    values.duration("idle_for", idle_for, at_least=timedelta(microseconds=1))
    messages = expire(desk, now=now)
    uploads = lapse(desk, now=now)
    dropped = idling.sweep(desk, idle_for=idle_for, now=now)
    return Swept(dropped, messages, uploads)
