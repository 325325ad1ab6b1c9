"""
Listing what is to come.

Law: a list costs what it returns, and says no more of a message than a list needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import words_at
from rooms.lobby.schedules.firing import created_of
from rooms.lobby.schedules.values import Schedule, WaitingMessage, excerpt
from rooms.log.posting import MOST_WAITING
from rooms.log.records import record_id
from rooms.log.schedules import ScheduleState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.schedules.whose import Whose

__all__ = ["active_schedules", "schedule_shown", "waiting_messages"]


LAST = 2**63  # behind every time


def active_schedules(desk: Desk, whose: Whose) -> tuple[Schedule, ...]:
    """The schedules of somebody's that are active, the soonest first."""
    if not whose.agent:
        return ()
    with desk.lock:
        check_fence(desk, whose.actor)
        every = desk.talks(whose.agent).schedules.values()
        active = [one for one in every if not one.cancelled_at]
        active.sort(key=lambda one: (one.next or LAST, one.created))
        return tuple(schedule_shown(desk, whose.agent, one) for one in active)


def schedule_shown(
    desk: Desk, agent: str, one: ScheduleState, *, duplicate: bool = False
) -> Schedule:
    """A schedule as a list shows it; the lock is held."""
    from rooms.lobby.room import Room  # noqa: PLC0415 - a lobby makes its rooms' handles

    made, text = created_of(desk, agent, one)
    said = excerpt(text)
    last = record_id(one.last_room, one.last_record) if one.last_record else None
    return Schedule(
        one.id,
        Room(one.room, desk) if one.room else None,
        made.to,
        one.repeat,
        one.missed,
        moment(one.next) if one.next and not one.cancelled_at else None,
        one.count,
        one.dropped,
        moment(one.last_at) if one.last_at else None,
        last,
        one.error or None,
        moment(one.cancelled_at) if one.cancelled_at else None,
        said,
        content_truncated=said != text,
        duplicate=duplicate,
    )


def waiting_messages(desk: Desk, whose: Whose) -> tuple[WaitingMessage, ...]:
    """The messages of somebody's that wait, the soonest first."""
    found = []
    with desk.lock:
        check_fence(desk, whose.actor)
        for room, version in desk.coming.of(whose.sender, limit=MOST_WAITING):
            with desk.passing_over(room):
                shown = _shown(desk, room, version)
                if shown is not None:
                    found.append(shown)
    return tuple(found)


def _shown(desk: Desk, room: str, version: int) -> WaitingMessage | None:
    from rooms.lobby.room import Room  # noqa: PLC0415 - a lobby makes its rooms' handles

    coming = desk.room(room).coming
    waiting = None if coming is None else coming.waiting.get(version)
    fact = desk.fact(room_stream(room), version)
    at = None if waiting is None else moment(waiting.due)
    if waiting is None or fact is None or at is None:
        return None
    words = words_at(desk, room, fact, waiting.words)
    said = excerpt(words.text)
    count = len(waiting.reached) + len(words.accepted.starts)
    return WaitingMessage(
        record_id(room, version),
        Room(room, desk),
        words.accepted.to,
        at,
        count,
        said,
        content_truncated=said != words.text,
    )
