"""
What is due: messages that waited for their time, places that freed, digests, claims
that ran out, the ends of rests, stops.

Law: nothing happens by time alone; whoever acts on a due thing records it, and a room
that cannot be used holds up no other.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms.lobby.access.resting import end_rests
from rooms.lobby.floors.planning import plan
from rooms.lobby.pushing.receipts import tick_receipts
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.lobby.schedules.firing import fire_due
from rooms.lobby.schedules.releasing import release_due
from rooms.lobby.working.telling import drop_stops
from rooms.log import floors, ledger, team
from rooms.log.actors import SYSTEM
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["is_due", "tick", "tick_room"]

_DUE = 100


def tick(desk: Desk, now: datetime | None) -> tuple[str, ...]:
    """
    Records what fell due by now, in every stream.

    Returns:
        The agents for which something is due that is to be handed to somebody.
    """
    at = desk.time(now)
    desk.uncarried.come_again(at)
    # Asked without the lock: no state is read, and what is not due changes nothing.
    due = desk.storage.due(at, limit=_DUE)
    seen: set[str] = set()  # a room that cannot be used stays due
    while due:
        fresh = [stream for stream in due if stream not in seen]
        if LOBBY in fresh:  # first: what it lets go is due in rooms at once
            seen.add(LOBBY)
            end_rests(desk, now)
            due = desk.storage.due(desk.time(now), limit=_DUE + len(seen))
            continue
        seen.update(fresh)
        for stream in fresh:
            _tick_stream(desk, stream, now)
        if len(fresh) < _DUE:
            break
        due = desk.storage.due(desk.time(now), limit=_DUE + len(seen))
    named = (stream.partition(":") for stream in seen)
    return tuple(sorted(name for kind, _, name in named if kind == "agent"))


def _tick_stream(desk: Desk, stream: str, now: datetime | None) -> None:
    kind, _, agent = stream.partition(":")
    if kind == "agent":
        drop_stops(desk, agent, now=now)
        with desk.passing_over(stream):
            tick_receipts(desk, agent, now)
        with desk.passing_over(agent):
            fire_due(desk, agent, now=now)
    elif kind == "room":
        tick_room(desk, stream, now)


def tick_room(desk: Desk, stream: str, now: datetime | None) -> None:
    """
    Records what fell due by now in one room, its floor too; where nothing did, that is
    one look.
    """
    room = stream.partition(":")[2]

    def decide(at: int) -> Decision:
        state = desk.room(room)
        events = ledger.tick(state, at)
        if not desk.hears("rooms_push"):
            events += ledger.unpushed(state, at)
        return Decision({stream: events})

    def look(at: int) -> Decision:
        return Decision({stream: team.look_now(desk.room(room), at)})

    with desk.passing_over(room):
        with desk.lock:
            if not is_due(desk, desk.room(room), now):
                return
        desk.record(decide, stream, by=SYSTEM, now=now)
        release_due(desk, room, now)
        with desk.lock:
            teams = desk.room(room).team is not None
        if teams:
            desk.record(look, stream, by=SYSTEM, now=now)
        plan(desk, room, now=now)


def is_due(desk: Desk, room: RoomState, now: datetime | None) -> bool:
    """Whether a room waits for an instant that has come, or for its planner."""
    if floors.to_plan(room) is not None:
        return True
    at = room.deadline()
    if at is None:
        return False
    return at <= max(desk.time(now), desk.streams.current(room_stream(room.id)).at)
