"""
What somebody has to come, from `Lobby.schedules`.

Law: a handle holds no state but whose schedules it means; what may be done with them is
decided by `rooms.log.posting` and `rooms.log.schedules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.messages import Message, id_meant
from rooms.lobby.schedules.changing import cancel_message, change_message
from rooms.lobby.schedules.listing import (
    active_schedules,
    schedule_shown,
    waiting_messages,
)
from rooms.lobby.schedules.recurring import (
    Asked,
    cancel_schedule,
    change_schedule,
    create_schedule,
)
from rooms.lobby.schedules.values import (
    Cancelled,
    Schedule,
    Scheduled,
    WaitingMessage,
)
from rooms.lobby.schedules.whose import Whose, whose
from rooms.log.posting import meaning_of
from rooms.pacing import Recurrence

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Schedules", "schedules"]


def schedules(desk: Desk, *, by: Any, of: Any) -> Schedules:
    """As `Lobby.schedules`, which documents it."""
    return Schedules(whose(desk, by, of), desk)


@frozen
class Schedules:
    """
    What an agent or a person has to come.

    A message that is to be delivered later is made with `deliver_at=` of `room.post`
    or `lobby.send`, and one that comes again and again with `create`; both are listed,
    changed and cancelled here.

    Any call raises `NotAllowed` with `agent_disabled`, and `Conflict` with
    `stale_runtime` or `stale_wake`, for whoever was overtaken.
    """

    _whose: Whose = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def create(
        self,
        content: str,
        *,
        repeat: Recurrence,
        to: Any = (),
        room: Room | None = None,
        missed: str = "once",
        request_id: str | None = None,
        attachments: Mapping[str, Any] | None = None,
        kind: str | None = None,
        expects_reply: bool | None = None,
        urgency: str = "normal",
        correlation: str | None = None,
        fields: Mapping[str, Any] | None = None,
        notify_when_seen: bool = False,
        now: datetime | None = None,
    ) -> Schedule:
        """
        Has an agent say something again and again, at local times of day: each time a
        message of its own, which is heard and owed as if it were said then.

        It is tried at once, and refused if it might not be sent; and tried anew each
        time. What cannot be sent then is skipped, with the code in `last_error`, and
        the schedule goes on. The send rate does not count them.

        Args:
            content: What to say.
            repeat: When: `rooms.Recurrence("Europe/Stockholm", ("06:41",))`.
            to: In a room, as for `Room.post`; without one, as for `Lobby.send`.
            room: Where; None sends it to whom `to` names.
            missed: What becomes of times that pass while the host is down. `once`: the
                last one comes, late. `skip`: none does that is over a minute late.
                `all`: each of them comes, late. The others are counted.
            request_id: The same request again answers with the schedule that is there,
                while it is active and for a day after.
            attachments, kind, expects_reply, urgency: As for `Room.post`.
            correlation, fields, notify_when_seen: Likewise.

        Raises:
            InvalidInput: `agent_required` for whoever is not the agent's own
                conversation; `invalid_request` for what is no recurrence.
            OverLimit: `schedule_capacity` where 20 are active.
            IdempotencyConflict: `idempotency_conflict`.
            Refused: All else that a message at once would raise.

        Source: L-RECUR-01 to L-RECUR-11.
        """
        meaning = meaning_of(
            kind=kind,
            expects_reply=expects_reply,
            urgency=urgency,
            correlation=correlation,
            fields=fields,
            notify_when_seen=notify_when_seen,
        )
        asked = Asked(
            content, repeat, room, to, missed, meaning, attachments, request_id
        )
        one, known = create_schedule(self._desk, self._whose, asked, now=now)
        with self._desk.lock:
            agent = self._whose.agent
            return schedule_shown(self._desk, agent, one, duplicate=known)

    def list(self) -> Scheduled:
        """
        What is to come, the soonest first, each cut to what a list shows.

        Source: L-RECUR-12, L-RECUR-13, L-SCHED-14.
        """
        desk, whose = self._desk, self._whose
        return Scheduled(active_schedules(desk, whose), waiting_messages(desk, whose))

    def cancel(self, one: Any, *, now: datetime | None = None) -> Cancelled:
        """
        Cancels a message before its time, which whom it was for never see; or a
        schedule, of which nothing comes any more.

        Args:
            one: The message or the schedule, or its id.

        Raises:
            Conflict: `already_delivered`.
            NotFound: `schedule_not_found` for what was never scheduled, is somebody
                else's, or was cancelled more than a day ago; within a day, to cancel it
                again is no fault.

        Source: L-SCHED-10, L-SCHED-11, L-RECUR-14.
        """
        meant, desk, whose = _meant(one), self._desk, self._whose
        if not _recurs(meant, whose):
            return cancel_message(desk, meant, whose, now=now)
        ended, again = cancel_schedule(desk, whose, meant, now=now)
        with desk.lock:
            shown = schedule_shown(desk, whose.agent, ended)
        return Cancelled(schedule=shown, already_cancelled=again)

    def update(
        self,
        one: Any,
        *,
        content: str | None = None,
        deliver_at: datetime | None = None,
        repeat: Recurrence | None = None,
        now: datetime | None = None,
    ) -> Message | Schedule:
        """
        Gives a message that waits other words, or another time; or a schedule other
        words from its next message on, or other times. Whom it is for, its id and its
        request stay. An older change that comes late overwrites a newer one.

        Args:
            one: The message or the schedule, or its id.
            content: What it says instead.
            deliver_at: When the message is to be delivered instead.
            repeat: When the schedule repeats instead.

        Raises:
            InvalidInput: `invalid_request` where nothing is to be changed, for
                `deliver_at` of a schedule and `repeat` of a message;
                `deliver_at_out_of_range`, `naive_time`, `body_empty`.
            OverLimit: `message_too_long`, `inbox_capacity`.
            Conflict: `already_delivered`, `already_cancelled`.
            NotFound: `schedule_not_found`.

        Source: L-SCHED-12, L-SCHED-13, L-RECUR-15.
        """
        meant, desk, whose = _meant(one), self._desk, self._whose
        recurs = _recurs(meant, whose)
        wrong, given = ("deliver_at", deliver_at) if recurs else ("repeat", repeat)
        if given is not None:
            kind = "schedule" if recurs else "message"
            raise InvalidInput(wrong, f"is given for a {kind}", allowed="nothing")
        if content is None and deliver_at is None and repeat is None:
            raise InvalidInput(
                "content", "is not given", allowed="other words or another time"
            )
        if not recurs:
            return change_message(
                desk, meant, whose, content=content, deliver_at=deliver_at, now=now
            )
        changed = change_schedule(
            desk, whose, meant, content=content, repeat=repeat, now=now
        )
        with desk.lock:
            return schedule_shown(desk, whose.agent, changed)


def _recurs(meant: str, whose: Whose) -> bool:
    """Whether an id may be that of an agent's schedule, and of no message."""
    return bool(whose.agent) and "." not in meant


def _meant(one: Any) -> str:
    given = one.id if isinstance(one, Schedule | WaitingMessage) else one
    return values.text("one", id_meant("one", given), empty=False)
