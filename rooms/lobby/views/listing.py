"""
Listing: the rooms that somebody may know of, the last active first.

Law: a page costs what it shows, or with a filter what the filter finds; rooms of others
that the viewer may not know of are neither shown nor counted (G-VIEW-01).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.access.gate import sees_every_room
from rooms.lobby.derived.feeding import AFTER_ALL
from rooms.lobby.handles import Agent, Conversation, Person, actor_of
from rooms.lobby.views.figures import rooms_to_look_at
from rooms.lobby.views.rows import participant_of
from rooms.lobby.views.viewing import Viewer, viewer_of
from rooms.log.access import HIVE
from rooms.storage import Key
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["ListedRoom", "RoomList", "list_hives", "list_rooms"]

_MOST = 1_000
_CURSOR = re.compile(r"([0-9]{1,18})\.([A-Za-z0-9_-]{1,128})")
_CONVERSATION = "conversation:"
Place = tuple[int, str]
"""Where a room stands in the list: its last message's instant, and its id."""


@frozen
class ListedRoom:
    """
    A room as a list shows it.

    Attributes:
        room: The room.
        name: What it is called.
        access: `open` or `invite_only`.
        last_at: When its last message was posted, or it was created, UTC.
        messages: How many messages it has.
        waiting: How many conversations in it owe somebody a reply.
        own: Whether an agent or a conversation of the viewer is in it.
        invited: Whether the viewer's agent is invited, and has not answered.
        read_only: Whether the viewer sees it only by the right to read every room.
        audited: Whether the viewer's reads of it are recorded; then it is read-only.
    """

    room: Room
    name: str
    access: str
    last_at: datetime
    messages: int
    waiting: int
    own: bool
    invited: bool = False
    read_only: bool = False
    audited: bool = False


@frozen
class RoomList:
    """
    A page of the list.

    Attributes:
        items: The rooms, the last active first.
        next_cursor: What to pass as `after` for the next page; None at the end.
    """

    items: tuple[ListedRoom, ...]
    next_cursor: str | None

    def __iter__(self) -> Iterator[ListedRoom]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def list_rooms(
    desk: Desk,
    *,
    by: Any,
    participant: Any,
    need_look: bool,
    after: str | None,
    limit: int,
) -> RoomList:
    """As `Lobby.list_rooms`, which documents it."""
    actor = actor_of(by, desk)
    _check_participant(participant)
    values.flag("need_look", need_look)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    below = None if after is None else _place(after)
    desk.check_usable()
    viewer = viewer_of(desk, actor)
    with desk.lock:
        named = _names_of(desk, participant)
        return desk.views.asked(
            lambda: _page(desk, viewer, named, below, limit, need_look=need_look)
        )


def list_hives(desk: Desk, *, by: Any) -> tuple[ListedRoom, ...]:
    """As `Lobby.hives`, which documents it."""
    actor = actor_of(by, desk)
    desk.check_usable()
    if not sees_every_room(desk, actor):
        raise NotAllowed(
            "administrator_required",
            "only whom the host lets read every room lists the hives",
            action="read_every_room",
        )
    viewer = Viewer((), frozenset(), (HIVE,))
    with desk.lock:
        return desk.views.asked(
            lambda: tuple(
                _listed(desk, viewer, room)
                for room in desk.views.names("last", HIVE)
                if room in desk.directory().rooms
            )
        )


def _page(
    desk: Desk,
    viewer: Viewer,
    named: Sequence[str],
    below: Place | None,
    limit: int,
    *,
    need_look: bool,
) -> RoomList:
    shelved = desk.directory().shelved
    places = _chosen(desk, viewer, named, need_look=need_look)
    found = (
        _every(desk, viewer, below, limit + 1)
        if places is None
        else iter(sorted(places, reverse=True))
    )
    later = (
        place
        for place in found
        if below is None or place < below
        if place[1] not in shelved and viewer.still_knows(desk, place[1])
    )
    page = list(islice(later, limit + 1))
    items = tuple(_listed(desk, viewer, room) for _, room in page[:limit])
    more = len(page) > limit
    return RoomList(items, _cursor(page[limit - 1]) if more else None)


def _chosen(
    desk: Desk, viewer: Viewer, named: Sequence[str], *, need_look: bool
) -> list[Place] | None:
    """The places of the rooms that a filter finds; None without one."""
    views, listed = desk.views, desk.directory().rooms
    sets: list[set[str]] = []
    if need_look:
        sets.append(set(rooms_to_look_at(views, viewer)))
    if named:
        sets.append({room for name in named for room in _rooms_of(desk, name)})
    if not sets:
        return None
    rooms = set.intersection(*sets)
    seen = [one for one in rooms if one in listed and viewer.sees(one, listed[one])]
    return [(row["at"], one) for one in seen if (row := views.row("room", one))]


def _rooms_of(desk: Desk, name: str) -> Iterable[str]:
    if name.startswith(_CONVERSATION):
        return desk.wakes.rooms_of(name.removeprefix(_CONVERSATION))
    return desk.views.names("of", name)


def _every(
    desk: Desk, viewer: Viewer, below: Place | None, step: int
) -> Iterator[Place]:
    views, listed = desk.views, desk.directory().rooms
    spans = [_kind(desk, access, below, step) for access in viewer.whole]
    apart = [one for one in viewer.known if listed.get(one) not in viewer.whole]
    rows = [(one, views.row("room", one)) for one in apart]
    spans.append(
        iter(sorted(((row["at"], one) for one, row in rows if row), reverse=True))
    )
    return merge(*spans, reverse=True)


def _kind(desk: Desk, access: str, below: Place | None, step: int) -> Iterator[Place]:
    high = (*below,) if below is not None else (AFTER_ALL,)
    low: Key = ("last", access)
    for key in desk.views.downwards(low, (*low, *high), step=step):
        yield int(key[2]), str(key[3])


def _listed(desk: Desk, viewer: Viewer, room: str) -> ListedRoom:
    from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out views

    access = desk.directory().rooms[room]
    row = desk.views.row("room", room) or {"at": 0, "seq": 0, "waits": 0}
    handle = Room(room, desk)
    at = moment(row["at"]) or values.LAST
    overseen = viewer.by_oversight(room, access)
    return ListedRoom(
        handle,
        handle.name,
        access,
        at,
        row["seq"],
        row["waits"],
        viewer.owns(desk.views, room, access),
        room in viewer.invited,
        read_only=overseen,
        audited=overseen,
    )


def _check_participant(given: Any) -> None:
    if given is not None and not isinstance(given, Agent | Conversation | Person):
        raise InvalidInput(
            "participant",
            f"is of type {type(given).__name__}",
            allowed="an agent, a conversation or a person",
        )


def _names_of(desk: Desk, given: Agent | Conversation | Person | None) -> list[str]:
    """A participant's names in the rows; a person is where its agents are, too."""
    match given:
        case Agent():
            return [participant_of("agent", given.id)]
        case Conversation():
            return [f"{_CONVERSATION}{given.id}"]
        case Person():
            owned = desk.directory().owned.get(given.name, ())
            return [participant_of("person", given.name), *owned]
    return []


def _cursor(place: Place) -> str:
    at, room = place
    return f"{at}.{room}"


def _place(cursor: Any) -> Place:
    given = _CURSOR.fullmatch(values.text("after", cursor))
    if given is None:
        raise InvalidInput("after", "is no cursor of a list", allowed="a `next_cursor`")
    return int(given[1]), given[2]
