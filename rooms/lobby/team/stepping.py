"""
Steps: one command on a team, decided on its room and recorded.

Law: the same request again is answered with what it left, whatever the team is by now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.requests import NO_REQUEST, Request
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.log.actors import Actor
from rooms.log.events import Event, Fact
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Done", "step", "step_at"]


@frozen
class Done:
    """
    What a command came to.

    Attributes:
        facts: The facts of the room's stream that it recorded, or the one that the same
            request left before.
        repeated: Whether it was the same request again. Only the last try tells: one
            that lost a race was decided as if it were new.
    """

    facts: tuple[Fact, ...]
    repeated: bool = False


def step(
    desk: Desk,
    room: str,
    decide_in: Callable[[RoomState], Sequence[Event]],
    *,
    by: Actor,
    now: datetime | None,
    request: Request = NO_REQUEST,
    consents: Consents = (),
    others: Callable[[], dict[str, Sequence[Event]]] | None = None,
) -> Done:
    """As `step_at`, of a rule that asks for no time."""
    return step_at(
        desk,
        room,
        lambda state, _: decide_in(state),
        by=by,
        now=now,
        request=request,
        consents=consents,
        others=others,
    )


def step_at(
    desk: Desk,
    room: str,
    decide_in: Callable[[RoomState, int], Sequence[Event]],
    *,
    by: Actor,
    now: datetime | None,
    request: Request = NO_REQUEST,
    consents: Consents = (),
    others: Callable[[], dict[str, Sequence[Event]]] | None = None,
    keep: Callable[[], object] | None = None,
) -> Done:
    """
    Records what is decided on a team's room, or finds what the same request left.

    Args:
        desk: The lobby's.
        room: The room's id.
        decide_in: The rule; called with the current state and the commit's time, once
            for each try.
        by: Who acts.
        now: The instant; the lobby's clock unless given.
        request: What makes a retry known.
        consents: What hosts said.
        others: What is appended to other streams in the same commit.
        keep: Stores the contents that a record names, in the commit's transaction.
    """
    stream = room_stream(room)
    repeated: list[Fact] = []

    def decide(at: int) -> Decision:
        state = desk.room(room)
        repeated[:] = request.answered(desk)
        if repeated:
            return Decision()
        events = decide_in(state, at)
        more = {} if others is None else others()
        return Decision(
            {stream: events, **more},
            guards=(LOBBY,) if more else (),
            add=request.keys if events else {},
            consents=consents,
            keep=keep if events else None,
        )

    committed = desk.record(decide, stream, by=by, now=now)
    if committed is None:
        return Done(tuple(repeated), repeated=bool(repeated))
    return Done(tuple(committed.facts[stream]))
