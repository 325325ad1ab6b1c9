"""
The world of a run: the virtual clock, what is to come, and what goes wrong.

Three laws. Time is what the next thing to come says; nothing waits. All chance is drawn
from the seed, a source for each purpose, so that more of one thing shifts nothing else.
And nothing fails before everybody has a seat, nor after the end.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rooms import values
from rooms.errors import InvalidInput, RoomsError, StorageError
from rooms.hooks import hookimpl
from rooms.lobby import Lobby
from rooms.simulation.approving import Approver
from rooms.simulation.checking import SimulationFailed, check, repeated_by
from rooms.simulation.faults import FaultyPlugin, FaultyStorage
from rooms.simulation.host import AGAIN, Host
from rooms.simulation.run import Noted, Run
from rooms.simulation.saying import Call, Say
from rooms.simulation.teams import is_team
from rooms.simulation.voices import PartRaised, Voice
from rooms.storage import MemoryStorage
from rooms.testing.clock import FakeClock
from rooms.testing.counting import CountingIds, CountingSalts

if TYPE_CHECKING:
    from rooms.simulation.parts import Part
    from rooms.simulation.scenario import Scenario

__all__ = ["World", "play"]

_LOG = logging.getLogger("rooms")
_FAULTY = "faulty-in-simulation"
_SEEDS = 2**63


def play(
    scenario: Scenario,
    seed: int,
    *,
    path: str | os.PathLike[str] | None,
    progress: Callable[[timedelta], object] | None,
) -> Run:
    """Plays a scenario to its end; as `Scenario.run`."""
    values.whole_number("seed", seed, at_least=-_SEEDS, at_most=_SEEDS)
    if path is not None:
        _check_new(path)
    world = World(scenario, seed, path, progress)
    with _quiet():
        try:
            world.open()
            run = world.told(world.run())
            check(run)
        except (RoomsError, AssertionError, PartRaised) as error:
            if not world.opened and isinstance(error, RoomsError):
                raise
            at = world.clock.now
            raise SimulationFailed(scenario, seed, at, str(error)) from error
        except Exception as error:  # it goes on, with how to repeat it
            error.add_note(f"repeat it: {repeated_by(scenario, seed)}")
            raise
    return run


def _check_new(path: str | os.PathLike[str]) -> None:
    from rooms.storage.sqlite.opening import located  # noqa: PLC0415 - loads SQLite

    place = located(path)
    if place.exists():
        problem = f"{place} is there already"
        raise InvalidInput("path", problem, allowed="a new file")


@contextmanager
def _quiet() -> Iterator[None]:
    """Meanwhile the log of the process does not tell of the plugin that is to fail."""

    def real(record: logging.LogRecord) -> bool:
        return _FAULTY not in str(record.args)

    _LOG.addFilter(real)
    try:
        yield
    finally:
        _LOG.removeFilter(real)


@define(eq=False)
class World:
    """
    All of a run while it is played.

    Attributes:
        scenario, seed: What it is played from.
        path: The file of its lobby, or None for memory.
        progress: Whom to tell how far it is.
        clock: Its time.
        storage: Its lobby's storage, which may fail.
        voices: Its agents, by name.
        host: The process that drives the lobby; None while it is away.
        approver: What persons do for its teams.
        notes: What befell the hosts so far.
        acknowledged: The room and the id of each message that a post returned, by its
            request id.
        opened: Whether everybody has a seat.
    """

    scenario: Scenario
    seed: int
    path: str | os.PathLike[str] | None
    progress: Callable[[timedelta], object] | None
    clock: FakeClock = field(init=False)
    storage: FaultyStorage = field(init=False)
    voices: dict[str, Voice] = field(factory=dict)
    approver: Approver = field(init=False)
    host: Host | None = None
    notes: list[Noted] = field(factory=list)
    acknowledged: dict[str, tuple[str, str]] = field(factory=dict)
    opened: bool = False
    _ids: CountingIds = field(factory=CountingIds)
    _salts: CountingSalts = field(factory=CountingSalts)
    _agenda: list[tuple[datetime, int, Callable[[], None]]] = field(factory=list)
    _numbers: Any = field(factory=count)
    _plugins: Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        faults = self.scenario.faults
        self.clock = FakeClock(self.scenario.begins)
        self.storage = FaultyStorage(self._stored(), faults, self._source("storage"))
        self._plugins = self._source("plugins")
        self.approver = Approver(self, self._source("approvals"))

    def _begun(self, name: str, part: Part) -> Voice:
        others = tuple(sorted(one for one in self.scenario.agents if one != name))
        try:
            speak = part.begin()
        except Exception as error:  # a part may raise anything
            told = f"the part of {name} raised {type(error).__name__}: {error}"
            raise PartRaised(told) from error
        return Voice(name, part, self._source(f"agent/{name}"), speak, others)

    def open(self) -> None:
        """Gives everybody a seat, and foresees what comes from outside."""
        for name, part in self.scenario.agents.items():
            self.voices[name] = self._begun(name, part)
        self.host = self._started()
        self._seat(self.host)
        self._foresee()
        self.opened = True

    def run(self) -> str:
        """Plays it; why it ended: `quiet`, `time` or `bound`."""
        self.storage.on = True
        reason, end = "bound", self.scenario.begins + self.scenario.until
        for _ in range(self.scenario.most):
            at = self._next()
            if at is None or at > end:
                reason = "quiet" if at is None else "time"
                break
            self.clock.set(max(at, self.clock.now))
            self._act()
            if self.progress is not None:
                self.progress(self.clock.now - self.scenario.begins)
        self.storage.on = False
        if reason == "time":
            self.clock.set(end)
        return reason

    def told(self, reason: str) -> Run:
        """What came of it."""
        host = self.host or self._restarted()
        return Run(
            scenario=self.scenario,
            seed=self.seed,
            reason=reason,
            ended=self.clock.now,
            lobby=host.lobby,
            notes=tuple(self.notes),
            storage=self.storage.inner,
            acknowledged=dict(self.acknowledged),
        )

    def plan(self, wait: timedelta, act: Callable[[], None]) -> None:
        """Puts something on the agenda."""
        heappush(self._agenda, (self.clock.now + wait, next(self._numbers), act))

    def note(self, what: str, detail: str = "", who: str = "", **said: Any) -> None:
        """Notes what befell the host."""
        self.notes.append(Noted(self.clock.now, what, who, detail, **said))

    def _source(self, purpose: str) -> Random:
        return Random(f"{self.seed}/{purpose}")  # noqa: S311 - to be drawn again

    def _stored(self) -> Any:
        if self.path is None:
            return MemoryStorage()
        from rooms.storage import SQLiteStorage  # noqa: PLC0415 - when there is a file

        return SQLiteStorage(self.path, durability="relaxed")

    def _started(self) -> Host:
        lobby = Lobby(self.storage, clock=self.clock, ids=self._ids, salt=self._salts)
        if self.scenario.faults.plugin:
            plugin = FaultyPlugin(self.scenario.faults, self._plugins)
            lobby.register(plugin, _FAULTY)
        if is_team(self.scenario):
            lobby.register(Postman(self), "postman")
        return Host(self, lobby)

    def _seat(self, host: Host) -> None:
        lobby, policy = host.lobby, self.scenario.policy
        said = (one.who for one in self.scenario.start)
        person = next((who for who in said if who not in self.voices), "host")
        for voice in self.voices.values():
            lobby.add_agent(voice.name, threaded=voice.part.threaded)
        if is_team(self.scenario):  # its members are placed when it is started
            self.approver.prepare(lobby)
            return
        for name, members in self.scenario.seated.items():
            watched = policy.people == "watch" and members  # an agent creates it
            owner = host.conversation(members[0]) if watched else lobby.person(person)
            room = lobby.create_room(name, by=owner, policy=policy)
            if policy.membership != "open" and members:
                room.change_members(add=members, by=owner)
            for member in members:
                mode = self.voices[member].part.mode
                room.join(by=host.conversation(member), mode=mode)

    # -- time

    def _next(self) -> datetime | None:
        planned = self._agenda[0][0] if self._agenda else None
        due = None if self.host is None else self.host.deadline()
        if due is None or planned is None:
            return due or planned
        return min(due, planned)

    def _act(self) -> None:
        """Does what is to be done now, then serves the lobby."""
        while self._agenda and self._agenda[0][0] <= self.clock.now:
            heappop(self._agenda)[2]()
        if self.host is not None:
            self.host.serve()

    def _drawn(self, source: Random, mean: timedelta) -> timedelta:
        """A wait, drawn so that such things come at random, so often on average."""
        return timedelta(seconds=round(source.expovariate(1 / mean.total_seconds()), 6))

    # -- what comes from outside

    def _foresee(self) -> None:
        for number, one in enumerate(self.scenario.start):
            said = partial(self._say, one.who, one.say, f"start-{number}")
            self.plan(one.say.at, said)
        for voice in self.voices.values():
            self._plan_initiative(voice)
        if self.scenario.faults.crash_every is not None:
            self._plan_crash(self._source("crashes"))

    def _say(self, who: str, say: Say | Call, request: str) -> None:
        """Somebody says something; again a little later while that fails."""
        again = partial(self._say, who, say, request)
        if self.host is None:
            self.plan(AGAIN, again)
            return
        try:
            self.host.initiate(who, say, self._room_of(who, say), request)
        except StorageError as error:
            self.note("storage_failed", error.code, who)
            self.plan(AGAIN, again)

    def _room_of(self, who: str, say: Say | Call) -> str:
        if isinstance(say, Say) and say.room is not None:
            return say.room
        seated = self.scenario.seated
        return next(
            (room for room in seated if who in seated[room]), next(iter(seated))
        )

    def _plan_initiative(self, voice: Voice) -> None:
        if voice.part.every is not None:
            wait = self._drawn(voice.random, voice.part.every)
            self.plan(wait, partial(self._take_initiative, voice))

    def _take_initiative(self, voice: Voice) -> None:
        if self.host is not None and self.approver.is_over(self.host.lobby, voice.name):
            return
        self._plan_initiative(voice)
        if self.host is not None and self.approver.lets(self.host.lobby, voice.name):
            for request, say in voice.asked(self.clock.now, None):
                self._say(voice.name, say, request)

    # -- crashes

    def _plan_crash(self, source: Random) -> None:
        every = self.scenario.faults.crash_every
        assert every is not None  # noqa: S101 - planned only where there are any
        self.plan(self._drawn(source, every), partial(self._crash, source))

    def _crash(self, source: Random) -> None:
        """The host is gone in an instant, and what it had in hand with it."""
        if self.host is not None:
            self.host.alive, self.host = False, None
            self.note("crashed")
            if self.path is not None:
                self.storage.inner.close()
            self.plan(self.scenario.faults.down_for, self._restart)
        self._plan_crash(source)

    def _restart(self) -> None:
        host = self._restarted()
        try:
            if is_team(self.scenario):  # before anything is scheduled
                host.lobby.recover_teams()
        except StorageError as error:
            self.note("storage_failed", error.code)
            if self.path is not None:
                self.storage.inner.close()
            self.plan(AGAIN, self._restart)
        else:
            self.host = host
            self.note("restarted")

    def _restarted(self) -> Host:
        if self.path is not None:
            self.storage.inner = self._stored()
        return self._started()


class Postman:
    """A host's sending of results: whatever a team delivers arrives."""

    def __init__(self, world: World) -> None:
        self._world = world

    @hookimpl
    def rooms_deliver(self, sending: Any) -> str:
        """Notes where a result goes."""
        world, room = self._world, sending.room
        world.approver.sent.add(room.id)
        world.note("delivered", sending.destination, to=(room.id,), text=sending.text)
        return "delivered, as simulated"
