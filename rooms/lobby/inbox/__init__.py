"""
Inboxes: what a conversation is owed over all its rooms, and what it said it has seen.

Law: an inbox is no thing of its own, but the union of what is owed in rooms; whatever
is done with it is done to the ledgers of those rooms.
"""

from rooms.lobby.inbox.acknowledging import Acknowledged
from rooms.lobby.inbox.checkpoints import Checkpoint, SavedCheckpoint
from rooms.lobby.inbox.context import (
    Context,
    Reconciliation,
    Remembered,
    SeenHeader,
    ToCome,
)
from rooms.lobby.inbox.handle import Inbox
from rooms.lobby.inbox.mail import Header, InboxPage, Mail
from rooms.lobby.inbox.receipts import Receipt, ReceiptPage
from rooms.lobby.inbox.values import Delivery

__all__ = [
    "Acknowledged",
    "Checkpoint",
    "Context",
    "Delivery",
    "Header",
    "Inbox",
    "InboxPage",
    "Mail",
    "Receipt",
    "ReceiptPage",
    "Reconciliation",
    "Remembered",
    "SavedCheckpoint",
    "SeenHeader",
    "ToCome",
]
