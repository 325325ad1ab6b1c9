"""
Releasing: messages whose time has come are delivered, each in a commit of its own.

Law: the commit that releases a message is what says that it is released, so nothing
that ends in between delivers it twice, or never.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from rooms.addressing import name_key
from rooms.errors import CorruptLog
from rooms.lobby.posting.backlogs import backlog_elsewhere
from rooms.lobby.posting.starting import Fresh, start_seated
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.lobby.schedules.fates import ended_key, words_at
from rooms.log import posting
from rooms.log.actors import SYSTEM
from rooms.log.agents import AgentState
from rooms.log.coming import Waiting
from rooms.log.events import Event, Fact
from rooms.log.posting import MessagePosted, PostFacts, Words
from rooms.log.records import record_id
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["facts_for", "release_due"]


def release_due(desk: Desk, room: str, now: datetime | None) -> None:
    """Delivers every message of a room that is due by now, the earliest first."""
    stream, ids = room_stream(room), Fresh(desk.ids)

    def decide(at: int) -> Decision:
        state = desk.room(room)
        waiting = None if state.coming is None else state.coming.due(at)
        return Decision() if waiting is None else _released(desk, state, waiting, at)

    def _released(desk: Desk, state: RoomState, waiting: Waiting, at: int) -> Decision:
        accepted = _accepted(desk, room, waiting.version)
        words = words_at(desk, room, accepted, waiting.words)
        facts = facts_for(desk, room, words, ids)
        events = posting.release(state, waiting, words, facts, now=at)
        appends: dict[str, list[Event]] = {stream: events}
        if len(events) > 1 and isinstance(events[-1], MessagePosted):
            start_seated(appends, state, events, facts.talks, words.text)
        return Decision(
            appends,
            guards=(LOBBY,) if words.accepted.sender else (),  # it may be disabled
            add={ended_key(record_id(room, waiting.version)): ""},
        )

    while desk.record(decide, stream, by=SYSTEM, now=now) is not None:
        ids = Fresh(desk.ids)


def _accepted(desk: Desk, room: str, version: int) -> Fact:
    """The fact of a room that accepted a message which waits."""
    fact = desk.fact(room_stream(room), version)
    if fact is None:
        where = f"{room_stream(room)} {version}"
        raise CorruptLog("corrupt_log", f"{where} is not there", where=where)
    return fact


def facts_for(desk: Desk, room: str, words: Words, ids: Fresh) -> PostFacts:
    """What a message that waits is changed or released on, beside its room."""
    said, every = words.accepted, desk.directory().agents
    talks: dict[str, AgentState] = {}
    for agent, _, _ in said.starts:
        entry = every.get(name_key(agent))
        if entry is not None:
            talks[agent] = desk.talks(entry.agent)
    elsewhere = partial(backlog_elsewhere, desk, room)
    return PostFacts(every, talks, elsewhere=elsewhere, conversations=ids)
