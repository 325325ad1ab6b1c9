"""
Recovering: the storage came from a backup, and what ran before it knows nothing of it.

Law: every claim is stale from then on, in one commit, and what was held by one is owed
again, while a rest ends by nobody's old word (L-REST-08); so nothing is done twice on
the word of a runtime that saw another past.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rooms.lobby.access.describing import retired_by
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log.actors import SYSTEM
from rooms.log.events import Event
from rooms.log.resting import AgentRested

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["recover"]


def recover(desk: Desk, *, now: datetime | None) -> None:
    """As `Lobby.recover`, which documents it."""
    desk.check_usable()
    with desk.lock:
        agents = [one.agent for one in desk.directory().agents.values()]
    retired: list[tuple[str, str]] = []

    def decide(_: int) -> Decision:
        retired.clear()
        appends: dict[str, Sequence[Event]] = {}
        for name in agents:
            claimed: list[str] = []
            appends |= retired_by(desk, desk.agent(name), claimed, "recovered")
            retired.extend((one, name) for one in claimed)
        ends = desk.directory().resting
        appends[LOBBY] = [AgentRested(desk.agent(name).agent, True) for name in ends]
        return Decision(appends)

    streams = (agent_stream(name) for name in agents)
    desk.record(decide, LOBBY, *streams, by=SYSTEM, now=now)
    for conversation, agent in retired:
        desk.reclaim(conversation, agent, now=now)
