"""
Schedules in ten zones, around every change of daylight saving, whatever goes down.

Hosts are away from a minute to thirty days, and are killed in front of a commit and
behind it; the oracle walks through UTC in even steps and looks what the clock on the
wall shows. No slot is used twice, and none is lost without being counted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import pytest

from effort import LONG, sized
from pacing.test_recurrence import shown
from rooms import Lobby, MemoryStorage, Message, Recurrence, Room, presets
from rooms.hooks import hookimpl
from rooms.log.events import decoded
from rooms.log.records import Commit
from rooms.log.schedules import ScheduleFired, ScheduleSkipped
from rooms.values import moment

ZONES = (
    *("Europe/Stockholm", "America/New_York", "Australia/Lord_Howe"),
    *("Asia/Kathmandu", "America/St_Johns", "Africa/Casablanca", "Europe/Dublin"),
    *("Pacific/Chatham", "America/Santiago", "Pacific/Apia"),
)
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
STEP = 15  # minutes, of which every offset that these zones have is a multiple
FIRST, LAST = datetime(2026, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC)
AROUND = sized(3, 12, 365)  # days on each side of a change
RUNS = sized(6, 30)  # at length, one for each change
DEATHS = (40, 1, 1) if LONG else (2, 1, 1)  # whoever comes next folds all anew
POLICIES = ("once", "skip", "all")


class Killed(BaseException):
    """The process is gone: nothing catches it."""


class Mortal(MemoryStorage):
    """
    Memory that outlives its process, which dies when a test says so.

    Attributes:
        dies: `before` the next commit, `after` it, or not: "".
    """

    def __init__(self) -> None:
        super().__init__()
        self.dies = ""

    def append(self, commit: Commit) -> int:
        """As memory does it, unless nobody is there any more."""
        self.die("before")
        return super().append(commit)

    def die(self, when: str) -> None:
        """Dies, if it is to die then."""
        if self.dies == when:
            self.dies = ""
            raise Killed

    @hookimpl
    def rooms_committed(self) -> None:
        """What is committed is, whoever dies then."""
        self.die("after")


class Hosts:
    """One lobby after another over the same storage, and the time of day."""

    def __init__(self, now: datetime, random: Random) -> None:
        self.storage, self.random, self.now = Mortal(), random, now
        self.kills = 0
        self.lobby = self.opened()

    def opened(self) -> Lobby:
        lobby = Lobby(self.storage, clock=lambda: self.now)
        lobby.register(self.storage)
        return lobby

    def deliver(self) -> None:
        """What is due is delivered, however often somebody dies over it."""
        while True:
            dies = self.random.choices(["", "before", "after"], DEATHS)
            self.storage.dies = dies[0]
            try:
                self.lobby.deliver()
            except Killed:
                self.kills += 1
                self.lobby = self.opened()
                continue
            self.storage.dies = ""
            return


def changes(zone: str) -> list[datetime]:
    """The instants, to the hour, at which a zone's clocks change in two years."""
    hours = int((LAST - FIRST) / timedelta(hours=1))
    place = ZoneInfo(zone)
    walked = [FIRST + timedelta(hours=hour) for hour in range(hours)]
    offsets = [(at, at.astimezone(place).utcoffset()) for at in walked]
    return [now for (_, before), (now, after) in pairwise(offsets) if before != after]


@cache
def every_change() -> list[tuple[str, datetime]]:
    """Each zone with each of its changes; or with some day, where it has none."""
    some_day = FIRST + 200 * DAY
    return [(zone, at) for zone in ZONES for at in changes(zone) or [some_day]]


def starts(seed: int, random: Random) -> tuple[str, datetime]:
    """A zone, and so many days before one of its changes: at length, each in turn."""
    every = every_change()
    zone, change = every[seed] if LONG else random.choice(every)
    return zone, change - AROUND * DAY


def due_in(repeat: Recurrence, start: datetime, end: datetime) -> list[datetime]:
    """The slots behind the start up to the end, as the walls show them."""
    days = (end - start).days + 1
    every = shown(repeat.time_zone, start, days, STEP)
    weekdays = repeat.weekdays or ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    return sorted(
        {
            at
            for at, time, day in every
            if start < at <= end and time in repeat.times and day in weekdays
        }
    )


class Expected:
    """What a schedule has to come to, by its policy alone."""

    def __init__(self, slots: Sequence[datetime], policy: str) -> None:
        self.slots, self.policy, self.used = slots, policy, 0
        self.fired: list[tuple[datetime, int, bool]] = []
        self.skipped: list[tuple[datetime, int]] = []

    def deliver(self, now: datetime) -> None:
        until = bisect_right(self.slots, now)
        due, self.used = self.slots[self.used : until], until
        if self.policy == "all":
            self.fired += [(slot, 0, now - slot > MINUTE) for slot in due]
        elif due and self.policy == "skip" and now - due[-1] > MINUTE:
            self.skipped.append((due[-1], len(due) - 1))
        elif due:
            self.fired.append((due[-1], len(due) - 1, now - due[-1] > MINUTE))


