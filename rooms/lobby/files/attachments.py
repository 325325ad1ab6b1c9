"""
Attachments, as the shell finds, reads and describes them.

Two laws. What a message carries never changes, so a page of it is the same whenever it
is read. And text comes in pages that no character is cut by; anything else is described
(G-FILE-05).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import CorruptLog, InvalidInput, NotFound
from rooms.lobby.access.gate import still, watch
from rooms.lobby.files.values import Attachment, AttachmentPage, File
from rooms.lobby.handles import actor_of
from rooms.lobby.messages import fact_of, message_of
from rooms.lobby.reading import noticed
from rooms.lobby.recording.streams import room_stream
from rooms.log import seats
from rooms.log.actors import Actor
from rooms.log.expiring import is_gone, kept_until
from rooms.log.path_keys import path_key
from rooms.log.posting import MessagePosted
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["PAGE_BYTES", "check_expired", "content", "find", "listed", "read"]

PAGE_BYTES = 64 * 2**10
"""The longest page of a text, in bytes of UTF-8 (G-FILE-05)."""

_MOST = 1_000
_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, as office documents are"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg audio or video"),
    (b"\0asm", "a WebAssembly module"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a SQLite database"),
)
_RIFF = {b"WEBP": "a WebP image", b"WAVE": "WAV audio", b"AVI ": "AVI video"}


_REMEMBERED = timedelta(days=7) // timedelta(microseconds=1)


def find(
    desk: Desk, room: str, path: str, message: str | None, *, since: int
) -> Attachment | None:
    """
    The attachment of a path and message; of any message, the newest one. It is none
    where the message was said up to a number that is not read.
    """
    key = path_key(room, path)
    if message is not None:
        fact = fact_of(desk, room, values.text("message", message))
    else:
        if not desk.room(room).attached:  # so that a read need not look at the log
            return None
        version = desk.filed.newest_sent(room, key)
        fact = None if version is None else desk.fact(room_stream(room), version)
    if fact is None or fact.erased or not isinstance(fact.event, MessagePosted):
        return None
    if fact.event.seq <= since:
        return None
    places = [at for at, (file, _, _) in enumerate(fact.event.files) if file == key]
    return message_of(desk, room, fact).attachments[places[0]] if places else None


def check_expired(
    desk: Desk, room: str, path: str, message: str, *, by: Actor, now: int
) -> None:
    """
    Tells the sender of a message that its file went with it, for a week (L-ATT-12).

    Raises:
        NotFound: `attachment_expired`.
    """
    state, fact = desk.room(room), fact_of(desk, room, message)
    said = None if fact is None else fact.event
    if fact is None or not isinstance(said, MessagePosted):
        return
    own = said.sender == by.id if said.sender else said.author == by.id
    gone_at = kept_until(state, fact.at) or fact.at
    if not own or not is_gone(state, fact.version) or now >= gone_at + _REMEMBERED:
        return
    if path_key(room, path) in {file for file, _, _ in said.files}:
        raise NotFound(
            "attachment_expired",
            f"the file {path[:80]!a} went with its message",
            path=path,
            expired_at=moment(gone_at),
        )


def listed(
    desk: Desk,
    room: str,
    *,
    by: Any,
    before: str | None,
    limit: int,
    now: datetime | None,
) -> AttachmentPage:
    """As `Files.attachments`, which documents it."""
    actor = actor_of(by, desk)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    desk.check_usable()
    sight = watch(desk, room, actor)
    with desk.lock:
        state = still(desk, sight, actor)
        since = seats.unread_before(state, actor.conversation)
        last = None if before is None else _cursor(desk, room, before)
        versions = desk.filed.sent(room, before=last, limit=limit + 1)
        facts = [desk.fact(room_stream(room), version) for version in versions[:limit]]
    noticed(desk, sight, actor, "files", now=now)
    messages = [message_of(desk, room, fact) for fact in facts if fact is not None]
    seen = [message for message in messages if message.seq > since]
    more = len(versions) > limit and len(seen) == len(messages)
    messages = seen
    carried = [one for message in messages for one in message.attachments]
    items = tuple(one for one in carried if one.path)  # the others are erased
    return AttachmentPage(items, messages[-1].id if more and messages else None)


def _cursor(desk: Desk, room: str, before: str) -> int:
    fact = fact_of(desk, room, values.text("before", before))
    if fact is None or not isinstance(fact.event, MessagePosted):
        raise InvalidInput(
            "before", "is no message of this room", allowed="a next_cursor, or None"
        )
    return fact.version


def read(desk: Desk, found: Attachment, offset: int) -> File:
    """
    A page of a text, or what else the attachment is.

    Raises:
        InvalidInput: `invalid_request` for an offset behind the end, or inside of a
            character.
    """
    if not found.text:
        about = _described(desk, found)
        return File(
            "attachment",
            found.path,
            found.size,
            None,
            attachment=found,
            description=about,
        )
    if offset > found.size:
        raise InvalidInput("offset", f"is {offset}", allowed=f"0 to {found.size}")
    page = _bytes(content(desk, found.sha256, start=offset), PAGE_BYTES)
    if page and page[0] & 0xC0 == 0x80:
        raise InvalidInput(
            "offset", "lies inside of a character", allowed="a next_offset"
        )
    if len(page) != min(PAGE_BYTES, found.size - offset):
        raise CorruptLog("corrupt_log", "a content is cut", digest=found.sha256)
    end = offset + len(page)
    if end < found.size:
        page = _whole_characters(page)
        end = offset + len(page)
    return File(
        "attachment",
        found.path,
        found.size,
        _decoded(page, found),
        attachment=found,
        next_offset=end if end < found.size else None,
    )


def content(desk: Desk, digest: str, *, start: int = 0) -> Iterator[bytes]:
    """A content in pieces, from a byte on; one that went with its room is not there."""
    try:
        return desk.storage.blob(digest, start=start)
    except NotFound as gone:
        raise CorruptLog("corrupt_log", "a content is missing", digest=digest) from gone


def _bytes(pieces: Iterator[bytes], most: int) -> bytes:
    held = b""
    for piece in pieces:
        held += piece
        if len(held) >= most:
            break
    return held[:most]


def _whole_characters(page: bytes) -> bytes:
    """The page without the character that it cuts, if it does; one has four bytes."""
    start = len(page) - 1
    while start > len(page) - 4 and page[start] & 0xC0 == 0x80:
        start -= 1
    lead = page[start]
    needed = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return page if start + needed == len(page) else page[:start]


def _decoded(page: bytes, found: Attachment) -> str:
    try:
        return page.decode()
    except UnicodeDecodeError as error:
        raise CorruptLog(
            "corrupt_log", "a text is not what was attached", digest=found.sha256
        ) from error


def _described(desk: Desk, found: Attachment) -> str:
    """What a file is that is no text, by how it begins."""
    begins = _bytes(content(desk, found.sha256), 16)
    kind = next((kind for sign, kind in _KINDS if begins.startswith(sign)), "")
    if begins.startswith(b"RIFF"):
        kind = _RIFF.get(begins[8:12], "")
    if begins[4:8] == b"ftyp":
        kind = "MP4 video, or a file of its kind"
    at = found.at.isoformat(timespec="seconds")
    return (
        f"{kind or 'a binary file'} of {found.size:,} bytes,"
        f" sent by {found.sender} at {at}"
    )
