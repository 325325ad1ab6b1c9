"""
What somebody has to come, from `Lobby.schedules`.

Law: a handle holds no state but whose schedules it means; what may be done with them is
decided by `rooms.log.posting`.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.messages import Message, id_meant
from rooms.lobby.schedules.changing import cancel_message, change_message
from rooms.lobby.schedules.listing import waiting_messages
from rooms.lobby.schedules.values import Cancelled, Scheduled
from rooms.lobby.schedules.whose import Whose, whose

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Schedules", "schedules"]


def schedules(desk: Desk, *, by: Any, of: Any) -> Schedules:
    """As `Lobby.schedules`, which documents it."""
    return Schedules(whose(desk, by, of), desk)


@frozen
class Schedules:
    """
    What an agent or a person has to come.

    A message that is to be delivered later is made with `deliver_at=` of `room.post`
    or `lobby.send`; it is listed, changed and cancelled here.

    Any call raises `NotAllowed` with `agent_disabled`, and `Conflict` with
    `stale_runtime` or `stale_wake`, for whoever was overtaken.
    """

    _whose: Whose = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def list(self) -> Scheduled:
        """
        What waits, the soonest first, each cut to what a list shows.

        Source: L-RECUR-12, L-RECUR-13, L-SCHED-14.
        """
        return Scheduled(waiting_messages(self._desk, self._whose))

    def cancel(self, one: str | Message, *, now: datetime | None = None) -> Cancelled:
        """
        Cancels a message before its time: whom it was for never sees it.

        Args:
            one: The message, or its id.

        Raises:
            Conflict: `already_delivered`.
            NotFound: `schedule_not_found` for what was never scheduled, is somebody
                else's, or was cancelled more than a day ago; within a day, to cancel it
                again is no fault.

        Source: L-SCHED-10, L-SCHED-11.
        """
        return cancel_message(self._desk, _meant(one), self._whose, now=now)

    def update(
        self,
        one: str | Message,
        *,
        content: str | None = None,
        deliver_at: datetime | None = None,
        now: datetime | None = None,
    ) -> Message:
        """
        Gives a message that waits other words, or another time; whom it is for, its id
        and its request stay.

        Args:
            one: The message, or its id.
            content: What it says instead.
            deliver_at: When it is to be delivered instead.

        Raises:
            InvalidInput: `invalid_request` where nothing is to be changed;
                `deliver_at_out_of_range`, `naive_time`, `body_empty`.
            OverLimit: `message_too_long`, `inbox_capacity`.
            Conflict: `already_delivered`, `already_cancelled`.
            NotFound: `schedule_not_found`.

        Source: L-SCHED-12, L-SCHED-13.
        """
        if content is None and deliver_at is None:
            raise InvalidInput(
                "content", "is not given", allowed="content or deliver_at, or both"
            )
        return change_message(
            self._desk,
            _meant(one),
            self._whose,
            content=content,
            deliver_at=deliver_at,
            now=now,
        )


def _meant(one: Any) -> str:
    return values.text("one", id_meant("one", one), empty=False)
