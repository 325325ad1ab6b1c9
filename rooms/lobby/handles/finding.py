"""Finding a conversation of an agent, which starts where it is not there."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms import values
from rooms.errors import Conflict, InvalidInput
from rooms.lobby.handles.conversation import Conversation
from rooms.lobby.handles.person import Person
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log import agents, directory
from rooms.log.actors import SYSTEM

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["find_conversation"]


def find_conversation(
    desk: Desk,
    name: str,
    *,
    thread: str | None = None,
    label: str | None = None,
    acts_for: str | Person | None = None,
    now: datetime | None = None,
) -> Conversation:
    """The conversation of an agent that these name, started where it is not there."""
    desk.check_usable()
    if thread is not None:
        agents.check_thread(thread)
    person = acts_for.name if isinstance(acts_for, Person) else acts_for
    person = "" if person is None else directory.check_person(person, field="acts_for")
    with desk.lock:
        entry = desk.agent(name)
    if not entry.threaded:
        _check_acts_for(person, entry.owner)
        alone = Conversation(entry.conversation, entry.agent, desk)
        return alone if thread is None else alone.bind(thread, now=now)
    if thread is None and label is None:
        raise InvalidInput(
            "thread",
            f"is missing, and {entry.agent} has many conversations",
            allowed="the host's thread, or a label",
        )
    stream = agent_stream(entry.agent)
    new = desk.ids("conversation")
    found: list[str] = []

    def decide(_: int) -> Decision:
        state = desk.talks(entry.agent)
        known = state.threads.get(thread) if thread else None
        if known is None and label is not None and thread is None:
            known = state.labelled(values.text("label", label))
        found[:] = [known or new]
        if known is None:
            noted = directory.add_person(desk.directory(), person) if person else []
            started = agents.start(
                state, new, label=label, thread=thread or "", acts_for=person
            )
            return Decision({stream: started, LOBBY: noted})
        _check_acts_for(person, state.talk(known).acts_for)
        if label is None or label in state.talk(known).labels:
            return Decision()
        return Decision({stream: agents.relabel(state, known, label)})

    desk.record(decide, stream, by=SYSTEM, now=now)
    return Conversation(found[0], entry.agent, desk)


def _check_acts_for(person: str, current: str) -> None:
    """Whom a conversation acts for is said at its start, and never again."""
    if person and person != current:
        raise Conflict(
            "conversation_exists",
            "the conversation is there already, and acts for"
            f" {current or 'nobody'}, not for {person}",
            current={"acts_for": current or None},
        )
