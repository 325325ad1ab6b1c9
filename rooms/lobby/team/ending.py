"""
Ending a team by the person's word: cancelled, or deleted.

Law: a member's work is saved before anything of it goes; where it cannot be saved, its
place is kept, and nothing is deleted (S-WORKSPACE-06, S-RECOVER-08).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms.errors import Conflict
from rooms.lobby.access.owning import DeletedRoom, delete_room
from rooms.lobby.handles import Person
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.room import Room
from rooms.lobby.team.authority import Word
from rooms.lobby.team.hosting import MemberPlace, release_member
from rooms.lobby.team.records import event_at
from rooms.lobby.team.stepping import step
from rooms.log.actors import SYSTEM
from rooms.log.state import RoomState
from rooms.log.team import MemberPlaced, lifecycle, team_of

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["cancel", "delete", "places_of"]


def places_of(desk: Desk, state: RoomState) -> list[MemberPlace]:
    """The places of the members that were placed, as the host made them."""
    found = []
    for one in team_of(state).members.values():
        if one.placed:
            placed = event_at(desk, state.id, one.placed, MemberPlaced)
            found.append(
                MemberPlace(
                    Room(state.id, desk),
                    one.key,
                    one.agent,
                    str(one.access),
                    placed.mode,
                    placed.workspace,
                )
            )
    return found


def cancel(
    desk: Desk,
    room: str,
    text: str,
    *,
    word: Word,
    request_id: str | None,
    now: datetime | None,
) -> None:
    """As `Team.cancel`, which documents it."""
    asked = fingerprint(room, "cancel", text)
    step(
        desk,
        room,
        lambda state: lifecycle.cancel(state, text=text),
        by=word.actor,
        now=now,
        request=Request.of(word.actor, "cancel_team", request_id, asked),
        consents=word.consents,
    )
    save_work(desk, room, keep=True)
    step(desk, room, lifecycle.give_up_grant, by=SYSTEM, now=now)


def save_work(desk: Desk, room: str, *, keep: bool) -> list[str]:
    """Has the host save every member's work; the keys of those that it cannot."""
    with desk.lock:
        places = places_of(desk, desk.room(room))
    return [one.key for one in places if not release_member(desk, one, keep=keep)]


def delete(desk: Desk, room: str, *, word: Word, now: datetime | None) -> DeletedRoom:
    """As `Team.delete`, which documents it."""
    with desk.lock:
        team = team_of(desk.room(room))
        goes_on = not team.final and team.status != "draft"
    if goes_on:
        cancel(desk, room, "", word=word, request_id=None, now=now)
    unsaved = save_work(desk, room, keep=False)
    if unsaved:
        raise Conflict(
            "work_not_saved",
            f"the work of {', '.join(unsaved)} cannot be saved",
            current=unsaved,
        )
    return delete_room(desk, room, by=Person(word.person, desk), now=now, team=True)
