"""
Restarting: people and agents are told of a restart that the host has planned.

Two laws. Each conversation is told once of one announcement, and that it was is
recorded, whichever process tells it (G-NOTICE-02). And what is over is told to nobody.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log.actors import SYSTEM
from rooms.log.agents import RestartTold
from rooms.log.restarts import Restart, RestartAnnounced, RestartCalledOff
from rooms.rendering import Notice
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = [
    "PlannedRestart",
    "announce_restart",
    "call_off_restart",
    "planned_restart",
    "restart_notices",
]


@frozen
class PlannedRestart:
    """
    A restart that the host has planned.

    Attributes:
        at: When, UTC.
        reason: Why, in somebody's words.
        notify_rooms: Whether agents are told.
    """

    at: datetime
    reason: str = field(repr=False)
    notify_rooms: bool


def announce_restart(
    desk: Desk, at: Any, reason: Any, *, notify_rooms: bool, now: datetime | None
) -> None:
    """As `Lobby.announce_restart`, which documents it."""
    event = RestartAnnounced(
        values.micros("at", at),
        values.flag("notify_rooms", notify_rooms),
        values.storable("reason", reason),
    )
    desk.record(lambda _: Decision({LOBBY: [event]}), LOBBY, by=SYSTEM, now=now)


def call_off_restart(desk: Desk, *, now: datetime | None) -> None:
    """As `Lobby.call_off_restart`, which documents it."""

    def decide(_: int) -> Decision:
        planned = desk.directory().restart is not None
        return Decision({LOBBY: [RestartCalledOff()] if planned else []})

    desk.record(decide, LOBBY, by=SYSTEM, now=now)


def planned_restart(desk: Desk, *, now: datetime | None) -> PlannedRestart | None:
    """As `Lobby.planned_restart`, which documents it."""
    desk.check_usable()
    at = desk.time(now)
    with desk.lock:
        planned = desk.directory().restart
        if planned is None or planned.at <= at:
            return None
        return _shown(desk, planned)


def restart_notices(
    desk: Desk, one: Conversation, *, now: datetime | None
) -> tuple[Notice, ...]:
    """What a conversation is told of a planned restart now, which is recorded."""
    with desk.lock:
        planned = desk.directory().restart
        if planned is None or not planned.notify or not desk.wakes.rooms_of(one.id):
            return ()
    told: list[PlannedRestart] = []
    stream = agent_stream(one.agent)

    def decide(at: int) -> Decision:
        told.clear()
        planned = desk.directory().restart
        talk = desk.talks(one.agent).talk(one.id)
        if planned is None or planned.at <= at or talk.told == planned.version:
            return Decision()
        told.append(_shown(desk, planned))
        return Decision({stream: [RestartTold(one.id, planned.version)]})

    desk.record(decide, stream, by=SYSTEM, now=now)
    return tuple(
        Notice("restart_planned", {"at": each.at.isoformat(), "reason": each.reason})
        for each in told
    )


def _shown(desk: Desk, planned: Restart) -> PlannedRestart:
    fact = desk.fact(LOBBY, planned.version)
    event = None if fact is None else fact.event
    reason = event.reason if isinstance(event, RestartAnnounced) else ""
    at = moment(planned.at) or values.LAST
    return PlannedRestart(at, reason, planned.notify)
