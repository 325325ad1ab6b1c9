"""
Scheduling: what the caller has to come, listed, changed and cancelled.

Law: an instant is written with its offset, so that nobody has to guess whose clock is
meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.schedules.handle import Schedules, schedules
from rooms.lobby.schedules.values import Schedule, WaitingMessage
from rooms.pacing import Recurrence
from rooms.pacing.recurrence import WEEKDAYS
from rooms.tools import telling
from rooms.tools.arguments import Argument, Choice, Many, Record, Text
from rooms.tools.tool import Caller, Tool

__all__ = ["DELIVER_AT", "REPEAT", "TOOLS", "Instant", "recurrence", "recurring"]


@frozen
class Instant:
    """An instant in ISO 8601, with `Z` or an offset."""

    def schema(self) -> dict[str, Any]:
        """As `Kind.schema`."""
        return {"type": "string", "format": "date-time"}

    def checked(self, field: str, value: Any) -> datetime:
        """As `Kind.checked`."""
        text = values.storable(field, value)
        try:
            return values.instant(field, datetime.fromisoformat(text))
        except InvalidInput:
            raise
        except ValueError:
            raise InvalidInput(
                field, "is no instant", allowed="such as 2026-03-02T12:00:00Z"
            ) from None


DELIVER_AT = Argument(
    "deliver_at",
    Instant(),
    "When it is to be delivered, up to 30 days ahead, such as 2026-03-02T12:00:00Z."
    " Left out, it is at once.",
    optional=True,
)


REPEAT = Record(
    (
        Argument("time_zone", Text(1), "Whose clock, such as `Europe/Stockholm`."),
        Argument("times", Many(Text(5, 5), 24, 1), "Local times, such as `06:41`."),
        Argument(
            "weekdays",
            Many(Choice(WEEKDAYS), 7, 1),
            "On which days; every day if left out.",
            optional=True,
        ),
    )
)


def recurrence(given: Mapping[str, Any]) -> Recurrence:
    """A recurrence as an argument has it."""
    return Recurrence(given["time_zone"], given["times"], given.get("weekdays"))


def _own(caller: Caller) -> Schedules:
    return schedules(caller.desk, by=caller.by, of=None)


def _waiting(one: WaitingMessage) -> dict[str, Any]:
    return {
        "id": one.id,
        "room": one.room.id,
        "deliver_at": telling.instant(one.deliver_at),
        "recipients": one.recipients,
        **telling.said(to=list(one.to), content_truncated=one.content_truncated),
        "content": one.content,
    }


def recurring(one: Schedule) -> dict[str, Any]:
    """A schedule that recurs, as a list has it."""
    repeat = one.repeat
    return {
        "id": one.id,
        "repeat": {
            "time_zone": repeat.time_zone,
            "times": list(repeat.times),
            **telling.said(weekdays=list(repeat.weekdays or ())),
        },
        "next_occurrence_at": telling.instant(one.next_occurrence_at),
        "next_occurrence_local": one.next_occurrence_local,
        "occurrence_count": one.occurrence_count,
        **telling.said(
            room=None if one.room is None else one.room.id,
            to=list(one.to),
            missed=None if one.missed == "once" else one.missed,
            missed_count=one.missed_count,
            last_occurrence_at=telling.instant(one.last_occurrence_at),
            last_message_id=one.last_message_id,
            last_error=one.last_error,
            cancelled_at=telling.instant(one.cancelled_at),
            content_truncated=one.content_truncated,
        ),
        "content": one.content,
    }


def _list(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    del given
    found = _own(caller).list()
    return {
        "schedules": [recurring(one) for one in found.schedules],
        "messages": [_waiting(one) for one in found.messages],
    }


def _cancel(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    done = _own(caller).cancel(given["id"], now=caller.now)
    return {
        "cancelled": "message" if done.message else "schedule",
        "id": given["id"],
        "already_cancelled": done.already_cancelled,
    }


def _update(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    repeat = given.get("repeat")
    changed = _own(caller).update(
        given["id"],
        content=given.get("content"),
        deliver_at=given.get("deliver_at"),
        repeat=None if repeat is None else recurrence(repeat),
        now=caller.now,
    )
    if isinstance(changed, Schedule):
        return {"updated": "schedule", "schedule": recurring(changed)}
    return {"updated": "message", "message": telling.message(changed)}


_ID = Argument("id", Text(1), "Its id, as the list has it.")

TOOLS = (
    Tool(
        "list_schedules",
        "See what you have to come: schedules that recur, and messages that wait for"
        " their time, the soonest first. `recipients` is how many they are for.",
        _list,
        reads=True,
    ),
    Tool(
        "update_scheduled",
        "Give a message of yours that waits other words, or another time; or a schedule"
        " other words from its next message on, or other times. Whom it is for stays.",
        _update,
        (
            _ID,
            Argument("content", Text(1), "What it says instead.", optional=True),
            Argument(
                "deliver_at",
                Instant(),
                "When a message is to be delivered instead.",
                optional=True,
            ),
            Argument("repeat", REPEAT, "When a schedule repeats.", optional=True),
        ),
    ),
    Tool(
        "cancel_scheduled",
        "Cancel a message of yours before its time, or a schedule. Nobody ever sees"
        " what is cancelled; what a schedule sent by then stays.",
        _cancel,
        (_ID,),
        destroys=True,
    ),
)
