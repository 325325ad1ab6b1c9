"""
Recurring schedules: what an agent says again and again, in its own stream.

    created --fires, or is skipped, again and again--> cancelled --a day--> forgotten

Three laws. The next time stands in the record that brought it, so folding asks no
clock and no time zone. What fires and the record that it did are one commit, each slot
once, and what was missed is counted, also where it is given other times or ends before
anybody fired it. And it is a message of its agent's conversation,
with the depth that it had when it was made: a chain of answers has its end, however
often it repeats.

Times are microseconds, UTC.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from attrs import define

from rooms.errors import Conflict, InvalidInput, NotFound, OverLimit
from rooms.log.events import Event, Fact, recorded
from rooms.pacing import Recurrence
from rooms.values import micros, moment

__all__ = [
    "MISSED",
    "MOST_ACTIVE",
    "Firing",
    "Schedule",
    "ScheduleCancelled",
    "ScheduleChanged",
    "ScheduleCreated",
    "ScheduleFired",
    "ScheduleForgotten",
    "ScheduleSkipped",
    "ScheduleState",
    "cancel",
    "change",
    "check_capacity",
    "evolve",
    "firing",
    "first_slot",
    "next_slot",
    "not_found",
    "schedule_of",
]

MISSED = ("once", "skip", "all")
"""
What becomes of times that passed while nobody was there: the last one runs, late, or
none, or all of them, each late.
"""

MOST_ACTIVE = 20
"""How many schedules of one agent are active at once (L-RECUR-03)."""

_ON_TIME = 60_000_000
_REMEMBERED = 24 * 3_600_000_000
_HOUR = 3_600_000_000


@recorded(
    "schedule_created",
    body=("text", "attachments", "correlation", "structured"),
    sparse=("attachments", "correlation", "structured"),
)
class ScheduleCreated(Event):
    """
    A conversation says something again and again.

    Attributes:
        schedule: The schedule's id.
        sender: The conversation.
        room: Where; "" for whom it is sent to without naming a room.
        to: Whom each message addresses.
        time_zone, times, weekdays: When, as `Recurrence` has them; () is every day.
        next: The first time.
        missed: What becomes of times that were missed, one of `MISSED`.
        hops: How far it is from a person's word.
        wake: The wake in whose turn it was made.
        files, types, kind, expects_reply, urgency, notify_when_seen: As in a message.
    """

    schedule: str
    sender: str
    time_zone: str
    times: tuple[str, ...]
    next: int
    room: str = ""
    to: tuple[str, ...] = ()
    weekdays: tuple[str, ...] = ()
    missed: str = "once"
    hops: int = 0
    wake: str = ""
    files: tuple[tuple[str, int, bool], ...] = ()
    types: tuple[str, ...] = ()
    kind: str = ""
    expects_reply: bool | None = None
    urgency: str = "normal"
    notify_when_seen: bool = False
    text: str = ""
    attachments: tuple[tuple[str, str], ...] = ()
    correlation: str = ""
    structured: str = ""


@recorded("schedule_changed", body=("text",))
class ScheduleChanged(Event):
    """
    A schedule has the words and the times of this record from its next message on.

    `before` is the record that held its words until then.
    """

    schedule: str
    time_zone: str
    times: tuple[str, ...]
    next: int
    before: int
    weekdays: tuple[str, ...] = ()
    text: str = ""


@recorded("schedule_fired")
class ScheduleFired(Event):
    """
    One of its times was used: by the message that a record of a room brought, in the
    same commit. `missed` earlier ones passed, and `next` comes.
    """

    schedule: str
    slot: int
    room: str
    record: int
    missed: int = 0
    next: int = 0


@recorded("schedule_skipped")
class ScheduleSkipped(Event):
    """One of its times passed without a message, for the reason with that code."""

    schedule: str
    slot: int
    code: str
    missed: int = 0
    next: int = 0


@recorded("schedule_cancelled")
class ScheduleCancelled(Event):
    """
    Nothing comes of it any more: `cancelled`, or as its room is gone, `room_deleted` or
    `room_archived`.
    """

    schedule: str
    why: str = "cancelled"


@recorded("schedule_forgotten")
class ScheduleForgotten(Event):
    """
    A day after it was cancelled: its words are gone, with what the record that made it
    carried.
    """

    schedule: str
    record: int


@define
class ScheduleState:
    """
    A schedule.

    Attributes:
        id: Its id.
        created: The record that made it; `words` the one that holds its words now.
        sender, room, hops: As in `ScheduleCreated`.
        time_zone, times, weekdays, missed: Likewise.
        next: Its next time; 0 for none.
        count: How many messages came of it.
        last_at, last_room, last_record: When the last one did, and the record of it.
        dropped: How many of its times were missed and used by none.
        error: Why the last of its times was not used, or why it was cancelled.
        cancelled_at: When it was cancelled; 0 while it is active.
    """

    id: str
    created: int
    sender: str
    room: str
    hops: int
    time_zone: str
    times: tuple[str, ...]
    weekdays: tuple[str, ...]
    missed: str
    next: int
    words: int
    count: int = 0
    last_at: int = 0
    last_room: str = ""
    last_record: int = 0
    dropped: int = 0
    error: str = ""
    cancelled_at: int = 0

    @property
    def due(self) -> int:
        """When it has work, which is its next time, or a day after its end; or 0."""
        if self.cancelled_at:
            return self.cancelled_at + _REMEMBERED + 1
        return self.next

    @property
    def repeat(self) -> Recurrence:
        """When it repeats."""
        return Recurrence(self.time_zone, self.times, self.weekdays or None)


Schedule = dict[str, ScheduleState]
"""The schedules of an agent, by id."""


class Firing(NamedTuple):
    """
    What a schedule comes to now: a slot is used, or not, with why; how many earlier
    ones passed; and which comes.
    """

    slot: int
    next: int
    missed: int = 0
    code: str = ""


def evolve(every: Schedule, fact: Fact) -> None:
    """Folds one fact in, if it is one of these."""
    event = fact.event
    if isinstance(event, ScheduleCreated):
        every[event.schedule] = ScheduleState(
            event.schedule,
            fact.version,
            event.sender,
            event.room,
            event.hops,
            event.time_zone,
            event.times,
            event.weekdays,
            event.missed,
            event.next,
            fact.version,
        )
    elif isinstance(event, _OF_ONE) and event.schedule in every:
        _fold(every, every[event.schedule], event, fact)


def _fold(every: Schedule, one: ScheduleState, event: Event, fact: Fact) -> None:
    match event:
        case ScheduleChanged() as changed:
            one.time_zone, one.times = changed.time_zone, changed.times
            one.weekdays, one.next = changed.weekdays, changed.next
            one.words = fact.version
        case ScheduleFired() as fired:
            one.count += 1
            one.last_at, one.last_room = fact.at, fired.room
            one.last_record, one.next, one.error = fired.record, fired.next, ""
            one.dropped += fired.missed
        case ScheduleSkipped() as skipped:
            one.error, one.next = skipped.code, skipped.next
            one.dropped += skipped.missed + 1
        case ScheduleCancelled() as cancelled:
            one.cancelled_at = fact.at
            if cancelled.why != "cancelled":
                one.error = cancelled.why
        case ScheduleForgotten():
            del every[one.id]


_OF_ONE = (
    *(ScheduleChanged, ScheduleFired, ScheduleSkipped),
    *(ScheduleCancelled, ScheduleForgotten),
)


def check_capacity(every: Schedule) -> None:
    """
    Refuses one more schedule than an agent may have.

    Raises:
        OverLimit: `schedule_capacity`.
    """
    active = sum(not one.cancelled_at for one in every.values())
    if active >= MOST_ACTIVE:
        raise OverLimit(
            "schedule_capacity",
            f"{MOST_ACTIVE} schedules of the agent are active already",
            limit=MOST_ACTIVE,
        )


def schedule_of(every: Schedule, schedule: str) -> ScheduleState:
    """A schedule of an agent; `NotFound` with `schedule_not_found`."""
    one = every.get(schedule)
    if one is None:
        raise not_found()
    return one


def not_found() -> NotFound:
    """What is said of a schedule that is not there, or somebody else's."""
    return NotFound("schedule_not_found", "no schedule of the caller's has that id")


