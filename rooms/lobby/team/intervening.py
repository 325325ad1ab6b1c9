"""What a person says to a team that works: answers, and words of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from rooms import values
from rooms.errors import Conflict
from rooms.lobby.answers import Posted
from rooms.lobby.handles import Conversation, Person
from rooms.lobby.team.asking import answer
from rooms.lobby.team.authority import Word
from rooms.lobby.team.facts import TeamFacts, version_of
from rooms.lobby.team.stepping import step
from rooms.lobby.team.values import Approval, Standing
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team import (
    ApprovalAsked,
    approvals,
    changes,
    check_living,
    lifecycle,
    questions,
)
from rooms.log.team.standing import unknown_member
from rooms.team import StopReason

__all__ = ["Intervening"]

_URGENCY = {"now": "now", "next_turn": "quiet"}


class Intervening(TeamFacts):
    """What the person says to its members."""

    __slots__ = ()

    def resolve_approval(
        self,
        approval: str | Approval,
        *,
        approved: bool,
        text: str = "",
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Answers what is asked for, once. A change that waited is decided again on the
        team as it is now, and may turn out to be impossible.

        Raises:
            NotFound: `unknown_approval`.
            Conflict: `approval_answered` for a second answer.

        Source: S-APPROVE-05 to S-APPROVE-07.
        """
        values.flag("approved", approved)
        lifecycle.check_text("text", text)
        version = version_of(self.room.id, getattr(approval, "id", approval))

        def decide(room: RoomState) -> list[Event]:
            return approvals.answer(
                room,
                version,
                approved=approved,
                text=text,
                known=self._was_asked(version),
                apply=changes.applied_now,
            )

        return self._step(
            "resolve_approval",
            decide,
            asked=[version, approved, text],
            request_id=request_id,
            now=now,
        )

    def intervene(
        self,
        text: str,
        *,
        to: Iterable[str] = (),
        when: str = "now",
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Tells members something, as the person: no member can say it so.

        Args:
            text: What.
            to: The keys of the members; all that are in the team where none is named.
            when: `now` wakes them, or goes into the turn that runs; `next_turn` waits
                for the next one, and wakes nobody.
            request_id: As for `Room.post`.
            now: The instant; the lobby's clock unless given.

        It resumes a team that was paused as `awaiting_user`, and no other.

        Raises:
            NotFound: `unknown_member`.
            Refused: What `Room.post` raises.

        Source: S-APPROVE-09, S-APPROVE-10.
        """
        word = self._word("intervene")
        urgency = _URGENCY[values.member("when", when, _URGENCY)]
        keys = values.names("to", to)
        with self._desk.lock:
            named = self._conversations(keys)
        posted = self.room.post(
            text,
            by=Person(word.person, self._desk),
            to=named,
            urgency=urgency,
            request_id=request_id,
            now=now,
        )
        self._resume_if_awaited(word, now)
        return posted

    def answer(
        self,
        member: str,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Answers, for whoever was asked, the question that a member waits on.

        Raises:
            NotFound: `unknown_member`.
            Conflict: `not_waiting` for a member that waits on no question.
            Refused: What `Room.post` raises.

        Source: S-QUESTION-08.
        """
        word = self._word("answer")
        return answer(
            self._desk,
            self.room.id,
            member,
            text,
            by=Person(word.person, self._desk),
            request_id=request_id,
            now=now,
        )

    def release(
        self,
        member: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Lets a member that waits on a question go on without an answer.

        Raises:
            NotFound: `unknown_member`.
            Conflict: `not_waiting`.

        Source: S-QUESTION-08.
        """
        values.storable("member", member)
        return self._step(
            "release_member",
            lambda room: questions.release(room, member),
            asked=[member],
            request_id=request_id,
            now=now,
        )

    def wake(
        self,
        member: str,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Wakes a member of a team that runs; a wait of its own ends first.

        Raises:
            NotFound: `unknown_member`.
            Conflict: `invalid_transition` where the team does not run; `not_idle` for a
                member that works, or is suspended.

        Source: S-SCHED-12.
        """
        values.storable("member", member)
        lifecycle.check_text("text", text)
        return self._step(
            "wake_member",
            lambda room: questions.wake(room, member, text),
            asked=[member, text],
            request_id=request_id,
            now=now,
        )

    def _conversations(self, keys: Sequence[str]) -> list[Conversation]:
        team = check_living(self._state())
        chosen = list(team.present())
        if keys:
            chosen = []
            for key in keys:
                member = team.members.get(key)
                if member is None or not member.present:
                    raise unknown_member(key)
                chosen.append(member)
        return [Conversation(one.conversation, one.agent, self._desk) for one in chosen]

    def _resume_if_awaited(self, word: Word, now: datetime | None) -> None:
        def decide(room: RoomState) -> list[Event]:
            team = room.team
            awaited = StopReason.AWAITING_USER.value
            if team is None or (team.status, team.reason) != ("paused", awaited):
                return []
            return lifecycle.resume(room)

        with suppress(Conflict):  # it ended in between, or lost its grant
            step(self._desk, self.room.id, decide, by=word.actor, now=now)

    def _was_asked(self, version: int) -> bool:
        fact = self._desk.fact(f"room:{self.room.id}", version)
        return fact is not None and isinstance(fact.event, ApprovalAsked)
