"""
Starting: what a message leaves in the streams of agents beside its room's.

Law: a conversation that it starts, and the label that its sender's first words give,
are one commit with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rooms.lobby.access.hives import check_no_hive
from rooms.lobby.recording.streams import agent_stream
from rooms.log import agents
from rooms.log.access import subject_of
from rooms.log.actors import Actor
from rooms.log.agents import AgentState
from rooms.log.events import Event
from rooms.log.seats import SeatJoined
from rooms.log.state import RoomState

__all__ = ["Fresh", "label_sender", "start_seated"]

Runs = dict[str, list[Event]]


class Fresh:
    """Ids for conversations to be started: made when needed, the same at each try."""

    def __init__(self, ids: Callable[[str], str]) -> None:
        self._ids = ids
        self._made: list[str] = []

    def __iter__(self) -> Iterator[str]:
        place = 0
        while True:
            if place == len(self._made):
                self._made.append(self._ids("conversation"))
            yield self._made[place]
            place += 1


def start_seated(
    appends: Runs,
    room: RoomState,
    events: Sequence[Event],
    talks: Mapping[str, AgentState],
    text: str,
) -> None:
    """Starts the conversations that are seated for a message, about what it says."""
    subject = subject_of(room, text)
    for event in events:
        if isinstance(event, SeatJoined):
            check_no_hive(room)  # nobody knows yet whether it is public
            run = appends.setdefault(agent_stream(event.agent), [])
            run += agents.start(
                _with(talks.get(event.agent) or AgentState(), run),
                event.conversation,
                about=subject or event.conversation,
                why="addressed",
            )


def label_sender(
    appends: Runs,
    room: RoomState,
    by: Actor,
    talks: Mapping[str, AgentState],
    text: str,
) -> None:
    """Gives the sender's conversation a label from its first words, if it has none."""
    talk = talks.get(by.agent)
    if talk is not None and subject_of(room, text):
        labelled = agents.label_from_post(talk, by.id, text)
        if labelled:
            appends.setdefault(agent_stream(by.agent), []).extend(labelled)


def _with(state: AgentState, started: Sequence[Event]) -> AgentState:
    """The labels of a state and of what the same commit starts beside it."""
    if not started:
        return state
    joined = AgentState(labels=dict(state.labels))
    for event in started:
        if isinstance(event, agents.ConversationStarted):
            joined.labels[event.label] = event.conversation
    return joined
