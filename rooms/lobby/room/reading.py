"""Reading a room: its messages, who wrote them, and why each was woken or not."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from rooms.lobby.answers import Message, Page
from rooms.lobby.handles import Conversation, Person
from rooms.lobby.inbox.acknowledging import acknowledge_in
from rooms.lobby.posting.windows import Windows, windows
from rooms.lobby.reading import explain, latest, read, search
from rooms.lobby.room.facts import RoomFacts
from rooms.lobby.views.exchanges import exchange
from rooms.lobby.views.participating import PREVIOUS_AFTER, Participants, participants

if TYPE_CHECKING:
    from rooms.log.explaining import Explanation

__all__ = ["Reading"]

_PAGE = 30


class Reading(RoomFacts):
    """What is read of the messages, and of who wrote them."""

    __slots__ = ()

    def read(
        self,
        *,
        by: Any,
        after: int = 0,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        A page of the transcript; for a conversation it settles what is on it.

        Args:
            by: A member's conversation, or a person.
            after: The number behind which the page begins; the caller owns its place.
            limit: At most so many messages, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return read(self._desk, self.id, by=by, after=after, limit=limit, now=now)

    def latest(
        self,
        *,
        by: Any,
        before: int | None = None,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        The newest page of the transcript, oldest message first, or the page before a
        number; for a conversation it settles what is on it.

        Args:
            by: A member's conversation, or a person.
            before: The `previous_cursor` of a page, for the one before it.
            limit: At most so many messages, up to 1,000.

        What is new afterwards comes with `read(after=page.position)`.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-VIEW-08.
        """
        return latest(self._desk, self.id, by=by, before=before, limit=limit, now=now)

    def exchange(
        self,
        of: Conversation | Person,
        *,
        by: Any,
        after: int | None = None,
        before: int | None = None,
        limit: int = _PAGE,
        now: datetime | None = None,
    ) -> Page:
        """
        What one conversation or person said here, what addressed it, and the replies
        that it got: the newest page, oldest message first. It settles nothing.

        Args:
            of: Whose exchange.
            by: A member's conversation, or a person.
            after: Only messages behind this number, from there on.
            before: The `previous_cursor` of a page, for the one before it.
            limit: At most so many messages, up to 1,000.

        Raises:
            NotAllowed: `not_a_member`.

        Guarantees: the cost is that of the page, whatever the history.

        Source: G-VIEW-06.
        """
        return exchange(
            self._desk,
            self.id,
            of=of,
            by=by,
            after=after,
            before=before,
            limit=limit,
            now=now,
        )

    def search(self, query: str, *, by: Any, limit: int = 20) -> tuple[Message, ...]:
        """
        Messages that hold every word of a query, the newest first; any text is a query.

        Raises:
            NotAllowed: `not_a_member`.
        """
        return search(self._desk, self.id, query, by=by, limit=limit)

    def acknowledge(
        self,
        messages: Iterable[str | Message],
        *,
        by: Any,
        now: datetime | None = None,
    ) -> Self:
        """
        Says by name what a conversation has seen here; as `Inbox.acknowledge`, which
        does so over all its rooms. Where the policy settles on `ack` nothing else does.

        Args:
            messages: 1 to 100 messages, or their ids.
            by: Whose seat: a conversation, a turn, a claim.

        Raises:
            NotFound: `unknown_message` for one that is not here.
            NotAllowed: `not_a_member`; `receipt_forbidden`.
            Conflict: `not_yet_delivered`.
            InvalidInput: `agent_required` for a person; `invalid_request` for none, or
                more than a hundred.
        """
        acknowledge_in(self._desk, self.id, messages, by=by, now=now)
        return self

    def explain(self, message: str | Message, *, by: Any = None) -> Explanation:
        """
        Why each seat was woken for a message, or was not, and what became of it.

        Args:
            message: The message, or its id.
            by: Who asks, who has to be allowed to read here; None for the host itself.

        Raises:
            NotFound: `unknown_message`.
            NotAllowed: `not_a_member`.
        """
        return explain(self._desk, self.id, message, by=by)

    def participants(
        self,
        *,
        by: Any,
        previous_after: timedelta = PREVIOUS_AFTER,
        now: datetime | None = None,
    ) -> Participants:
        """
        Who is here: agents with their seats, when each was last active and whether it
        owes a reply, the persons behind them, and whoever was not active for long.

        Args:
            by: A member's conversation, or a person.
            previous_after: Who was not active for so long is told as previous.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-VIEW-05, G-VIEW-07, G-VIEW-10, G-IDLE-02.
        """
        return participants(
            self._desk, self.id, by=by, previous_after=previous_after, now=now
        )

    def windows(
        self,
        *,
        by: Any,
        of: Conversation | None = None,
        now: datetime | None = None,
    ) -> Windows:
        """
        How many messages a conversation may still post here, how many may still wake
        it, and when the next place frees.

        Args:
            by: A member's conversation, or a person, who names another.
            of: Whose windows; those of `by` unless given.

        Raises:
            NotAllowed: `not_a_member`.

        Source: G-RATE-01, G-RATE-03.
        """
        return windows(self._desk, self.id, by=by, of=of, now=now)
