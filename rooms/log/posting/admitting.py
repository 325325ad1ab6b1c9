"""
Admit: may it be said?

Law: the checks look at the room and the words alone, each refuses with its code, and
none changes anything (foundation 6).
"""

from __future__ import annotations

from rooms.errors import InvalidInput, NotAllowed, OverLimit
from rooms.log.actors import Actor
from rooms.log.seats import member_seat
from rooms.log.state import RoomState, Seat
from rooms.pacing import frees_at
from rooms.values import moment

__all__ = ["check_send_rate", "fitting", "sender_seat"]


def sender_seat(room: RoomState, by: Actor) -> Seat | None:
    """The seat of who posts; None for a person where people post."""
    if by.kind == "conversation":
        return member_seat(room, by.id, action="post")
    if room.policy.people != "post":
        raise NotAllowed(
            "read_only_access",
            "people watch in this room and do not post",
            action="post",
        )
    return None


def check_send_rate(room: RoomState, seat: Seat | None, now: int) -> None:
    """Refuses what the sender's send window has no place for."""
    window = room.policy.send_window
    if seat is None or window is None:
        return
    limit = window.limit
    free = frees_at(limit, window.micros, seat.sends, now)
    if free != now:
        raise OverLimit(
            "send_rate",
            f"{limit} messages within {window.period} are sent already",
            limit=limit,
            retry_at=None if free is None else moment(free),
        )


def fitting(room: RoomState, text: str) -> tuple[str, int]:
    """The text within bounds, and its length before it was cut, or 0."""
    if not text.strip():
        raise InvalidInput("content", "is empty", code="body_empty")
    most = room.policy.max_message_chars
    if most is None or len(text) <= most:
        return text, 0
    if room.policy.oversize == "truncate":
        return text[:most], len(text)
    raise OverLimit(
        "message_too_long",
        f"the text has {len(text)} characters, and may have {most}",
        length=len(text),
        limit=most,
    )
