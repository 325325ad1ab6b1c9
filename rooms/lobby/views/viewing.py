"""
Viewing: which rooms somebody's lists and figures are made of.

Law: what is listed or counted is what the gate lets its viewer know of; a hive is in no
list and no figure (G-VIEW-02).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from rooms.errors import NotFound
from rooms.lobby.access.gate import check, sees_every_room
from rooms.lobby.views.rows import Views, participant_of
from rooms.log.access import INVITE_ONLY, OPEN

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.log.actors import Actor

__all__ = ["Viewer", "invited_to", "knows", "viewer_of"]


@frozen
class Viewer:
    """
    Somebody's rooms.

    Attributes:
        names: What the rows call the viewer: itself, what it owns, its agents.
        known: Rooms that are not open, and that it may know of by a right of its own.
        whole: The kinds of room that it sees all of.
        invited: Rooms to which an agent is invited and has not answered.
        by: Who views.
    """

    names: tuple[str, ...]
    known: frozenset[str]
    whole: tuple[str, ...]
    invited: frozenset[str] = frozenset()
    by: Actor | None = None

    def still_knows(self, desk: Desk, room: str) -> bool:
        """Whether the gate agrees that it may be shown: rows alone let nobody in."""
        return room not in self.known or (
            self.by is not None and knows(desk, room, self.by)
        )

    def sees(self, room: str, access: str | None) -> bool:
        """Whether a room with that access is in the viewer's lists."""
        return access in self.whole or room in self.known

    def by_oversight(self, room: str, access: str | None) -> bool:
        """Whether it is there only by the right to read every room (G-VIEW-14)."""
        return access != OPEN and room not in self.known

    def owns(self, views: Views, room: str, access: str) -> bool:
        """Whether an agent or a conversation of the viewer is there, or it owns it."""
        return any(
            views.row("of", name, access, room) is not None for name in self.names
        )

    def own(self, views: Views) -> frozenset[str]:
        """All rooms of which that is so."""
        return frozenset(
            room for name in self.names for room in views.names("of", name)
        )


def viewer_of(desk: Desk, by: Actor) -> Viewer:
    """Who views; the host may be asked, so nobody holds the lock."""
    whole = (OPEN, INVITE_ONLY) if sees_every_room(desk, by) else (OPEN,)
    with desk.lock:
        names, listed = _names(desk, by), desk.directory().rooms
        lead = bool(by.agent) and desk.agent(by.agent).may.manage_rooms
        invited = frozenset(one for one in invited_to(desk, by) if one in listed)
        itself = participant_of("person", by.id)
        by_right = invited.union(_closed(desk, [one for one in names if one != itself]))
        # A person's own name stays where a conversation acted for it once.
        if lead:  # it knows of every managed room, which the gate looks at below
            by_right = by_right.union(
                room
                for room, access in listed.items()
                if access == INVITE_ONLY and knows(desk, room, by)
            )
        once = by_right.union(_closed(desk, [itself] if itself in names else []))
        known = frozenset(
            room
            for room in once
            if listed.get(room) == INVITE_ONLY
            if room in by_right or knows(desk, room, by)
        )
    return Viewer(names, known, whole, invited, by)


def _closed(desk: Desk, names: Sequence[str]) -> list[str]:
    """The invite-only rooms of some names in the rows."""
    return desk.views.asked(
        lambda: [
            room for one in names for room in desk.views.names("of", one, INVITE_ONLY)
        ]
    )


def invited_to(desk: Desk, by: Actor) -> list[str]:
    """The rooms to which an agent is invited; the lock is held."""
    if by.kind != "conversation":
        return []
    agent = participant_of(by.kind, by.agent)
    return desk.views.asked(lambda: desk.views.names("asked", agent))


def _names(desk: Desk, by: Actor) -> tuple[str, ...]:
    name = participant_of(by.kind, by.agent or by.id)
    if by.kind != "person":
        return (name,)
    return (name, f"owner:{by.id}", *desk.directory().owned.get(by.id, ()))


def knows(desk: Desk, room: str, by: Actor) -> bool:
    """Whether the gate lets somebody know of a room; the lock is held."""
    try:
        check(desk, room, by)
    except NotFound:
        return False
    return True
