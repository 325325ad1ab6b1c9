"""
Asking: what a member says that holds its own turn, and what lets it go on.

Two laws. A question and the wait for its answer are one commit, and so are an answer
and the end of the wait (S-QUESTION-02). And who answers, waits or withdraws is read
from the roster (S-SURFACE-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import define, field
from attrs import evolve as changed

from rooms import values
from rooms.errors import Conflict, InvalidInput, NotFound
from rooms.lobby.answers import Posted
from rooms.lobby.handles import Conversation, actor_of
from rooms.lobby.posting.addressed import addresses
from rooms.lobby.posting.commanding import PostCommand
from rooms.lobby.posting.drafts import check_draft
from rooms.lobby.posting.saying import receipt
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.requests import Request, check_request_id
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.room import Room
from rooms.lobby.team.authority import member_now
from rooms.lobby.team.values import Question
from rooms.log.events import Event, Fact
from rooms.log.posting import Draft, MessagePosted, meaning_of
from rooms.log.records import record_id
from rooms.log.state import RoomState
from rooms.log.team import QuestionAsked, questions, team_of
from rooms.log.team.questions import not_yours, waited_on
from rooms.log.team.standing import unknown_member
from rooms.log.team_state import MemberState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "answer",
    "ask",
    "conversations_of",
    "question_meant",
    "questions_of",
    "reply",
    "request_attention",
]


@define(eq=False)
class _Holding(PostCommand):
    """A message of a member's that ends its turn, if it waits."""

    waits: bool = field(kw_only=True)
    to: Sequence[str] = field(kw_only=True)

    def decided(
        self, state: RoomState, at: int, draft: Draft, request: Request
    ) -> Decision:
        """The message, and what it comes to for whom it asks."""
        by = member_now(state, self.actor)
        team = team_of(state)
        decision = super().decided(state, at, draft, request)
        events = decision.appends[self.stream]
        more: list[Event]
        if self.to:
            asked = [team.members[key] for key in self.to]
            version = state.version + len(events)
            more = questions.asked(state, by, asked, version, waits=self.waits)
        else:
            more = questions.block(state, by)
        runs = {**decision.appends, self.stream: [*events, *more]}
        return changed(decision, appends=runs)

    def asked(self, draft: Draft) -> list[Any]:
        """What a retry has to ask for again."""
        return ["ask", *super().asked(draft), self.waits]


@define(eq=False)
class _Answer(PostCommand):
    """A person's answer to what a member waits on."""

    key: str = field(kw_only=True)

    def decided(
        self, state: RoomState, at: int, draft: Draft, request: Request
    ) -> Decision:
        """The message, unless the member waits on something else by now."""
        question = waited_on(state, self.key)
        if record_id(self.room, question.version) != draft.reply_to:
            raise Conflict(
                "not_waiting", f"{self.key} waits on another question", current=""
            )
        return super().decided(state, at, draft, request)


