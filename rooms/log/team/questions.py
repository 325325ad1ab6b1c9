"""
Questions: who asked whom, who waits for an answer, and what ends a wait.

Three laws. A question ends the asker's turn and frees its place, in the commit that
asks, so an instant answer finds the wait (S-QUESTION-01, S-QUESTION-02). Talk ends no
wait: an answer does, a withdrawal, or a person (S-QUESTION-07). And who waits in vain
is released, and told (S-QUESTION-10).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rooms.errors import Conflict, NotAllowed, NotFound, OverLimit
from rooms.hearing import Hearing, Tag
from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger.ending import wake_closed
from rooms.log.posting.message import MessagePosted
from rooms.log.records import record_id
from rooms.log.seats import SeatLeft
from rooms.log.state import Lane, RoomState, Seat
from rooms.log.team.standing import check_living, status_of, unknown_member
from rooms.log.team_state import MemberState, QuestionState, TeamState
from rooms.team import MemberStatus
from rooms.team.statuses import OPEN_FOR_TURNS

__all__ = [
    "FOR_THE_PERSON",
    "SYSTEM_AUTHOR",
    "QuestionAsked",
    "QuestionSettled",
    "WaitBegun",
    "WaitEnded",
    "asked",
    "block",
    "evolve",
    "following",
    "release",
    "settled",
    "tell",
    "wait",
    "wake",
    "withdraw",
]

SYSTEM_AUTHOR = "system:team"
"""Who writes what the library itself tells members; nobody can be called so."""

FOR_THE_PERSON = 0
"""What a member waits on that needs the person."""

_MOST_OPEN = 200


@recorded("question_asked")
class QuestionAsked(Event):
    """A member asked others, with the message of that record and number."""

    key: str
    message: int
    number: int
    to: tuple[str, ...]


@recorded("question_settled")
class QuestionSettled(Event):
    """
    A question is open no more: it was `answered`, `withdrawn`, `released` by a person,
    `unanswered` after a reminder, or whoever could answer is `gone`.
    """

    question: int
    why: str


@recorded("wait_begun")
class WaitBegun(Event):
    """A conversation holds no turn until a question is over; 0 is the person."""

    conversation: str
    question: int


@recorded("wait_ended")
class WaitEnded(Event):
    """A conversation waits no more: why is a settling's, or `intervened`, `woken`."""

    conversation: str
    why: str


# -- asking


def asked(
    room: RoomState,
    asker: MemberState,
    to: Sequence[MemberState],
    message: int,
    *,
    waits: bool,
) -> list[Event]:
    """
    What is added to the message of a question: the wait is recorded with it.

    Raises:
        OverLimit: `too_many` open questions.
    """
    team = check_living(room)
    keys = tuple(one.key for one in to if one.key != asker.key)
    if len(team.questions) >= _MOST_OPEN:
        raise OverLimit(
            "too_many",
            f"{_MOST_OPEN} questions are open already",
            limit=_MOST_OPEN,
        )
    events: list[Event] = [QuestionAsked(asker.key, message, room.seq + 1, keys)]
    return [*events, *_waiting(room, asker, message)] if waits else events


def _waiting(room: RoomState, member: MemberState, question: int) -> list[Event]:
    """The end of a member's turn, for as long as it waits (S-QUESTION-01)."""
    seat = room.seats[member.conversation]
    events: list[Event] = [WaitBegun(member.conversation, question)]
    if seat.wake is not None:
        events.append(wake_closed(room, seat, seat.wake, "ended"))
    return events


def wait(
    room: RoomState, by: MemberState, question: int, *, known: bool
) -> list[Event]:
    """
    Waits on a question of its own that it asked and did not wait on (S-QUESTION-06).

    Raises:
        NotFound: `unknown_question`.
        NotAllowed: `not_your_question`.
    """
    found = _open(room, question, known=known)
    if found is None:
        return []
    if found.asker != by.key:
        raise not_yours()
    if _waits_on(check_living(room), by) == question:
        return []
    return _waiting(room, by, question)


def block(room: RoomState, by: MemberState) -> list[Event]:
    """Waits for the person, which holds no place (S-QUESTION-11)."""
    if _waits_on(check_living(room), by) == FOR_THE_PERSON:
        return []
    return _waiting(room, by, FOR_THE_PERSON)