@pytest.mark.rule("L-RECUR-05", "L-RECUR-07", "L-RECUR-08", "L-RECUR-09", "L-SCHED-07")
@pytest.mark.parametrize("seed", range(len(every_change()) if LONG else RUNS))
def test_no_slot_is_used_twice_and_none_is_lost(seed: int) -> None:
    random = Random(seed)
    zone, start = starts(seed, random)
    end = start + 2 * AROUND * DAY
    times = random.sample([f"{h:02}:{m:02}" for h in range(4) for m in (0, 15, 30)], 3)
    weekdays = random.choice([None, None, ("mon", "tue", "thu", "sat", "sun")])
    repeat = Recurrence(zone, times, weekdays)
    policy = POLICIES[seed % 3]
    expected = Expected(due_in(repeat, start, end), policy)

    hosts = Hosts(start, random)
    room, schedule = furnished(hosts.lobby, repeat, policy)
    while (due := hosts.lobby.next_deadline()) is not None and due <= end:
        hosts.now = due
        if random.random() < (0.02 if LONG else 0.3):
            hosts.now += MINUTE * min(random.lognormvariate(4, 3), 30 * 24 * 60)
        if hosts.now > end:
            break
        hosts.deliver()
        expected.deliver(hosts.now)

    fired, skipped = recorded(hosts, schedule)
    assert skipped == expected.skipped
    assert [(slot, missed) for slot, missed, _ in expected.fired] == fired
    told = [
        (one.deliver_at, one.late)
        for one in messages(hosts, room)
        if one.schedule == schedule
    ]
    assert told == [(slot, late) for slot, _, late in expected.fired]
    used = [slot for slot, _ in fired]
    assert len(set(used)) == len(used)
    dropped = sum(missed for _, missed in fired) + sum(m + 1 for _, m in skipped)
    assert len(used) + dropped == expected.used
    if LONG:
        assert hosts.kills > 0


def furnished(lobby: Lobby, repeat: Recurrence, policy: str) -> tuple[str, str]:
    ann, bo = (lobby.add_agent(name).conversation() for name in ("ann", "bo"))
    unpaced = presets.broker(
        membership="open", pushes=None, retention=None, backlog=None
    )
    room = lobby.create_room("r", by=ann, policy=unpaced).join(by=bo, mode="on_demand")
    made = lobby.schedules(by=ann).create("x", repeat=repeat, room=room, missed=policy)
    return room.id, made.id


Slots = list[tuple[datetime, int]]


def recorded(hosts: Hosts, schedule: str) -> tuple[Slots, Slots]:
    """The slots that were used, and that were not, each with how many it counts."""
    fired: Slots = []
    skipped: Slots = []
    for record in hosts.storage.read("agent:ann", after=0, limit=100_000):
        event = decoded(record).event
        if isinstance(event, ScheduleFired | ScheduleSkipped):
            assert event.schedule == schedule
            slot = moment(event.slot)
            assert slot is not None
            run = fired if isinstance(event, ScheduleFired) else skipped
            run.append((slot, event.missed))
    return fired, skipped


def messages(hosts: Hosts, room: str) -> Iterator[Message]:
    by, after = hosts.lobby.agent("ann").conversation(), 0
    while True:
        page = hosts.lobby.room(room).read(by=by, after=after, limit=1_000)
        yield from page
        if page.next_cursor is None:
            return
        after = page.next_cursor


@pytest.mark.rule("L-SCHED-06", "L-SCHED-07")
@pytest.mark.parametrize("seed", range(sized(3, 20, 200)))
def test_what_waits_is_released_once_whoever_dies_over_it(seed: int) -> None:
    random = Random(seed)
    hosts = Hosts(FIRST, random)
    ann, bo = (hosts.lobby.add_agent(name).conversation() for name in ("ann", "bo"))
    policy = presets.broker(membership="open", pushes=None)
    rooms = [hosts.lobby.create_room(f"r{n}", by=ann, policy=policy) for n in range(2)]
    waiting: dict[str, datetime] = {}
    for place in range(30):
        room = rooms[place % 2].join(by=bo)
        due = FIRST + random.randrange(1, 600) * MINUTE
        waiting[room.post(f"m{place}", by=ann, deliver_at=due).message.id] = due
        hosts.now += 2 * timedelta(seconds=1)
    for one in random.sample(list(waiting), 5):
        hosts.lobby.schedules(by=ann).cancel(one)
        del waiting[one]
    while (deadline := hosts.lobby.next_deadline()) is not None:
        if deadline > FIRST + 700 * MINUTE:
            break
        hosts.now = max(hosts.now, deadline) + random.choice([0, 30, 60]) * MINUTE
        hosts.deliver()
    came = {
        message.id: message.deliver_at
        for room in rooms
        for message in hosts.lobby.room(room.id).read(
            by=hosts.lobby.agent("bo").conversation(), limit=100
        )
    }
    assert came == waiting
    assert sum(Room(r.id, hosts.lobby._desk).position for r in rooms) == 25
