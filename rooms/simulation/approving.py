"""
The persons of a run's teams: they have them prepared, start them and answer them.

Three laws. The first words of a person in a team's room are its problem; what persons
say later is told its members in their name. What a team asks for is answered once, a
minute after it was asked, and so is whether a result arrived that a failure left under
way. And a yes that raises a limit lets a team go on that stopped there; whatever else
stops one, nobody resumes it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rooms.errors import Refused, StorageError
from rooms.lobby import Team
from rooms.simulation.saying import Say
from rooms.simulation.teams import blueprint_of, envelope_of, opened_by
from rooms.team import FINAL, StopReason, TeamStatus

if TYPE_CHECKING:
    from rooms.lobby import Conversation, Lobby, Posted
    from rooms.simulation.world import World

__all__ = ["Approver"]

_LATER = timedelta(minutes=1)
_AGAIN = timedelta(seconds=1)
_WORKS = frozenset({TeamStatus.READY.value, TeamStatus.RUNNING.value})
_UNBEGUN = frozenset({TeamStatus.DRAFT.value, TeamStatus.STARTING.value})


@define(eq=False)
class Approver:
    """
    What persons do for the teams of a run.

    Attributes:
        world: The run.
        random: What decides whether they say yes.
        rooms: The id of each team's room, by its name in the scenario.
        sent: The ids of those whose result was sent.
    """

    world: World
    random: Random
    rooms: dict[str, str] = field(factory=dict)
    sent: set[str] = field(factory=set)
    _asked: set[str] = field(factory=set)
    _seen: int = -1

    def prepare(self, lobby: Lobby) -> None:
        """Has a draft made of the team of each room."""
        scenario = self.world.scenario
        for room in scenario.seated:
            opening = opened_by(scenario, room)
            assert opening is not None  # noqa: S101 - else the scenario was refused
            blueprint = blueprint_of(scenario, room)
            made: Any = lobby.teams(by=lobby.person(opening.who)).prepare(
                opening.say.text,
                blueprint,
                allow=envelope_of(blueprint),
                policy=scenario.policy,
            )
            self.rooms[room] = made.room.id

    def team(self, lobby: Lobby, room: str, who: str = "") -> Team | None:
        """
        The team of a room, for a person, or for the one who answers for it; None for no
        team.

        Raises:
            NotFound: `room_not_found` for a person who has nothing to do with it.
        """
        opening = opened_by(self.world.scenario, room) if room in self.rooms else None
        if opening is None:
            return None
        return lobby.teams(by=lobby.person(who or opening.who)).team(self.rooms[room])

    def lets(self, lobby: Lobby, agent: str) -> bool:
        """Whether an agent speaks of itself: not while its team does not work."""
        team = self._team_of(lobby, agent)
        return team is None or team.status in _WORKS

    def is_over(self, lobby: Lobby, agent: str) -> bool:
        """Whether the team of an agent is over."""
        team = self._team_of(lobby, agent)
        return team is not None and team.status in FINAL

    def _team_of(self, lobby: Lobby, agent: str) -> Team | None:
        seated = self.world.scenario.seated
        room = next((room for room in self.rooms if agent in seated[room]), "")
        return self.team(lobby, room)

    def members(self, lobby: Lobby, room: str) -> dict[str, Conversation]:
        """Who is placed in the team of a room, by keys and by agents' names."""
        team = self.team(lobby, room)
        placed = () if team is None else team.members
        found: dict[str, Conversation] = {}
        for one in placed:
            if one.conversation is not None:
                found.setdefault(one.agent, one.conversation)
        for one in placed:
            if one.conversation is not None:
                found[one.key] = one.conversation
        return found

    def tell(self, team: Team, say: Say, request: str) -> Posted | None:
        """
        Starts a team with its problem; tells one that is started what a person says.

        Raises:
            Refused: As `Team.start`, `Team.intervene`.
            StorageError: Where the storage fails; never at a start.
        """
        if team.status not in _UNBEGUN:
            everybody = {"all", "room"} & set(say.to)
            keys = [] if everybody else [_key(team, one) for one in say.to]
            return team.intervene(say.text, to=keys, request_id=request)
        storage = self.world.storage
        storage.on = False  # nothing fails before everybody has a seat
        try:
            team.start()
            self._subscribe(team)
        finally:
            storage.on = True
        return None

    def _subscribe(self, team: Team) -> None:
        """Has members listen as their parts say."""
        for one in team.members:
            mode = self.world.voices[one.agent].part.mode
            if mode is not None and one.conversation is not None:
                team.room.subscribe(by=one.conversation, mode=mode)

    def look(self, lobby: Lobby) -> None:
        """Sees what is asked for, and plans the answers."""
        position = self.world.storage.position()
        if position == self._seen:
            return
        self._seen = position
        for room in self.rooms:
            team = self.team(lobby, room)
            if team is None:
                continue
            for one in team.approvals:
                if not one.approved and self._is_new(one.id):
                    yes = self.random.random() < self.world.scenario.approves
                    self._plan(room, partial(_resolve, asked=one.id, approved=yes))
            if team.status == TeamStatus.COMPLETING and self._is_new(f"{room} sent"):
                arrived = self.rooms[room] in self.sent
                self._plan(room, partial(_settle, arrived=arrived))

    def _is_new(self, asked: str) -> bool:
        new = asked not in self._asked
        self._asked.add(asked)
        return new

    def _plan(self, room: str, answer: Callable[[Team], None]) -> None:
        self.world.plan(_LATER, partial(self._do, room, answer))

    def _do(self, room: str, answer: Callable[[Team], None]) -> None:
        """Gives an answer; again a little later while that fails."""
        world = self.world
        team = None if world.host is None else self.team(world.host.lobby, room)
        again = partial(self._do, room, answer)
        if team is None:
            world.plan(_AGAIN, again)
            return
        try:
            answer(team)
        except StorageError as error:
            world.note("storage_failed", error.code)
            world.plan(_AGAIN, again)
        except Refused as error:  # it was withdrawn, or the team is over by now
            world.note("refused", error.code, problem=str(error))


def _key(team: Team, name: str) -> str:
    """The key of a member that is named by its agent."""
    agent = name.removeprefix("agent:")
    return {one.agent: one.key for one in team.members}.get(agent, name)


def _resolve(team: Team, *, asked: str, approved: bool) -> None:
    team.resolve_approval(asked, approved=approved, request_id=f"answer-{asked}")
    standing = team.standing
    stopped = (TeamStatus.PAUSED.value, StopReason.LIMIT_REACHED.value)
    if approved and (standing.status, standing.reason) == stopped:
        team.resume(request_id=f"resume-{asked}")


def _settle(team: Team, *, arrived: bool) -> None:
    if team.status == TeamStatus.COMPLETING:
        team.settle_completion(delivered=arrived)
