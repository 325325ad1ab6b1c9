"""
A room's files: documents that members change, and attachments that messages carry.

Law: a read by path looks in both stores, and says which one answered (G-FILE-04).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from rooms import values
from rooms.errors import InvalidInput, NotFound
from rooms.lobby.access.gate import still, watch
from rooms.lobby.files import attachments, documents
from rooms.lobby.files.values import Attachment, AttachmentPage, File, History, Revision
from rooms.lobby.handles import actor_of
from rooms.lobby.reading import noticed
from rooms.log import seats
from rooms.log.auditing import What
from rooms.paths import check_path

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Files"]

_PAGE = 30


@frozen
class Files:
    """
    The files of a room, from `Room.files`.

    A path has one to four segments with `/` between them. Any call raises
    `InvalidInput` with `bad_path` for a path that is none (absolute, with `..`, an
    empty segment, a backslash, a colon, five segments), with `too_large` beyond 255
    bytes, and `NotFound` with `room_not_found` once the room is deleted.

    Attributes:
        room: The room's id.
    """

    room: str
    _desk: Desk = field(repr=False, eq=False)

    def write(
        self,
        path: str,
        content: str,
        *,
        by: Any,
        base: str | Revision | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Revision:
        """
        Writes a document; when it returns, the new revision is stored.

        Where the document says just that already, its current revision is returned and
        nothing is recorded.

        Args:
            path: The document's path; it ends with `.md`, `.markdown`, `.txt`, `.json`,
                `.yaml`, `.yml` or `.csv`.
            content: All that it says from now on; text without a NUL.
            by: Who writes: a member's conversation, turn or claim; a person where
                people post.
            base: The revision that was read, or its id; None for a new document.
            request_id: The same request again returns the stored revision.

        Raises:
            Conflict: `stale_revision` where another revision is `current` (None where
                there is no such document); read it anew and start over.
            OverLimit: `too_large` for more than the policy's `max_document_bytes`;
                `too_many` for one more document than `max_documents`.
            InvalidInput: `not_text` for another ending, or a NUL.
            NotAllowed: `not_a_member`; `read_only_access` for a person who watches.
            IdempotencyConflict: `idempotency_conflict`.

        Source: G-DOC-01 to G-DOC-10.
        """
        return documents.write(
            self._desk,
            self.room,
            path,
            content,
            by=by,
            base=base,
            request_id=request_id,
            now=now,
        )

    def remove(
        self,
        path: str,
        *,
        by: Any,
        base: str | Revision,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Revision:
        """
        Removes a document; its history stays, and the path is free for a new one.

        Args:
            base: The revision that was read, or its id.

        Raises:
            Conflict: `stale_revision`, as for `write`.
            NotAllowed: `not_a_member`; `read_only_access` for a person who watches.
            IdempotencyConflict: `idempotency_conflict`.

        Source: G-DOC-09.
        """
        return documents.remove(
            self._desk,
            self.room,
            path,
            by=by,
            base=base,
            request_id=request_id,
            now=now,
        )

    def documents(
        self, *, by: Any, now: datetime | None = None
    ) -> tuple[Revision, ...]:
        """
        The current revision of every document, in the order of their paths.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return documents.listed(self._desk, self.room, by=by, now=now)

    def history(
        self,
        path: str | None = None,
        *,
        by: Any,
        before: str | None = None,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> History:
        """
        Changes of the room's documents, or of one, the newest first.

        A document that was removed and created again has one history.

        Args:
            path: The document's path; all documents unless given.
            before: The `next_cursor` of the page before.
            limit: At most so many, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-DOC-04.
        """
        return documents.history(
            self._desk, self.room, path, by=by, before=before, limit=limit, now=now
        )

    def read(
        self,
        path: str,
        *,
        by: Any,
        revision: str | None = None,
        message: str | None = None,
        offset: int = 0,
        now: datetime | None = None,
    ) -> File:
        """
        Reads a file, from whichever store has it.

        A document is returned whole. Of an attachment, text comes in pages of at most
        65,536 bytes, which cut no character; anything else is described. Where both
        stores have the path, the document answers and mentions the newest attachment.

        Args:
            revision: A document's former revision; the current one unless given.
            message: The id of a message: what that one carries, and no document.
            offset: Where the page begins, in bytes: the `next_offset` of the page
                before, with its attachment's `message`.

        Raises:
            NotFound: `file_not_found`; `attachment_expired` for whoever sent it, for 7
                days after its message went by age.
            NotAllowed: `not_a_member`.
            InvalidInput: `invalid_request` for an offset without a message, behind the
                end, or inside of a character.

        Source: G-FILE-04, G-FILE-05, G-FILE-06, L-ATT-10, L-ATT-12.
        """
        desk = self._desk
        actor = actor_of(by, desk)
        check_path(path)
        values.whole_number("offset", offset, at_least=0)
        if offset and message is None:
            raise InvalidInput(
                "offset", "says not of which file", allowed="with the page's message"
            )
        desk.check_usable()
        sight = watch(desk, self.room, actor)
        with desk.lock:
            state = still(desk, sight, actor)
            since = seats.unread_before(state, actor.conversation)
            found = self._document(path, revision, message)
            carried = self._attachment(path, revision, message, since)
            if found is not None:
                found = evolve(found, attachment=carried)
            elif carried is not None:
                found = attachments.read(desk, carried, offset)
            elif message is not None:
                at = desk.time(now)
                attachments.check_expired(
                    desk, self.room, path, message, by=actor, now=at
                )
        carried_only = found is not None and found.store == "attachment"
        what: What = "files" if carried_only else "documents"
        noticed(desk, sight, actor, what, now=now)
        if found is None:
            raise _not_found(path)
        return found

    def download(
        self,
        path: str,
        *,
        by: Any,
        revision: str | None = None,
        message: str | None = None,
        now: datetime | None = None,
    ) -> Iterator[bytes]:
        """
        All bytes of a file in pieces, from whichever store `read` finds it in.

        Raises:
            NotFound: `file_not_found`.
            NotAllowed: `not_a_member`.
            CorruptLog: At the end: `corrupt_log` where the room was deleted meanwhile.

        Source: G-FILE-05, G-FILE-08.
        """
        desk = self._desk
        found = self.read(path, by=by, revision=revision, message=message, now=now)
        if found.attachment is None or found.store == "document":
            return iter(((found.content or "").encode(),))
        with desk.lock:
            desk.room(self.room)
            return attachments.content(desk, found.attachment.sha256)

    def attachments(
        self,
        *,
        by: Any,
        before: str | None = None,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> AttachmentPage:
        """
        What messages carry, that of the newest message first.

        Args:
            before: The `next_cursor` of the page before.
            limit: What at most so many messages carry, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return attachments.listed(
            self._desk, self.room, by=by, before=before, limit=limit, now=now
        )

    def _document(
        self, path: str, revision: str | None, message: str | None
    ) -> File | None:
        if message is not None and revision is None:
            return None
        return documents.read_document(self._desk, self.room, path, revision)

    def _attachment(
        self, path: str, revision: str | None, message: str | None, since: int
    ) -> Attachment | None:
        if revision is not None and message is None:
            return None
        return attachments.find(self._desk, self.room, path, message, since=since)


def _not_found(path: str) -> NotFound:
    return NotFound("file_not_found", f"no file {path[:80]!a} is here", path=path)
