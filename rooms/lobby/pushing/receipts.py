"""
Receipts, pushed: who sent something and asked for it is told who has seen it.

Two laws. Each receipt is sent once at most, and counted before it is sent
(L-RECEIPT-09). And one that could not be sent for a day is dropped, while the fact that
it tells stays with its message.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rooms.lobby.derived.told import Seen
from rooms.lobby.handles import Conversation
from rooms.lobby.inbox.receipts import Receipt, receipt_of
from rooms.lobby.pushing.reserving import runtime_of
from rooms.lobby.pushing.values import ReceiptPush
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream
from rooms.log.actors import SYSTEM
from rooms.log.events import Event
from rooms.log.notified import (
    MOST_RECEIPTS,
    Notified,
    PushReserved,
    ReceiptsDropped,
    ReceiptsHeld,
    push_id,
)
from rooms.log.receipts import ReceiptsOwed
from rooms.log.tries import LOOK
from rooms.pacing import Pushes, frees_at

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["receipts_waiting", "reserve_receipts", "tick_receipts"]

_WINDOW = Pushes().window


def receipts_waiting(desk: Desk, agent: str) -> list[Conversation]:
    """The conversations of an agent for which receipts wait."""
    with desk.lock:
        owing = desk.talks(agent).notified.owing
        return [Conversation(one, agent, desk) for one in owing]


def tick_receipts(desk: Desk, agent: str, now: datetime | None) -> None:
    """
    Drops what has waited for too long; and where nobody pushes, lets what is due wait
    until somebody looks who does.
    """
    stream = agent_stream(agent)

    def decide(at: int) -> Decision:
        state = desk.talks(agent).notified
        events: list[Event] = []
        for one, owing in state.owing.items():
            over = state.over(one, at)
            events += [ReceiptsDropped(one, over)] if over else []
            if over == owing.count:
                continue  # nothing is left to hold
            if not desk.hears("rooms_push") and _is_due(state, one, at):
                events.append(ReceiptsHeld(one, "nobody"))
        return Decision({stream: events})

    desk.record(decide, stream, by=SYSTEM, now=now)


def _is_due(state: Notified, conversation: str, at: int) -> bool:
    due = state.receipts_due(conversation)
    return due is not None and due <= at


def reserve_receipts(
    desk: Desk, one: Conversation, why: str, *, now: datetime | None
) -> ReceiptPush | None:
    """
    Counts a push of receipts and makes it; or holds them, where `why` says that nothing
    can be sent, or where their agent was sent as much as it may be.
    """
    stream = agent_stream(one.agent)
    made: list[ReceiptPush] = []

    def decide(at: int) -> Decision:
        made.clear()
        state = desk.talks(one.agent)
        owing = state.notified.owing.get(one.id)
        if owing is None or not owing.records:
            return Decision()
        looked_at = owing.since == LOOK
        if not looked_at and not _is_due(state.notified, one.id, at):
            return Decision()
        if why:
            held = [] if looked_at else [ReceiptsHeld(one.id, why)]
            return Decision({stream: held})
        sent = state.notified.instants
        free = frees_at(_WINDOW.limit, _WINDOW.micros, sent, at) or at
        if free > at:
            return Decision({stream: [ReceiptsHeld(one.id, "window", free)]})
        talk = state.talks.get(one.id)
        told = owing.oldest(MOST_RECEIPTS)
        push = ReceiptPush(
            push_id(one.agent, state.version + 1),
            one,
            0 if talk is None else talk.generation,
            runtime_of(talk),
            tuple(_receipts(desk, stream, told)),
            owing.count - len(told),
        )
        made.append(push)
        reserved = PushReserved(
            one.id,
            _WINDOW.micros,
            "receipts",
            push.generation,
            receipts=len(told),
        )
        return Decision({stream: [reserved]})

    desk.record(decide, stream, by=SYSTEM, now=now)
    with desk.lock:
        owing = desk.talks(one.agent).notified.owing.get(one.id)
        waits = owing is not None and owing.since == LOOK
    if waits:
        desk.unsent.receipts[one.agent, one.id] = None
    else:
        desk.unsent.receipts.pop((one.agent, one.id), None)
    return made[0] if made and made[0].receipts else None


def _receipts(desk: Desk, stream: str, told: list[tuple[int, int]]) -> list[Receipt]:
    """The receipts of these records; what they tell of may be gone."""
    found = []
    for version, place in told:
        fact = desk.fact(stream, version)
        if fact is not None and isinstance(fact.event, ReceiptsOwed):
            owed = fact.event
            seen = Seen(0, owed.messages[place], owed.seen_by, owed.agent, fact.at)
            receipt = receipt_of(desk, seen)
            if receipt is not None:
                found.append(receipt)
    return found
