"""
Renewing: tries begin anew, by the word of whoever runs an agent's host.

Law: it is the host's to say, and no agent's call leads here (L-AGENT-15).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.log import ledger, runtimes
from rooms.log.actors import SYSTEM
from rooms.log.events import Event
from rooms.log.runtimes import RenewedBecause

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["retry"]


def retry(desk: Desk, agent: str, *, now: datetime | None) -> None:
    """As `Agent.retry`, which documents it."""
    desk.check_usable()

    def decide(_: int) -> Decision:
        appends: dict[str, list[Event]] = {}
        entry = desk.agent(agent)
        talks = desk.talks(entry.agent).talks
        for talk in talks.values():  # a bootstrap waits where it is paused
            why: RenewedBecause = "paused" if entry.may.held else "retry"
            renewed = runtimes.renew(talk, why)
            appends.setdefault(agent_stream(entry.agent), []).extend(renewed)
        for conversation in talks:
            for room_id in desk.wakes.rooms_of(conversation):
                if room_id in desk.directory().rooms:
                    room = desk.room(room_id)
                    seat = room.seats[conversation]
                    events = ledger.renewed(room, seat, "retry")
                    appends.setdefault(room_stream(room_id), []).extend(events)
        return Decision(appends)

    desk.record(decide, agent_stream(agent), by=SYSTEM, now=now)
