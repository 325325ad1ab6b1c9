"""
Using: what a team's turns cost, as the host reports it, and what it has used so far.

Law: a report is the host's to make, and only adds; nothing that it says raises a limit
(S-LIMIT-02).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.lobby.handles import actor_of
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.team.stepping import step
from rooms.lobby.team.values import MemberUsage, Usage
from rooms.log.actors import SYSTEM
from rooms.log.events import Event
from rooms.log.records import room_of_record
from rooms.log.state import RoomState
from rooms.log.team import team_of, usage
from rooms.log.team_state import MemberState, TeamState
from rooms.team.amounts import amount, from_micros, micros_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["report_usage", "usage_of"]

_MOST_TOKENS = 10**12
_MICROSECOND = timedelta(microseconds=1)


def report_usage(
    desk: Desk,
    by: Any,
    *,
    cost: Any,
    tokens: Any,
    room: Any,
    request_id: str | None,
    now: datetime | None,
) -> None:
    """As `Lobby.report_usage`, which documents it."""
    desk.check_usable()
    micros = micros_of(amount("cost", cost))
    values.whole_number("tokens", tokens, at_least=0, at_most=_MOST_TOKENS)
    named = None if room is None else values.storable("room", getattr(room, "id", room))
    conversation, woken = _who(desk, by)
    where = _room_of(desk, conversation, named or woken, asked=named is not None)
    request = Request.of(
        SYSTEM,
        "report_usage",
        request_id,
        fingerprint(where, conversation, micros, tokens),
    )

    def decide(state: RoomState) -> list[Event]:
        member = _member(team_of(state), conversation)
        if member is None:
            raise _no_member()
        return usage.report(state, member, micros, tokens)

    step(desk, where, decide, by=SYSTEM, now=now, request=request)


def _who(desk: Desk, by: Any) -> tuple[str, str]:
    """Whose turn it is or was, and the room that woke it; it may have ended."""
    wake = getattr(by, "wake", None)
    handle = by if wake is None else by.conversation
    actor = actor_of(handle, desk)
    if not actor.agent:
        raise _no_member()
    return actor.id, room_of_record(getattr(wake, "id", "") or "")


def _room_of(desk: Desk, conversation: str, named: str, *, asked: bool) -> str:
    """The room of the team in which a conversation had a turn, also of one over."""
    living: list[str] = []
    over: list[str] = []
    with desk.lock:
        for room in desk.wakes.rooms_of(conversation):
            with suppress(NotFound):
                team = desk.room(room).team
                if team is not None and _member(team, conversation) is not None:
                    (over if team.final else living).append(room)
    if named in {*living, *over}:
        return named
    if asked:
        raise _no_member()
    chosen = living or over
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise InvalidInput(
            "room", "is not named, and there are several", allowed=", ".join(chosen)
        )
    raise _no_member()


def _member(team: TeamState, conversation: str) -> MemberState | None:
    for one in team.members.values():
        if conversation and one.conversation == conversation:
            return one
    return None


def _no_member() -> NotAllowed:
    return NotAllowed("not_a_member", "it has, and had, no turn in a team")


def usage_of(state: RoomState, now: int) -> Usage:
    """What a team has used by now."""
    team = team_of(state)
    members: Mapping[str, MemberUsage] = MappingProxyType(
        {
            one.key: MemberUsage(
                from_micros(one.cost), one.tokens, one.turns, one.failures, one.retries
            )
            for one in team.members.values()
        }
    )
    return Usage(
        from_micros(team.cost),
        team.tokens,
        team.turns,
        team.worked_until(now) * _MICROSECOND,
        team.uncertain * _MICROSECOND,
        members,
    )
