"""
A scenario: who plays which part in which rooms, what opens it, and what goes wrong.

Law: a scenario is a value. Running it with one seed gives one log, byte for byte, on
every machine.

    scenario = Scenario(agents={"eve": chatty(to="ben"), "ben": silent()},
                        start=("ana", "go", "eve"), until="1h")
    run = scenario.run(seed=7)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.addressing.names import check_agent_id, name_key
from rooms.errors import InvalidInput
from rooms.log.directory import check_person
from rooms.log.rooms import check_room_name, room_name_key
from rooms.policy import RoomPolicy
from rooms.simulation import given
from rooms.simulation.addressees import check_addressees
from rooms.simulation.faults import Faults
from rooms.simulation.parts import Part, check_part
from rooms.simulation.saying import Say
from rooms.simulation.teams import check_teams, is_team
from rooms.team import Blueprint
from rooms.testing.clock import START

if TYPE_CHECKING:
    from rooms.simulation.run import Run

__all__ = ["Opening", "Scenario", "simulate"]

_LONGEST = 400

ROOM = "room"
"""What the only room of a run is called, unless the scenario names others."""


@frozen
class Opening:
    """
    Something that happens from outside: somebody says something.

    Attributes:
        who: An agent of the run, which speaks on its own initiative, or a person.
        say: What, to whom, where, and how long after the beginning.
    """

    who: str
    say: Say

    def __attrs_post_init__(self) -> None:
        values.text("who", self.who, empty=False)
        said: Any = self.say
        if not isinstance(said, Say):
            kind = type(said).__name__
            raise InvalidInput("say", f"is of type {kind}", allowed="a Say")


def _agents(wanted: Any) -> Mapping[str, Part]:
    if not isinstance(wanted, Mapping) or not wanted:
        problem = "are none" if not wanted else f"is of type {type(wanted).__name__}"
        raise InvalidInput("agents", problem, allowed="a part by each agent's name")
    return MappingProxyType(
        {
            check_agent_id(name, field="agents"): check_part(name, part)
            for name, part in _once("agents", wanted, name_key).items()
        }
    )


def _once(
    field: str, wanted: Mapping[Any, Any], key: Callable[[str], str]
) -> Mapping[Any, Any]:
    """Names, none of which is another spelling of one of the others."""
    known: dict[str, str] = {}
    for name in wanted:
        if isinstance(name, str) and known.setdefault(key(name), name) != name:
            problem = f"names {known[key(name)]!r} and {name!r}, which is one name"
            raise InvalidInput(field, problem[:_LONGEST], allowed="each name once")
    return wanted


def _rooms(wanted: Any) -> Mapping[str, tuple[str, ...]] | None:
    if wanted is None:
        return None
    if not isinstance(wanted, Mapping) or not wanted:
        problem = "are none" if not wanted else f"is of type {type(wanted).__name__}"
        raise InvalidInput("rooms", problem, allowed="names of agents by room")
    return MappingProxyType(
        {
            check_room_name(room, field="rooms"): values.names(
                f"rooms[{room!r}]", members
            )
            for room, members in _once("rooms", wanted, room_name_key).items()
        }
    )


def _openings(wanted: Any) -> tuple[Opening, ...]:
    if isinstance(wanted, Opening) or (
        isinstance(wanted, tuple) and wanted and isinstance(wanted[0], str)
    ):
        wanted = (wanted,)
    if not isinstance(wanted, list | tuple):
        kind = type(wanted).__name__
        raise InvalidInput("start", f"is of type {kind}", allowed=_START)
    return tuple(_opening(number, one) for number, one in enumerate(wanted))


_START = "(who, text), (who, text, to), an Opening, or several of them"


def _opening(number: int, wanted: Any) -> Opening:
    if isinstance(wanted, Opening):
        return wanted
    if not isinstance(wanted, tuple) or len(wanted) not in {2, 3}:
        raise InvalidInput(f"start[{number}]", "is no opening", allowed=_START)
    who, said, *to = wanted
    say = said if isinstance(said, Say) else Say(said, *to)
    return Opening(values.text(f"start[{number}]", who, empty=False), say)


@frozen(kw_only=True)
class Scenario:
    """
    What a run is made from.

    Attributes:
        agents: The part of each agent, by its name, in the order in which they join.
        policy: What the rooms' rules are: a `RoomPolicy` or a preset's name; None is
            the defaults.
        start: Who says what from outside: `(who, text)`, `(who, text, to)`, an
            `Opening`, or several of them. Who is no agent is a person.
        until: When it ends at the latest, counted from its beginning.
        rooms: The members of each room, by its name; None is one room of all, `room`.
        team: With `policy="team"`, how the team of each room is to be, where it is not
            as it is by itself: its limits, its members' access. All agents of a room
            are members, the first one leads unless another one does, and the room's
            name is the title. The first words of a person in the room are the problem:
            they start the team, and the person allows all that is asked for.
        approves: How likely the person says yes to what a team asks for while it works,
            from 0 to 1; a minute after it was asked.
        faults: What goes wrong.
        begins: The time at which it begins; a Monday morning unless said.
        most: How many steps it takes at most. A run that reaches it says `bound`.
        source: The file that it was read from; "" for one made in Python.

    Raises:
        InvalidInput: `invalid_request`, naming what is wrong and what may be there.
    """

    agents: Mapping[str, Part] = field(converter=_agents)
    policy: RoomPolicy = field(factory=RoomPolicy, converter=given.policy)
    start: tuple[Opening, ...] = field(default=(), converter=_openings)
    until: timedelta = field(default=timedelta(hours=1), converter=given.until)
    rooms: Mapping[str, tuple[str, ...]] | None = field(default=None, converter=_rooms)
    team: Blueprint | None = None
    approves: float = field(default=1.0, converter=given.approves)
    faults: Faults = field(factory=Faults)
    begins: datetime = field(default=START, converter=given.begins)
    most: int = 1_000_000
    source: str = ""

    def __attrs_post_init__(self) -> None:
        values.whole_number("most", self.most, at_least=1)
        faults: Any = self.faults
        if not isinstance(faults, Faults):
            kind = type(faults).__name__
            raise InvalidInput("faults", f"is of type {kind}", allowed="a Faults")
        for room, members in self.seated.items():
            for name in members:
                if name not in self.agents:
                    raise InvalidInput(
                        f"rooms[{room!r}]",
                        f"names {name!r}, who plays no part",
                        allowed=", ".join(self.agents),
                    )
            if self.policy.people == "watch" and not members:
                raise InvalidInput(
                    f"rooms[{room!r}]",
                    "is empty, where people watch and an agent opens it",
                    allowed=", ".join(self.agents),
                )
        for number, opening in enumerate(self.start):
            if opening.who not in self.agents:
                check_person(opening.who, field=f"start[{number}].who")
            named = opening.say.room
            if named is not None:
                values.member(f"start[{number}].room", named, self.seated)
        check_teams(self)
        check_addressees(self)

    @property
    def seated(self) -> Mapping[str, tuple[str, ...]]:
        """The members of each room."""
        if self.rooms is not None:
            return self.rooms
        titled = is_team(self) and isinstance(self.team, Blueprint) and self.team.title
        return {titled or ROOM: tuple(self.agents)}

    def run(
        self,
        seed: int = 0,
        *,
        path: str | os.PathLike[str] | None = None,
        progress: Callable[[timedelta], object] | None = None,
    ) -> Run:
        """
        Plays the scenario to its end.

        Args:
            seed: What all chance in it is drawn from.
            path: A file for the lobby, which must not exist yet, to look at with the
                command line afterwards; None keeps it in memory.
            progress: Called with how much of its time has passed, once a step.

        Raises:
            SimulationFailed: Where the library broke a promise or a part raised; it
                says how to repeat that.
        """
        from rooms.simulation.world import play  # noqa: PLC0415 - a lobby, when played

        return play(self, seed, path=path, progress=progress)


def simulate(
    agents: Mapping[str, Part],
    *,
    policy: RoomPolicy | str | None = None,
    start: Any = (),
    until: Any = "1h",
    seed: int = 0,
    rooms: Mapping[str, Iterable[str]] | None = None,
    team: Blueprint | None = None,
    approves: float = 1.0,
    faults: Faults | None = None,
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[timedelta], object] | None = None,
) -> Run:
    """
    Plays a scenario and returns its run; arguments as for `Scenario` and its `run`.

    >>> from rooms.simulation import scripted
    >>> run = simulate({"eve": scripted("hello")}, start=("ana", "go", "eve"))
    >>> [message["text"] for message in run.records("messages")]
    ['go', 'hello']

    Raises:
        InvalidInput: `invalid_request`, naming the argument.
        SimulationFailed: As `Scenario.run`.
    """
    scenario = Scenario(
        agents=agents,
        policy=policy,
        start=start,
        until=until,
        rooms=rooms,
        team=team,
        approves=approves,
        faults=Faults() if faults is None else faults,
    )
    return scenario.run(seed, path=path, progress=progress)
