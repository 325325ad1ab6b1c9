"""
Schedules in ten zones, around every change of daylight saving, whatever goes down.

Hosts are away from a minute to thirty days, and are killed in front of a commit and
behind it, some of them as processes of their own; the oracle walks through UTC in even
steps and looks what the clock on the wall shows. No slot is used twice, and none is
lost without being counted.
"""

from __future__ import annotations

import json
import signal
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from random import Random
from time import sleep
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from effort import LONG, sized
from lobby.campaign import nursery
from lobby.campaign.history import messages_of
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
UNPACED = presets.broker(membership="open", pushes=None, retention=None, backlog=None)
DELIVERER = Path(__file__).parent / "campaign" / "deliverer.py"
KILLS = sized(6, 9, 30)
COMMITS = 12  # on the average, from one kill to the next
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
    """
    What a schedule has to come to, by its policy alone; or where nothing that it says
    is taken, with the code of that refusal, each time skipped.
    """

    def __init__(
        self, slots: Sequence[datetime], policy: str, refused: str = ""
    ) -> None:
        self.slots, self.policy, self.refused, self.used = slots, policy, refused, 0
        self.fired: list[tuple[datetime, int, bool]] = []
        self.skipped: list[tuple[datetime, int, str]] = []

    def deliver(self, now: datetime) -> None:
        until = bisect_right(self.slots, now)
        due, self.used = self.slots[self.used : until], until
        if self.policy == "all":
            self._use(now, *((slot, 0) for slot in due))
        elif due and self.policy == "skip" and now - due[-1] > MINUTE:
            self.skipped.append((due[-1], len(due) - 1, "missed"))
        elif due:
            self._use(now, (due[-1], len(due) - 1))

    def _use(self, now: datetime, *slots: tuple[datetime, int]) -> None:
        for slot, missed in slots:
            if self.refused:
                self.skipped.append((slot, missed, self.refused))
            else:
                self.fired.append((slot, missed, now - slot > MINUTE))


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

    check_accounted(hosts.lobby, expected, room, schedule)
    if LONG:
        assert hosts.kills > 0


def check_accounted(lobby: Lobby, expected: Expected, room: str, schedule: str) -> None:
    """Each slot of one of ann's schedules was used, or is counted, once."""
    fired, skipped = recorded(lobby, schedule)
    assert skipped == expected.skipped
    assert [(slot, missed) for slot, missed, _ in expected.fired] == fired
    told = [
        (one.deliver_at, one.late)
        for one in messages(lobby, room)
        if one.schedule == schedule
    ]
    assert told == [(slot, late) for slot, _, late in expected.fired]
    used = [slot for slot, _ in fired]
    assert len(set(used)) == len(used)
    dropped = sum(missed for _, missed in fired) + sum(m + 1 for _, m, _ in skipped)
    assert len(used) + dropped == expected.used


def furnished(lobby: Lobby, repeat: Recurrence, policy: str) -> tuple[str, str]:
    ann, bo = (lobby.add_agent(name).conversation() for name in ("ann", "bo"))
    room = lobby.create_room("r", by=ann, policy=UNPACED).join(by=bo, mode="on_demand")
    made = lobby.schedules(by=ann).create("x", repeat=repeat, room=room, missed=policy)
    return room.id, made.id


Fired = list[tuple[datetime, int]]
Skipped = list[tuple[datetime, int, str]]


def recorded(lobby: Lobby, schedule: str) -> tuple[Fired, Skipped]:
    """
    The slots of one of ann's schedules that were used, and that were not and why, each
    with how many it counts.
    """
    fired: Fired = []
    skipped: Skipped = []
    for record in lobby._desk.storage.read("agent:ann", after=0, limit=100_000):
        match decoded(record).event:
            case ScheduleFired() as event if event.schedule == schedule:
                fired.append((instant(event.slot), event.missed))
            case ScheduleSkipped() as event if event.schedule == schedule:
                skipped.append((instant(event.slot), event.missed, event.code))
    return fired, skipped


