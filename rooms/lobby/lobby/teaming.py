"""The teams of a lobby: a person's surface for them, and a member's."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rooms.lobby.room import Room
from rooms.lobby.team.entrance import member_of, recover_teams, teams_of
from rooms.lobby.team.member import Member
from rooms.lobby.team.person import Teams
from rooms.lobby.team.using import report_usage
from rooms.team import Catalogue

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Teaming"]


class Teaming:
    """What leads to the teams."""

    _desk: Desk

    def teams(self, *, by: Any, catalogue: Catalogue | None = None) -> Teams:
        """
        A person's surface for teams: it prepares, starts, ends and answers them.

        Args:
            by: The person, or a turn that was opened on its word.
            catalogue: What the host has: models, tools, skills, and what a plugin's
                tool does; anything goes where it is not said.

        Raises:
            NotAllowed: `person_required` for anybody else, and for a member of any
                team; `origin_room_mail`.

        Source: S-SURFACE-01, S-SURFACE-02.
        """
        return teams_of(self._desk, by=by, catalogue=catalogue)

    def member(self, *, by: Any, room: str | Room | None = None) -> Member:
        """
        A member's surface for its team.

        Args:
            by: Who acts: a conversation on the roster, its turn or claim.
            room: The team's room, for a conversation that is on several rosters; the
                one that woke the turn otherwise.

        Raises:
            NotAllowed: `not_a_member` for whoever is on no roster, and for a person.
            InvalidInput: `invalid_request` where it is on several, and named none.

        Source: S-SURFACE-01, S-SURFACE-05.
        """
        return member_of(self._desk, by=by, room=room)

    def report_usage(
        self,
        by: Any,
        *,
        cost: Decimal | float | str = 0,
        tokens: int = 0,
        room: str | Room | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> None:
        """
        Says what a turn in a team used, once more; a limit that is reached by it stops
        new turns. It may come after the turn, and after the team's end.

        Args:
            by: Whose turn: the turn or its wake, also ended ones, or the conversation.
            cost: What it cost, in the host's unit, from 0 on.
            tokens: How many tokens it used.
            room: The team's room, for a conversation that is in several teams.
            request_id: The same report again counts once.
            now: The instant; the lobby's clock unless given.

        Raises:
            InvalidInput: `invalid_request` for what is negative, no number or no finite
                one, and where several teams are meant.
            NotAllowed: `not_a_member` for whoever had no turn in a team.

        Source: S-LIMIT-02 to S-LIMIT-05.
        """
        report_usage(
            self._desk,
            by,
            cost=cost,
            tokens=tokens,
            room=room,
            request_id=request_id,
            now=now,
        )

    def recover_teams(self, *, now: datetime | None = None) -> None:
        """
        Says that the host was restarted, before anything is scheduled: turns that ran
        are released and not rerun, a start or an adjustment that was interrupted is a
        draft again, and a delivery that was under way waits for the person.

        Source: S-RECOVER-01 to S-RECOVER-06.
        """
        recover_teams(self._desk, now=now)