def first_slot(repeat: Recurrence, now: int) -> int:
    """
    The first time after an instant.

    Raises:
        InvalidInput: `unknown_time_zone`; `invalid_request` where none is left.
    """
    return micros("repeat", repeat.next_after(_instant(now)))


def next_slot(repeat: Recurrence, slot: int) -> int:
    """The time behind one; 0 where none is left."""
    try:
        return first_slot(repeat, slot)
    except InvalidInput as error:
        if error.code == "unknown_time_zone":
            raise
        return 0


def firing(one: ScheduleState, now: int) -> Firing | None:
    """What a schedule comes to by now, by its policy; None where nothing is due."""
    if one.cancelled_at or not 0 < one.next <= now:
        return None
    try:
        return _firing(one, now)
    except InvalidInput as error:  # the machine has lost the zone; it may come back
        return Firing(one.next, now + _HOUR, code=error.code)


def _firing(one: ScheduleState, now: int) -> Firing:
    repeat, slot, missed = one.repeat, one.next, 0
    if one.missed == "all":
        return Firing(slot, next_slot(repeat, slot))
    later = repeat.occurrences(_instant(slot), _instant(now))
    for occurrence in later:
        slot, missed = micros("slot", occurrence), missed + 1
    late = slot < now - _ON_TIME
    code = "missed" if one.missed == "skip" and late else ""
    return Firing(slot, next_slot(repeat, slot), missed, code)


