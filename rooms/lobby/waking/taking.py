"""
Taking: a holder is given the wakes that are owed now.

Three laws. A take is a claim: each wake goes to one holder, and comes back when the
claim runs out, the turn raises, or nobody carries it (ledger 7, 9). What was taken is
told: a take that fails in the middle returns what it has, and what cannot be shown is
given back. And the host is asked who is away or in a turn with no lock held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rooms import values
from rooms.errors import CorruptLog, NotFound, RoomsError, StorageError
from rooms.lobby.answers import Wake
from rooms.lobby.handles import Agent, Claim, Conversation
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.lobby.waking.due import tick
from rooms.lobby.waking.holding import HOLD, check_hold, facts_of, give_back
from rooms.lobby.waking.selecting import agents_asked, candidates, conversations_asked
from rooms.lobby.waking.wakes import wakes_of
from rooms.log import ledger, team
from rooms.log.actors import SYSTEM
from rooms.log.events import Event, Fact
from rooms.log.ledger import TurnOpened, WakeTaken
from rooms.log.records import record_id
from rooms.log.state import Lane, RoomState

if TYPE_CHECKING:
    from rooms.hooks import HookFailure
    from rooms.lobby.desk import Desk

__all__ = ["notices", "take", "take_in", "take_opened"]


def take(
    desk: Desk,
    *,
    agents: Iterable[str | Agent] | None,
    conversations: Sequence[Conversation | Claim] | None,
    limit: int,
    hold_for: timedelta,
    holder: str | None,
    now: datetime | None,
) -> list[Wake]:
    """As `Lobby.take_wakes`, which documents it."""
    desk.check_usable()
    values.whole_number("limit", limit, at_least=1, at_most=10_000)
    taker = desk.hand.holder if holder is None else holder
    names_asked = agents_asked(desk, agents)
    asked = conversations_asked(desk, conversations)
    hold_for = check_hold(hold_for)
    values.text("holder", taker, empty=False)
    tick(desk, now)
    _return_untold(desk, now)
    taken: list[Wake] = []
    seen: set[tuple[str, str]] = set()
    for room, names in candidates(desk, names_asked, asked, taker):
        if len(taken) == limit:
            break
        fresh = [name for name in names if (room, name) not in seen]
        seen.update((room, name) for name in fresh)
        if not fresh:
            continue
        try:
            taken += take_in(
                desk,
                room,
                fresh,
                limit=limit - len(taken),
                hold_for=hold_for,
                holder=taker,
                now=now,
            )
        except StorageError:
            if not taken:
                raise
            break  # who asks again is told of it; these were taken, and are told
    return taken


def take_in(
    desk: Desk,
    room_id: str,
    names: Sequence[str],
    *,
    limit: int,
    hold_for: timedelta,
    holder: str,
    now: datetime | None,
    failures: list[HookFailure] | None = None,
) -> list[Wake]:
    """
    The wakes of these conversations that can be taken in one room. What plugins do
    wrong that are asked goes to `failures`.
    """
    stream = room_stream(room_id)
    states: Mapping[str, str] = {}

    def decide(at: int) -> Decision:
        state = desk.room(room_id)
        seats = state.seats
        pairs = [(one, seats[one].agent) for one in names if one in seats]
        pairs = [pair for pair in pairs if desk.listens(*pair)]
        tells = not desk.hand.opens_turns(holder)
        facts = facts_of(desk, pairs, holder, at, hold_for, states=states, tells=tells)
        heard = [one for one, _ in pairs]
        chosen, stopped = team.selected(state, heard, facts, at)
        if stopped:
            return Decision({stream: stopped})
        events = ledger.take(state, chosen, facts, now=at, limit=limit)
        return Decision({stream: events})

    wakes: list[Wake] = []
    with desk.passing_over(room_id):
        states = _states_of(desk, room_id, names, failures)
        committed = desk.record(decide, stream, by=SYSTEM, now=now)
        facts = () if committed is None else committed.facts[stream]
        wakes = _shown(desk, room_id, facts, hold_for=hold_for, holder=holder, now=now)
        for name in names:
            desk.hand.note_done(room_id, name)
        for wake in wakes:
            desk.hand.note_taken(room_id, wake.conversation, holder)
        taken = {wake.conversation.id for wake in wakes}
        with suppress(StorageError):  # what was taken is told; rows cost a look
            clean(desk, room_id, [name for name in names if name not in taken])
    return wakes


def take_opened(
    desk: Desk,
    room_id: str,
    name: str,
    *,
    hold_for: timedelta,
    holder: str,
    now: datetime | None,
) -> Wake | None:
    """
    The wake of one conversation, its turn opened in the same commit, for whoever looked
    at the room itself a moment ago; None where it cannot be taken.
    """
    states: Mapping[str, str] = {}

    def decide(state: RoomState, at: int) -> Sequence[Event]:
        seat = state.seats.get(name)
        if seat is None or not desk.listens(name, seat.agent):
            return ()
        tells = not desk.hand.opens_turns(holder)
        pairs = ((name, seat.agent),)
        facts = facts_of(desk, pairs, holder, at, hold_for, states=states, tells=tells)
        chosen: Sequence[str] = pairs[0][:1]
        if state.team is not None:
            chosen, stopped = team.selected(state, chosen, facts, at)
            if stopped:
                return stopped
        events = ledger.take(state, chosen, facts, now=at, limit=1)
        return [*events, *_opened(state, events, facts.until)]

    with desk.passing_over(room_id):
        states = _states_of(desk, room_id, (name,), None)
        committed = desk.record_in(room_id, decide, by=SYSTEM, now=now)
        if committed is None:
            return None
        [facts] = committed.facts.values()
        for wake in _shown(
            desk, room_id, facts, hold_for=hold_for, holder=holder, now=now
        ):
            desk.hand.note_taken(room_id, wake.conversation, holder)
            return wake
    return None


def _opened(room: RoomState, events: Sequence[Event], until: int) -> list[TurnOpened]:
    """The turn of what one seat takes, which is the last, opened in the same commit."""
    if not events or not isinstance(events[-1], WakeTaken):
        return []
    wake = record_id(room.id, room.version + len(events))
    return [TurnOpened(events[-1].conversation, wake, until)]


def _states_of(
    desk: Desk,
    room_id: str,
    names: Sequence[str],
    failures: list[HookFailure] | None,
) -> Mapping[str, str]:
    """What the host says of the conversations, where it says anything."""
    if not desk.hears("rooms_state") or desk.plugins is None:
        return {}
    with desk.lock:
        state = desk.room(room_id)
        found = [
            Conversation(name, state.seats[name].agent, desk)
            for name in names
            if name in state.seats
        ]
    states = {}
    for one in found:
        outcome = desk.plugins.first("rooms_state", conversation=one)
        if failures is not None:
            failures += outcome.failures
        if outcome.answer is not None:
            states[one.id] = str(outcome.answer.value)
    return states


def _shown(
    desk: Desk,
    room_id: str,
    facts: Sequence[Fact],
    *,
    hold_for: timedelta,
    holder: str,
    now: datetime | None,
) -> list[Wake]:
    """
    The wakes that were taken, as values.

    Where a message cannot be read, they are given back; and looked at again only when
    there is something new, if it is the message that cannot, and not the storage.
    """
    try:
        return wakes_of(desk, room_id, facts, hold_for)
    except RoomsError as error:
        seated = []
        for fact in facts:
            if isinstance(fact.event, WakeTaken):
                one = _seated(desk, room_id, fact.event.conversation)
                wake = record_id(room_id, fact.version)
                desk.hand.untold.append((room_id, wake, one, holder))
                seated.append(one.id)
        _return_untold(desk, now)
        if not _passes(error):
            with desk.lock:
                desk.wakes.feed()
                desk.wakes.forget(room_id, seated, known=desk.streams.position)
        raise


def _return_untold(desk: Desk, now: datetime | None) -> None:
    """
    Gives back what was taken and could not be shown. Where the storage fails here too,
    the next take begins with it: else its holder, coming back, would say it was told.
    """
    for held in tuple(desk.hand.untold):
        room, wake, one, holder = held
        with desk.passing_over(room):
            give_back(desk, room, wake, one, holder=holder, now=now)
        with suppress(ValueError):  # another thread did so too
            desk.hand.untold.remove(held)


def _passes(error: RoomsError) -> bool:
    """Whether the storage may do the next time what it did not do now."""
    return isinstance(error, StorageError) and not isinstance(error, CorruptLog)


def _seated(desk: Desk, room_id: str, name: str) -> Conversation:
    with desk.lock:
        agent = desk.room(room_id).seats[name].agent
    return Conversation(name, agent, desk)


def clean(desk: Desk, room_id: str, names: Sequence[str]) -> None:
    """
    Drops the projection's rows of seats that have nothing to take, or are on hold: the
    end of a hold makes them anew. The rows of those that were taken go as it is fed.
    """
    if not names:
        return
    with desk.lock:
        try:
            room: RoomState | None = desk.room(room_id)
        except NotFound:
            room = None
        gone = [
            name for name in names if room is None or not _has_something(room, name)
        ]
        desk.wakes.forget(room_id, gone, known=desk.streams.position)


def _has_something(room: RoomState, name: str) -> bool:
    seat = room.seats.get(name)
    if seat is None or room.on_hold(seat):
        return False
    return seat.has(Lane.READY) or room.is_due(seat)


def notices(
    desk: Desk,
    conversation: Conversation,
    running: Sequence[Wake],
    *,
    now: datetime | None,
) -> tuple[Wake, ...]:
    """What a turn of the conversation is told now, one notice a room."""
    with desk.lock:
        desk.check_usable()
        if not desk.listens(conversation.id, conversation.agent):
            return ()
        rooms = tuple(desk.seated.rooms_of(conversation.id))
    found: list[Wake] = []
    for room_id in rooms:
        there = (w.holder for w in running if w.room.id == room_id)
        holder = next(there, desk.hand.holder)
        found += _notice_in(desk, room_id, conversation, holder, now)
    return tuple(found)


def _notice_in(
    desk: Desk, room_id: str, one: Conversation, holder: str, now: datetime | None
) -> list[Wake]:
    stream = room_stream(room_id)

    def decide(at: int) -> Decision:
        state = desk.room(room_id)
        facts = facts_of(desk, [(one.id, one.agent)], holder, at, HOLD)
        if not team.may_start(state, one.id, facts, at):
            return Decision()
        events = ledger.notice(state, one.id, facts, now=at)
        # Opened at once: what is taken here is told by the turn that asks.
        opened = _opened(state, events, facts.until)
        return Decision({stream: [*events, *opened]})

    wakes: list[Wake] = []
    now = desk.clock() if now is None else now
    with desk.passing_over(room_id):
        with desk.lock.cached:  # as whoever found the room has proven it
            at = max(desk.time(now), desk.streams.current(stream).at)
            if not decide(at).runs():
                return []
        committed = desk.record(decide, stream, by=SYSTEM, now=now)
        facts = () if committed is None else committed.facts[stream]
        wakes += _shown(desk, room_id, facts, hold_for=HOLD, holder=holder, now=now)
    return wakes
