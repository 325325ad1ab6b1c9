"""
Documents: the text files that a room keeps beside its messages, each with revisions.

Three laws. Whoever changes a document names the revision that was read, so nothing is
overwritten unseen (G-DOC-06, G-DOC-08); a change of another document is no hindrance
(G-DOC-07). A change says what the document is from there on, and the ones before stay.
And the state knows a document by the digest of its path, and its newest revision:
paths are names that people gave, so they stand in bodies, beside what is written.

A revision's id is that of the record that brought it, as a message's is.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput, NotAllowed, OverLimit
from rooms.log.actors import Actor
from rooms.log.comparing import check_base
from rooms.log.events import Event, Fact, recorded
from rooms.log.path_keys import path_key
from rooms.log.records import record_id
from rooms.log.rooms import check_open
from rooms.log.seats import member_seat
from rooms.log.state import RoomState
from rooms.paths import check_path

__all__ = [
    "CHANGES",
    "ENDINGS",
    "DocumentChanged",
    "Draft",
    "check_document_path",
    "check_text",
    "current_revision",
    "evolve",
    "remove",
    "write",
]

ENDINGS = (".md", ".markdown", ".txt", ".json", ".yaml", ".yml", ".csv")
"""What a document's name ends with, in any case (G-DOC-01)."""

CHANGES = ("created", "changed", "removed")
"""What a change may be: the words that records use."""


@recorded("document_changed", body=("path", "content"))
class DocumentChanged(Event):
    """
    A document is another from here on.

    Attributes:
        document: What stands for the path, see `rooms.log.path_keys`.
        change: `created`, `changed` or `removed`.
        sender: The conversation that did it, or "" for a person.
        author: The agent's id or the person's name.
        base: The version that brought the revision before; 0 where there was none.
        size: The size of the content in bytes of UTF-8.
        path: Its path.
        content: The SHA-256 of what it says, in hexadecimal; "" where it was removed.
    """

    document: str
    change: str
    sender: str
    author: str
    base: int = 0
    size: int = 0
    path: str = ""
    content: str = ""


@frozen
class Draft:
    """A document as its author hands it in: path, digest and size of its content."""

    path: str
    content: str
    size: int


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds a change in: a document's newest revision, and its author's life sign."""
    event = fact.event
    if not isinstance(event, DocumentChanged):
        return False
    if event.change == "removed":
        room.documents.pop(event.document, None)
    else:
        room.documents[event.document] = fact.version
    seat = room.seats.get(event.sender)
    if seat is not None:  # a person has none
        seat.noting().seen_at = fact.at
    return True


def write(
    room: RoomState, draft: Draft, *, base: str | None, same: bool, by: Actor
) -> list[Event]:
    """
    What a document says from here on; nothing where it says just that already.

    Args:
        room: The room.
        draft: The path and what is written.
        base: The revision that the author read; None for a new document.
        same: Whether the current revision, if there is one, has that content.
        by: Who writes.

    Raises:
        NotAllowed: `room_deleted`, `not_a_member`, `read_only_access`.
        OverLimit: `too_large`; `too_many` documents.
        Conflict: `stale_revision`, with the current one or None.
    """
    _check_author(room, by)
    most = room.policy.max_document_bytes
    if draft.size > most:
        raise OverLimit(
            "too_large",
            f"the document has {draft.size} bytes, and may have {most}",
            size=draft.size,
            limit=most,
        )
    version = _check_revision(room, draft.path, base)
    if version and same:
        return []
    if not version and len(room.documents) >= room.policy.max_documents:
        raise OverLimit(
            "too_many",
            f"the room holds {room.policy.max_documents} documents already",
            limit=room.policy.max_documents,
        )
    change = "changed" if version else "created"
    return [_changed(room, draft, change, base=version, by=by)]


def remove(room: RoomState, path: str, *, base: str, by: Actor) -> list[Event]:
    """
    The document is gone from here on; its history stays.

    Raises:
        NotAllowed: `room_deleted`, `not_a_member`, `read_only_access`.
        Conflict: `stale_revision`, with the current one or None.
    """
    _check_author(room, by)
    version = _check_revision(room, path, base)
    return [_changed(room, Draft(path, "", 0), "removed", base=version, by=by)]


def current_revision(room: RoomState, path: str) -> str | None:
    """The id of a document's newest revision; None where there is no such document."""
    version = room.documents.get(path_key(room.id, path))
    return None if version is None else record_id(room.id, version)


def check_document_path(path: Any, *, field: str = "path") -> str:
    """
    A path that a document may have.

    No folder ends as a document does, so a path that is a document is no folder of
    another one, whatever comes first.

    Raises:
        InvalidInput: As `rooms.paths.check_path`; `not_text` for another ending.

    Source: G-DOC-01, G-DOC-02, G-DOC-10.
    """
    *folders, name = check_path(path, field=field).split("/")
    if not _ends(name):
        raise InvalidInput(
            field,
            "is no name of a text file",
            allowed=f"a name that ends with {', '.join(ENDINGS)}",
            code="not_text",
        )
    if any(_ends(folder) for folder in folders):
        raise InvalidInput(
            field,
            "has a folder that is named like a document",
            allowed="folders without such an ending",
            code="bad_path",
        )
    return str(path)


def _ends(name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    return bool(stem) and f"{dot}{ending}".lower() in ENDINGS


def check_text(content: Any, *, field: str = "content") -> bytes:
    """
    What a document says, in UTF-8.

    Raises:
        InvalidInput: `not_text` for text with a NUL; `invalid_request` for what is no
            string, or has a lone surrogate.
    """
    text = values.text(field, content)
    if "\0" in text:
        raise InvalidInput(
            field, "holds a NUL", allowed="text without one", code="not_text"
        )
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            field,
            f"has half a character at {error.start}",
            allowed="any text without lone surrogates",
        ) from None


def _check_author(room: RoomState, by: Actor) -> None:
    """Any member may, and a person where people post (G-DOC-03, G-ACCESS-10)."""
    check_open(room)
    if by.kind == "conversation":
        member_seat(room, by.id, action="write_document")
    elif room.policy.people != "post":
        raise NotAllowed(
            "read_only_access",
            "people watch in this room and change no documents",
            action="write_document",
        )


def _check_revision(room: RoomState, path: str, base: str | None) -> int:
    """The version of the current revision, which the author has to have read, or 0."""
    current = current_revision(room, path)
    check_base(base, current, code="stale_revision", path=path)
    return room.documents.get(path_key(room.id, path), 0)


def _changed(
    room: RoomState, draft: Draft, change: str, *, base: int, by: Actor
) -> DocumentChanged:
    return DocumentChanged(
        document=path_key(room.id, draft.path),
        change=change,
        sender=by.conversation or "",
        author=by.agent or by.id,
        base=base,
        size=draft.size,
        path=draft.path,
        content=draft.content,
    )
