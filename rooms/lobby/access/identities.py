"""
Identities: agents and persons become known to a lobby.

Law: what is there with equal facts is left as it is, so a host may say at every start
who is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import Conflict, OverLimit
from rooms.lobby.access.describing import facts_given, said_of
from rooms.lobby.handles import Person
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log import agents, directory
from rooms.log.actors import SYSTEM
from rooms.log.directory import AgentEntry
from rooms.log.events import Event

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["add_agent", "note_person"]


def add_agent(
    desk: Desk,
    name: str,
    *,
    threaded: bool,
    owner: str | Person | None,
    facts: Mapping[str, Any],
    now: datetime | None,
) -> None:
    """As `Lobby.add_agent`, which documents it."""
    words, permissions = facts_given(facts)
    values.flag("threaded", threaded)
    person = owner.name if isinstance(owner, Person) else owner
    person = "" if person is None else values.text("owner", person)
    conversation = "" if threaded else desk.ids("conversation")

    def decide(_: int) -> Decision:
        state = desk.directory()
        added = directory.add_agent(
            state, name, threaded=threaded, owner=person, conversation=conversation
        )
        known = state.agent(name)
        if known is None:
            _check_capacity(len(state.agents), desk.max_agents)
        entry = known or AgentEntry(name, threaded, person, conversation)
        said = directory.describe(entry, said_of(desk, entry), words)
        told = [*said, *directory.permit(entry, permissions)]
        if told and not added:
            raise Conflict(
                "agent_exists",
                f"agent {entry.agent} is there already, with other facts",
                current={"agent": entry.agent},
            )
        appends: dict[str, list[Event]] = {LOBBY: [*added, *told]}
        if person and added:
            appends[LOBBY] = [*directory.add_person(state, person), *added, *told]
        if added and not threaded:
            talks = desk.talks(name)
            appends[agent_stream(name)] = agents.start(
                talks, conversation, about=name, why="added"
            )
        return Decision(appends)

    desk.record(decide, LOBBY, by=SYSTEM, now=now)


def _check_capacity(count: int, most: int | None) -> None:
    if most is not None and count >= most:
        raise OverLimit(
            "agent_capacity", f"the lobby holds {count} agents already", limit=most
        )


def note_person(desk: Desk, name: str, *, now: datetime | None) -> None:
    """As `Lobby.person`, which documents it."""

    def decide(_: int) -> Decision:
        return Decision({LOBBY: directory.add_person(desk.directory(), name)})

    desk.record(decide, LOBBY, by=SYSTEM, now=now)