# -- settling


def withdraw(
    room: RoomState, by: MemberState, question: int, *, known: bool
) -> list[Event]:
    """
    Takes a question back; nobody owes an answer any more (S-QUESTION-06).

    Raises:
        NotFound: `unknown_question`.
        NotAllowed: `not_your_question` for anybody but who asked and the conductor.
    """
    found = _open(room, question, known=known)
    if found is None:
        return []
    if found.asker != by.key and not by.lead:
        raise not_yours()
    told = f"The question {found.seq} was withdrawn by {by.key}."
    return settled(room, found, "withdrawn", "" if found.asker == by.key else told)


def release(room: RoomState, key: str) -> list[Event]:
    """
    A person lets a member go on that waits on a question, without an answer.

    Raises:
        Conflict: `not_waiting`.
    """
    found = waited_on(room, key)
    return settled(
        room, found, "released", f"Go on without an answer to the question {found.seq}."
    )


def waited_on(room: RoomState, key: str) -> QuestionState:
    """
    The question that a member waits on (S-QUESTION-08).

    Raises:
        NotFound: `unknown_member`.
        Conflict: `not_waiting` for one that waits on none.
    """
    team = check_living(room)
    member = team.members.get(key)
    if member is None or not member.present:
        raise unknown_member(key)
    question = team.questions.get(_waits_on(team, member) or 0)
    if question is None:
        raise Conflict("not_waiting", f"{key} waits on no question", current="")
    return question


def wake(room: RoomState, key: str, text: str) -> list[Event]:
    """
    A person wakes a member: a wait ends first, and it is told (S-SCHED-12).

    Raises:
        NotFound: `unknown_member`.
        Conflict: `invalid_transition` in a team that does not run; `not_idle`.
    """
    team = check_living(room)
    member = team.members.get(key)
    if member is None or not member.present:
        raise unknown_member(key)
    if team.status not in OPEN_FOR_TURNS:
        raise Conflict(
            "invalid_transition",
            f"a team that is {team.status} wakes nobody",
            current=team.status,
            action="wake",
        )
    status = status_of(room, member)
    if status not in {MemberStatus.IDLE, MemberStatus.WAITING, MemberStatus.BLOCKED}:
        raise Conflict("not_idle", f"{key} is {status}", current=status.value)
    ended = end_wait(team, member, "woken")
    told = text or "The person woke you."
    return [*ended, tell(room, member.conversation, "woken", told)]


def settled(
    room: RoomState, question: QuestionState, why: str, text: str
) -> list[Event]:
    """The end of a question, and of the wait on it; `text` is told to who asked."""
    team = check_living(room)
    asker = team.members[question.asker]
    events: list[Event] = [QuestionSettled(question.version, why)]
    if _waits_on(team, asker) == question.version:
        events.append(WaitEnded(asker.conversation, why))
    if text and asker.present:
        events.append(tell(room, asker.conversation, why, text))
    return events


def end_wait(team: TeamState, member: MemberState, why: str) -> list[Event]:
    """The end of whatever a member waits on; the question stays open."""
    if _waits_on(team, member) is None:
        return []
    return [WaitEnded(member.conversation, why)]


def tell(
    room: RoomState, conversation: str, why: str, text: str, *, after: int = 0
) -> MessagePosted:
    """
    A message of the library's own to one member, which wakes it.

    Args:
        room: The room.
        conversation: Whose.
        why: The rule by which it is owed.
        text: What it is told.
        after: How many messages the same commit posts before.
    """
    seat = room.seats[conversation]
    off = room.paused or seat.resting or seat.held != ""
    lane: str = Lane.HELD if off else Lane.READY
    return MessagePosted(
        seq=room.seq + 1 + after,
        sender="",
        author=SYSTEM_AUTHOR,
        owed=((conversation, Hearing.NOW.value, Tag.DIRECT.value, why, lane),),
        kind="notice",
        text=text,
    )


# -- what follows


