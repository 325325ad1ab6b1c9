"""
Reserving: what a push carries is put together and counted, before anybody sends it.

Three laws. One push carries all that a conversation is owed and that is due, over all
its rooms, with what was never tried beside it. It is one commit: the place that it
takes in its agent's window, and the try of everything that it carries. And what cannot
be sent now is looked at again when it can be, and not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from rooms.lobby.derived.projections import Span
from rooms.lobby.handles import Conversation
from rooms.lobby.messages import Message, messages_at
from rooms.lobby.pushing.values import Push, header_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.lobby.room import Room
from rooms.log import ledger
from rooms.log.actors import SYSTEM
from rooms.log.agents import Talk
from rooms.log.events import Event
from rooms.log.ledger import TakeFacts
from rooms.log.notified import PushReserved, push_id
from rooms.log.state import Entry, RoomState
from rooms.pacing import Pushes, frees_at

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Reserved", "reserve", "rooms_to_push", "runtime_of"]


@frozen
class Reserved:
    """
    What came of it: a push to send, or why nothing is sent until somebody looks, or
    that a newer claim was noted first and it has to be asked `again`.
    """

    push: Push | None = None
    held: str = ""
    again: bool = False


@frozen
class _Offered:
    """A room in which there is something to push, with the rules for it."""

    room: RoomState
    offer: ledger.Offer
    pushes: Pushes


def reserve(
    desk: Desk, one: Conversation, why: str, *, now: datetime | None
) -> Reserved:
    """
    Counts a push of a conversation and makes it; or holds what is due, where `why` says
    that nothing can be sent, or where its agent was sent as many as it may be.
    """
    made: list[Reserved] = []

    def decide(at: int) -> Decision:
        made[:] = [Reserved()]
        reclaimed = _reclaimed(desk, one, at)
        if reclaimed:
            made[:] = [Reserved(again=True)]
            return Decision(reclaimed)
        found = _offered(desk, one, at)
        due = [each for each in found if each.offer.due]
        if not due:
            return Decision()
        if why:
            made[:] = [Reserved(held=why)]
            return Decision(_holding(one, due, why))
        free = max(_frees_at(desk, one, each, at) for each in due)
        if free > at:
            return Decision(_holding(one, due, "window", free))
        push = _made(desk, one, found)
        made[:] = [Reserved(push)]
        return Decision(_counted(one, push, found, at))

    streams = [room_stream(room) for room in rooms_to_push(desk, one)]
    desk.record(decide, agent_stream(one.agent), *streams, by=SYSTEM, now=now)
    if made[0].again:
        desk.record(decide, agent_stream(one.agent), *streams, by=SYSTEM, now=now)
    return made[0]


def rooms_to_push(desk: Desk, one: Conversation) -> list[str]:
    """The rooms in which something may be ready for a conversation."""
    rooms: dict[str, None] = {}
    with desk.lock:
        for span in desk.wakes.of_conversations([(one.id, one.agent)]):
            rest: Span | None = span
            while rest is not None:
                page, rest = desk.wakes.page(rest)
                rooms |= dict.fromkeys(seat.room for seat in page)
    return list(rooms)


def _reclaimed(desk: Desk, one: Conversation, at: int) -> dict[str, Sequence[Event]]:
    """What rooms that do not know of the newest claim yet give back (ledger 11)."""
    facts = TakeFacts("", at, desk.generations([(one.id, one.agent)]))
    found: dict[str, Sequence[Event]] = {}
    for room_id in rooms_to_push(desk, one) if facts.generations else ():
        if room_id in desk.directory().rooms:
            events = ledger.reclaim(desk.room(room_id), one.id, facts, now=at)
            found |= {room_stream(room_id): events} if events else {}
    return found


def _offered(desk: Desk, one: Conversation, at: int) -> list[_Offered]:
    """What there is to push, by room, in the order of their ids."""
    found = []
    listed = desk.directory().rooms
    for room_id in sorted(rooms_to_push(desk, one)):
        room = desk.room(room_id) if room_id in listed else RoomState()
        seat, pushes = room.seats.get(one.id), room.policy.pushes
        offer = None if seat is None else ledger.offer(room, seat, at)
        if offer is not None and pushes is not None:
            found.append(_Offered(room, offer, pushes))
    return found


def _frees_at(desk: Desk, one: Conversation, each: _Offered, at: int) -> int:
    """When the agent may be sent another push, as a room's rules have it."""
    window, sent = each.pushes.window, desk.talks(one.agent).notified.instants
    return frees_at(window.limit, window.micros, sent, at) or at + window.micros


def _holding(
    one: Conversation, due: Iterable[_Offered], why: str, until: int = 0
) -> dict[str, Sequence[Event]]:
    return {
        room_stream(each.room.id): ledger.hold(each.room.seats[one.id], why, until)
        for each in due
    }


def _counted(
    one: Conversation, push: Push, found: Sequence[_Offered], at: int
) -> dict[str, Sequence[Event]]:
    """The push as it is recorded: its place in the window, and what it is a try of."""
    covered = tuple(
        (each.room.id, tuple(entry.seq for entry in each.offer.entries))
        for each in found
    )
    period = max(each.pushes.window.micros for each in found)
    reserved = PushReserved(
        one.id,
        period,
        generation=push.generation,
        covered=covered,
        pending=push.pending_count,
        truncated=push.truncated,
    )
    appends: dict[str, Sequence[Event]] = {agent_stream(one.agent): [reserved]}
    for each in found:
        seat = each.room.seats[one.id]
        events = ledger.push(each.room, seat, push.id, each.offer, at)
        appends[room_stream(each.room.id)] = events
    return appends


def _made(desk: Desk, one: Conversation, found: Sequence[_Offered]) -> Push:
    """The push as a value: whole, or a hint."""
    entries = [(each.room.id, entry) for each in found for entry in each.offer.entries]
    entries.sort(key=lambda pair: (not pair[1].important, pair[1].at, pair[0]))
    most = min(each.pushes.max_messages for each in found)
    room_for = min(each.pushes.max_bytes for each in found)
    state = desk.talks(one.agent)
    talk = state.talks.get(one.id)
    push = Push(
        push_id(one.agent, state.version + 1),
        one,
        0 if talk is None else talk.generation,
        runtime_of(talk),
        (),
        (),
        len(entries),
        desk.deliveries.count_unseen(one.id),
        truncated=True,
        rooms=tuple(Room(each.room.id, desk) for each in found),
    )
    if len(entries) <= most and not any(each.offer.piled for each in found):
        whole = evolve(push, messages=_messages(desk, entries), truncated=False)
        if whole.size <= room_for:
            return whole
    headers = [header_of(one) for one in _messages(desk, entries[:most])]
    hint = evolve(push, covered=tuple(headers))
    while hint.covered and hint.size > room_for:
        hint = evolve(hint, covered=hint.covered[:-1])
    return hint


def runtime_of(talk: Talk | None) -> str:
    """How the runtime that has a conversation names itself, or ""."""
    return "" if talk is None or talk.runtime is None else talk.runtime.id


def _messages(desk: Desk, entries: Sequence[tuple[str, Entry]]) -> tuple[Message, ...]:
    by_room: dict[str, list[int]] = {}
    for room, entry in entries:
        by_room.setdefault(room, []).append(entry.seq)
    found = {
        (room, message.seq): message
        for room, seqs in by_room.items()
        for message in messages_at(desk, room, seqs)
    }
    return tuple(found[room, entry.seq] for room, entry in entries)
