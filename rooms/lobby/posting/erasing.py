"""
Erasing, as the shell does it: the record says so, and the words go in the same commit.

Law: whoever may end a room may take words out of it: its owner, or whom the host lets.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import NotFound
from rooms.lobby.access.owning import check_owner
from rooms.lobby.handles import actor_of
from rooms.lobby.messages import Message, fact_of, id_meant
from rooms.lobby.recording.commits import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.schedules.fates import facts_with_words
from rooms.log import erasing
from rooms.log.contents import contents_of
from rooms.log.posting import MessagePosted

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
        fact = fact_of(desk, room, message)
        if fact is None or not isinstance(fact.event, MessagePosted):
            raise NotFound(
                "unknown_message", f"no message {message[:80]!a} is here", id=message
            )
        if fact.erased:
            return Decision()
        contents = contents_of(fact.event)
        every = [one.version for one in facts_with_words(desk, room, fact)]

        def forget() -> None:
            desk.storage.erase(stream, every)
            desk.filed.forget(contents)

        events = erasing.erase(state, fact.event, fact.version)
        return Decision({stream: events}, consents=consents, forget=forget)

    if desk.record(decide, stream, by=actor, now=now) is None:
        with desk.lock:  # where a reader was in the way, the words may stand in a log
            fact = fact_of(desk, room, message)
            worded = facts_with_words(desk, room, fact) if fact else []
            desk.storage.erase(stream, [one.version for one in worded])