def following(room: RoomState, events: Iterable[Event]) -> list[Event]:
    """What follows for questions from what was said, and from who left."""
    team = room.team
    if team is None or not (team.questions or team.waiting):
        return []
    follows: list[Event] = []
    for event in events:
        if isinstance(event, MessagePosted):
            follows += _said(room, team, event)
        elif isinstance(event, SeatLeft):
            follows += _gone(room, team, event.conversation)
    return follows


def _said(room: RoomState, team: TeamState, event: MessagePosted) -> list[Event]:
    question = question_of(room, event.reply_to)
    if not event.sender:
        if event.author == SYSTEM_AUTHOR:
            return []
        for_it = [] if question is None else settled(room, question, "answered", "")
        waits = {one.conversation for one in for_it if isinstance(one, WaitEnded)}
        return [*for_it, *_intervened(team, event, waits)]
    by = team.member_of(event.sender)
    if by is None or question is None or by.key not in question.to:
        return []
    return settled(room, question, "answered", "")


def _intervened(
    team: TeamState, event: MessagePosted, over: Collection[str]
) -> list[Event]:
    """A person's message ends the wait of whom it wakes (S-QUESTION-07)."""
    return [
        WaitEnded(conversation, "intervened")
        for conversation, hearing, *_ in event.owed
        if hearing == Hearing.NOW and conversation in team.waiting
        if conversation not in over
    ]


def _gone(room: RoomState, team: TeamState, conversation: str) -> list[Event]:
    """Questions of whom is gone are withdrawn; to it alone, nobody answers."""
    member = next(
        (one for one in team.members.values() if one.conversation == conversation), None
    )
    if member is None:
        return []
    follows: list[Event] = []
    told = 0
    for question in team.questions.values():
        if question.asker == member.key:
            follows.append(QuestionSettled(question.version, "withdrawn"))
            continue
        left = [
            one
            for one in question.to
            if one != member.key and team.members[one].present
        ]
        if member.key not in question.to or left:
            continue
        asker = team.members[question.asker]
        follows.append(QuestionSettled(question.version, "gone"))
        if _waits_on(team, asker) == question.version:
            follows.append(WaitEnded(asker.conversation, "gone"))
        text = f"Nobody who could answer the question {question.seq} is in the team."
        follows.append(tell(room, asker.conversation, "gone", text, after=told))
        told += 1
    return follows


def question_of(room: RoomState, message: str) -> QuestionState | None:
    """The open question whose message has this id."""
    if room.team is None or not message:
        return None
    for question in room.team.questions.values():
        if record_id(room.id, question.version) == message:
            return question
    return None


def not_yours() -> NotAllowed:
    """What is said to whom a question does not concern."""
    return NotAllowed("not_your_question", "the question is somebody else's")


def _open(room: RoomState, question: int, *, known: bool) -> QuestionState | None:
    """An open question; None for one that is over."""
    found = check_living(room).questions.get(question)
    if found is None and not known:
        raise NotFound("unknown_question", "no question of that id was asked")
    return found


def _waits_on(team: TeamState, member: MemberState) -> int | None:
    return team.waiting.get(member.conversation)


# -- folding


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    fold = _FOLDS.get(type(fact.event))
    if fold is None or room.team is None:
        return False
    fold(room, room.team, fact.event, fact)
    return True


def _ask(_: RoomState, team: TeamState, event: QuestionAsked, __: Fact) -> None:
    version = event.message
    asked = QuestionState(version, event.number, event.key, event.to)
    team.questions[version] = asked


def _settle(_: RoomState, team: TeamState, event: QuestionSettled, __: Fact) -> None:
    team.questions.pop(event.question, None)


def _begin(room: RoomState, team: TeamState, event: WaitBegun, _: Fact) -> None:
    team.waiting[event.conversation] = event.question
    room.schedule(room.seats[event.conversation])


def _end(room: RoomState, team: TeamState, event: WaitEnded, fact: Fact) -> None:
    team.waiting.pop(event.conversation, None)
    member = team.member_of(event.conversation)
    if member is not None:
        member.resumed = fact.at
    seat: Seat = room.seats[event.conversation]
    seat.released = fact.at
    room.schedule(seat)


_FOLDS: Mapping[type[Event], Any] = {
    QuestionAsked: _ask,
    QuestionSettled: _settle,
    WaitBegun: _begin,
    WaitEnded: _end,
}
