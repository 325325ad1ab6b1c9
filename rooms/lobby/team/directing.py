"""What becomes of a team, as its person says: changed, started, paused, ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.team.ending import cancel, delete
from rooms.lobby.team.facts import TeamFacts
from rooms.lobby.team.finishing import settle_completion
from rooms.lobby.team.preparing import adjust
from rooms.lobby.team.starting import start
from rooms.lobby.team.values import Standing
from rooms.log.team import lifecycle
from rooms.team import Blueprint, Planner, Proposal, Questions, StopReason

if TYPE_CHECKING:
    from rooms.lobby.access.owning import DeletedRoom

__all__ = ["Directing"]


class Directing(TeamFacts):
    """What the person lets become of it."""

    __slots__ = ()

    def adjust(
        self,
        instruction: str,
        plan: Planner | Blueprint,
        *,
        now: datetime | None = None,
    ) -> Questions | None:
        """
        Changes the draft by an instruction, never above what was allowed.

        Args:
            instruction: How it should change, in plain words.
            plan: A blueprint, or whoever draws one, handed the draft and the
                instruction. Where it raises, or has questions, the draft stays.
            now: The instant; the lobby's clock unless given.

        Returns:
            What the planner has to know first; None where the draft is changed.

        Source: S-PROPOSAL-03.
        """
        word = self._word("adjust_team")
        return adjust(
            self._desk,
            self.room.id,
            instruction,
            plan,
            word=word,
            catalogue=self.catalogue,
            now=now,
        )

    def start(
        self,
        *,
        revision: str | None = None,
        approve: Callable[[Proposal], bool] | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Starts the draft: members are placed, the grant is given, the conductor opened,
        and told the problem.

        Args:
            revision: The `revision` of the proposal that the person saw; another draft
                is refused then.
            approve: Asks the person once more, when the members are placed; anything
                but True undoes the start. The call itself is the person's yes
                otherwise.
            request_id: The same request again starts nothing; without one, a team that
                is ready is started anew.
            now: The instant; the lobby's clock unless given.

        Returns:
            Where it stands then, `ready`; or `draft` again with the reason
            `no_workspace` or `approval_refused`; `paused` where the conductor cannot be
            opened.

        Raises:
            Conflict: `invalid_transition`; `stale_revision`; `no_chat` where the result
                should go to a chat that there is none of.
            NotFound: `agent_not_found` where a member's agent was not added.
            InvalidInput: `invalid_blueprint`, where the host has no longer what it
                needs.

        Source: S-PROPOSAL-11, S-PROPOSAL-12.
        """
        word = self._word("start_team")
        if revision is not None:
            values.storable("revision", values.text("revision", revision, empty=False))
        asks: Any = approve
        if asks is not None and not callable(asks):
            kind = type(asks).__name__
            raise InvalidInput("approve", f"is of type {kind}", allowed="a callable")
        start(
            self._desk,
            self.room.id,
            word=word,
            catalogue=self.catalogue,
            revision=revision,
            approve=approve,
            request_id=request_id,
            now=now,
        )
        return self.standing

    def pause(
        self,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Starts no new turn; those that run end as they will.

        Source: S-STATUS-06.
        """
        lifecycle.check_text("text", text)
        reason = StopReason.USER_PAUSED.value
        return self._step(
            "pause_team",
            lambda room: lifecycle.pause_team(room, reason=reason, text=text),
            asked=[text],
            request_id=request_id,
            now=now,
        )

    def resume(
        self,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Lets turns start again.

        Raises:
            Conflict: `grant_lost` where it has to be started anew; `limit_reached`
                where a limit would stop it at once; `invalid_transition` where it is
                not paused, or its conductor is in it no more.

        Source: S-STATUS-07, S-LIMIT-02.
        """
        lifecycle.check_text("text", text)
        return self._step(
            "resume_team",
            lambda room: lifecycle.resume(room, text=text),
            asked=[text],
            request_id=request_id,
            now=now,
        )

    def cancel(
        self,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Ends it: turns that run are aborted, and members' work is saved.

        Source: S-STATUS-11.
        """
        lifecycle.check_text("text", text)
        word = self._word("cancel_team")
        cancel(
            self._desk, self.room.id, text, word=word, request_id=request_id, now=now
        )
        return self.standing

    def delete(self, *, now: datetime | None = None) -> DeletedRoom:
        """
        Deletes it with its room; one that runs is cancelled first.

        Raises:
            Conflict: `work_not_saved` where a member's work cannot be kept safe.

        Source: S-RECOVER-08, S-RECOVER-09.
        """
        word = self._word("delete_team")
        return delete(self._desk, self.room.id, word=word, now=now)

    def settle_completion(
        self,
        *,
        delivered: bool,
        reference: str = "",
        problem: str = "",
        now: datetime | None = None,
    ) -> Standing:
        """
        Says whether the result of a team that was left `completing` arrived, and so
        ends it. Nothing is sent.

        Source: S-RECOVER-04.
        """
        word = self._word("settle_completion")
        settle_completion(
            self._desk,
            self.room.id,
            delivered=delivered,
            reference=reference,
            problem=problem,
            word=word,
            now=now,
        )
        return self.standing