def _instant(at: int) -> datetime:
    instant = moment(at)
    if instant is None:
        raise InvalidInput("instant", "lies after the year 9999")
    return instant


def change(
    one: ScheduleState, text: str, *, repeat: Recurrence | None, said: str, now: int
) -> list[Event]:
    """
    Other words or times for an active schedule; nothing where all is the same.

    Args:
        text: What it says from its next message on; `said` is what it says till then.
        repeat: When, from now on; None leaves it.

    Raises:
        Conflict: `already_cancelled`.
    """
    if one.cancelled_at:
        at = moment(one.cancelled_at)
        raise Conflict(
            "already_cancelled", f"the schedule was cancelled at {at}", current=at
        )
    new, slot = repeat or one.repeat, one.next
    if repeat is not None and repeat != one.repeat:
        slot = first_slot(repeat, now)
    if (text, new) == (said, one.repeat):
        return []
    passed = [] if slot == one.next else _passed(one, now)
    return [
        *passed,
        ScheduleChanged(
            one.id, new.time_zone, new.times, slot, one.words, new.weekdays or (), text
        ),
    ]


def cancel(
    one: ScheduleState, *, why: str = "cancelled", now: int
) -> list[ScheduleSkipped | ScheduleCancelled]:
    """The end of a schedule; nothing where it has ended."""
    if one.cancelled_at:
        return []
    return [*_passed(one, now), ScheduleCancelled(one.id, why)]


def _passed(one: ScheduleState, now: int) -> list[ScheduleSkipped]:
    """The times that have passed by now and that nobody fired: they are missed."""
    if not 0 < one.next <= now:
        return []
    slot, missed = one.next, 0
    try:
        for occurrence in one.repeat.occurrences(_instant(slot), _instant(now)):
            slot, missed = micros("slot", occurrence), missed + 1
        following = next_slot(one.repeat, slot)
    except InvalidInput:  # the machine has lost the zone: it has one at least
        following = 0
    return [ScheduleSkipped(one.id, slot, "missed", missed, following)]
