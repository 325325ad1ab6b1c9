"""
What follows for a team from what happens in its room, added to the same commit.

Law: whoever ends a turn knows nothing of teams, and a team is never left waiting for a
turn that has ended (S-STATUS-06).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from rooms.lobby.recording.decisions import Decision
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team import following

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["teams_follow"]


def teams_follow(
    desk: Desk, decide: Callable[[int], Decision]
) -> Callable[[int], Decision]:
    """A command, with what follows from it for the teams of the rooms it writes to."""

    def decide_with_teams(at: int) -> Decision:
        decision = decide(at)
        for name in decision.appends:  # most rooms have none: one look each
            loaded = desk.streams.loaded.get(name)
            if loaded is not None and getattr(loaded.state, "team", None) is not None:
                return _with_teams(desk, decision)
        return decision

    return decide_with_teams


def _with_teams(desk: Desk, decision: Decision) -> Decision:
    more = {
        name: [*events, *follows]
        for name, events in decision.appends.items()
        if (follows := _follows(desk, name, events))
    }
    if not more:
        return decision
    return evolve(decision, appends={**decision.appends, **more})


def _follows(desk: Desk, name: str, events: Sequence[Event]) -> list[Event]:
    loaded = desk.streams.loaded.get(name)
    room = None if loaded is None else loaded.state
    return following(room, events) if isinstance(room, RoomState) else []
