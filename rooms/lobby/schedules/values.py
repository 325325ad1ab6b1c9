"""
What schedules hand back.

Law: all of them are values that nobody can change, and a list is compact: words are
cut, and those whom a message is for are counted (L-RECUR-13).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from attrs import field, frozen

from rooms.pacing import Recurrence
from rooms.pacing.recurrence import WEEKDAYS
from rooms.pacing.zones import zone

if TYPE_CHECKING:
    from rooms.lobby.messages import Message
    from rooms.lobby.room import Room

__all__ = ["Cancelled", "Schedule", "Scheduled", "WaitingMessage", "excerpt"]

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
class Schedule:
    """
    What an agent says again and again.

    Attributes:
        id: Its id.
        room: Where; None for whom it is sent to without naming a room.
        to: Whom each message addresses.
        repeat: When.
        missed: What becomes of times that passed while nobody was there: `once`, `skip`
            or `all`.
        next_occurrence_at: When it comes next, UTC; None where it never will.
        occurrence_count: How many messages came of it.
        missed_count: How many of its times passed without a message.
        last_occurrence_at: When the last one came, UTC.
        last_message_id: The id of that message.
        last_error: The code of why its last time had no message, or of why it was
            cancelled; None where all is well.
        cancelled_at: When it was cancelled, UTC.
        content: What it says, at most 300 characters of it.
        content_truncated: Whether that is not all.
        duplicate: Whether the same request had made it before; nothing was done.
    """

    id: str
    room: Room | None
    to: tuple[str, ...]
    repeat: Recurrence
    missed: str
    next_occurrence_at: datetime | None
    occurrence_count: int
    missed_count: int
    last_occurrence_at: datetime | None
    last_message_id: str | None
    last_error: str | None
    cancelled_at: datetime | None
    content: str = field(repr=_measured)
    content_truncated: bool = False
    duplicate: bool = False

    @property
    def next_occurrence_local(self) -> str | None:
        """
        When it comes next by its own clock, such as
        `Fri 2026-10-16 06:41 Europe/Stockholm`.
        """
        if self.next_occurrence_at is None:
            return None
        name = self.repeat.time_zone
        local = self.next_occurrence_at.astimezone(zone("time_zone", name))
        day = WEEKDAYS[local.weekday()].capitalize()
        return f"{day} {local:%Y-%m-%d %H:%M} {name}"


@frozen
class Scheduled:
    """
    What somebody has to come.

    Attributes:
        schedules: Active schedules, the one that comes soonest first.
        messages: Messages that wait, the soonest first.
    """

    schedules: tuple[Schedule, ...]
    messages: tuple[WaitingMessage, ...]


@frozen
class Cancelled:
    """
    What was cancelled.

    Attributes:
        message: The message, which its recipients never see; None for a schedule.
        schedule: The schedule; what came of it stays.
        already_cancelled: Whether it was cancelled before; nothing was done.
    """

    message: Message | None = None
    schedule: Schedule | None = None
    already_cancelled: bool = False
