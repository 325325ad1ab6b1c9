"""
The history of a lobby, folded record by record in the order of its commits.

Law: at every record each stream stands as it stood when that was decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy

from attrs import define, field

from rooms.addressing import Author
from rooms.log import agents, directory, folding
from rooms.log.actors import SYSTEM, Actor
from rooms.log.agents import AgentState
from rooms.log.directory import LobbyState
from rooms.log.events import Event, Fact, Unknown, decoded
from rooms.log.posting import MessagePosted
from rooms.log.records import record_id, room_of_record
from rooms.log.state import RoomState
from rooms.storage import Storage
from rooms.storage.walking import scanned

__all__ = ["History", "Run"]

_PERSON = "person:"
_LOBBY, _AGENT, _ROOM = "lobby", "agent:", "room:"


@define
class Run:
    """Facts of one stream that one actor recorded at one instant, not folded yet."""

    stream: str
    facts: list[Fact] = field(factory=list)

    def is_of(self, fact: Fact) -> bool:
        """Whether a fact has its actor and its instant."""
        last = self.facts[-1]
        return (fact.at, fact.by) == (last.at, last.by)


@define
class History:
    """
    All streams of a lobby, as far as they are folded.

    Attributes:
        storage: Where they are.
        lobby, agents, rooms: Their states.
        messages: Every message so far, by its id.
        coming: Runs of the same actor and instant that are still to come.
    """

    storage: Storage
    lobby: LobbyState = field(factory=LobbyState)
    agents: dict[str, AgentState] = field(factory=dict)
    rooms: dict[str, RoomState] = field(factory=dict)
    messages: dict[str, MessagePosted] = field(factory=dict)
    coming: list[Run] = field(factory=list)

    def runs(self) -> Iterator[Run]:
        """
        The facts in the order of their commits, in runs; whoever takes one folds it
        before the next.

        What one actor recorded at one instant may be one commit over several streams:
        `coming` is what of it is still to come.
        """
        for together in self._together():
            self.coming = together[1:]
            for run in together:
                yield run
                self.coming = self.coming[1:]

    def _together(self) -> Iterator[list[Run]]:
        runs: list[Run] = []
        for record in scanned(self.storage):
            fact = decoded(record)
            if runs and not runs[-1].is_of(fact):
                yield runs
                runs = []
            if not runs or runs[-1].stream != record.stream:
                runs.append(Run(record.stream))
            runs[-1].facts.append(fact)
        if runs:
            yield runs

    def room(self, stream: str) -> RoomState | None:
        """The state of a room's stream; None for another stream."""
        if not stream.startswith(_ROOM):
            return None
        return self.rooms.setdefault(stream.removeprefix(_ROOM), RoomState())

    def fold(self, stream: str, fact: Fact) -> None:
        """Folds a fact into its stream's state."""
        room = self.room(stream)
        if isinstance(fact.event, Unknown):
            return
        if room is not None:
            folding.evolve(room, fact)
            if isinstance(fact.event, MessagePosted):
                name = stream.removeprefix(_ROOM)
                named = fact.event.accepted or fact.version
                self.messages[record_id(name, named)] = fact.event
        elif stream.startswith(_AGENT):
            name = stream.removeprefix(_AGENT)
            agents.evolve(self.agents.setdefault(name, AgentState()), fact)
        elif stream == _LOBBY:
            directory.evolve(self.lobby, fact)

    def actor(self, room: RoomState, fact: Fact, wake: str = "") -> Actor:
        """Who recorded a fact."""
        if fact.by.startswith(_PERSON):
            return Actor("person", fact.by.removeprefix(_PERSON))
        agent = self.agent_of(room, fact.by)
        if not agent:
            return SYSTEM
        return Actor("conversation", fact.by, agent, wake=wake)

    def agent_of(self, room: RoomState, conversation: str) -> str:
        """The agent of a conversation, or ""."""
        seat = room.seats.get(conversation)
        if seat is not None:
            return seat.agent
        for entry in self.lobby.agents.values():
            if entry.conversation == conversation:
                return entry.agent
        for name, state in self.agents.items():
            if conversation in state.talks:
                return name
        return ""

    def talks(self, *, ahead: bool) -> Mapping[str, AgentState]:
        """
        The conversations of each agent; `ahead`, with what the same actor records of
        them at the same instant.
        """
        if not ahead:
            return self.agents
        found = dict(self.agents)
        for run in self.coming:
            name = run.stream.removeprefix(_AGENT)
            if run.stream != name:
                state = deepcopy(found.get(name) or AgentState())
                for fact in run.facts:
                    agents.evolve(state, fact)
                found[name] = state
        return found

    def author(self, message: str, room: RoomState) -> Author | None:
        """Who wrote a message, if that is in a room; None for one that is not known."""
        said = self.messages.get(message)
        if said is None:
            return None
        if room_of_record(message) != room.id:
            return Author()
        return Author(said.author, said.sender) if said.sender else Author()

    def owed_elsewhere(self, room: RoomState, conversation: str) -> int:
        """The bytes that a conversation is owed in all rooms but one."""
        total = 0
        for other in self.rooms.values():
            seat = None if other is room else other.seats.get(conversation)
            total += 0 if seat is None else other.backlog_of(seat)
        return total

    def generation(self, agent: str, conversation: str) -> tuple[int, int]:
        """The newest claim on a conversation, and when it was made."""
        state = self.agents.get(agent)
        talk = None if state is None else state.talks.get(conversation)
        return (0, 0) if talk is None else (talk.generation, talk.claimed_at)


def events(facts: list[Fact]) -> list[Event]:
    """The events of facts."""
    return [fact.event for fact in facts]
