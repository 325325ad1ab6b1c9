"""
Usage: what a team's turns cost, how long it works, and what stops it at a limit.

Three laws. A limit that is reached stops new turns and says so; turns that run end, and
nothing raises it but a person (S-LIMIT-02). It is reached at its number, not above it
(S-LIMIT-03). And an abort is no failure: only an error counts (S-LIMIT-12).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.errors import Conflict, InvalidInput
from rooms.log.events import Event, Fact, recorded
from rooms.log.state import RoomState
from rooms.log.team.limits import limit_text, reached, stopped_at_limit
from rooms.log.team.standing import team_of
from rooms.log.team_state import MemberState, TeamState
from rooms.team.amounts import LARGEST, micros_of

__all__ = ["ClockCut", "TurnCounted", "UsageReported", "cut_clock", "evolve", "report"]

MOST_UNCERTAIN = 60_000_000
"""How much of the time before a crash is kept as uncertain (S-LIMIT-07)."""

_MOST = 2**53


@recorded("usage_reported")
class UsageReported(Event):
    """What a member's turns used once more: millionths of a cost, and tokens."""

    key: str
    cost: int = 0
    tokens: int = 0


@recorded("turn_counted")
class TurnCounted(Event):
    """A member's turn is over: it was `good`, it `failed`, or it was `aborted`."""

    key: str
    how: str


@recorded("clock_cut")
class ClockCut(Event):
    """After a crash a team's clock goes on: it worked `until` then for certain."""

    until: int
    uncertain: int = 0


def report(room: RoomState, member: MemberState, cost: int, tokens: int) -> list[Event]:
    """
    What a member's turns used, and what follows from it.

    Raises:
        InvalidInput: `invalid_request` where the sum is beyond all numbers.
    """
    team = team_of(room)
    if team.cost + cost > micros_of(LARGEST) or team.tokens + tokens > _MOST:
        raise InvalidInput("usage", "is beyond all numbers", allowed="less in all")
    if not cost and not tokens:
        return []
    used = UsageReported(member.key, cost, tokens)
    why = reached(team, cost=team.cost + cost, tokens=team.tokens + tokens)
    return [used, *stopped_at_limit(room, why)]


def cut_clock(room: RoomState, now: int) -> list[Event]:
    """
    After a restart: what the log proves is counted as worked, at most a minute beyond
    it is kept as uncertain (S-LIMIT-07).
    """
    team = team_of(room)
    if not team.working_since or now <= room.at:
        return []
    return [ClockCut(room.at, min(now - room.at, MOST_UNCERTAIN))]


def check_resumable(room: RoomState) -> None:
    """
    Refuses to let a team go on that would stop at once.

    Raises:
        Conflict: `limit_reached` with the limit, which a person raises first.
    """
    team = team_of(room)
    why = reached(team)
    if why:
        raise Conflict("limit_reached", limit_text(team, why), current=why)


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    fold = _FOLDS.get(type(fact.event))
    if fold is None or room.team is None:
        return False
    fold(room.team, fact.event, fact)
    return True


def _use(team: TeamState, event: UsageReported, _: Fact) -> None:
    member = team.members[event.key]
    member.cost += event.cost
    member.tokens += event.tokens
    team.cost += event.cost
    team.tokens += event.tokens


def _count(team: TeamState, event: TurnCounted, _: Fact) -> None:
    member = team.members[event.key]
    member.turns += 1
    member.resumed = 0
    team.turns += 1
    if event.how == "failed":
        member.failures += 1
        member.retries += 1
    elif event.how == "good":
        member.failures = 0


def _cut(team: TeamState, event: ClockCut, fact: Fact) -> None:
    team.worked += max(event.until - team.working_since, 0)
    team.uncertain += event.uncertain
    team.working_since = fact.at


_FOLDS: Mapping[type[Event], Any] = {
    UsageReported: _use,
    TurnCounted: _count,
    ClockCut: _cut,
}
