"""
What is recorded of activities and of the floor.

Two laws. Whether a turn is used up is said by its event, so that folding counts
nothing out. And every end says why.
"""

from __future__ import annotations

from rooms.log.events import Event, recorded

__all__ = [
    "ActivityEnded",
    "ActivityOpened",
    "FloorEnded",
    "FloorGiven",
    "FloorUnplanned",
    "OpenerQueued",
]


@recorded("activity_opened")
class ActivityOpened(Event):
    """
    A person's message opened an activity: as it was `posted`, since it `interrupted`
    another, or after it had been `queued`.

    `cast` are the conversations that it addressed, in written order; it never grows.
    `cover` are those that step in where the turn of the one in the cast fails.
    """

    opener: int
    cast: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()
    why: str = "posted"


@recorded("opener_queued")
class OpenerQueued(Event):
    """A person's message opens the next activity, after the one that goes on."""

    opener: int
    cast: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()


@recorded("activity_ended")
class ActivityEnded(Event):
    """Nobody is next any more, and the reason."""

    opener: int
    reason: str
    round: int = 0


@recorded("floor_given")
class FloorGiven(Event):
    """The planner named a seat: its turn is owed to it."""

    conversation: str
    activity: int
    round: int = 0
    may_pass: bool = False


@recorded("floor_ended")
class FloorEnded(Event):
    """
    A turn with the floor came to an end, or to none.

    `used` tells whether the turn is used up; else the planner may name its seat again.
    `kind` classes a failure for callers; `clipped` says that the seat was shown only a
    part of what it had missed.
    """

    conversation: str
    activity: int
    outcome: str
    round: int = 0
    used: bool = True
    seqs: tuple[int, ...] = ()
    kind: str = ""
    clipped: bool = False


@recorded("floor_unplanned")
class FloorUnplanned(Event):
    """The planner could not say who is next; it is asked again from `again` on."""

    activity: int
    reason: str
    again: int
