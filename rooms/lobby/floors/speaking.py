"""
Speaking with the floor of a planned room: it is taken, and ended with what was said.

Three laws. A turn and what it brought are one commit, so no crash repeats a turn that
is stored, or loses one (P-PLAN-02, P-RUN-10). Who takes under a name that it used
before says that its earlier turn is over, however far it came. And whoever was
overtaken ends nothing: what it said is posted as late, as its own (R-LATE-04).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import frozen

from rooms import values
from rooms.lobby.answers import Message, Wake
from rooms.lobby.handles import Conversation
from rooms.lobby.messages import message_of
from rooms.lobby.posting.commanding import PostCommand
from rooms.lobby.posting.drafts import HOOK, check_draft
from rooms.lobby.posting.routed import Planned, Way, way_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.waking.due import is_due, tick_room
from rooms.lobby.waking.holding import end_wake, facts_of
from rooms.lobby.waking.taking import take_opened
from rooms.log import ledger
from rooms.log.activities import Floor
from rooms.log.actors import Actor
from rooms.log.events import Event, Fact
from rooms.log.floors import TurnEnd
from rooms.log.posting import PLAIN, Draft, MessagePosted
from rooms.log.seats import unread_before
from rooms.log.state import RoomState
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["HasFloor", "Idle", "end_turn", "post_late", "take_floor"]

_TRIES = 10
_MOMENT = timedelta(microseconds=1)

Closing = Callable[[RoomState, int], Sequence[Event]]


@frozen
class Idle:
    """
    Why nobody can be asked now.

    Attributes:
        reason: Why the last activity ended, or `no_person` before the first; `busy`
            while somebody else runs the turn; `paused`, `away`; `unplanned` while the
            planner fails, or where the policy names none.
        until: For `busy`, when the other's claim runs out.
        problem: For `unplanned`, what is wrong with the planner, or `no_planner`.
    """

    reason: str
    until: datetime | None = None
    problem: str = ""


@frozen
class HasFloor:
    """A turn that was taken, and runs: its wake, and the floor as it was given."""

    wake: Wake
    floor: Floor


def take_floor(
    desk: Desk,
    room_id: str,
    *,
    holder: str,
    hold_for: timedelta,
    now: datetime | None,
) -> HasFloor | Idle:
    """
    Takes the floor for whoever has it, and opens its turn.

    Raises:
        NotFound: `room_not_found`.
    """
    for _ in range(_TRIES):
        floor = _to_take(desk, room_id, holder, now)
        if isinstance(floor, Idle):
            return floor
        if floor.wake:
            _end_earlier(desk, room_id, floor, holder, now)
            continue
        wake = take_opened(
            desk,
            room_id,
            floor.conversation,
            hold_for=hold_for,
            holder=holder,
            now=now,
        )
        if wake is not None:
            return HasFloor(wake, floor)
        with desk.lock:
            if desk.room(room_id).floor == floor:
                return Idle("away")
    return Idle("busy")


def _to_take(
    desk: Desk, room_id: str, holder: str, now: datetime | None
) -> Floor | Idle:
    """
    The floor that can be taken, as it is known here: it is proven as it is recorded. Or
    why none can, behind all that fell due, on a proven state.
    """
    with desk.lock.cached:
        room = desk.room(room_id)
        found, due = _found(room, holder), is_due(desk, room, now)
        if not due and isinstance(found, Idle) and desk.streams.prove():
            room = desk.room(room_id)
            found, due = _found(room, holder), is_due(desk, room, now)
        if not due:
            return found
    tick_room(desk, room_stream(room_id), now)
    with desk.lock.cached:  # as the tick has proven it
        return _found(desk.room(room_id), holder)


def _found(room: RoomState, holder: str) -> Floor | Idle:
    """The floor of a room as it stands, or why nobody can be asked."""
    floor, activity = room.floor, room.activity
    if floor is None:
        if activity is None and not room.policy.gives_floor and not room.ended:
            return Idle("unplanned", problem="no_planner")
        if activity is None:
            return Idle(room.ended or "no_person")
        return Idle("unplanned", moment(activity.since), activity.problem)
    seat = room.seats[floor.conversation]
    wake = seat.wake
    if wake is not None and wake.holder != holder:
        return Idle("busy", moment(wake.until))
    return Idle("paused") if room.on_hold(seat) else floor


def _end_earlier(
    desk: Desk, room_id: str, floor: Floor, holder: str, now: datetime | None
) -> None:
    """Ends the turn that this holder has in hand from an earlier life."""
    with desk.lock.cached:
        agent = desk.room(room_id).seats[floor.conversation].agent
    one = Conversation(floor.conversation, agent, desk)
    wake, stream = floor.wake, room_stream(room_id)

    def decide(at: int) -> Decision:
        facts = facts_of(desk, [(one.id, one.agent)], holder, at, _MOMENT)
        state = desk.room(room_id)
        events = ledger.give_back(state, wake, one.id, facts, why="expired", now=at)
        return Decision({stream: events})

    end_wake(desk, room_id, one, decide, now)


def end_turn(
    desk: Desk,
    turn: HasFloor,
    end: TurnEnd,
    *,
    text: str | None = None,
    answers: Message | None = None,
    now: datetime | None,
) -> Message | None:
    """
    Ends a turn with what came of it, and the message that it brought, in one commit.

    A failed turn's text is recorded as a failure of its conversation (R-RECORD-05).

    Raises:
        Conflict: `stale_wake`, `stale_runtime` where it is not this turn's any more.
        NotFound: `room_not_found`.
        Refused: What a post may be refused with; then nothing has ended.
    """
    wake, lost = turn.wake, end.outcome in {"failed", "timed_out", "cancelled"}
    one = wake.conversation
    said = text is not None and not lost

    def closing(room: RoomState, at: int) -> Sequence[Event]:
        facts = facts_of(desk, [(one.id, one.agent)], wake.holder, at, wake.hold_for)
        seqs = (room.seq + 1,) if said else ()
        ended = TurnEnd(end.outcome, end.kind, end.clipped, seqs)
        given = (room, wake.id, one.id, facts)
        if lost:
            return ledger.give_back(*given, why="raised", now=at, end=ended)
        return ledger.close(*given, now=at, end=ended)

    of = "" if text is None else wake.id  # what is said is fenced by its wake, too
    acting = Actor("conversation", one.id, one.agent, "", of, wake.generation)
    desk.hand.note_done(wake.room.id, one.id)
    if text is None:
        desk.record_in(wake.room.id, closing, by=acting, now=now)
        return None
    text = values.storable("the reply", text)
    key = None if lost else _way_of_turns(desk, acting, answers)
    if key is not None:
        fact = _speak_on(
            desk,
            wake.room.id,
            key,
            text,
            answers=answers,
            closing=closing,
            by=acting,
            now=now,
        )
        if fact is not None:
            return message_of(desk, wake.room.id, fact)
    reply_to = None if answers is None else answers.id
    draft = Draft(text, reply_to=reply_to, failed=lost)
    return _posted(desk, wake.room.id, acting, draft, closing, way=key, now=now)


def _way_of_turns(desk: Desk, by: Actor, answers: Message | None) -> Hashable:
    """
    The way of what a conversation says to nobody; None where an answer is for somebody,
    or a plugin is to be asked.
    """
    if desk.plugins is not None and desk.plugins.has(HOOK):
        return None
    answered = None if answers is None else answers.fact.event
    if isinstance(answered, MessagePosted) and answered.sender:
        return None
    return way_of(desk, by, ())


def _speak_on(
    desk: Desk,
    room: str,
    key: Hashable,
    text: str,
    *,
    answers: Message | None,
    closing: Closing,
    by: Actor,
    now: datetime | None,
) -> Fact | None:
    """
    As `_posted`, to where the conversation's messages went before; None, and nothing
    done, where that has to be found out.
    """
    stream = desk.streams.loaded.get(room_stream(room))
    way: Way | None = None if stream is None else stream.ways.get(key)
    if stream is None or way is None or not way.route.planned:
        return None
    said = Planned(desk, stream, way, text, PLAIN, by)
    answered, reply_to = (0, "") if answers is None else (answers.seq, answers.id)

    def decide(state: RoomState, at: int) -> Sequence[Event] | None:
        if answers is not None and answered <= unread_before(state, by.id):
            return None
        events = said.decide(state, at, reply_to=reply_to)
        if events is None:
            return None
        *before, message = events
        return [*before, *closing(state, at), message]

    committed = desk.record_in(room, decide, by=by, now=now)
    return None if committed is None else committed.facts[stream.name][-1]


def post_late(
    desk: Desk,
    room: str,
    one: Conversation,
    text: str,
    *,
    failed: bool = False,
    now: datetime | None,
) -> Message:
    """
    Posts what came after its turn, as the conversation's own message.

    Raises:
        Refused: What a post may be refused with.
    """
    acting = Actor("conversation", one.id, one.agent)
    draft = Draft(values.storable("the reply", text), late=True, failed=failed)
    return _posted(desk, room, acting, draft, None, way=None, now=now)


def _posted(
    desk: Desk,
    room: str,
    actor: Actor,
    draft: Draft,
    closing: Closing | None,
    *,
    way: Hashable,
    now: datetime | None,
) -> Message:
    command = PostCommand(desk, room, actor, (), (), draft, None, None)
    command.way = way
    stream = command.stream

    def decide(at: int) -> Decision:
        decision = command.decide(at)
        if closing is None:
            return decision
        *before, message = decision.appends[stream]
        ends = closing(desk.room(room), at)
        appends = {**decision.appends, stream: [*before, *ends, message]}
        return Decision(appends, consents=decision.consents)

    command.consents = check_draft(desk, stream, actor, command.decide, now)
    committed = desk.record(decide, stream, by=actor, now=now)
    assert committed is not None  # noqa: S101 - a post without a request id records
    return message_of(desk, room, committed.facts[stream][-1])
