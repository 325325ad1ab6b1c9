"""
Naming: the messages that ids, or starts of ids, mean for a conversation.

Law: by its id a conversation reads what it wrote and what it was owed, and all of a
room that was said since it took the seat which it has there now, whoever was addressed
(L-READ-09). What it may not read is answered as if it were not there.

An id is its room's token, a dot and its record's version. So whatever starts an id is a
span of versions, in a room or in several, and a span is found without its messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.derived.batches import content_at, value_of
from rooms.lobby.derived.deliveries import Letter
from rooms.lobby.messages import id_meant
from rooms.lobby.recording.streams import room_stream
from rooms.log import seats
from rooms.log.records import Record
from rooms.log.rooms import ROOM_ID_PREFIX

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["checked_ids", "named"]

_SHORTEST, _LONGEST, _MOST = 8, 200, 20
_WIDTHS = range(8, 13)  # how many digits a version has in an id
_END = 10 ** _WIDTHS[-1]
_place = attrgetter("place")


def checked_ids(given: Any) -> tuple[str, ...]:
    """
    Ids and starts of ids as they were handed in, each once.

    Raises:
        InvalidInput: `invalid_request`, naming the one that is too short or too many.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        kind = type(given).__name__
        raise InvalidInput("ids", f"is of type {kind}", allowed="a list of ids")
    if not 1 <= len(given) <= _MOST:
        raise InvalidInput("ids", f"has {len(given)} entries", allowed=f"1 to {_MOST}")
    found = []
    for place, one in enumerate(given):
        field = f"ids[{place}]"
        text = values.storable(field, values.text(field, id_meant(field, one)))
        if not _SHORTEST <= len(text) <= _LONGEST:
            raise InvalidInput(
                field,
                f"has {len(text)} characters",
                allowed=f"an id, or its first {_SHORTEST} characters or more",
            )
        found.append(text)
    return tuple(dict.fromkeys(found))


def named(
    desk: Desk, conversation: str | None, ids: Iterable[str], *, after: int, step: int
) -> Iterator[Letter]:
    """
    The messages that these mean for a conversation, or with None for who reads all, in
    the log's order; of each span so many at once. The lock is held.
    """
    spans = [span for one in ids for span in _spans(desk, conversation, one)]
    runs: list[Iterator[Letter]] = []
    for span in dict.fromkeys(spans):
        runs.append(_readable(desk, conversation, span, after, step))
        runs.append(_waited(desk, conversation, span, after))
    for _, same in groupby(merge(*runs, key=_place), key=_place):
        yield next(same)


@frozen
class _Span:
    """
    Versions of a room: from one on, up to another.

    Behind the number `since` the conversation reads all of them, and up to it only its
    own mail; `own` tells whether it has any there.
    """

    room: str
    low: int
    high: int
    since: int
    own: bool


def _spans(desk: Desk, conversation: str | None, start: str) -> Iterator[_Span]:
    token, dot, digits = start.partition(".")
    if digits.strip("0123456789"):
        return
    begins, listed = f"{ROOM_ID_PREFIX}{token}", desk.directory().rooms
    if conversation is None:
        every = [begins] if dot else [one for one in listed if one.startswith(begins)]
        for room in every:
            for low, high in _versions(digits) if room in listed else ():
                since = seats.unread_before(desk.room(room), None)
                yield _Span(room, low, high, since, own=False)
        return
    firsts = desk.deliveries.first_mail(conversation, begins)
    seated = [
        one for one in desk.wakes.rooms_of(conversation) if one.startswith(begins)
    ]
    for room in dict.fromkeys([*firsts, *seated, *([begins] if dot else [])]):
        if (dot and room != begins) or room not in listed:
            continue
        state = desk.room(room)
        since = state.seq
        if seats.is_seated(state, conversation):
            since = seats.unread_before(state, conversation)
        own = firsts.get(room, since + 1) <= since
        for low, high in _versions(digits):
            yield _Span(room, low, high, since, own)


def _versions(digits: str) -> Iterator[tuple[int, int]]:
    """The versions whose digits begin so: a span for each length that they may have."""
    if not digits:
        yield 1, _END
        return
    for width in _WIDTHS:
        many = 10 ** (width - len(digits)) if width >= len(digits) else 0
        low = int(digits) * many
        if many and (width == _WIDTHS[0] or low >= 10 ** (width - 1)):
            yield low, low + many


def _readable(
    desk: Desk, conversation: str | None, span: _Span, after: int, step: int
) -> Iterator[Letter]:
    """What a conversation may read of a span, behind a place."""
    stream, seq = room_stream(span.room), _first(desk, span, after) - 1
    while True:
        records = desk.storage.messages(stream, after=seq, limit=step)
        for record in records:
            if record.version >= span.high:
                return
            letter = Letter(record.position, span.room, record.seq or 0)
            if letter.seq > span.since or _is_own(desk, conversation, letter):
                yield letter
        if len(records) < step:
            return
        seq = records[-1].seq or 0


def _waited(
    desk: Desk, conversation: str | None, span: _Span, after: int
) -> Iterator[Letter]:
    """What waited for its time, which its acceptance names, or waits still."""
    room, low, high = span.room, span.low, span.high
    found = [
        letter
        for letter in desk.undelivered.released(room, low, high)
        if letter.seq > span.since or _is_own(desk, conversation, letter)
    ]
    waiting = desk.undelivered.waiting(room, low, high)
    found += [one for one, author in waiting if conversation in {None, author}]
    behind = (letter for letter in found if letter.place > after)
    return iter(sorted(behind, key=_place))


def _is_own(desk: Desk, conversation: str | None, letter: Letter) -> bool:
    """Whether a conversation wrote a message, or was owed it."""
    if conversation is None:
        return False
    key = ("room", letter.room, letter.seq)
    if content_at(desk.deliveries, (*key, conversation)) is not None:
        return True
    content = content_at(desk.deliveries, key)
    return content is not None and value_of(content).get("author") == conversation


def _first(desk: Desk, span: _Span, after: int) -> int:
    """The number of a span's first message behind a place; it halves the room."""
    state = desk.room(span.room)
    since = seats.unread_before(state, None) if span.own else span.since
    low, high = since + 1, state.seq + 1
    while low < high:
        middle = (low + high) // 2
        found = _at(desk, span.room, middle - 1)
        if found is None or (found.version >= span.low and found.position > after):
            high = middle
        else:
            low = (found.seq or middle) + 1
    return low


def _at(desk: Desk, room: str, after: int) -> Record | None:
    records = desk.storage.messages(room_stream(room), after=after, limit=1)
    return records[0] if records else None
