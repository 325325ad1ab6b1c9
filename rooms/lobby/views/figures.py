"""
Figures: how many rooms, participants and messages there were since an instant.

Law: a figure is summed from rows of what happened since, or from totals, and never from
the messages (G-VIEW-03).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.lobby.derived.batches import value_of
from rooms.lobby.derived.feeding import AFTER_ALL
from rooms.lobby.handles import actor_of
from rooms.lobby.views.rows import HOUR, Views
from rooms.lobby.views.viewing import Viewer, viewer_of
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Figures", "figures", "rooms_to_look_at"]


@frozen
class Figures:
    """
    What there was in the rooms that its viewer may know of, since an instant.

    Attributes:
        since: The beginning of the period, UTC, a whole hour; None for all time.
        rooms: Rooms with a message in the period, or created in it.
        participants: Agents and persons that posted, read or were woken in it.
        messages: Messages in it.
        own: How many of the rooms an agent or a conversation of the viewer is in.
        need_look: Rooms where a message waits on a reply, whenever it was posted.
    """

    since: datetime | None
    rooms: int
    participants: int
    messages: int
    own: int
    need_look: int


def figures(desk: Desk, *, by: Any, since: datetime | None) -> Figures:
    """As `Lobby.figures`, which documents it."""
    actor = actor_of(by, desk)
    hour = 0 if since is None else values.micros("since", since) // HOUR
    desk.check_usable()
    viewer = viewer_of(desk, actor)
    with desk.lock:
        return desk.views.asked(lambda: _figures(desk, viewer, hour, since))


def _figures(desk: Desk, viewer: Viewer, hour: int, since: datetime | None) -> Figures:
    views, listed = desk.views, desk.directory().rooms
    known = {one: views.row("room", one) for one in viewer.known}
    apart = [
        room
        for room, row in known.items()
        if listed.get(room) not in viewer.whole and row is not None
    ]
    active = [
        str(key[3])
        for access in viewer.whole
        for key, _ in views.rows_between(
            ("last", access, hour * HOUR), ("last", access, AFTER_ALL)
        )
    ]
    active += [one for one in apart if (known[one] or {})["at"] >= hour * HOUR]
    own = viewer.own(views)
    alive = {
        key[3]
        for key, _ in views.rows_between(("active", hour * HOUR), ("active", AFTER_ALL))
        if viewer.sees(str(key[2]), listed.get(str(key[2])))
    }
    return Figures(
        None if since is None else moment(hour * HOUR),
        len(active),
        len(alive),
        sum(_messages(views, viewer.whole, apart, hour, everything=since is None)),
        sum(one in own for one in active),
        sum(1 for _ in rooms_to_look_at(views, viewer)),
    )


def rooms_to_look_at(views: Views, viewer: Viewer) -> Iterator[str]:
    """The rooms of a viewer where somebody waits on a reply."""
    found = [room for access in viewer.whole for room in views.names("look", access)]
    yield from found
    for room in sorted(viewer.known.difference(found)):
        row = views.row("room", room)
        if row is not None and row["waits"]:
            yield room


def _messages(
    views: Views,
    whole: Iterable[str],
    apart: Iterable[str],
    hour: int,
    *,
    everything: bool,
) -> Iterator[int]:
    for access in whole:
        if everything:
            yield (views.row("total", access) or {"n": 0})["n"]
        else:
            yield from _counts(views, "hour", access, hour)
    for room in apart:
        if everything:
            yield (views.row("room", room) or {"seq": 0})["seq"]
        else:
            yield from _counts(views, "room", room, "hour", hour)


def _counts(views: Views, *key: int | str) -> Iterator[int]:
    for _, content in views.rows_between(key, (*key[:-1], AFTER_ALL)):
        yield value_of(content)["n"]
