"""
Seating: a conversation takes its seat in a room, and says how it listens there.

Law: what a seat may do is decided by `rooms.log` on the room's current state, once more
at every try.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import name_key
from rooms.hearing import Mode, Subscription
from rooms.lobby.access.gate import check
from rooms.lobby.access.hives import check_may_join
from rooms.lobby.access.managing import check_membership_open, check_not_fixed
from rooms.lobby.handles import acted_for, actor_of, conversation_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.log import rooms, seats
from rooms.log.events import Event
from rooms.log.floors import absent
from rooms.log.ledger.ending import wake_returned
from rooms.log.state import RoomState, Seat

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["join", "on_seat", "subscribe"]


def join(
    desk: Desk,
    room: str,
    *,
    by: Any,
    mode: Mode | str | None,
    interval: timedelta | None,
    tagged_only: bool,
    now: datetime | None,
) -> None:
    """As `Room.join`, which documents it."""
    conversation, actor = conversation_of(by), actor_of(by, desk)
    wanted = _subscription(mode, interval, tagged_only=tagged_only)
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        entry = desk.agent(conversation.agent)
        state = check(desk, room, actor)
        check_may_join(desk, state, conversation)
        if state.archived and not seats.is_seated(state, conversation.id):
            rooms.check_open(state)
        fixed = state.policy.membership == "fixed"
        known = seats.is_seated(state, conversation.id) if fixed else None
        if not (_let_in(state, entry.agent) if known is None else known):
            check_membership_open(desk, state, actor)
        events = seats.join(
            state,
            conversation.id,
            agent=entry.agent,
            threaded=entry.threaded,
            subscription=wanted,
            acts_for=acted_for(desk, conversation.agent, conversation.id),
            held=entry.may.held,
        )
        return Decision({stream: events})

    desk.record(decide, stream, by=actor, now=now)


def _let_in(room: RoomState, agent: str) -> bool:
    member = room.member(agent)
    return name_key(agent) in room.invited or (member is not None and member.present)


def subscribe(
    desk: Desk,
    room: str,
    *,
    by: Any,
    mode: Mode | str,
    interval: timedelta,
    tagged_only: bool,
    now: datetime | None,
) -> None:
    """As `Room.subscribe`, which documents it."""
    chosen = Mode(values.member("mode", mode, Mode))
    wanted = Subscription(chosen, interval, tagged_only)

    def decide(seat: Seat) -> list[Event]:
        return seats.subscribe(seat, wanted)

    on_seat(desk, room, decide, by=by, now=now)


def on_seat(
    desk: Desk,
    room: str,
    decide_seat: Callable[[Seat], list[Event]],
    *,
    by: Any,
    now: datetime | None,
) -> None:
    """Records what is decided on the seat of who acts, a member."""
    conversation, actor = conversation_of(by), actor_of(by, desk)
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        state = check(desk, room, actor)
        seat = seats.member_seat(state, conversation.id)
        events = decide_seat(seat)
        if any(isinstance(event, seats.SeatLeft) for event in events):
            check_membership_open(desk, state, actor)
        if state.team is not None and any(map(_is_rest, events)):
            check_not_fixed(state)  # whom the conductor suspends stays so
        return Decision({stream: [*events, *_floor_given_up(state, seat, events)]})

    desk.record(decide, stream, by=actor, now=now)


def _is_rest(event: Event) -> bool:
    return isinstance(event, seats.SeatRested)


def _floor_given_up(room: RoomState, seat: Seat, events: list[Event]) -> list[Event]:
    """The end of the floor of a seat that rests or leaves (ledger 16)."""
    leaving = any(isinstance(event, seats.SeatLeft) for event in events)
    resting = any(getattr(event, "resting", False) for event in events)
    ended = absent(room, seat, leaving=leaving) if leaving or resting else []
    wake = seat.wake
    if ended and not leaving and wake is not None and wake.kind == "floor":
        return [wake_returned(seat, wake, "given_back"), *ended]
    return ended


def _subscription(
    mode: Mode | str | None, interval: timedelta | None, *, tagged_only: bool
) -> Subscription | None:
    if mode is None:
        return None
    chosen = Mode(values.member("mode", mode, Mode))
    if interval is None:
        return Subscription(chosen, tagged_only=tagged_only)
    return Subscription(chosen, interval, tagged_only)
