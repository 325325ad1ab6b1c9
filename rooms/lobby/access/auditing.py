"""
Auditing: a look that only the right to read every room allows is recorded.

Two laws. It is recorded before anything is shown, so a look that cannot be recorded
shows nothing. And a look that the person could have taken anyway leaves no trace
(G-AUDIT-02).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.errors import NotAllowed, NotFound
from rooms.lobby.access.gate import check, sees_every_room
from rooms.lobby.handles import Person, actor_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY
from rooms.log.actors import Actor
from rooms.log.auditing import OversightRead, What
from rooms.log.events import Event
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.access.gate import Sight
    from rooms.lobby.desk import Desk

__all__ = ["AuditPage", "Audited", "audit", "looked", "note_looks"]

_MOST = 1_000


@frozen
class Audited:
    """
    A look by the right to read every room.

    Attributes:
        at: When, UTC.
        person: Who looked.
        room: The id of the room; it may be deleted by now.
        what: `messages`, `members`, `files`, `documents` or `subscriptions`.
    """

    at: datetime
    person: Person
    room: str
    what: str


@frozen
class AuditPage:
    """
    Looks in the order of their recording.

    Attributes:
        items: The looks.
        next_cursor: What to pass as `after` for the next page; None at the end.
    """

    items: tuple[Audited, ...]
    next_cursor: int | None

    def __iter__(self) -> Iterator[Audited]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def looked(
    desk: Desk, sight: Sight, actor: Actor, what: What, *, now: datetime | None
) -> None:
    """Records a look, if only oversight allowed it."""
    if not sight.oversight:
        return
    event = OversightRead(actor.id, sight.state.id, what)
    decision = Decision({LOBBY: [event]}, consents=sight.consents)
    desk.record(lambda _: decision, LOBBY, by=actor, now=now)


def note_looks(
    desk: Desk, actor: Actor, rooms: Iterable[str], *, now: datetime | None
) -> None:
    """
    Records a look at messages of several rooms, for each that only oversight allowed.

    Raises:
        NotAllowed: `owner_required` where the host does not let the person any more.
    """
    overseen = []
    with desk.lock:
        for room in rooms:
            try:
                check(desk, room, actor)
            except NotFound:
                overseen.append(room)
    if not overseen:
        return
    consents = sees_every_room(desk, actor)
    if not consents:
        raise NotAllowed("owner_required", "the host lets it look no more")
    events: list[Event] = [OversightRead(actor.id, one, "messages") for one in overseen]
    decision = Decision({LOBBY: events}, consents=consents)
    desk.record(lambda _: decision, LOBBY, by=actor, now=now)


def audit(desk: Desk, *, by: Any, after: int, limit: int) -> AuditPage:
    """As `Lobby.audit`, which documents it."""
    actor = actor_of(by, desk)
    values.whole_number("after", after, at_least=0)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    desk.check_usable()
    if actor.kind != "person" or not desk.may(actor, "read_audit", None):
        raise NotAllowed(
            "administrator_required",
            "only whom the host lets may read the audit",
            action="read_audit",
        )
    with desk.lock:
        versions = desk.views.asked(lambda: desk.views.audited(after, limit + 1))
        facts = [(one, desk.fact(LOBBY, one)) for one in versions[:limit]]
    items = tuple(
        Audited(at, Person(fact.event.person, desk), fact.event.room, fact.event.what)
        for _, fact in facts
        if fact is not None
        and isinstance(fact.event, OversightRead)
        and (at := moment(fact.at)) is not None
    )
    return AuditPage(items, versions[limit - 1] if len(versions) > limit else None)
