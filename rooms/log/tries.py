"""
Tries: how far the pushing of what a seat is owed has come.

Two laws. What one push told first is tried together from then on, however many messages
that is, so a seat waits for few instants. And it is changed by folding facts alone.
"""

from __future__ import annotations

from attrs import define, field

__all__ = ["LOOK", "Pushing", "Tries"]

LOOK = -1
"""That nothing is pushed until somebody looks whether it can be."""


@define(weakref_slot=False)
class Tries:
    """
    The tries of what one push told first.

    Attributes:
        push: The id of that push.
        count: How many tries there were since they began, or began anew.
        next: When something is due: another try, or a person's attention; 0 where
            attention was called, and nothing is.
        confirmed: When a transport last said that it had been written, or 0.
        left: How many of the messages are owed still.
    """

    push: str
    count: int
    next: int
    confirmed: int = 0
    left: int = 0

    @property
    def spent(self) -> bool:
        """Whether all tries were in vain, and a person should look."""
        return self.next == 0


@define(weakref_slot=False)
class Pushing:
    """
    What a seat's pushes wait for.

    Attributes:
        due: When what was never tried is due; it means nothing where there is none.
        since: Nothing is pushed before this instant; or `LOOK`.
        piled: Messages up to this number had piled up: they are hinted at.
        tries: Those that go on, and those that are spent, the oldest first.
    """

    due: int = 0
    since: int = 0
    piled: int = 0
    tries: list[Tries] = field(factory=list)

    def at(self, fresh: int) -> int | None:
        """When something is due first, with so many that were never tried."""
        if self.since == LOOK:
            return None
        instants = [one.next for one in self.tries if one.left and one.next]
        if fresh:
            instants.append(self.due)
        return max(min(instants), self.since) if instants else None

    def named(self, push: str) -> Tries | None:
        """The tries of what a push told first."""
        return next((one for one in self.tries if one.push == push), None)

    def tidy(self) -> None:
        """Forgets tries of which nothing is owed any more."""
        if not all(one.left for one in self.tries):
            self.tries = [one for one in self.tries if one.left]
