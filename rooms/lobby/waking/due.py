"""
What is due: places that freed, digests, claims that ran out, the ends of rests.

Law: nothing happens by time alone; whoever acts on a due thing records it, and a room
that cannot be used holds up no other.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms.lobby.access.resting import end_rests
from rooms.lobby.floors.planning import plan
from rooms.lobby.recording.commits import Decision
from rooms.lobby.recording.streams import LOBBY
from rooms.lobby.runtimes.bootstraps import Bootstrap, due_bootstraps
from rooms.log import ledger
from rooms.log.actors import SYSTEM

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["tick", "tick_room"]

_DUE = 100


def tick(
    desk: Desk, now: datetime | None, *, starting: list[Bootstrap] | None = None
) -> None:
    """
    Records what fell due by now, in every stream.

    A bootstrap is left to whoever hands it over; `starting` takes those that are due.
    """
    # Asked without the lock: no state is read, and what is not due changes nothing.
    due = desk.storage.due(desk.time(now), limit=_DUE)
    seen: set[str] = set()  # a room that cannot be used stays due
    while due:
        fresh = [stream for stream in due if stream not in seen]
        seen.update(fresh)
        for stream in fresh:
            _tick_stream(desk, stream, now, starting)
        if len(fresh) < _DUE:
            return
        due = desk.storage.due(desk.time(now), limit=_DUE + len(seen))


def _tick_stream(
    desk: Desk, stream: str, now: datetime | None, starting: list[Bootstrap] | None
) -> None:
    kind, _, agent = stream.partition(":")
    if stream == LOBBY:
        end_rests(desk, now)
    elif kind == "room":
        tick_room(desk, stream, now)
    elif starting is not None:
        with desk.passing_over(stream):
            starting += due_bootstraps(desk, agent, now=now)


def tick_room(desk: Desk, stream: str, now: datetime | None) -> None:
    """Records what fell due by now in one room, its floor too."""
    room = stream.partition(":")[2]

    def decide(at: int) -> Decision:
        return Decision({stream: ledger.tick(desk.room(room), at)})

    with desk.passing_over(room):
        desk.record(decide, stream, by=SYSTEM, now=now)
        plan(desk, room, now=now)
