"""
A room's shared memory, from `Room.memory`.

Law: a handle holds no state but its room's id; what may be done, and by whom, is
decided by `rooms.log.memory` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.lobby.memory import reading, writing
from rooms.lobby.memory.values import (
    AddEntry,
    ArchiveEntry,
    Curation,
    Entries,
    Entry,
    Fragment,
    MemoryStatus,
    RefuseFragment,
    Review,
    UpdateEntry,
    VerifyEntry,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Memory"]


@frozen
class Memory:
    """
    What the members of a room learned, and want the next one to know.

    Members give *fragments*; a *curator*, an agent that the room's owner names, makes
    *entries* of them. Everybody who may read the room recalls entries.

    Attributes:
        room: The room's id.

    Any call raises `NotFound` with `room_not_found` for whoever may not know of the
    room, and `NotAllowed` with `not_a_member` for a conversation without a seat.
    """

    room: str
    _desk: Desk = field(repr=False, eq=False)

    def appoint(self, curator: Any, *, by: Any, now: datetime | None = None) -> Memory:
        """
        Names the agent that curates, which begins the memory; None ends it: what is
        there can be recalled, and nothing is added.

        Args:
            curator: A member: an agent, its id or its address; or None.
            by: The room's owner, or whom `rooms_may` lets `appoint_curator`.

        Raises:
            NotAllowed: `not_owner`; `not_a_member` for an agent that is not in it.
            NotFound: `agent_not_found`.

        Source: L-MEM-01.
        """
        writing.appoint(self._desk, self.room, curator, by=by, now=now)
        return self

    def remember(
        self,
        text: str,
        *,
        kind: str,
        by: Any,
        evidence: str = "",
        about: str | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Fragment:
        """
        Gives the curator something to remember.

        Args:
            text: What, of at most 2,000 characters.
            kind: `gotcha`, `fix` or `procedure`.
            by: A member's conversation, turn or claim.
            evidence: What it can be checked against, of at most 300 characters.
            about: The id of the active entry or the waiting fragment that it corrects.
            request_id: The same request again returns the fragment as it stands now,
                with the curator's note.

        Raises:
            InvalidInput: `secret_refused` for what looks like a credential, which is
                stored nowhere; `too_large`; `agent_required` for a person.
            NotFound: `memory_entry_not_found` for what it may not be about.
            Conflict: `memory_not_kept` where no curator is named.
            OverLimit: `memory_backlog` where 200 fragments wait.
            IdempotencyConflict: `idempotency_conflict`.

        Source: L-MEM-02 to L-MEM-04.
        """
        return writing.remember(
            self._desk,
            self.room,
            text,
            kind=kind,
            evidence=evidence,
            about=about,
            by=by,
            request_id=request_id,
            now=now,
        )

    def recall(self, query: str, *, by: Any) -> tuple[Entry, ...]:
        """
        The active entries that a query means, the best first, at most 15.

        Words are lightly stemmed and weighted by rarity, three times in a title and
        twice in keywords. A hit matches in one of these and comes to at least half of
        the best; where none does, there is none.

        Source: L-MEM-06, L-MEM-07.
        """
        return reading.recall(self._desk, self.room, query, by=by)

    def entries(self, ids: Sequence[str], *, by: Any) -> Entries:
        """
        Active entries by their ids, at most 20, and why any other is missing.

        Source: L-MEM-05.
        """
        return reading.entries(self._desk, self.room, ids, by=by)

    def own(self, *, by: Any, now: datetime | None = None) -> tuple[Fragment, ...]:
        """
        What the agent itself gave in the last 30 days, and what became of it.

        Source: L-MEM-05.
        """
        return reading.own(self._desk, self.room, by=by, now=now)

    def status(self, *, by: Any) -> MemoryStatus:
        """
        How the memory stands: curator, revision, counts, what waits and since when.

        Source: L-MEM-13.
        """
        return reading.status(self._desk, self.room, by=by)

    def brief(
        self, *, by: Any, max_chars: int = 10_000, parts: int = 3
    ) -> tuple[str, ...]:
        """
        The rule lines of all entries as text for a model's context, gotchas first, then
        the newest first; a gotcha whose title is no rule brings its text.

        Args:
            max_chars: The longest part, in characters, 4,000 at least.
            parts: At most so many; how many lines are left out closes the last.

        Guarantees: what others wrote is quoted, so no entry forges a line of the
        library.

        Source: L-MEM-08.
        """
        return reading.brief(
            self._desk, self.room, by=by, max_chars=max_chars, parts=parts
        )

    def review(
        self, *, by: Any, every: bool = False, now: datetime | None = None
    ) -> Review:
        """
        What the curator looks at before a run.

        Args:
            by: A conversation of the curator.
            every: Whether every entry is to be checked again.

        Raises:
            NotAllowed: `not_curator`.
            Conflict: `memory_not_kept`.

        Source: L-MEM-09.
        """
        return reading.review(self._desk, self.room, by=by, every=every, now=now)

    def curate(
        self,
        operations: Iterable[
            AddEntry | UpdateEntry | VerifyEntry | ArchiveEntry | RefuseFragment
        ],
        *,
        base: str | None,
        by: Any,
        summary: str = "",
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Curation:
        """
        A run: all of its operations, or none.

        Args:
            operations: At most 500, each on what the ones before left.
            base: The `revision` of the review.
            by: A conversation of the curator, a member.
            summary: What was done, for people.
            request_id: The same request again returns what it came to.

        Raises:
            Conflict: `stale_revision` where another run, another curator or an erasing
                came in between; `memory_not_kept`.
            NotAllowed: `not_curator`.
            NotFound: `memory_entry_not_found`, with the `field` that names no active
                entry, or no fragment that waits.
            InvalidInput: `secret_refused`, `too_large`, `too_many`, with the `field`.

        Source: L-MEM-10, L-MEM-11.
        """
        return writing.curate(
            self._desk,
            self.room,
            tuple(operations) if isinstance(operations, Iterable) else operations,
            base=base,
            summary=summary,
            by=by,
            request_id=request_id,
            now=now,
        )

    def fail(
        self,
        why: str,
        *,
        by: Any,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> None:
        """
        Notes that a run came to nothing; `status` counts these.

        Raises:
            NotAllowed: `not_curator`.

        Source: L-MEM-13.
        """
        writing.fail(self._desk, self.room, why, by=by, request_id=request_id, now=now)

    def listed(self, *, by: Any) -> tuple[tuple[Entry, ...], tuple[Fragment, ...]]:
        """
        All entries, archived ones too, each with what it said before, and all
        fragments.

        Args:
            by: The room's owner, or whom `rooms_may` lets `list_memory`.

        Raises:
            NotAllowed: `not_owner`.

        Source: L-MEM-14.
        """
        return reading.listed(self._desk, self.room, by=by)

    def erase(self, id: str, *, by: Any, now: datetime | None = None) -> Memory:  # noqa: A002
        """
        Takes an entry or a fragment away for good, with all that it ever said; erased
        again is no fault. A run from an earlier review is refused.

        Args:
            id: Its id.
            by: The room's owner, or whom `rooms_may` lets `erase_memory`.

        Raises:
            NotAllowed: `not_owner`.
            NotFound: `memory_entry_not_found`.

        Source: L-MEM-14.
        """
        writing.erase(self._desk, self.room, id, by=by, now=now)
        return self

    def tidy(self, *, by: Any, now: datetime | None = None) -> Memory:
        """
        Forgets what is past its time, which every other change here does, too:
        fragments 30 days after they were dealt with, what an entry said before and runs
        after 90 days, archived entries after a year.

        Source: L-MEM-15.
        """
        writing.tidy(self._desk, self.room, by=by, now=now)
        return self
