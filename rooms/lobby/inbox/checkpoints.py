"""
Checkpoints: what a conversation keeps of what it has read, for whoever runs it next.

Two laws. A save says which revision it started from, and is refused where another came
in between (unify.md, 2). And what it acknowledges and that it covers this is one
commit, so no receipt is hidden and none is left out (L-CKPT-05).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.handles import Conversation
from rooms.lobby.inbox.acknowledging import Acknowledging, ids_meant
from rooms.lobby.inbox.looking import acting, looking
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream
from rooms.log import receipts
from rooms.log.agents import Talk
from rooms.log.receipts import CheckpointSaved
from rooms.rendering import Notice
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Checkpoint", "SavedCheckpoint", "checkpoint", "checkpoint_of", "save"]

_LONGEST = 32_000  # L-CKPT-02


def _measured(words: str) -> str:
    return f"<{len(words)} characters>"


@frozen
class Checkpoint:
    """
    What a conversation keeps of what it has read.

    Attributes:
        receipt_snapshot: The number of the conversation's last receipt, when it was
            read; whoever saves needs it.
        revision: Its number; 0 before the first save.
        content: What it says.
        covered_receipt_seq: The last receipt that it covers.
        updated_at: When it was saved, UTC; None before the first save.
        runtime: How the runtime that saved it names itself; None where it did not.
    """

    receipt_snapshot: int
    revision: int = 0
    content: str = field(default="", repr=_measured)
    covered_receipt_seq: int = 0
    updated_at: datetime | None = None
    runtime: str | None = None


@frozen
class SavedCheckpoint:
    """
    What came of a save.

    Attributes:
        checkpoint: The checkpoint as it is now.
        unknown_message_ids: What was to be acknowledged and names no message of the
            inbox: mistyped, or gone.
        notices: As of `Acknowledged`.
    """

    checkpoint: Checkpoint
    unknown_message_ids: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def checkpoint(desk: Desk, inbox: Conversation, by: Any) -> Checkpoint:
    """As `Inbox.checkpoint`, which documents it."""
    looking(desk, inbox, by)
    with desk.lock:
        return checkpoint_of(desk, inbox)


def checkpoint_of(desk: Desk, inbox: Conversation) -> Checkpoint:
    """The checkpoint of a conversation; the lock is held."""
    talk = desk.talks(inbox.agent).talk(inbox.id)
    fact = desk.fact(agent_stream(inbox.agent), talk.saved) if talk.saved else None
    if fact is None or not isinstance(fact.event, CheckpointSaved):
        return Checkpoint(talk.receipts)
    saved = fact.event
    return Checkpoint(
        talk.receipts,
        saved.revision,
        saved.content,
        saved.covered,
        moment(fact.at),
        saved.runtime or None,
    )


def save(
    desk: Desk,
    inbox: Conversation,
    content: str,
    *,
    base: int,
    covered: int,
    acknowledge: Any,
    by: Any,
    now: datetime | None,
) -> SavedCheckpoint:
    """As `Inbox.save_checkpoint`, which documents it."""
    actor = acting(desk, inbox, by)
    words = values.storable("content", content)
    if len(words) > _LONGEST:
        raise InvalidInput(
            "content",
            f"has {len(words)} characters",
            allowed=f"up to {_LONGEST}",
            code="too_large",
            limit=_LONGEST,
        )
    values.whole_number("base", base, at_least=0)
    values.whole_number("covered_receipt_seq", covered, at_least=0)
    named = ids_meant(acknowledge, least=0)
    command = Acknowledging(desk, inbox, actor, named)

    def decide(_: int) -> Decision:
        command.look()
        talk: Talk = command.talk
        saved = receipts.save(
            talk,
            base=base,
            covered=covered,
            fresh=command.count,
            content=words,
            runtime="" if talk.runtime is None else talk.runtime.id,
            generation=actor.generation,
        )
        return command.decided(saved)

    stream = agent_stream(inbox.agent)
    committed = desk.record(decide, *command.streams, by=actor, now=now)
    facts = committed.facts[stream] if committed else ()
    [event] = [one.event for one in facts if isinstance(one.event, CheckpointSaved)]
    at = None if committed is None else moment(committed.at)
    kept = Checkpoint(
        command.snapshot,
        event.revision,
        words,
        event.covered,
        at,
        event.runtime or None,
    )
    given = command.answer()
    return SavedCheckpoint(kept, given.unknown_message_ids, given.notices)
