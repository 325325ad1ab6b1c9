"""
Questioning: a member asks others, answers them, and waits.

Law: a wait is ended by an answer, a withdrawal or a person, and never by talk
(S-QUESTION-07); who may do which is decided by `rooms.log.team.questions` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from attrs import frozen

from rooms import values
from rooms.lobby.answers import Posted
from rooms.lobby.team.acting import Acting
from rooms.lobby.team.asking import (
    ask,
    asked_by,
    question_meant,
    questions_of,
    reply,
    request_attention,
)
from rooms.lobby.team.values import Question
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team import questions
from rooms.log.team_state import MemberState

__all__ = ["Questioning"]


@frozen
class Questioning(Acting):
    """What a member does to ask and to answer."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the team that nobody has answered, the oldest first."""
        return self._seen(lambda state, _: questions_of(self._desk, state))

    def ask(
        self,
        text: str,
        *,
        to: Iterable[str],
        wait: bool = True,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Asks members something, all of them or none. The turn ends with it and its place
        is free; the first answer wakes the same conversation again. What that turn does
        afterwards is refused with `stale_wake`.

        Args:
            text: What.
            to: The keys of the members.
            wait: Whether it waits; else its turn goes on, and the answer comes as a
                message.
            request_id: As for `Room.post`.
            now: The instant; the lobby's clock unless given.

        Raises:
            NotFound: `unknown_member`.
            InvalidInput: `no_recipients` for nobody.
            SelfAddressed: For nobody but itself.
            OverLimit: `inbox_capacity` where one of them has too many unread;
                `too_many` open questions.
            Refused: What `Room.post` raises.

        Source: S-QUESTION-01 to S-QUESTION-04.
        """
        return ask(
            self._desk,
            self.room.id,
            text,
            to=values.names("to", to),
            waits=wait,
            by=self._by,
            request_id=request_id,
            now=now,
        )

    def reply(
        self,
        question: str | Question | Posted,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Answers a question: who asked goes on. A later answer is a message to it.

        Raises:
            NotFound: `unknown_question`; `unknown_member` where who asked is gone.
            NotAllowed: `not_your_question`.
            Refused: What `Room.post` raises; never for a full inbox.

        Source: S-QUESTION-05.
        """
        version = question_meant(self.room.id, question)
        return reply(
            self._desk,
            self.room,
            version,
            text,
            by=self._by,
            request_id=request_id,
            now=now,
        )

    def wait(
        self, question: str | Question | Posted, *, now: datetime | None = None
    ) -> None:
        """
        Waits on a question of its own that it asked with `wait=False`; one that is
        over is waited on no more.

        Raises:
            NotFound: `unknown_question`.
            NotAllowed: `not_your_question`.

        Source: S-QUESTION-06.
        """
        self._on_question(questions.wait, question, now)

    def withdraw_question(
        self, question: str | Question | Posted, *, now: datetime | None = None
    ) -> None:
        """
        Takes a question back, which ends the wait on it; one that is over stays so.

        Raises:
            NotFound: `unknown_question`.
            NotAllowed: `not_your_question` for anybody but who asked and the conductor.

        Source: S-QUESTION-06.
        """
        self._on_question(questions.withdraw, question, now)

    def request_attention(
        self,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Says that it cannot go on without the person. Its turn ends; only the person
        lets it go on, by `Team.intervene` or `Team.wake`.

        Raises:
            Refused: What `Room.post` raises.

        Source: S-QUESTION-11.
        """
        return request_attention(
            self._desk,
            self.room.id,
            text,
            by=self._by,
            request_id=request_id,
            now=now,
        )

    def _on_question(
        self,
        decide_on: Callable[..., list[Event]],
        question: str | Question | Posted,
        now: datetime | None,
    ) -> None:
        version = question_meant(self.room.id, question)

        def decide(state: RoomState, member: MemberState, _: int) -> list[Event]:
            known = asked_by(self._desk, self.room.id, version) is not None
            return decide_on(state, member, version, known=known)

        self._acts(decide, now=now)
