"""
The lobby's own stream: its agents, its persons, and the directory of its rooms.

Law: a name is given once. Adding what is there already, with equal facts, records
nothing; with other facts it is refused.
"""

from __future__ import annotations

from attrs import define, field

from rooms import values
from rooms.addressing import check_agent_id, name_key
from rooms.errors import Conflict, InvalidInput
from rooms.log.events import Event, Fact, recorded
from rooms.log.restarts import Restart, RestartAnnounced, RestartCalledOff

__all__ = [
    "AgentAdded",
    "AgentEntry",
    "LobbyState",
    "PersonAdded",
    "RoomListed",
    "RoomUnlisted",
    "add_agent",
    "add_person",
    "check_person",
    "evolve",
]

_PERSON_LENGTH = 64


@recorded("agent_added")
class AgentAdded(Event):
    """An agent was added; a single one has its only conversation from the start."""

    agent: str
    threaded: bool
    owner: str = ""
    conversation: str = ""


@recorded("person_added")
class PersonAdded(Event):
    """A person was named for the first time."""

    person: str


@recorded("room_listed", body=("name",))
class RoomListed(Event):
    """A room stands in the directory."""

    room: str
    access: str
    name: str = ""


@recorded("room_unlisted")
class RoomUnlisted(Event):
    """A room is gone; its last version and chain are all that is left of it."""

    room: str
    version: int
    chain: str


@define
class AgentEntry:
    """An agent as the directory has it."""

    agent: str
    threaded: bool
    owner: str
    conversation: str


@define
class LobbyState:
    """
    The directory: agents and persons by the key of their name, rooms by id with their
    access, the keys of each person's agents, and by room the version of the record that
    listed it, in which its name stands.
    """

    version: int = 0
    at: int = 0
    agents: dict[str, AgentEntry] = field(factory=dict)
    persons: dict[str, str] = field(factory=dict)
    rooms: dict[str, str] = field(factory=dict)
    owned: dict[str, dict[str, None]] = field(factory=dict)
    listed: dict[str, int] = field(factory=dict)
    restart: Restart | None = None

    def put(self, entry: AgentEntry) -> None:
        """Adds an agent, and to its owner's."""
        key = name_key(entry.agent)
        self.agents[key] = entry
        if entry.owner:
            self.owned.setdefault(entry.owner, {})[key] = None

    def agent(self, name: str) -> AgentEntry | None:
        """The agent of that name, in any case."""
        return self.agents.get(name_key(name))


def evolve(state: LobbyState, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case AgentAdded() as added:
            state.put(
                AgentEntry(added.agent, added.threaded, added.owner, added.conversation)
            )
        case PersonAdded() as named:
            state.persons[name_key(named.person)] = named.person
        case RoomListed() as listed:
            state.rooms[listed.room] = listed.access
            state.listed[listed.room] = fact.version
        case RoomUnlisted() as unlisted:
            state.rooms.pop(unlisted.room, None)
            state.listed.pop(unlisted.room, None)
        case RestartAnnounced() as planned:
            state.restart = Restart(fact.version, planned.restart_at, planned.notify)
        case RestartCalledOff():
            state.restart = None
    state.version, state.at = fact.version, fact.at


def add_agent(
    state: LobbyState, agent: str, *, threaded: bool, owner: str, conversation: str
) -> list[Event]:
    """
    An agent, or nothing where it is there with equal facts.

    Raises:
        InvalidInput: For a name that is none, or reserved.
        Conflict: `agent_exists` for a name that is taken by another agent.
    """
    check_agent_id(agent)
    values.flag("threaded", threaded)
    known = state.agent(agent)
    if known is None:
        alone = "" if threaded else conversation
        return [AgentAdded(agent, threaded, owner, alone)]
    if (known.agent, known.threaded, known.owner) == (agent, threaded, owner):
        return []
    raise Conflict(
        "agent_exists",
        f"agent {known.agent} is there already, with other facts",
        current={
            "agent": known.agent,
            "threaded": known.threaded,
            "owner": known.owner,
        },
    )


def add_person(state: LobbyState, person: str) -> list[Event]:
    """
    A person, or nothing where the name is known.

    Raises:
        InvalidInput: For a name that is none, or that differs from a known one in case.
    """
    name = check_person(person)
    known = state.persons.get(name_key(name))
    if known is None:
        return [PersonAdded(name)]
    if known != name:
        raise InvalidInput("person", f"is known as {known}", allowed=known)
    return []


def check_person(value: object, *, field: str = "person") -> str:
    """A person's name: one printable line, at most 64 signs, fit for an address."""
    name = values.text(field, value, empty=False)
    if (
        len(name) > _PERSON_LENGTH
        or not name.isprintable()
        or name != name.strip()
        or any(sign in "/:,;@" for sign in name)
    ):
        raise InvalidInput(
            field,
            "is no name",
            allowed="1 to 64 printable signs in one line, none of / : , ; @",
        )
    return name
