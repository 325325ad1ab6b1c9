"""
Adding: a member brings a threaded agent in, and says why.

Two laws. The agent is a member at once, in a fresh seat that follows the room and acts
for the person on whose word it was added (G-ADD-01, G-ADD-02, G-ADD-06). And the reason
is a message to that seat, so the seat is told it at its start, on the one path that
every message takes; being a person's word, it wakes at whatever depth.
"""

from __future__ import annotations

from attrs import frozen

from rooms.addressing import Resolution
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.posting.admitting import check_send_rate, fitting, sender_seat
from rooms.log.posting.message import MessagePosted
from rooms.log.posting.owing import Pace, hearers, owed_to
from rooms.log.rooms import check_open
from rooms.log.seats import SeatJoined, follow_by_posting, join
from rooms.log.state import RoomState
from rooms.pacing import PERSON_HOPS, hops_of_post

__all__ = ["Addition", "add"]


@frozen
class Addition:
    """
    A threaded agent's new conversation, its address, for whom it acts, and why; and
    why nothing is delivered to its agent now, or "".
    """

    agent: str
    conversation: str
    address: str
    acts_for: str
    reason: str
    held: str = ""


def add(room: RoomState, addition: Addition, *, by: Actor, now: int) -> list[Event]:
    """
    The seat of who is added, and the message that tells it why, the message last.

    Raises:
        NotAllowed: `room_deleted`, `not_a_member`, `read_only_access`.
        OverLimit: `send_rate` with `retry_at`; `message_too_long`.
        InvalidInput: `body_empty`.
    """
    check_open(room)
    seat = sender_seat(room, by)
    check_send_rate(room, seat, by, now)
    text, truncated_from = fitting(room, addition.reason)
    joined = join(
        room,
        addition.conversation,
        agent=addition.agent,
        threaded=True,
        why="added",
        acts_for=addition.acts_for,
        held=addition.held,
    )
    seated = [one for one in joined if isinstance(one, SeatJoined)]
    pace = Pace(by, rides="", now=now)
    grants, owed = owed_to(room, hearers(room, Resolution(), pace), seated, pace)
    message = MessagePosted(
        seq=room.seq + 1,
        sender=by.conversation or "",
        author=by.agent or by.id,
        to=(addition.address,),
        owed=tuple(owed),
        started=tuple((one.conversation, "") for one in seated),
        hops=PERSON_HOPS if seat is None else hops_of_post(seat.depth),
        wake=by.wake,
        truncated_from=truncated_from,
        text=text,
    )
    follows = [] if seat is None else follow_by_posting(seat)
    return [*follows, *grants, *seated, message]
