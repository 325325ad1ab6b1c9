"""Limits: which one a team has reached, and what stops it there (S-LIMIT-02 to 04)."""

from __future__ import annotations

from datetime import timedelta

from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team.standing import move, team_of
from rooms.log.team_state import TeamState
from rooms.team import StopReason
from rooms.team.amounts import micros_of
from rooms.team.statuses import OPEN_FOR_TURNS

__all__ = ["limit_text", "reached", "stopped_at_limit"]

_MICROSECOND = timedelta(microseconds=1)


def reached(
    team: TeamState,
    *,
    cost: int | None = None,
    tokens: int | None = None,
    worked: int | None = None,
) -> str:
    """
    The first limit that the team has reached, or "": cost, working time, tokens
    (S-LIMIT-04). What is given counts instead of what the state says.
    """
    limits = team.limits
    spent = team.cost if cost is None else cost
    if spent >= micros_of(limits.max_cost):
        return "max_cost"
    time = team.worked if worked is None else worked
    if time >= limits.max_time // _MICROSECOND:
        return "max_time"
    used = team.tokens if tokens is None else tokens
    return "max_tokens" if used >= limits.max_tokens else ""


def limit_text(team: TeamState, name: str) -> str:
    """That a limit is reached, in words."""
    return f"{name} is reached: {getattr(team.limits, name)}"


def stopped_at_limit(room: RoomState, name: str) -> list[Event]:
    """No new turn starts, where a limit is reached; those that run end."""
    team = team_of(room)
    if not name or team.status not in OPEN_FOR_TURNS:
        return []
    reason = StopReason.LIMIT_REACHED.value
    return move(room, "pause", reason=reason, text=limit_text(team, name))
