"""
Rounds: what came of every seat in an activity, as the log has it.

Law: whoever had a turn has an outcome, the silent, the failed and the absent too, and a
restart forgets none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.errors import NotFound
from rooms.lobby import Conversation, Message, Room
from rooms.lobby.given import check_room
from rooms.lobby.messages import fact_of
from rooms.lobby.recording.streams import room_stream
from rooms.log.events import Fact, decoded
from rooms.log.floors import ActivityEnded, FloorEnded

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["SeatOutcome", "outcomes_of"]

_BATCH = 500


@frozen
class SeatOutcome:
    """
    What came of one seat's turn.

    Attributes:
        conversation: Whose.
        name: What it is called in the room.
        round: In which round, from 0.
        outcome: `spoke`, `passed`, `empty`, `failed`, `timed_out`; `absent` where it
            rested or had left.
        kind: The class of a failure, or "".
    """

    conversation: Conversation
    name: str
    round: int
    outcome: str
    kind: str = ""


def outcomes_of(room: Room, message: Message | str) -> tuple[SeatOutcome, ...]:
    """
    Every turn of the activity that a message opened, in order; as far as it has come.

    Args:
        room: The room.
        message: The person's message, or its id.

    Raises:
        NotFound: `unknown_message`, `room_not_found`.

    Costs what was recorded in the room since the message, up to the activity's end.
    """
    check_room(room)
    desk = room._desk  # noqa: SLF001 - our own handle
    name = message if isinstance(message, str) else message.id
    with desk.lock:
        desk.room(room.id)
        opened = fact_of(desk, room.id, name)
        seq = getattr(None if opened is None else opened.event, "seq", None)
        if opened is None or seq is None:
            raise NotFound("unknown_message", "no such message is here", id=name)
        ends = list(_ends(desk, room.id, opened.version, seq))
        seats = desk.room(room.id).seats
        return tuple(
            SeatOutcome(
                Conversation(end.conversation, seats[end.conversation].agent, desk),
                seats[end.conversation].agent,
                end.round,
                end.outcome,
                end.kind,
            )
            for end in ends
        )


def _ends(desk: Desk, room: str, after: int, opener: int) -> Iterator[FloorEnded]:
    for fact in _facts(desk, room, after):
        event = fact.event
        if isinstance(event, ActivityEnded) and event.opener == opener:
            return
        if isinstance(event, FloorEnded) and event.activity == opener and event.used:
            yield event


def _facts(desk: Desk, room: str, after: int) -> Iterator[Fact]:
    while True:
        records = desk.storage.read(room_stream(room), after=after, limit=_BATCH)
        yield from map(decoded, records)
        if len(records) < _BATCH:
            return
        after = records[-1].version
