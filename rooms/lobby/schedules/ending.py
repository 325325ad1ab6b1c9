"""
Ending: what a room's end means for the schedules that recur in it.

Law: they end in the same commit, whoever's they are, and stay so if the room is
restored (L-ROOM-11, L-ROOM-16, L-ROOM-17).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rooms.lobby.recording.streams import agent_stream
from rooms.log import schedules
from rooms.log.events import Event
from rooms.log.schedules import ScheduleCancelled

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["cancelled_with", "schedules_in"]


def cancelled_with(
    desk: Desk, room: str, why: str, *, now: int
) -> dict[str, list[Event]]:
    """The end of every schedule that recurs in a room, by its agent's stream."""
    runs: dict[str, list[Event]] = {}
    for agent, schedule in desk.coming.schedules_for(room):
        one = desk.talks(agent).schedules.get(schedule)
        if one is not None and not one.cancelled_at:
            run = runs.setdefault(agent_stream(agent), [])
            run += schedules.cancel(one, why=why, now=now)
    return runs


def schedules_in(runs: Mapping[str, list[Event]]) -> tuple[tuple[str, str], ...]:
    """Which schedules these are, each with the agent whose it is."""
    return tuple(
        (event.schedule, stream.partition(":")[2])
        for stream, run in runs.items()
        for event in run
        if isinstance(event, ScheduleCancelled)
    )
