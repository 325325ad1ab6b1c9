"""
Reading: pages, searches, and why somebody was woken.

Law: a conversation that reads settles what it is shown, so a read by an overtaken one
is refused like any other act; a person's read changes nothing but the audit of one that
only the right to read every room allows (foundation 21).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import CorruptLog, NotFound
from rooms.lobby.access.auditing import looked
from rooms.lobby.access.gate import Sight, still, watch
from rooms.lobby.answers import Message, Page
from rooms.lobby.handles import Conversation, actor_of
from rooms.lobby.messages import id_meant, message_of, on_page, posted
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import proven, room_stream
from rooms.log import ledger, seats
from rooms.log.actors import Actor
from rooms.log.auditing import What
from rooms.log.records import Record
from rooms.storage.walking import records_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.log.explaining import Explanation

__all__ = ["explain", "latest", "noticed", "read", "search"]

_SEEN_AGAIN = int(timedelta(hours=6) / timedelta(microseconds=1))
_MOST = 1_000
_SEQ = attrgetter("seq")


def read(
    desk: Desk, room: str, *, by: Any, after: int, limit: int, now: datetime | None
) -> Page:
    """As `Room.read`, which documents it."""
    values.whole_number("after", after, at_least=0)
    return _page(desk, room, by=by, place=after, limit=limit, now=now)


def latest(
    desk: Desk,
    room: str,
    *,
    by: Any,
    before: int | None,
    limit: int,
    now: datetime | None,
) -> Page:
    """As `Room.latest`, which documents it."""
    below = 0
    if before is not None:
        below = values.whole_number("before", before, at_least=1)
    return _page(
        desk, room, by=by, place=below, limit=limit, now=now, newest_first=True
    )


def _page(
    desk: Desk,
    room: str,
    *,
    by: Any,
    place: int,
    limit: int,
    now: datetime | None,
    newest_first: bool = False,
) -> Page:
    """Messages from a place on, or with `newest_first` those before it."""
    actor = actor_of(by, desk)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    desk.check_usable()
    sight = watch(desk, room, actor)
    with desk.lock:
        state = still(desk, sight, actor)
        position, since = state.seq, seats.unread_before(state, actor.conversation)
        if newest_first:
            end = min(place or values.LARGEST, position + 1)
            begin = max(since + 1, end - limit)
        else:
            begin = max(place, since) + 1
            end = min(begin + limit, position + 1)
        records = _records(desk, room, begin, end)
    items = tuple(on_page(desk, room, records))
    first, last = (items[0].seq, items[-1].seq) if items else (begin, begin - 1)
    if actor.kind == "conversation":
        for item in items:
            item.check()  # nothing is settled that cannot be shown
        _settle(desk, room, actor, first=first, last=last, now=now)
    looked(desk, sight, actor, "messages", now=now)
    return Page(
        items,
        last if items and last < position else None,
        position,
        first if items and first > since + 1 else None,
        read_only=sight.oversight,
        audited=sight.oversight,
    )


def _records(desk: Desk, room: str, begin: int, end: int) -> list[Record]:
    """
    The messages with these numbers. What another process posted meanwhile is not among
    them: a page is a part of the room at one moment.

    Raises:
        CorruptLog: `corrupt_log` where one is lacking: an index is damaged.
        NotFound: `room_not_found` where the room was deleted meanwhile.
    """
    if end <= begin:
        return []
    stream = room_stream(room)
    records = desk.storage.messages(stream, after=begin - 1, limit=end - begin)
    if list(map(_SEQ, records)) != list(range(begin, end)):
        desk.streams.prove()
        desk.room(room)
        raise CorruptLog(
            "corrupt_log", f"{stream} lacks messages of a page", where=stream
        )
    return records


def _settle(
    desk: Desk, room: str, actor: Actor, *, first: int, last: int, now: datetime | None
) -> None:
    stream = room_stream(room)

    def decide(at: int) -> Decision:
        state = desk.room(room)
        if state.hive and not seats.is_seated(state, actor.id):
            return Decision()
        seat = seats.member_seat(state, actor.id)
        events = ledger.settle_read(
            state, seat, first=first, last=last, now=at, seen_again=_SEEN_AGAIN
        )
        return Decision({stream: events})

    desk.record(decide, stream, by=actor, now=now, unclaimed="ignored")


def noticed(
    desk: Desk, sight: Sight, actor: Actor, what: What, *, now: datetime | None
) -> None:
    """
    Records that files were looked at: for the audit where only oversight allowed it, as
    a sign of life where it is the conversation's first in six hours (foundation 21).
    """
    looked(desk, sight, actor, what, now=now)
    if actor.kind == "conversation":
        _settle(desk, sight.state.id, actor, first=1, last=0, now=now)


def search(
    desk: Desk, room: str, query: str, *, by: Any, limit: int
) -> tuple[Message, ...]:
    """As `Room.search`, which documents it."""
    actor = actor_of(by, desk)
    values.text("query", query)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    desk.check_usable()
    sight = watch(desk, room, actor)
    with desk.lock:
        state = still(desk, sight, actor)
        hits = desk.storage.search(query, [room_stream(room)], limit=limit)
        facts = [desk.fact(hit.stream, hit.version) for hit in hits]
        since = seats.unread_before(state, actor.conversation)
        last = state.seq
    looked(desk, sight, actor, "messages", now=None)
    found = [message_of(desk, room, fact) for fact in facts if fact is not None]
    return tuple(one for one in found if since < one.seq <= last)


def _check_readable(
    desk: Desk, sight: Sight, actor: Actor, seq: int, message: str
) -> None:
    with desk.lock:
        state = still(desk, sight, actor)
        since = seats.unread_before(state, actor.conversation)
    if seq <= since:
        raise NotFound(
            "unknown_message", f"no message {message[:80]!a} is here", id=message
        )


def explain(
    desk: Desk, room: str, message: str | Message, *, by: Any = None
) -> Explanation:
    """As `Room.explain`, which documents it."""
    from rooms.log.explaining import explain  # noqa: PLC0415 - seldom asked

    message = values.text("message", id_meant("message", message))
    if by is None:
        seq = posted(desk, room, message).seq
    else:
        actor = actor_of(by, desk)
        sight = watch(desk, room, actor)
        looked(desk, sight, actor, "messages", now=None)
        seq = posted(desk, room, message).seq
        _check_readable(desk, sight, actor, seq, message)
    with desk.lock:
        names = {
            one: str(Conversation(one, seat.agent, desk))
            for one, seat in desk.room(room).seats.items()
        }
    facts = (fact for fact, _ in proven(records_of(desk.storage, room_stream(room))))
    return explain(facts, seq, names)
