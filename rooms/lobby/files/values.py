"""
A room's files as values: revisions of documents, attachments, and what a read gives.

Law: a value says which store it came from, and shows no words of a file when it is
printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from attrs import field, frozen

if TYPE_CHECKING:
    from rooms.lobby.handles import Conversation, Person

__all__ = ["Attachment", "AttachmentPage", "File", "History", "Revision"]


def _measured(content: str | None) -> str:
    return "None" if content is None else f"<{len(content)} characters>"


@frozen
class Revision:
    """
    A document as one change left it.

    Attributes:
        id: Its id, which the next change names as its base.
        path: The document's path; "" where the words are erased.
        change: `created`, `changed` or `removed`.
        at: When it was recorded, UTC.
        author: Who did it.
        base: The id of the revision that it started from; None for a new document.
        size: How many bytes of UTF-8 it says; 0 where it was removed.
        erased: Whether path and content are gone.
    """

    id: str
    path: str
    change: Literal["created", "changed", "removed"]
    at: datetime
    author: Conversation | Person
    base: str | None
    size: int
    erased: bool = False


@frozen
class Attachment:
    """
    A file that a message carries; it never changes.

    Attributes:
        path: Its path; "" where the words are erased.
        message: The id of the message.
        at: When it was sent, UTC.
        sender: Who sent it.
        size: How many bytes it has.
        text: Whether all of it is text in UTF-8, so that it is read in pages.
        sha256: The digest of its content, in hexadecimal; "" where that is erased.
        mime_type: What it is, as a media type, by its bytes and its name; "" for one
            that was sent before that was noted.
    """

    path: str
    message: str
    at: datetime
    sender: Conversation | Person
    size: int
    text: bool
    sha256: str
    mime_type: str = ""


@frozen
class File:
    """
    What a read by path gave.

    Attributes:
        store: Which of the two stores answered: `document` or `attachment`.
        path: The path.
        size: How many bytes the whole file has.
        content: The text: all of a document, a page of an attachment; None for an
            attachment that is no text.
        revision: The document's revision; None for an attachment.
        attachment: The attachment; beside a document, the newest of the same path.
        next_offset: Where the next page begins, in bytes; None at the end.
        description: What an attachment is, in words, where it is described.
    """

    store: Literal["document", "attachment"]
    path: str
    size: int
    content: str | None = field(repr=_measured)
    revision: Revision | None = None
    attachment: Attachment | None = None
    next_offset: int | None = None
    description: str = ""


@frozen
class History:
    """
    Changes of documents, the newest first.

    Attributes:
        items: The revisions.
        next_cursor: What to pass as `before` for older ones; None at the end.
    """

    items: tuple[Revision, ...]
    next_cursor: str | None

    def __iter__(self) -> Iterator[Revision]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@frozen
class AttachmentPage:
    """
    Attachments, those of the newest message first.

    Attributes:
        items: The attachments; those of one message in the order of their attaching.
        next_cursor: What to pass as `before` for older ones; None at the end.
    """

    items: tuple[Attachment, ...]
    next_cursor: str | None

    def __iter__(self) -> Iterator[Attachment]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
