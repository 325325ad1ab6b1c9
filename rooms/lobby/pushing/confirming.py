"""
Confirming: what a transport says of a push that it was handed.

Two laws. It is the word of the runtime to which the push was sent, and of no older one;
the same word again changes nothing (L-NOTIFY-15). And it says that something was
written, and never that it was seen (L-FACT-05).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import Conflict, NotFound, Refused
from rooms.lobby.handles import actor_of, conversation_of
from rooms.lobby.pushing.values import Push, ReceiptPush
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.log import ledger, notified
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.notified import STAGES, PushReserved

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["confirm", "note_stage"]


def confirm(
    desk: Desk, push: Any, *, by: Any, stage: Any, now: datetime | None
) -> None:
    """As `Lobby.confirm`, which documents it."""
    conversation_of(by)  # no person confirms anything
    actor = actor_of(by, desk)
    name = values.text(
        "push", push.id if isinstance(push, Push | ReceiptPush) else push, empty=False
    )
    stage = values.member("stage", stage, STAGES)
    _record(desk, name, actor, stage, now)


def note_stage(
    desk: Desk, push: Push | ReceiptPush, stage: str, *, now: datetime | None
) -> None:
    """Notes what a plugin answered; where its runtime was overtaken, nothing."""
    one = push.conversation
    actor = Actor("conversation", one.id, one.agent, generation=push.generation)
    with suppress(Refused):  # it was overtaken, or disabled, or its agent is gone
        _record(desk, push.id, actor, stage, now)


def _record(
    desk: Desk, name: str, actor: Actor, stage: str, now: datetime | None
) -> None:
    named = notified.push_named(name)
    stream = agent_stream(actor.agent)

    def decide(_: int) -> Decision:
        check_fence(desk, actor)
        ours = named is not None and name_key(named[0]) == name_key(actor.agent)
        version = named[1] if named is not None and ours else 0
        fact = desk.fact(stream, version) if version else None
        event = None if fact is None else fact.event
        if not isinstance(event, PushReserved) or event.conversation != actor.id:
            raise NotFound(
                "unknown_notification",
                f"no push {name[:80]!a} was sent to the conversation",
                push=name[:80],
            )
        state = desk.talks(actor.agent)
        generation = state.talk(actor.id).generation
        if event.generation != generation:
            raise Conflict(
                "stale_runtime",
                "the push was sent to an older runtime",
                current=generation,
            )
        said = notified.confirm(state.notified, version, stage)
        forgotten = version not in state.notified.sent
        appends: dict[str, Sequence[Event]] = {stream: said}
        if stage == "attempted" and (said or forgotten):
            appends |= _told(desk, name, event, new=forgotten)
        return Decision(appends)

    desk.record(decide, stream, by=actor, now=now)


def _told(
    desk: Desk, name: str, event: PushReserved, *, new: bool
) -> dict[str, Sequence[Event]]:
    """
    What it does in each room that is still there; only where anything is told by it
    that was not, where that is all that tells whether it was said before.
    """
    told: dict[str, Sequence[Event]] = {}
    for room_id, seqs in event.covered:
        if room_id in desk.directory().rooms:
            seat = desk.room(room_id).seats.get(event.conversation)
            if seat is not None:
                events = ledger.tell(seat, name, seqs, new=new)
                told[room_stream(room_id)] = events
    return told
