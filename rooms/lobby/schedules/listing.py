"""
Listing what is to come.

Law: a list costs what it returns, and says no more of a message than a list needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import words_at
from rooms.lobby.schedules.values import WaitingMessage, excerpt
from rooms.log.posting import MOST_WAITING
from rooms.log.records import record_id
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.schedules.whose import Whose

__all__ = ["waiting_messages"]


def waiting_messages(desk: Desk, whose: Whose) -> tuple[WaitingMessage, ...]:
    """The messages of somebody's that wait, the soonest first."""
    found = []
    with desk.lock:
        check_fence(desk, whose.actor)
        for room, version in desk.coming.of(whose.sender, limit=MOST_WAITING):
            with desk.passing_over(room):
                shown = _shown(desk, room, version)
                if shown is not None:
                    found.append(shown)
    return tuple(found)


def _shown(desk: Desk, room: str, version: int) -> WaitingMessage | None:
    from rooms.lobby.room import Room  # noqa: PLC0415 - a lobby makes its rooms' handles

    coming = desk.room(room).coming
    waiting = None if coming is None else coming.waiting.get(version)
    fact = desk.fact(room_stream(room), version)
    at = None if waiting is None else moment(waiting.due)
    if waiting is None or fact is None or at is None:
        return None
    words = words_at(desk, room, fact, waiting.words)
    said = excerpt(words.text)
    count = len(waiting.reached) + len(words.accepted.starts)
    return WaitingMessage(
        record_id(room, version),
        Room(room, desk),
        words.accepted.to,
        at,
        count,
        said,
        content_truncated=said != words.text,
    )
