"""
Erasing, as the shell does it: the record says so, and the words go in the same commit.

Two laws. Whoever may end a room may take words out of it: its owner, or whom the host
lets. And words that nobody was ever told, since they were cancelled while they waited,
go in the same way: in a room that forgets nothing they would stay for ever.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import NotFound
from rooms.lobby.access.owning import check_owner
from rooms.lobby.handles import actor_of
from rooms.lobby.messages import Message, fact_of, id_meant
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import ended, facts_with_words
from rooms.log import erasing
from rooms.log.contents import contents_of
from rooms.log.events import Fact
from rooms.log.posting import MessagePosted, MessageScheduled, ScheduledCancelled

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["erase"]


def erase(
    desk: Desk, room: str, given: str | Message, *, by: Any, now: datetime | None
) -> None:
    """As `Room.erase`, which documents it."""
    message = values.text("message", id_meant("message", given))
    actor = actor_of(by, desk)
    desk.check_usable()
    consents = check_owner(desk, room, actor, "erase_message")
    stream = room_stream(room)

    def decide(_: int) -> Decision:
        state = desk.room(room)
        fact = _brought(desk, room, message)
        if fact is None or not isinstance(
            fact.event, MessagePosted | ScheduledCancelled
        ):
            raise NotFound(
                "unknown_message", f"no message {message[:80]!a} is here", id=message
            )
        worded = facts_with_words(desk, room, fact)
        if all(one.erased for one in worded):
            return Decision()
        contents = [each for one in worded for each in contents_of(one.event)]

        def forget() -> None:
            desk.storage.erase(stream, [one.version for one in worded])
            desk.filed.forget(dict.fromkeys(contents))

        events = erasing.erase(state, fact.event, fact.version)
        return Decision({stream: events}, consents=consents, forget=forget)

    if desk.record(decide, stream, by=actor, now=now) is None:
        with desk.lock:  # where a reader was in the way, the words may stand in a log
            fact = _brought(desk, room, message)
            worded = facts_with_words(desk, room, fact) if fact else []
            desk.storage.erase(stream, [one.version for one in worded])


def _brought(desk: Desk, room: str, message: str) -> Fact | None:
    """The fact that brought a message, or that cancelled it before it was delivered."""
    fact = fact_of(desk, room, message)
    if fact is None or not isinstance(fact.event, MessageScheduled):
        return fact
    return ended(desk, room, fact.version)
