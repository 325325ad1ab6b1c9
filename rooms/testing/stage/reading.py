"""Reading on a stage: transcripts, inboxes, lists and figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rooms.testing.stage.standing import Standing

__all__ = ["Reading"]


class Reading(Standing):
    """The verbs that look."""

    __slots__ = ()

    def read(self, who: str, *, room: int = 0, after: int = 0, limit: int = 30) -> Any:
        """Reads a page."""
        return self.room(room).read(by=self.actor(who), after=after, limit=limit)

    def latest(
        self, who: str, *, room: int = 0, before: int | None = None, limit: int = 30
    ) -> Any:
        """Reads the newest page, or the one before a number."""
        return self.room(room).latest(by=self.actor(who), before=before, limit=limit)

    def exchange(self, who: str, of: str, *, room: int = 0, limit: int = 30) -> Any:
        """Reads one seat's or person's part of a room."""
        whose: Any = self.actor(of)
        return self.room(room).exchange(whose, by=self.actor(who), limit=limit)

    def search(self, who: str, query: str, *, room: int = 0) -> Any:
        """Searches."""
        return self.room(room).search(query, by=self.actor(who))

    def participants(self, who: str, *, room: int = 0) -> Any:
        """Says who is in a room, and who owes a reply."""
        return self.room(room).participants(by=self.actor(who))

    def windows(self, who: str, *, room: int = 0) -> Any:
        """Says what is left of a conversation's windows."""
        return self.room(room).windows(by=self.actor(who))

    def explain(self, message: int, *, room: int = 0) -> Any:
        """Why each seat was woken for a message, or was not."""
        return self.room(room).explain(self.message(message) or "none")

    def inbox(self, who: str) -> Any:
        """What waits to be seen, and what is kept."""
        inbox = self.lobby.inbox(self.actor(who))
        return inbox, inbox.count(), inbox.context()

    def read_inbox(
        self,
        who: str,
        *,
        query: str | None = None,
        unanswered: bool = False,
        awaiting: bool = False,
        ids: Sequence[int] | None = None,
        cut: int = 0,
        after: int = 0,
        limit: int = 5,
    ) -> Any:
        """Reads a history; `ids` are cut by so many characters."""
        named = None
        if ids is not None:
            named = [(self.message(one) or "none.0000")[: -cut or None] for one in ids]
        history = self.lobby.inbox(self.actor(who)).history(
            after=after,
            limit=limit,
            query=query,
            unanswered=unanswered,
            awaiting=awaiting,
            ids=named,
        )
        return history, history.headers, self.lobby.history(after=after, limit=limit)

    def save_checkpoint(
        self,
        who: str,
        text: str,
        *,
        acknowledge: Sequence[int] = (),
        base: int | None = None,
        covered: int | None = None,
    ) -> Any:
        """Keeps what was read; by itself from what is current, covering all."""
        inbox = self.lobby.inbox(self.actor(who))
        now = inbox.checkpoint()
        return inbox.save_checkpoint(
            text,
            base=now.revision if base is None else base,
            covered_receipt_seq=now.receipt_snapshot if covered is None else covered,
            acknowledge=[self.message(one) or "none" for one in acknowledge],
        )

    def figures(self, who: str, *, hours: int | None = None) -> Any:
        """Counts what there was, of all time or in the last hours."""
        since = None if hours is None else self.clock() - timedelta(hours=hours)
        return self.lobby.figures(by=self.actor(who), since=since)

    def list_rooms(self, who: str, *, need_look: bool = False, limit: int = 50) -> Any:
        """Lists the rooms that somebody may know of."""
        return self.lobby.list_rooms(
            by=self.actor(who), need_look=need_look, limit=limit
        )
