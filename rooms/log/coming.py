"""
What is to come: messages of a room that were accepted and wait for their time.

Three laws. It holds no text, and grows with what waits. Whom a message reaches was
settled when it was accepted, and only shrinks (L-SCHED-05). And what is due next stands
at the head of a heap, so a look costs what is due, however much waits.

Times are microseconds, UTC.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from attrs import define, field

__all__ = ["Coming", "Waiting"]

_SLACK = 64  # an agenda this short is not worth tidying


@define(weakref_slot=False)  # there may be many
class Waiting:
    """
    A message that was accepted and waits.

    Attributes:
        version: The record that accepted it; it names the message for ever.
        due: When it is to be released.
        words: The record that holds its words as they are now.
        size: What it adds to the backlog of each that it is for, in bytes.
        reached: Whom it is for, each with the tag.
        lost: Those whom it was for, each with why it reaches them no more.
    """

    version: int
    due: int
    words: int
    size: int = 0
    reached: tuple[tuple[str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()


@define(weakref_slot=False)
class _Share:
    """What waits for one conversation: which messages, and their bytes together."""

    size: int = 0
    versions: dict[int, None] = field(factory=dict)


@define(weakref_slot=False)
class Coming:
    """The messages of one room that wait."""

    waiting: dict[int, Waiting] = field(factory=dict)
    agenda: list[tuple[int, int]] = field(factory=list, eq=False)
    shares: dict[str, _Share] = field(factory=dict)

    # -- reading

    def deadline(self) -> int | None:
        """When the next one is due."""
        return self.agenda[0][0] if self.agenda else None

    def due(self, now: int) -> Waiting | None:
        """The one that is due first, if one is by now."""
        if self.agenda and self.agenda[0][0] <= now:
            return self.waiting[self.agenda[0][1]]
        return None

    def size_for(self, conversation: str) -> int:
        """The bytes that wait for a conversation."""
        share = self.shares.get(conversation)
        return 0 if share is None else share.size

    # -- changed by folding alone

    def accept(self, one: Waiting) -> None:
        """Has a message wait."""
        self.waiting[one.version] = one
        heappush(self.agenda, (one.due, one.version))
        for conversation, _ in one.reached:
            share = self.shares.setdefault(conversation, _Share())
            share.size += one.size
            share.versions[one.version] = None

    def change(self, version: int, *, due: int, words: int, size: int) -> None:
        """Has it wait for another time, with other words."""
        one = self.waiting[version]
        for conversation, _ in one.reached:
            self.shares[conversation].size += size - one.size
        one.words, one.size = words, size
        if one.due != due:
            one.due = due
            heappush(self.agenda, (due, version))
            self._tidy()

    def end(self, version: int) -> None:
        """It was released or cancelled, and waits no more."""
        one = self.waiting.pop(version)
        for conversation, _ in one.reached:
            self._unshare(conversation, one)
        self._tidy()

    def lose(self, conversation: str, why: str) -> None:
        """A seat was given up: nothing that waits for it reaches it (L-ROOM-09)."""
        share = self.shares.get(conversation)
        for version in [] if share is None else list(share.versions):
            one = self.waiting[version]
            self._unshare(conversation, one)
            one.reached = tuple(pair for pair in one.reached if pair[0] != conversation)
            one.lost = (*one.lost, (conversation, why))

    def _unshare(self, conversation: str, one: Waiting) -> None:
        share = self.shares[conversation]
        del share.versions[one.version]
        share.size -= one.size
        if not share.versions:
            del self.shares[conversation]

    def _tidy(self) -> None:
        """Keeps what waits no more off the agenda's head, and it from growing."""
        waiting, agenda = self.waiting, self.agenda
        if len(agenda) > _SLACK + 4 * len(waiting):
            self.agenda = agenda = [(one.due, v) for v, one in waiting.items()]
            heapify(agenda)
        while agenda:
            due, version = agenda[0]
            one = waiting.get(version)
            if one is not None and one.due == due:
                return
            heappop(agenda)
