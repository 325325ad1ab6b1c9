"""
Pages: what is pending in an inbox, its history, and the history of a whole lobby.

Law: a page costs what is on it. A filter that is kept as rows costs what it finds, and
only a query looks through what the other filters leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from heapq import merge
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from attrs import evolve

from rooms import values
from rooms.errors import InvalidInput, NotAllowed
from rooms.lobby.access.gate import sees_every_room
from rooms.lobby.derived.deliveries import Letter
from rooms.lobby.handles import Conversation, actor_of
from rooms.lobby.inbox.asking import Asked, Wanted
from rooms.lobby.inbox.looking import looking
from rooms.lobby.inbox.mail import InboxPage, Mail
from rooms.lobby.inbox.naming import named
from rooms.lobby.inbox.showing import DamagedMessage, Overseer, Reader

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["history", "history_of_all", "pending", "reconciliation"]

_place = attrgetter("place")


def pending(desk: Desk, inbox: Conversation, by: Any, asked: Asked) -> InboxPage:
    """As `Inbox.pending`, which documents it."""
    reader = Reader(desk, inbox, looking(desk, inbox, by))
    rows = partial(desk.deliveries.unseen, inbox.id)
    page = _page(desk, asked, partial(asked.every, rows), reader.received)
    return reader.looked(page, now=asked.now)


def reconciliation(desk: Desk, inbox: Conversation, by: Any, asked: Asked) -> InboxPage:
    """As `Inbox.reconciliation`, which documents it."""
    reader = Reader(desk, inbox, looking(desk, inbox, by))
    with desk.lock:
        covered = desk.talks(inbox.agent).talk(inbox.id).covered
    behind = evolve(asked, after=max(asked.after, covered))
    rows = partial(desk.deliveries.seen, inbox.id)
    page = _page(desk, behind, partial(behind.every, rows), reader.received)
    return reader.looked(page, now=asked.now)


def history(
    desk: Desk,
    inbox: Conversation,
    by: Any,
    asked: Asked,
    wanted: Wanted,
    *,
    unanswered: bool,
    awaiting: bool,
) -> InboxPage:
    """As `Inbox.history`, which documents it."""
    if values.flag("awaiting", awaiting) & values.flag("unanswered", unanswered):
        raise InvalidInput(
            "awaiting",
            "stands beside `unanswered`",
            allowed="one of the two",
            code="awaiting_or_unanswered",
        )
    reader = Reader(desk, inbox, looking(desk, inbox, by), wanted)

    def letters() -> Iterator[Letter]:
        if unanswered or awaiting:
            rows = desk.questions.unanswered if unanswered else desk.questions.awaiting
            return asked.every(partial(rows, inbox.id))
        if wanted.ids is None:
            mail = asked.every(partial(desk.deliveries.mail, inbox.id))
            unsent = asked.every(partial(desk.undelivered.of, inbox.id))
            return merge(mail, unsent, key=_place)
        return named(
            desk, inbox.id, wanted.ids, after=asked.after, step=asked.limit + 1
        )

    page = _page(desk, asked, letters, reader.shown)
    return reader.looked(page, now=asked.now)


def history_of_all(desk: Desk, by: Any, asked: Asked, wanted: Wanted) -> InboxPage:
    """As `Lobby.history`, which documents it."""
    desk.check_usable()
    actor = None if by is None else actor_of(by, desk)
    if actor is not None and not sees_every_room(desk, actor):
        raise NotAllowed(
            "administrator_required",
            "only whom the host lets read every room reads the history of all",
            action="read_every_room",
        )
    reader = Overseer(desk, actor, wanted)

    def letters() -> Iterator[Letter]:
        if wanted.ids is None:
            every = asked.every(desk.deliveries.every)
            return merge(every, asked.every(desk.undelivered.every), key=_place)
        return named(desk, None, wanted.ids, after=asked.after, step=asked.limit + 1)

    page = _page(desk, asked, letters, reader.shown)
    return reader.looked(page, now=asked.now)


def _page(
    desk: Desk,
    asked: Asked,
    letters: Callable[[], Iterator[Letter]],
    shown: Callable[[Letter], Mail | None],
) -> InboxPage:
    """
    The page of what is shown of these; rows that are damaged are made anew.

    Raises:
        CorruptLog: `corrupt_log` where a message itself is damaged.
    """
    with desk.lock:
        try:
            return desk.deliveries.asked(lambda: asked.cut(letters(), shown))
        except DamagedMessage as damaged:
            raise damaged.error from None
