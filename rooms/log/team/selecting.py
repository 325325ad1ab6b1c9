"""
Selecting: whose turns start in a team's room, from what its seats are owed.

Law: a signal is nothing of its own but what a seat is owed, so one that could not start
keeps it, and one that starts is told all (S-SCHED-07); and the take that selects a
member marks it as working (S-SCHED-10).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter

from rooms.log.events import Event
from rooms.log.ledger.claims import TakeFacts
from rooms.log.owed import Cause
from rooms.log.state import Lane, RoomState, Seat
from rooms.log.team.limits import reached, stopped_at_limit
from rooms.log.team_looks import is_startable
from rooms.log.team_state import MemberState
from rooms.planning.signals import Candidate, Reason, Signal, Slots, select_turns

__all__ = ["may_start", "selected", "signals_of", "slots_of"]

SYSTEM_RULES = frozenset({"owes_answer", "unread", "idle", "deadlock", "no_progress"})
"""The rules by which the library itself wakes members."""


def selected(
    room: RoomState, conversations: Sequence[str], facts: TakeFacts, now: int
) -> tuple[Sequence[str], list[Event]]:
    """
    Those of these conversations that may have a turn now, the most urgent first, and
    what has to be recorded first; all of them, where no team hands out turns.

    What is held already keeps its place, and whether it can be taken again is the
    ledger's to say.
    """
    team = room.team
    if team is None or room.policy.planner != "signals":
        return conversations, []
    stopped = stopped_at_limit(room, reached(team, worked=team.worked_until(now)))
    if stopped:
        return (), stopped
    asked = [one for one in conversations if one not in facts.away]
    held = [
        one
        for one in asked
        if (seat := room.seats.get(one)) is not None
        if seat.wake is not None and not seat.wake.running
    ]
    chosen = select_turns(slots_of(room), signals_of(room, set(asked)), now)
    starting = [team.members[one.member].conversation for one in chosen]
    return [*held, *starting], []


def may_start(room: RoomState, conversation: str, facts: TakeFacts, now: int) -> bool:
    """Whether what waits for a conversation may go into a turn of it now."""
    seat = room.seats.get(conversation)
    if seat is None or seat.wake is not None:
        return True
    chosen, _ = selected(room, [conversation], facts, now)
    return conversation in chosen


def slots_of(room: RoomState) -> Slots:
    """The room's places for turns, and who is there to have them."""
    team = room.team
    if team is None:
        return Slots(0, {})
    found = {
        one.key: Candidate(
            is_startable(room, one), _seat(room, one).wake is not None, one.lead
        )
        for one in team.present()
        if one.conversation
    }
    return Slots(team.limits.max_active_turns, found)


def signals_of(room: RoomState, asked: Collection[str]) -> list[Signal]:
    """
    Why members should have turns: those whose conversations are asked for, in the order
    of the messages, which tells those of one instant apart.
    """
    team = room.team
    found = [
        signal
        for member in (() if team is None else team.present())
        if member.conversation in asked
        for signal in _signals(member, _seat(room, member))
    ]
    found.sort(key=itemgetter(0))
    return [signal for _, signal in found]


def _signals(member: MemberState, seat: Seat) -> list[tuple[int, Signal]]:
    ready = (seat.account.owed or {}).get(Lane.READY, {})
    found: dict[Reason, tuple[int, int]] = {}
    cause: Cause | None = None
    for entry in ready.values():  # in their order: the first of a reason is its oldest
        if entry.cause is not cause:  # equal causes are one value
            cause = entry.cause
            found.setdefault(_reason(member, cause), (entry.seq, entry.at))
    if member.resumed and ready:
        found[Reason.ANSWER] = (next(iter(ready)), member.resumed)
    return [
        (seq, Signal(member.key, reason, at)) for reason, (seq, at) in found.items()
    ]


def _reason(member: MemberState, cause: Cause) -> Reason:
    if cause.why == "assigned":
        return Reason.WORK
    if cause.agents or cause.why in SYSTEM_RULES:
        return Reason.MESSAGE
    if member.lead and not member.turns:
        return Reason.FIRST_TURN
    return Reason.INTERVENTION


def _seat(room: RoomState, member: MemberState) -> Seat:
    return room.seats[member.conversation]
