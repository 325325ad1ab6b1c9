"""
Sending: whatever is due is handed to the plugins that push.

Three laws. A push is counted before a plugin is asked, and whatever the plugin does, no
try is given back (L-NOTIFY-04). No lock is held meanwhile. And a conversation that
cannot be sent to holds up no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from rooms.lobby.derived.projections import Span
from rooms.lobby.handles import Conversation
from rooms.lobby.pushing.confirming import note_stage
from rooms.lobby.pushing.receipts import receipts_waiting, reserve_receipts
from rooms.lobby.pushing.reserving import Reserved, reserve
from rooms.lobby.pushing.values import Push, ReceiptPush
from rooms.lobby.recording.streams import agent_stream
from rooms.log import ledger

if TYPE_CHECKING:
    from rooms.hooks import HookFailure
    from rooms.lobby.desk import Desk

__all__ = ["send_due", "send_receipts"]

_DUE = 100


def send_due(
    desk: Desk, now: datetime | None, failures: list[HookFailure]
) -> tuple[Push, ...]:
    """
    Sends one push to each conversation for which something is due; what plugins do
    wrong goes to `failures`.
    """
    pushed: list[Push] = []
    seen: set[str] = set()
    for conversation, agent in _to_send(desk, now):
        if conversation in seen:
            continue
        seen.add(conversation)
        one = Conversation(conversation, agent, desk)
        with desk.passing_over(agent_stream(agent)):
            made = _reserved(desk, one, now, failures)
            if made.push is not None:
                pushed.append(made.push)
                failures += _send(desk, made.push, now)
    return tuple(pushed)


def send_receipts(
    desk: Desk,
    agents: Iterable[str],
    now: datetime | None,
    failures: list[HookFailure],
) -> tuple[ReceiptPush, ...]:
    """Sends receipts that are due to those of these agents that asked for them."""
    pushed: list[ReceiptPush] = []
    held = [agent for agent, _ in desk.unsent.receipts]
    if desk.unsent.epoch != desk.streams.epoch:  # others may have held some, too
        with desk.lock:
            held += [one.agent for one in desk.directory().agents.values()]
    for agent in dict.fromkeys((*agents, *held)):
        with desk.passing_over(agent_stream(agent)):
            for one in receipts_waiting(desk, agent):
                why = _hindrance(desk, one, failures)
                made = reserve_receipts(desk, one, why, now=now)
                if made is not None:
                    pushed.append(made)
                    failures += _send(desk, made, now)
    return tuple(pushed)


def _reserved(
    desk: Desk, one: Conversation, now: datetime | None, failures: list[HookFailure]
) -> Reserved:
    made = reserve(desk, one, _hindrance(desk, one, failures), now=now)
    if made.held:
        desk.unsent.held[one.id] = one.agent
    else:
        desk.unsent.held.pop(one.id, None)
    return made


def _hindrance(desk: Desk, one: Conversation, failures: list[HookFailure]) -> str:
    """Why nothing can be sent to a conversation now, or ""."""
    with desk.lock:
        talk = desk.talks(one.agent).talks.get(one.id)
        held = desk.agent(one.agent).may.held
    if held:
        return held
    if talk is not None and not talk.listening:
        return "unready"
    if desk.plugins is None or not desk.hears("rooms_state"):
        return ""
    outcome = desk.plugins.first("rooms_state", conversation=one)
    failures += outcome.failures
    away = outcome.answer is not None and str(outcome.answer.value) == "away"
    return "away" if away else ""


def _send(
    desk: Desk, push: Push | ReceiptPush, now: datetime | None
) -> list[HookFailure]:
    plugins = desk.plugins
    if plugins is None:
        return []
    outcome = plugins.first("rooms_push", push=push)
    if outcome.answer is not None:
        note_stage(desk, push, str(outcome.answer.value), now=now)
    return list(outcome.failures)


def _to_send(desk: Desk, now: datetime | None) -> Iterator[tuple[str, str]]:
    """
    Conversations for which something may be due: by their rooms' due instants, and
    those that could not be sent to when somebody looked last.
    """
    yield from _due(desk, now)
    yield from tuple(desk.unsent.held.items())
    if desk.unsent.epoch != desk.streams.epoch:  # others may have held some, too
        desk.unsent.epoch = desk.streams.epoch
        yield from _held_by_others(desk)


def _due(desk: Desk, now: datetime | None) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    while True:
        found = desk.storage.due(desk.time(now), limit=_DUE + len(seen))
        fresh = [stream for stream in found if stream not in seen]
        seen.update(fresh)
        for stream in fresh:
            yield from _due_in(desk, stream, now)
        if len(fresh) < _DUE:
            return


def _due_in(desk: Desk, stream: str, now: datetime | None) -> list[tuple[str, str]]:
    kind, _, room_id = stream.partition(":")
    found: list[tuple[str, str]] = []
    if kind == "room":
        with desk.passing_over(room_id), desk.lock:
            room = desk.room(room_id)
            at = max(desk.time(now), room.at)
            for seat in room.due(at):
                offer = ledger.offer(room, seat, at)
                if offer is not None and offer.due:
                    found.append((seat.conversation, seat.agent))
    return found


def _held_by_others(desk: Desk) -> Iterator[tuple[str, str]]:
    for span in desk.wakes.of_all():
        rest: Span | None = span
        while rest is not None:
            with desk.lock:
                page, rest = desk.wakes.page(rest)
            for ready in page:
                with desk.passing_over(ready.room), desk.lock:
                    seat = desk.room(ready.room).seats.get(ready.conversation)
                    looked_at = seat is not None and seat.pushing is not None
                if looked_at and seat is not None:
                    yield ready.conversation, seat.agent
