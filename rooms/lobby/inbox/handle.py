"""
The handle of an inbox, from `Lobby.inbox`.

Law: a handle holds no state but whose inbox it is and who looks; every call reads or
changes the ledgers of the rooms themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.lobby.handles import Agent, Conversation, actor_of
from rooms.lobby.inbox.acknowledging import Acknowledged, acknowledge
from rooms.lobby.inbox.asking import PAGE_BYTES, Asked, Wanted
from rooms.lobby.inbox.checkpoints import (
    Checkpoint,
    SavedCheckpoint,
    checkpoint,
    save,
)
from rooms.lobby.inbox.context import Context, context
from rooms.lobby.inbox.facts import count_unseen
from rooms.lobby.inbox.looking import owner_of
from rooms.lobby.inbox.mail import InboxPage
from rooms.lobby.inbox.pages import history, pending, reconciliation
from rooms.lobby.inbox.receipts import ReceiptPage, receipts
from rooms.lobby.messages import Message

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Inbox", "inbox_of"]

_PAGE = 30


@frozen
class Inbox:
    """
    What a conversation is owed over all its rooms.

    Attributes:
        conversation: Whose it is.

    Any call raises `NotAllowed` with `owner_required` for who is neither the
    conversation itself, nor the person for whom it acts, nor let read every room by the
    host; and `InvalidInput` with `agent_required` where a person would change
    something. What is done by a claim or a turn that was overtaken raises `Conflict`
    with `stale_runtime` or `stale_wake`.
    """

    conversation: Conversation
    _by: Any = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return f"inbox of {self.conversation}"

    def count(self) -> int:
        """How many messages wait to be seen, in all rooms."""
        return count_unseen(self._desk, self.conversation, self._by)

    def acknowledge(
        self, messages: Iterable[str | Message], *, now: datetime | None = None
    ) -> Acknowledged:
        """
        Says which messages the conversation has seen, in whatever rooms they are. Each
        first acknowledgement is a receipt, with the next number of the conversation's.

        It says that they were seen: not that they were understood, nor that anything is
        done. One says nothing of any other. What is seen already, gone, or held for
        good is passed over; to name it again is no fault.

        Args:
            messages: 1 to 100 messages, or their ids.

        Returns:
            The number of the last receipt, and the ids that name nothing here.

        Raises:
            Conflict: `not_yet_delivered` for a message that waits for its time.
            NotAllowed: `receipt_forbidden` for one that was never for it.
            InvalidInput: `invalid_request` for what are no ids.

        Guarantees: it is one commit; what is refused records nothing of it.

        Source: L-RECEIPT-01 to L-RECEIPT-06.
        """
        return acknowledge(
            self._desk, self.conversation, messages, by=self._by, now=now
        )

    def checkpoint(self) -> Checkpoint:
        """
        What the conversation keeps of what it has read, with the number of its last
        receipt: enough for a save, and without the rest of its context.

        Source: L-CKPT-01, L-CKPT-07.
        """
        return checkpoint(self._desk, self.conversation, self._by)

    def save_checkpoint(
        self,
        content: str,
        *,
        base: int,
        covered_receipt_seq: int,
        acknowledge: Iterable[str | Message] = (),
        now: datetime | None = None,
    ) -> SavedCheckpoint:
        """
        Keeps another checkpoint, and acknowledges messages in the same commit.

        What is acknowledged here for the first time is covered as well. So that no
        receipt in between is hidden, `covered_receipt_seq` then has to be the last one
        that there was.

        Args:
            content: What to keep, up to 32,000 characters.
            base: The revision from which it starts; 0 for the first.
            covered_receipt_seq: The last receipt that it covers: from what the
                checkpoint before covered, up to the last that there is.
            acknowledge: Up to 100 messages, or their ids.

        Raises:
            Conflict: `checkpoint_conflict`, with the revision that is `current`;
                `receipt_snapshot_conflict`, with `at_least` and `at_most`;
                `not_yet_delivered`.
            NotAllowed: `receipt_forbidden`.
            InvalidInput: `too_large`; `invalid_request`.

        Guarantees: all of it or nothing, whoever else saves or acknowledges meanwhile.

        Source: L-CKPT-02 to L-CKPT-08.
        """
        return save(
            self._desk,
            self.conversation,
            content,
            base=base,
            covered=covered_receipt_seq,
            acknowledge=acknowledge,
            by=self._by,
            now=now,
        )

    def context(self, *, now: datetime | None = None) -> Context:
        """
        What a runtime reads before it goes on where the one before it stopped: its
        role, its checkpoint, what waits, what it has seen and not covered, and what to
        do about that. It settles nothing, and needs no claim.

        What a model may call is no part of it: `rooms.tools.catalog(by).guide()`.

        Source: L-CTX-01 to L-CTX-08.
        """
        return context(self._desk, self.conversation, self._by, now=now)

    def receipts(self, *, after: int = 0, limit: int = 30) -> ReceiptPage:
        """
        Who acknowledged what it sent with `notify_when_seen`, in the order in which
        they did. Nobody is told of its own acknowledgement.

        Args:
            after: The `next_cursor` of the page before.
            limit: At most so many receipts, up to 100.

        Source: L-RECEIPT-07, L-RECEIPT-10.
        """
        return receipts(
            self._desk, self.conversation, self._by, after=after, limit=limit
        )

    def pending(
        self,
        *,
        after: int = 0,
        limit: int = _PAGE,
        max_bytes: int = PAGE_BYTES,
        now: datetime | None = None,
    ) -> InboxPage:
        """
        What waits to be seen, in the log's order over all rooms. To read it settles
        nothing: `acknowledge` does.

        Args:
            after: The `next_cursor` of the page before.
            limit: At most so many messages, up to 100.
            max_bytes: At most so much text and data together; one message is always
                there.

        Guarantees: the cost is that of the page, however much waits.

        Source: L-READ-01 to L-READ-03, L-READ-13.
        """
        asked = Asked.of(after, limit, max_bytes, now)
        return pending(self._desk, self.conversation, self._by, asked)

    def reconciliation(
        self,
        *,
        after: int = 0,
        limit: int = _PAGE,
        max_bytes: int = PAGE_BYTES,
        now: datetime | None = None,
    ) -> InboxPage:
        """
        What it acknowledged and its checkpoint does not cover, in the order of its
        receipts: what may have been read and not done by whoever ran it before.

        Args:
            after: The `next_cursor` of the page before, which is a receipt's number.
            limit: At most so many messages, up to 100.
            max_bytes: At most so much text and data together; one message is always
                there.

        Guarantees: the cost is that of the page.

        Source: L-READ-03, L-CTX-08.
        """
        asked = Asked.of(after, limit, max_bytes, now)
        return reconciliation(self._desk, self.conversation, self._by, asked)

    def history(
        self,
        *,
        after: int = 0,
        limit: int = _PAGE,
        query: str | None = None,
        unanswered: bool = False,
        awaiting: bool = False,
        ids: Sequence[str | Message] | None = None,
        max_bytes: int = PAGE_BYTES,
        now: datetime | None = None,
    ) -> InboxPage:
        """
        What it sent and what it was owed, in the log's order over all rooms; what it
        sent comes with what became of it for each. All filters combine.

        Args:
            after: The `next_cursor` of the page before.
            limit: At most so many messages, up to 100.
            query: Only messages with this in their text, a field or a file's name: 1
                to 200 characters, none of them a pattern; case of ASCII letters aside.
            unanswered: Only what an agent asked it, expecting a reply, and it has not
                answered: no message of its own that reached who asked names it as what
                it replies to. What was superseded is not asked any more.
            awaiting: Only what it asked so itself, and nobody else's answer reached it.
            ids: Only messages with these ids, up to 20, or with ids that begin so, of 8
                characters or more; then also what others were told in a room that it is
                in, since it took its seat there.
            max_bytes: At most so much text and data together; one message is always
                there.

        Raises:
            InvalidInput: `awaiting_or_unanswered` for both at once.

        Guarantees: the cost is that of the page; a query looks through what the other
        filters leave.

        Source: L-READ-01 to L-READ-13.
        """
        return history(
            self._desk,
            self.conversation,
            self._by,
            Asked.of(after, limit, max_bytes, now),
            Wanted.of(query, ids),
            unanswered=unanswered,
            awaiting=awaiting,
        )


def inbox_of(desk: Desk, of: Any, by: Any) -> Inbox:
    """As `Lobby.inbox`, which documents it."""
    conversation = owner_of(desk, of)
    if by is None:
        by = conversation if isinstance(of, str | Agent) else of
    actor_of(by, desk)
    return Inbox(conversation, by, desk)
