"""
Collecting: which files the members of a team changed, and which several did.

Law: what is not committed is saved first, and a member whose work cannot be saved is
named (S-WORKSPACE-07). Nothing of it is recorded: the host has the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import field, frozen

from rooms.lobby.team.ending import places_of
from rooms.lobby.team.hosting import changed_files, release_member
from rooms.log.team import team_of
from rooms.log.team.changes import lead_only
from rooms.log.team_state import MemberState
from rooms.team.workspaces import changed_by_several

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Collected", "check_lead", "collect"]


@frozen
class Collected:
    """
    What members changed.

    Attributes:
        files: The files that each member changed, by its key; only those that edit.
        overlaps: Every file that two or more changed, with who did.
        unsaved: The members whose work the host could not save.
    """

    files: Mapping[str, tuple[str, ...]] = field(factory=dict, hash=False)
    overlaps: Mapping[str, tuple[str, ...]] = field(factory=dict, hash=False)
    unsaved: tuple[str, ...] = ()


def check_lead(member: MemberState, action: str) -> None:
    """
    Refuses whoever does not lead.

    Raises:
        NotAllowed: `lead_only`.
    """
    if not member.lead:
        raise lead_only(action)


def collect(desk: Desk, room: str) -> Collected:
    """As `Member.collect`, which documents it."""
    with desk.lock:
        state = desk.room(room)
        here = {one.key for one in team_of(state).present()}
        places = [
            one for one in places_of(desk, state) if one.key in here and one.edits
        ]
    unsaved = [one.key for one in places if not release_member(desk, one, keep=True)]
    files = {one.key: changed_files(desk, one) for one in places}
    return Collected(files, changed_by_several(files), tuple(unsaved))
