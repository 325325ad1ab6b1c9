"""
The lobby's own stream: its agents, its persons, and the directory of its rooms.

Law: a name is given once. Adding what is there already, with equal facts, records
nothing; with other facts it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field, fields, frozen
from attrs import evolve as changed

from rooms import values
from rooms.addressing import check_agent_id, name_key
from rooms.errors import Conflict, InvalidInput
from rooms.log.events import Event, Fact, recorded
from rooms.log.restarts import Restart, RestartAnnounced, RestartCalledOff
from rooms.log.resting import AgentRested

__all__ = [
    "AgentAdded",
    "AgentDescribed",
    "AgentEntry",
    "AgentPermitted",
    "LobbyState",
    "Permissions",
    "PersonAdded",
    "RoomListed",
    "RoomShelved",
    "RoomUnlisted",
    "TokenIssued",
    "TokenRevoked",
    "add_agent",
    "add_person",
    "check_person",
    "describe",
    "evolve",
    "permissions_of",
    "permit",
]

_PERSON_LENGTH = 64


@recorded("agent_added")
class AgentAdded(Event):
    """An agent was added; a single one has its only conversation from the start."""

    agent: str
    threaded: bool
    owner: str = ""
    conversation: str = ""


@recorded("agent_described", body=("role", "work_description", "machine"))
class AgentDescribed(Event):
    """
    What an agent is said to be, each as it is from here on.

    Attributes:
        agent: The agent.
        new_role: Whether its role is another one than before.
        role: How it should work; it alone and the host read that.
        work_description: What it does, for all to read.
        machine: Where it runs, for all to read.
    """

    agent: str
    new_role: bool = False
    role: str = ""
    work_description: str = ""
    machine: str = ""


@recorded("agent_permitted")
class AgentPermitted(Event):
    """
    What an agent may do from here on.

    Attributes:
        agent: The agent.
        can_broadcast: Whether it may write to all agents at once.
        manage_rooms: Whether it is a lead of every room whose membership is managed.
        allowed_recipients: The agents that it may address; None for all.
        enabled: Whether it takes part at all.
        paused: Whether nothing is delivered to it for now.
    """

    agent: str
    can_broadcast: bool = False
    manage_rooms: bool = False
    allowed_recipients: tuple[str, ...] | None = None
    enabled: bool = True
    paused: bool = False


@recorded("token_issued")
class TokenIssued(Event):
    """
    A token of an agent or a person, in the place of any before.

    Attributes:
        subject: `agent:<id>` or `person:<name>`.
        key: The part of it that is no secret, by which it is found.
        digest: The SHA-256 of the rest.
    """

    subject: str
    key: str
    digest: str


@recorded("token_revoked")
class TokenRevoked(Event):
    """The token of an agent or a person is void."""

    subject: str


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


@frozen
class Permissions:
    """
    What an agent may do, as `AgentPermitted` says it.

    Source: L-AGENT-04 to L-AGENT-06, L-AGENT-10, L-AGENT-11.
    """

    can_broadcast: bool = False
    manage_rooms: bool = False
    allowed_recipients: tuple[str, ...] | None = None
    enabled: bool = True
    paused: bool = False

    def may_address(self, agent: str) -> bool:
        """Whether it may write to another agent."""
        allowed = self.allowed_recipients
        return allowed is None or name_key(agent) in map(name_key, allowed)

    @property
    def held(self) -> str:
        """Why nothing is delivered to the agent, wherever it has a seat, or ""."""
        if not self.enabled:
            return "disabled"
        return "paused" if self.paused else ""


_ALLOWED = Permissions()


@define
class AgentEntry:
    """
    An agent as the directory has it; `described` is the version of the record in which
    the newest words about it stand, `tasked` that of the one that gave it its role, or
    0. `paused_until` is when its rest ends by itself, or 0.
    """

    agent: str
    threaded: bool
    owner: str
    conversation: str
    may: Permissions = _ALLOWED
    described: int = 0
    tasked: int = 0
    paused_until: int = 0


@recorded("room_shelved")
class RoomShelved(Event):
    """A room is archived, and in no list; or is listed again."""

    room: str
    shelved: bool


@define
class LobbyState:
    """
    The directory: agents and persons by the key of their name, rooms by id with their
    access, the keys of each person's agents, and by room the version of the record that
    listed it, in which its name stands. `shelved` are rooms that are archived. `tokens`
    has, by the part that is no secret, whose a token is and the digest of the rest;
    `tokens_of` that part by whose it is. `resting` has the ends of the rests that were
    given one, by the key of the agent.
    """

    version: int = 0
    at: int = 0
    agents: dict[str, AgentEntry] = field(factory=dict)
    persons: dict[str, str] = field(factory=dict)
    rooms: dict[str, str] = field(factory=dict)
    owned: dict[str, dict[str, None]] = field(factory=dict)
    listed: dict[str, int] = field(factory=dict)
    restart: Restart | None = None
    shelved: dict[str, None] = field(factory=dict)
    tokens: dict[str, tuple[str, str]] = field(factory=dict)
    tokens_of: dict[str, str] = field(factory=dict)
    resting: dict[str, int] = field(factory=dict, eq=False, repr=False)

    def put(self, entry: AgentEntry) -> None:
        """Adds an agent, and to its owner's."""
        key = name_key(entry.agent)
        self.agents[key] = entry
        self.keep_rest(entry)
        if entry.owner:
            self.owned.setdefault(entry.owner, {})[key] = None

    def agent(self, name: str) -> AgentEntry | None:
        """The agent of that name, in any case."""
        return self.agents.get(name_key(name))

    def keep_rest(self, entry: AgentEntry) -> None:
        """Notes when an agent's rest ends by itself, or that none does."""
        if entry.paused_until:
            self.resting[name_key(entry.agent)] = entry.paused_until
        else:
            self.resting.pop(name_key(entry.agent), None)

    def rested_until(self, now: int) -> list[str]:
        """The agents whose rest is over by now, the earliest end first."""
        due = sorted((at, key) for key, at in self.resting.items() if at <= now)
        return [self.agents[key].agent for _, key in due]

    def deadline(self) -> int | None:
        """The earliest instant that the lobby waits for: the end of a rest."""
        return min(self.resting.values(), default=None)


