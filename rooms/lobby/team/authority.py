"""
Authority: who may act on which of a team's two surfaces.

Two laws. On the person's, only a person's own word counts: the person, or a turn that
was opened on its word; never a member, whatever its turn says (S-SURFACE-01,
S-APPROVE-01). And on a member's, who acts is read from the roster, and never from what
a message or an argument claims (S-CONDUCTOR-05, S-SURFACE-03).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.lobby.access.gate import known_to
from rooms.lobby.handles import actor_of
from rooms.lobby.recording.decisions import Consents
from rooms.lobby.recording.fence import check_fence
from rooms.log.actors import Actor
from rooms.log.records import room_of_record
from rooms.log.state import RoomState
from rooms.log.team import check_living, team_of
from rooms.log.team_state import MemberState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "Word",
    "member_now",
    "persons_word",
    "roles_in_teams",
    "room_of_member",
    "word_on",
]


@frozen
class Word:
    """
    A person's own word.

    Attributes:
        actor: Who acts: the person, or a turn on its word.
        person: Whose word it is.
        consents: What the host said, where the team is somebody else's.
    """

    actor: Actor
    person: str
    consents: Consents = ()


def persons_word(desk: Desk, by: Any, *, action: str) -> Word:
    """
    A person's own word, for what is about no team yet.

    Raises:
        NotAllowed: `person_required`, for a member of any team too; `origin_room_mail`
            for a turn that a room message woke.
    """
    actor = actor_of(by, desk)
    with desk.lock:
        check_fence(desk, actor)
        if actor.kind == "conversation" and _on_a_roster(desk, actor.id):
            raise NotAllowed(
                "person_required",
                "a member of a team does nothing on the person's surface",
                action=action,
            )
    if actor.person is None:
        if actor.wake:
            raise NotAllowed(
                "origin_room_mail",
                "a turn that a room message woke has nobody's word",
                action=action,
            )
        raise NotAllowed(
            "person_required", "only a person's own word does this", action=action
        )
    return Word(actor, actor.person)


def word_on(desk: Desk, room: str, by: Any, *, action: str) -> Word:
    """
    A person's own word on a team: its owner's, or of whom the host lets.

    Raises:
        NotAllowed: `not_owner`, and as `persons_word`.
        NotFound: `room_not_found` for whoever may not know of it; `team_not_found`.
    """
    word = persons_word(desk, by, action=action)
    unknown: NotFound | None = None
    owner = ""
    with desk.lock:
        try:
            state = known_to(desk, room, Actor("person", word.person))
            team_of(state)
            owner = state.owner
        except NotFound as error:
            unknown = error
    if word.person == owner:
        return word
    consents = desk.may(word.actor, "manage_team", room)
    with desk.lock:
        there = room in desk.directory().rooms and desk.room(room).team is not None
    if unknown is not None and not (consents and there):
        raise unknown
    if not consents:
        raise NotAllowed(
            "not_owner", "only the person of the team may do this", action=action
        )
    return Word(word.actor, word.person, consents)


def roles_in_teams(desk: Desk, conversation: str) -> list[bool]:
    """For each team, not over yet, that a conversation is in, whether it leads."""
    with desk.lock:
        return [
            member.lead
            for room in _teams_of(desk, conversation)
            if (member := team_of(desk.room(room)).member_of(conversation)) is not None
        ]


def _on_a_roster(desk: Desk, conversation: str) -> bool:
    return bool(_teams_of(desk, conversation))


def _teams_of(desk: Desk, conversation: str) -> list[str]:
    """The rooms of the teams, not over yet, that a conversation is a member of."""
    found = []
    for room in desk.wakes.rooms_of(conversation):
        with suppress(NotFound):
            team = desk.room(room).team
            if team is not None and not team.final and team.member_of(conversation):
                found.append(room)
    return found


def room_of_member(desk: Desk, by: Any, room: Any) -> str:
    """
    The room of the team that somebody is a member of: the one that woke its turn, else
    the only one (S-SURFACE-05).

    Raises:
        NotAllowed: `not_a_member` for a person, and for whoever is on no roster.
        InvalidInput: `invalid_request` where it is on several, and names none.
    """
    actor = actor_of(by, desk)
    with desk.lock:
        check_fence(desk, actor)
        teams = [] if not actor.agent else _teams_of(desk, actor.id)
    woken = room_of_record(actor.wake)
    if room is not None:
        named = values.text("room", getattr(room, "id", room))
        if named in teams:
            return named
    elif woken in teams:
        return woken
    elif len(teams) == 1:
        return teams[0]
    elif teams:
        raise InvalidInput(
            "room", "is not named, and there are several", allowed=", ".join(teams)
        )
    raise _no_member()


def member_now(state: RoomState, actor: Actor) -> MemberState:
    """
    The member that somebody is, on the team as it is now.

    Raises:
        NotAllowed: `not_a_member`.
        Conflict: `room_finished`.
    """
    member = check_living(state).member_of(actor.id)
    if member is None:
        raise _no_member()
    return member


def _no_member() -> NotAllowed:
    return NotAllowed("not_a_member", "only a member of the team may do this")
