"""
What a command comes to before it is recorded, and after it.

Law: a decision is all that its commit does, and depends on nothing but what it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from attrs import field, frozen

from rooms.log.events import Event, Fact

__all__ = ["Committed", "Consents", "Decision"]

Consents = tuple[tuple[str, str], ...]
"""What hosts let happen, each with the plugin that said so."""


@frozen
class Decision:
    """
    What a command comes to.

    Attributes:
        appends: Events by stream, in the order of their appending.
        guards: Streams that the decision read and does not write.
        add: Keys to add, each with a fingerprint of what they stand for; they are held
            by the commit's first record, and stand in it.
        passing: Keys that end with the words of the last event of the first stream:
            they stand among these, and are held by its record.
        release: Keys to let go.
        remove: Streams that are gone with this commit, records and words.
        consents: What hosts let happen, each with the plugin that said so (foundation
            24); they stand in the commit's first record.
        keep: Stores the contents that a record names, in the commit's transaction.
        forget: Removes those that no record names any more, likewise, at its end.
        counts: Whether it was decided on a count over many streams, which no version of
            one proves: whatever else was committed meanwhile has it decided again.
    """

    appends: Mapping[str, Sequence[Event]] = field(factory=dict)
    guards: tuple[str, ...] = ()
    add: Mapping[str, str] = field(factory=dict)
    passing: Mapping[str, str] = field(factory=dict)
    release: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    consents: Consents = ()
    keep: Callable[[], object] | None = None
    forget: Callable[[], object] | None = None
    counts: bool = False

    def runs(self) -> list[tuple[str, Sequence[Event]]]:
        """The streams that anything is appended to, each with its events."""
        return [(name, run) for name, run in self.appends.items() if run]


class Committed(NamedTuple):
    """
    What was recorded: the facts by stream, when, by whom, and the last position.

    What followed from it by rule was stored with it, and is told as a commit `then`.
    """

    facts: Mapping[str, Sequence[Fact]]
    at: int
    by: str
    position: int
    then: Committed | None = None

    @property
    def length(self) -> int:
        """How many records it has."""
        return sum(map(len, self.facts.values()))

    @property
    def each(self) -> tuple[Committed, ...]:
        """It, and what followed from it."""
        return (self,) if self.then is None else (self, self.then)
