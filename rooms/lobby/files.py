"""
A room's files: documents that members change, and attachments that messages carry.

Law: a read by path looks in both stores, and says which one answered (G-FILE-04).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.errors import NotFound
from rooms.lobby import documents
from rooms.lobby.auditing import looked
from rooms.lobby.file_values import File, History, Revision
from rooms.lobby.gate import watch
from rooms.lobby.handles import actor_of
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
        base: str | None = None,
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
            base: The id of the revision that was read; None for a new document.
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
        base: str,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Revision:
        """
        Removes a document; its history stays, and the path is free for a new one.

        Args:
            base: The id of the revision that was read.

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
        now: datetime | None = None,
    ) -> File:
        """
        Reads a file, from whichever store has it.

        Args:
            revision: A document's former revision; the current one unless given.

        Raises:
            NotFound: `file_not_found`.
            NotAllowed: `not_a_member`.
        """
        desk = self._desk
        actor = actor_of(by, desk)
        check_path(path)
        desk.check_usable()
        sight = watch(desk, self.room, actor)
        with desk.lock:
            found = documents.read_document(desk, self.room, path, revision)
        looked(desk, sight, actor, "documents", now=now)
        if found is None:
            raise NotFound(
                "file_not_found", f"no file {path[:80]!a} is here", path=path
            )
        return found
