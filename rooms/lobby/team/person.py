"""
The person's surface: teams are prepared and found here, and each is the person's.

Law: every call needs a person's own word, and a member of any team is refused, whatever
its turn says (S-SURFACE-01, S-APPROVE-01).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.lobby.room import Room
from rooms.lobby.team.authority import persons_word, word_on
from rooms.lobby.team.directing import Directing
from rooms.lobby.team.intervening import Intervening
from rooms.lobby.team.preparing import prepare
from rooms.policy import RoomPolicy
from rooms.team import Blueprint, Catalogue, Envelope, Planner, Questions

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Team", "Teams"]


@frozen
class Teams:
    """
    A person's surface: makes teams, and finds them.

    Attributes:
        catalogue: What the host has: models, tools, skills; anything where it was not
            said.

    Every call raises `NotAllowed` with `person_required` for anybody who is no person
    and acts on no person's word, and for a member of any team that is not over; and
    `origin_room_mail` for a turn that a room message woke.
    """

    catalogue: Catalogue
    _by: Any = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def prepare(
        self,
        problem: str,
        plan: Planner | Blueprint,
        *,
        allow: Envelope | None = None,
        policy: RoomPolicy | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Team | Questions:
        """
        A draft for a problem; nothing is started or spent.

        Args:
            problem: What is to be done; it is kept word for word.
            plan: A blueprint, or whoever draws one: it is asked with the problem, may
                answer with `Questions`, and may repair a blueprint once.
            allow: What the person allows; the default limits unless given.
            policy: The room's options, `presets.team()` unless given.
            request_id: The same request again returns the same team.
            now: The instant; the lobby's clock unless given.

        Returns:
            The team, or what the planner has to know first. Nothing is kept of that;
            prepare again, with a problem that says it.

        Raises:
            InvalidInput: `invalid_request` for an empty problem; `invalid_blueprint`
                with all `faults`.

        Source: S-PROPOSAL-01, S-PROPOSAL-04, S-PROPOSAL-07.
        """
        word = persons_word(self._desk, self._by, action="prepare_team")
        made = prepare(
            self._desk,
            problem,
            plan,
            word=word,
            allow=allow,
            catalogue=self.catalogue,
            policy=policy,
            request_id=request_id,
            now=now,
        )
        return made if isinstance(made, Questions) else self.team(made)

    def team(self, room: str | Room) -> Team:
        """
        The team of a room, by the room or its id, also after a restart.

        Raises:
            NotFound: `room_not_found`, `team_not_found`.
            NotAllowed: `not_owner` for somebody else's, unless the host lets.
        """
        named = values.text("room", getattr(room, "id", room))
        word_on(self._desk, named, self._by, action="look")
        return Team(Room(named, self._desk), self.catalogue, self._by, self._desk)


@frozen
class Team(Directing, Intervening):
    """
    A team, as the person who answers for it has it.

    Attributes:
        room: The room that it works in.
        catalogue: What the host has.

    Every call raises what `Teams` does, and `NotAllowed` with `not_owner` for somebody
    else's team; what moves it raises `Conflict` with `invalid_transition`, with the
    status that it met, or `room_finished` once it is over.
    """
