"""The entrance of a lobby's teams: who comes in by which door, and after a restart."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.errors import InvalidInput, RoomsError
from rooms.lobby.room import Room
from rooms.lobby.team.authority import persons_word, room_of_member
from rooms.lobby.team.ending import places_of, save_work
from rooms.lobby.team.hosting import MemberPlace, release_member
from rooms.lobby.team.member import Member
from rooms.lobby.team.person import Teams
from rooms.lobby.team.starting import first_word
from rooms.lobby.team.stepping import step
from rooms.log.actors import SYSTEM
from rooms.log.state import RoomState
from rooms.log.team import lifecycle
from rooms.team import Catalogue

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["member_of", "recover_teams", "teams_of"]


def teams_of(desk: Desk, *, by: Any, catalogue: Any) -> Teams:
    """As `Lobby.teams`, which documents it."""
    desk.check_usable()
    persons_word(desk, by, action="teams")
    has = Catalogue() if catalogue is None else catalogue
    if not isinstance(has, Catalogue):
        kind = type(catalogue).__name__
        raise InvalidInput("catalogue", f"is of type {kind}", allowed="a Catalogue")
    return Teams(has, by, desk)


def member_of(desk: Desk, *, by: Any, room: Any) -> Member:
    """As `Lobby.member`, which documents it."""
    desk.check_usable()
    return Member(Room(room_of_member(desk, by, room), desk), by, desk)


def recover_teams(desk: Desk, *, now: datetime | None) -> None:
    """As `Lobby.recover_teams`, which documents it."""
    desk.check_usable()
    with desk.lock:
        rooms = list(desk.directory().rooms)
    for room in rooms:
        with desk.passing_over(room):
            _recover(desk, room, now)


def _recover(desk: Desk, room: str, now: datetime | None) -> None:
    with desk.lock:
        state = desk.room(room)
        if state.team is None or state.archived:
            return
        undone = _to_undo(desk, state)
        ready, owner = state.team.status == "ready", state.owner
        ended = state.team.final and state.team.granted
    if ended:
        save_work(desk, room, keep=True)
    at = desk.time(now)
    step(desk, room, lambda one: lifecycle.recover(one, at), by=SYSTEM, now=now)
    for one in undone:
        release_member(desk, one, keep=False)
    if ready and owner:  # the start may have been cut between its end and the problem
        with suppress(RoomsError):
            first_word(desk, Room(room, desk), owner, now=now)


def _to_undo(desk: Desk, state: RoomState) -> list[MemberPlace]:
    """The places that an interrupted start, or adjustment, leaves behind."""
    team = state.team
    if team is None or team.status not in {"starting", "adjusting"}:
        return []
    return places_of(desk, state)
