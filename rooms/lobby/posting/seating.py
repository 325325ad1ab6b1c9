"""
Seating: the room and the seats that a direct message needs and that are not there yet.

Law: they stand in the message's own commit, so a refusal leaves none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.addressing import Address, AddressKind
from rooms.lobby.handles import acted_for
from rooms.lobby.recording.streams import agent_stream
from rooms.log import agents, rooms, seats
from rooms.log.access import DIRECT
from rooms.log.agents import AgentState
from rooms.log.directory import AgentEntry
from rooms.log.events import Event
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.posting.sending import SendCommand

__all__ = ["Seating"]


class Seating:
    """The room and the seats that a message needs and that are not there yet."""

    def __init__(self, command: SendCommand, state: RoomState) -> None:
        self._command = command
        self._desk = command.desk
        self._state = state
        self._ids = iter(command.ids)
        self._done: set[str] = set()
        self.addresses: dict[str, Address] = {}
        self.talks: dict[str, AgentState] = {}
        self.runs: dict[str, list[Event]] = {}

    def created(self) -> list[Event]:
        """A new room; the person that writes first owns it."""
        command, by = self._command, self._command.actor
        owner = by.id if by.kind == "person" and command.target.entry else ""
        self._state.policy = command.policy
        return rooms.create(
            command.room,
            command.target.room_name,
            access=DIRECT,
            policy=command.policy,
            owner=owner,
            by=by,
        )

    def seated(self, entry: AgentEntry) -> list[Event]:
        """The seats that an agent lacks; a threaded one without any starts one."""
        if entry.agent in self._done:
            return []
        self._done.add(entry.agent)
        if not entry.threaded:
            return self._seat(entry, entry.conversation)
        own = self._own(entry)
        if own:
            return [event for one in own for event in self._seat(entry, one)]
        member = self._state.member(entry.agent)
        if member is not None and member.present:
            return []
        return self._start(entry)

    def _own(self, entry: AgentEntry) -> list[str]:
        """The conversations of a threaded agent that the message itself concerns."""
        command = self._command
        named = command.target.conversation
        own = [command.actor.id] if command.actor.agent == entry.agent else []
        if named is not None and named.agent == entry.agent:
            own.append(named.id)
        return list(dict.fromkeys(own))

    def _seat(self, entry: AgentEntry, conversation: str) -> list[Event]:
        seat = self._state.seats.get(conversation)
        if seat is not None and seat.place == "in":
            return []
        return seats.join(
            self._state,
            conversation,
            agent=entry.agent,
            threaded=entry.threaded,
            why="direct",
            acts_for=acted_for(self._desk, entry.agent, conversation),
            held=entry.may.held,
        )

    def _start(self, entry: AgentEntry) -> list[Event]:
        conversation = next(self._ids)
        known = self._desk.talks(entry.agent)
        started = agents.start(known, conversation, about=conversation, why="addressed")
        [event] = started
        assert isinstance(event, agents.ConversationStarted)  # noqa: S101 - as it starts
        self.runs[agent_stream(entry.agent)] = started
        labels = {**known.labels, event.label: conversation}
        self.talks[entry.agent] = AgentState(labels=labels)
        self.addresses[entry.agent] = Address(
            AddressKind.CONVERSATION, name=entry.agent, label=event.label
        )
        return seats.join(
            self._state,
            conversation,
            agent=entry.agent,
            threaded=True,
            why="direct",
            held=entry.may.held,
        )