def instant(slot: int) -> datetime:
    found = moment(slot)
    assert found is not None
    return found


def messages(lobby: Lobby, room: str) -> Iterator[Message]:
    return messages_of(lobby.room(room), lobby.agent("ann").conversation())


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


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a kill of POSIX")
@pytest.mark.rule("L-SCHED-06", "L-SCHED-07", "L-RECUR-09")
@pytest.mark.parametrize("seed", range(sized(1, 2, 50)))
def test_processes_that_are_killed_as_they_fire_lose_and_double_nothing(
    tmp_path: Path, seed: int
) -> None:
    """
    Each goes on where the last one was killed: in a commit of its own, or wherever
    somebody else meets it. This process comes last.
    """
    random, path = Random(seed), tmp_path / "team.db"
    zone, change = random.choice(every_change())
    start = change - 3 * DAY
    span = sized(6, 6, 14) * 24 * 60
    instants = sorted(start + random.randrange(60, span) * MINUTE for _ in range(5))
    every: dict[str, Expected] = {}
    with Lobby.open(path, clock=lambda: start) as lobby:
        room, waiting = awaited(lobby, start, instants, random)
        schedules = lobby.schedules(by=lobby.agent("ann").conversation())
        for policy, refused in product(POLICIES, ("", "recipient_disabled")):
            repeat = Recurrence(zone, some_times(random))
            where: dict[str, Any] = {"to": "cy"} if refused else {"room": room}
            made = schedules.create("x", repeat=repeat, missed=policy, **where)
            slots = due_in(repeat, start, instants[-1])
            every[made.id] = Expected(slots, policy, refused)
        lobby.agent("cy").change(enabled=False)

    place = killed_as_they_deliver(path, instants, random)

    with Lobby.open(path) as lobby:
        for now in instants[place:]:
            lobby.deliver(now)
        for schedule, expected in every.items():
            for now in instants:
                expected.deliver(now)
            check_accounted(lobby, expected, room.id, schedule)
        transcript = [*messages(lobby, room.id)]
        came = [(one.id, one.deliver_at) for one in transcript if not one.schedule]
        assert sorted(came) == sorted(waiting.items())
        fired = sum(len(one.fired) for one in every.values())
        assert [one.seq for one in transcript] == list(range(1, fired + len(came) + 1))
        assert not any(one.damages for one in lobby.verify().values())
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def some_times(random: Random) -> list[str]:
    return random.sample(
        [f"{hour:02}:{minute}" for hour in range(24) for minute in (15, 45)], 12
    )


def awaited(
    lobby: Lobby, start: datetime, instants: Sequence[datetime], random: Random
) -> tuple[Room, dict[str, datetime]]:
    """A room with what waits to come to it, by when; all of it comes."""
    ann, bo, _ = (lobby.add_agent(name).conversation() for name in ("ann", "bo", "cy"))
    room = lobby.create_room("r", by=ann, policy=UNPACED).join(by=bo)
    waiting: dict[str, datetime] = {}
    for number in range(15):
        due = random.choice(instants) - random.randrange(30) * MINUTE
        now = start + number * timedelta(seconds=2)
        posted = room.post(f"m{number}", by=ann, deliver_at=due, now=now)
        waiting[posted.message.id] = due
    return room, waiting


def killed_as_they_deliver(
    path: Path, instants: Sequence[datetime], random: Random
) -> int:
    """Kills one process after the other; the place of the instant that is left."""
    place, given = 0, [one.isoformat() for one in instants]
    for number in range(KILLS):
        when = ("before", "after", "")[number % 3]
        commit = random.randint(1, 2 * COMMITS) if when else 0
        arguments = str(path), str(commit), when, str(place), *given
        with nursery.start(DELIVERER, *arguments) as process:
            lines = [process.stdout.readline()]
            if not when:
                sleep(random.uniform(0, 0.1))
                process.kill()
            lines += process.stdout
            ended = process.wait()
        if not ended:
            assert number >= 3
            return len(instants)
        assert ended == -signal.SIGKILL
        place = json.loads(lines[-1])[1]
    return place
