"""
Receipts and checkpoints: what a conversation says it has seen, and what it keeps of
that for whoever runs it next.

Three laws. Each first acknowledgement has a number of its own, the next of its
conversation; the entry that it settles stands in the room's ledger, with the number
(L-RECEIPT-03). A checkpoint covers receipts up to one, never fewer than before, and
never one that its writer did not know of (L-CKPT-04, L-CKPT-05). And its words are
body: the state keeps where they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rooms.errors import Conflict
from rooms.log.comparing import check_base
from rooms.log.events import Event, Fact, recorded

if TYPE_CHECKING:
    from rooms.log.agents import Talk

__all__ = [
    "CheckpointSaved",
    "ReceiptsGiven",
    "ReceiptsOwed",
    "evolve",
    "give",
    "save",
]


@recorded("receipts_given")
class ReceiptsGiven(Event):
    """A conversation acknowledged messages; its last receipt has the number `last`."""

    conversation: str
    last: int


@recorded("receipts_owed", critical=False)
class ReceiptsOwed(Event):
    """
    A conversation is to be told that messages of its own, which asked for that, were
    acknowledged by another (L-RECEIPT-07).

    It stands in the stream of who sent them; `agent` is that of `seen_by`.
    """

    conversation: str
    seen_by: str
    agent: str
    messages: tuple[str, ...]


@recorded("checkpoint_saved", body=("content",))
class CheckpointSaved(Event):
    """
    A conversation's checkpoint is another one.

    Attributes:
        conversation: Whose.
        revision: Its number, one more than that of the last.
        covered: The last receipt that it covers.
        runtime: How the runtime that wrote it names itself, or "".
        generation: The claim under which it was written; 0 for none.
        content: What it says.
    """

    conversation: str
    revision: int
    covered: int
    runtime: str = ""
    generation: int = 0
    content: str = ""


def evolve(talk: Talk, fact: Fact) -> bool:
    """Folds one fact of a conversation in, if it is one of these."""
    match fact.event:
        case ReceiptsGiven() as given:
            talk.receipts = given.last
        case CheckpointSaved() as saved:
            talk.revision, talk.covered = saved.revision, saved.covered
            talk.saved = fact.version
        case _:
            return False
    return True


def give(talk: Talk, count: int) -> list[Event]:
    """So many more receipts; nothing for none."""
    return [ReceiptsGiven(talk.id, talk.receipts + count)] if count else []


def save(
    talk: Talk,
    *,
    base: int,
    covered: int,
    fresh: int,
    content: str,
    runtime: str = "",
    generation: int = 0,
) -> list[Event]:
    """
    Another checkpoint, with as many `fresh` receipts as it acknowledges messages.

    It covers these as well; so that none in between is hidden, `covered` has to be the
    last receipt that there is. Without them it may be any from what the last one
    covered on.

    Raises:
        Conflict: `checkpoint_conflict` for any but the current revision, with
            `current`; `receipt_snapshot_conflict` for a number that may not be covered,
            with `at_least` and `at_most`.
    """
    check_base(base, talk.revision, code="checkpoint_conflict")
    least, most = (talk.receipts if fresh else talk.covered), talk.receipts
    if not least <= covered <= most:
        may = f"{most}" if least == most else f"{least} to {most}"
        raise Conflict(
            "receipt_snapshot_conflict",
            f"it covers receipts up to {covered}; it may up to {may}",
            current=most,
            at_least=least,
            at_most=most,
        )
    saved = CheckpointSaved(
        talk.id, talk.revision + 1, covered + fresh, runtime, generation, content
    )
    return [*give(talk, fresh), saved]
