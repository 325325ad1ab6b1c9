"""
The handle of a lobby's contents, from `Lobby.contents`.

Law: it tells how much is kept, by whom and for which messages, and never what any of it
says (L-ATT-10).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.lobby.contents.listing import listed, usage
from rooms.lobby.contents.uploading import upload
from rooms.lobby.contents.values import KeptContents, Uploaded, Usage

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Contents"]


@frozen
class Contents:
    """What the files of a lobby's messages say, without any message."""

    _desk: Desk = field(repr=False, eq=False)

    def upload(
        self,
        content: Any,
        *,
        by: Any,
        sha256: str | None = None,
        now: datetime | None = None,
    ) -> Uploaded:
        """
        Hands in a content for messages to come: `attachments={path: uploaded}` sends
        it. When it returns, it is stored; it waits for an hour.

        Args:
            content: Bytes, a file opened for bytes, or an iterable of bytes.
            by: Who hands it in, and alone may send it: a conversation, a person, a
                turn, a claim. Conversations of one agent have it together.
            sha256: What its digest has to be, in hexadecimal.

        Raises:
            InvalidInput: `attachment_hash_mismatch`; `invalid_request` for what gives
                no bytes, or no digest.
            OverLimit: `storage_capacity`, naming the `setting`.
            NotFound: `agent_not_found`, `person_not_found`, `unknown_conversation`.
            Conflict: `stale_runtime`, `stale_wake` for a claim or turn that was
                overtaken; `runtime_required` without the claim that is needed.
            NotAllowed: `agent_disabled`.

        Guarantees: equal contents are stored once, whoever hands them in.

        Source: L-ATT-05, L-ATT-06, L-ATT-09, L-ATT-13, L-ATT-14.
        """
        return upload(self._desk, content, by=by, sha256=sha256, now=now)

    def usage(self) -> Usage:
        """
        How much the files of messages take, and may take.

        Source: L-ATT-15.
        """
        return usage(self._desk)

    def listed(self, *, after: str | None = None, limit: int = 100) -> KeptContents:
        """
        What is kept, in the order of the digests, with who sent it and which messages
        carry it; for the host, who asks for nobody.

        Args:
            after: The `next_cursor` of the page before.
            limit: At most so many, up to 100.

        Source: L-ATT-15.
        """
        return listed(self._desk, after=after, limit=limit)