_PERMISSIONS = tuple(one.name for one in fields(Permissions))


def permissions_of(event: AgentPermitted) -> Permissions:
    """What an event lets an agent do."""
    return Permissions(**{name: getattr(event, name) for name in _PERMISSIONS})


def evolve(state: LobbyState, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case AgentAdded() as added:
            state.put(
                AgentEntry(added.agent, added.threaded, added.owner, added.conversation)
            )
        case AgentDescribed() as described:
            entry = state.agents[name_key(described.agent)]
            entry.described = fact.version
            entry.tasked = fact.version if described.new_role else entry.tasked
        case AgentPermitted() as permitted:
            entry = state.agents[name_key(permitted.agent)]
            entry.may = permissions_of(permitted)
            if not permitted.paused:
                entry.paused_until = 0
                state.keep_rest(entry)
        case AgentRested() as rested:
            entry = state.agents[name_key(rested.agent)]
            entry.may = changed(entry.may, paused=rested.resting)
            entry.paused_until = rested.until
            state.keep_rest(entry)
        case PersonAdded() as named:
            state.persons[name_key(named.person)] = named.person
        case TokenIssued() | TokenRevoked() as token:
            _keep_token(state, token)
        case RestartAnnounced() as planned:
            state.restart = Restart(fact.version, planned.restart_at, planned.notify)
        case RestartCalledOff():
            state.restart = None
        case event:
            _keep_room(state, event, fact.version)
    state.version, state.at = fact.version, fact.at


def _keep_token(state: LobbyState, event: TokenIssued | TokenRevoked) -> None:
    state.tokens.pop(state.tokens_of.pop(event.subject, ""), None)
    if isinstance(event, TokenIssued):
        state.tokens[event.key] = (event.subject, event.digest)
        state.tokens_of[event.subject] = event.key


def _keep_room(state: LobbyState, event: Event, version: int) -> None:
    match event:
        case RoomListed() as listed:
            state.rooms[listed.room] = listed.access
            state.listed[listed.room] = version
        case RoomShelved(shelved=True) as shelved:
            state.shelved[shelved.room] = None
        case RoomShelved() as shelved:
            state.shelved.pop(shelved.room, None)
        case RoomUnlisted() as unlisted:
            for kept in (state.rooms, state.listed, state.shelved):
                kept.pop(unlisted.room, None)
        case _:
            pass


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


def describe(
    entry: AgentEntry, now: AgentDescribed, given: Mapping[str, Any]
) -> list[Event]:
    """
    Other words about an agent, `now` being what it is said to be; nothing where they
    are the same.

    Raises:
        InvalidInput: `invalid_request` for words that are too long, or no words.

    Source: L-AGENT-02, L-AGENT-03.
    """
    for name, words in given.items():
        _check_words(name, words)
    said = {name: given.get(name, getattr(now, name)) for name in _WORDS}
    if all(getattr(now, name) == words for name, words in said.items()):
        return []
    return [AgentDescribed(entry.agent, said["role"] != now.role, **said)]


def permit(entry: AgentEntry, given: Mapping[str, Any]) -> list[Event]:
    """
    Other permissions of an agent; nothing where they are the same.

    Raises:
        InvalidInput: `invalid_request`, naming what is wrong.

    Source: L-AGENT-04 to L-AGENT-08.
    """
    checked = dict(given)
    for name in checked.keys() - {"allowed_recipients"}:
        values.flag(name, checked[name])
    allowed = checked.get("allowed_recipients")
    if allowed is not None:
        checked["allowed_recipients"] = _recipients(allowed)
    wanted = changed(entry.may, **checked)
    if wanted == entry.may:
        return []
    return [
        AgentPermitted(
            entry.agent, **{name: getattr(wanted, name) for name in _PERMISSIONS}
        )
    ]


_WORDS: Mapping[str, int] = {"role": 16_000, "work_description": 300, "machine": 40}
_MOST_RECIPIENTS = 100


def _check_words(name: str, words: Any) -> None:
    written, most = values.storable(name, words), _WORDS[name]
    one_line = name == "role" or not written or written.isprintable()
    if len(written) > most or not one_line:
        kind = "characters" if name == "role" else "printable characters"
        raise InvalidInput(
            name,
            f"has {len(written)} characters" if one_line else "is no line",
            allowed=f"at most {most:,} {kind}",
        )


def _recipients(given: Any) -> tuple[str, ...]:
    names = values.names("allowed_recipients", given)
    for place, name in enumerate(names):
        check_agent_id(name, field=f"allowed_recipients[{place}]")
    once = tuple({name_key(name): name for name in reversed(names)}.values())[::-1]
    if len(once) > _MOST_RECIPIENTS:
        raise InvalidInput(
            "allowed_recipients",
            f"has {len(once)} names",
            allowed=f"at most {_MOST_RECIPIENTS}",
        )
    return once


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
