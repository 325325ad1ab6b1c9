"""What holds agents up: rests, restarts, a storage that came from a backup."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.lobby.access.resting import Rested, rest, resume
from rooms.lobby.handles import Agent, Conversation
from rooms.lobby.waking.restarting import (
    PlannedRestart,
    announce_restart,
    call_off_restart,
    planned_restart,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Resting"]


class Resting:
    """What a lead or a host says that stops agents for a while."""

    _desk: Desk

    def rest(
        self,
        agents: Iterable[str | Agent | Conversation],
        *,
        by: Any,
        until: datetime | None = None,
        now: datetime | None = None,
    ) -> tuple[Rested, ...]:
        """
        Lets other agents rest, all of them or none: what comes for them is owed, and
        nothing is delivered until they go on. A later call takes this one's place.

        It is the pause of `Agent.change`; what they do meanwhile goes on.

        Args:
            agents: Whom; never the one that asks.
            by: Who asks: an agent that may `manage_rooms`.
            until: When they go on by themselves; None where somebody has to say so.

        Raises:
            InvalidInput: `cannot_rest_self`, `resume_at_past`; `owner_pauses` for a
                person, who leaves it to the host.
            NotFound: `agent_not_found`.
            NotAllowed: `room_management_forbidden`.
            Conflict: `agent_disabled`.

        Source: L-REST-01 to L-REST-07.
        """
        return rest(self._desk, agents, by=by, until=until, now=now)

    def resume(
        self,
        agents: Iterable[str | Agent | Conversation],
        *,
        by: Any,
        now: datetime | None = None,
    ) -> tuple[Rested, ...]:
        """
        Lets agents that rest go on: what came meanwhile is owed at once, as one wake a
        room. Nobody is woken for whom nothing came.

        Raises:
            Refused: As `rest`.

        Source: L-REST-03, L-REST-05.
        """
        return resume(self._desk, agents, by=by, now=now)

    def announce_restart(
        self,
        at: datetime,
        reason: str = "",
        *,
        notify_rooms: bool = False,
        now: datetime | None = None,
    ) -> None:
        """
        Says that the host restarts at an instant; a later call takes its place.

        Args:
            at: When; from then on it is over.
            reason: Why, for people to read.
            notify_rooms: Whether agents are told, too: each conversation that is in a
                room once, at the start of its next turn or when its helper checks in.

        Source: G-NOTICE-01, G-NOTICE-02.
        """
        announce_restart(self._desk, at, reason, notify_rooms=notify_rooms, now=now)

    def call_off_restart(self, *, now: datetime | None = None) -> None:
        """Says that no restart is planned any more; it is no fault if none was."""
        call_off_restart(self._desk, now=now)

    def planned_restart(self, *, now: datetime | None = None) -> PlannedRestart | None:
        """The restart that is planned and not over yet, or None."""
        return planned_restart(self._desk, now=now)