def ask(
    desk: Desk,
    room: str,
    text: str,
    *,
    to: Sequence[str],
    waits: bool,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> Posted:
    """As `Member.ask`, which documents it."""
    values.flag("wait", waits)
    if not to:
        raise InvalidInput(
            "to", "names nobody", allowed="other members", code="no_recipients"
        )
    actor = actor_of(by, desk)
    with desk.lock:
        state = desk.room(room)
        member_now(state, actor)
        named = conversations_of(desk, state, to)
    draft = Draft(
        values.storable("content", text),
        addresses(named, "agent"),
        confirm_all_threads=True,
        meaning=meaning_of(kind="question", expects_reply=True),
    )
    if request_id is not None:
        check_request_id(request_id)
    command = _Holding(
        *(desk, room, actor, named, (), draft, request_id, None),
        waits=waits,
        to=tuple(dict.fromkeys(to)),
    )
    return _posted(desk, command, now)


def request_attention(
    desk: Desk,
    room: str,
    text: str,
    *,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> Posted:
    """As `Member.request_attention`, which documents it."""
    actor = actor_of(by, desk)
    meaning = meaning_of(kind="request", expects_reply=False, urgency="quiet")
    draft = Draft(values.storable("content", text), meaning=meaning)
    if request_id is not None:
        check_request_id(request_id)
    command = _Holding(
        *(desk, room, actor, (), (), draft, request_id, None), waits=True, to=()
    )
    return _posted(desk, command, now)


def answer(
    desk: Desk,
    room: str,
    member: str,
    text: str,
    *,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> Posted:
    """As `Team.answer`, which documents it."""
    values.storable("member", member)
    actor = actor_of(by, desk)
    if request_id is not None:
        check_request_id(request_id)
    with desk.lock:
        state = desk.room(room)
        named = conversations_of(desk, state, [member])
        reply_to = _question_for(desk, state, member, actor, request_id)
    draft = Draft(
        values.storable("content", text),
        addresses(named, "agent"),
        reply_to,
        confirm_all_threads=True,
        meaning=meaning_of(urgency="now"),
    )
    command = _Answer(
        *(desk, room, actor, named, (), draft, request_id, None), key=member
    )
    return _posted(desk, command, now)


def _question_for(
    desk: Desk, state: RoomState, member: str, actor: Any, request_id: str | None
) -> str:
    """The question that a member waits on; that of the same request, if it was made."""
    if request_id is not None:
        key = Request.of(actor, "post", request_id, "").keys
        for name in key:
            stream, _, version = (desk.storage.find(name) or "").partition(" ")
            if version.isdecimal():
                fact = desk.fact(stream, int(version))
                if fact is not None and isinstance(fact.event, MessagePosted):
                    return fact.event.reply_to
    return record_id(state.id, waited_on(state, member).version)


def _posted(desk: Desk, command: PostCommand, now: datetime | None) -> Posted:
    desk.check_usable()
    room, actor = Room(command.room, desk), command.actor
    command.consents = check_draft(desk, command.stream, actor, command.decide, now)
    committed = desk.record(command.decide, command.stream, by=actor, now=now)
    return receipt(room, desk, command, committed)


def reply(
    desk: Desk,
    room: Room,
    question: int,
    text: str,
    *,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> Posted:
    """As `Member.reply`, which documents it."""
    actor = actor_of(by, desk)
    with desk.lock:
        state = desk.room(room.id)
        member = member_now(state, actor)
        asked = asked_by(desk, room.id, question)
        if asked is None:
            raise NotFound("unknown_question", "no question of that id was asked")
        if member.key not in asked.to:
            raise not_yours()
        to = conversations_of(desk, state, [asked.key])
    return room.post(
        text,
        by=by,
        to=to,
        reply_to=record_id(room.id, question),
        request_id=request_id,
        confirm_all_threads=True,
        now=now,
    )


def asked_by(desk: Desk, room: str, question: int) -> QuestionAsked | None:
    """What was recorded with the message of a question; None for no question."""
    fact = desk.fact(room_stream(room), question + 1) if question > 0 else None
    event = None if fact is None else fact.event
    if isinstance(event, QuestionAsked) and event.message == question:
        return event
    return None


def question_meant(room: str, given: Any) -> int:
    """
    The record of a question, by its id or what `ask` returned.

    Raises:
        NotFound: `unknown_question`.
    """
    from rooms.lobby.team.facts import version_of  # noqa: PLC0415 - it has handles

    named = getattr(given, "id", getattr(getattr(given, "message", given), "id", given))
    try:
        return version_of(room, named)
    except NotFound:
        raise NotFound("unknown_question", "no question of that id was asked") from None


def conversations_of(
    desk: Desk, state: RoomState, keys: Sequence[str]
) -> list[Conversation]:
    """
    The conversations of members, by their keys.

    Raises:
        NotFound: `unknown_member`.
    """
    named: list[Conversation] = []
    for key in dict.fromkeys(keys):
        member = team_of(state).members.get(key)
        if member is None or not member.present:
            raise unknown_member(key)
        named.append(Conversation(member.conversation, member.agent, desk))
    return named


def questions_of(desk: Desk, state: RoomState) -> tuple[Question, ...]:
    """The questions of a team that nobody has answered, the oldest first."""
    team = team_of(state)
    found = []
    for one in team.questions.values():
        fact: Fact | None = desk.fact(room_stream(state.id), one.version)
        event = None if fact is None else fact.event
        text = event.text if isinstance(event, MessagePosted) else ""
        asker: MemberState = team.members[one.asker]
        found.append(
            Question(
                record_id(state.id, one.version),
                one.asker,
                one.to,
                text,
                team.waiting.get(asker.conversation) == one.version,
                None if fact is None else moment(fact.at),
            )
        )
    return tuple(found)
