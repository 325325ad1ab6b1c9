"""
Activities: what a person's message set going in a planned room, and who has the floor.

Two laws. An activity holds who had a turn and what came of it, never a word of what was
said. And it is as long as one activity may be, whatever the room has seen before.

Times are microseconds, UTC.
"""

from __future__ import annotations

from attrs import define, field

__all__ = ["COUNTED", "Activity", "Floor", "HadTurn", "Opener"]

COUNTED = ("spoke", "passed", "empty", "failed", "timed_out", "absent")
"""
What a turn can come to so that it is used up.

`spoke`: it said something. `passed`: it declined. `empty`: it came back without words.
`failed`, `timed_out`: it did not come back well. `absent`: its seat rests or is gone.
"""


@define
class HadTurn:
    """
    A turn of the activity that is used up.

    Attributes:
        conversation: Whose.
        round: In which round, from 0.
        outcome: One of `COUNTED`.
        seqs: The messages that it brought.
    """

    conversation: str
    round: int
    outcome: str
    seqs: tuple[int, ...] = ()


@define
class Opener:
    """A person's message that opens an activity, whom it addresses, and who covers."""

    seq: int
    cast: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()


@define
class Floor:
    """
    Whose turn it is.

    Attributes:
        conversation: Whose.
        activity: The opener of the activity that gave it.
        round: The round of the turn, from 0.
        at: When it was given.
        may_pass: Whether the seat is offered to decline.
        wake: The wake that took it, or "" while nobody has.
        seqs: The messages that its seat has said since it was taken.
    """

    conversation: str
    activity: int
    round: int
    at: int
    may_pass: bool = False
    wake: str = ""
    seqs: tuple[int, ...] = ()


@define
class Activity:
    """
    What a person's message set going.

    Attributes:
        opener: The number of that message.
        cast: Whom it addressed, in written order; empty where that narrows nothing.
        cover: Who steps in where the turn of the one in the cast fails.
        turns: The turns that are used up, in their order.
        since: From when on the planner is to be asked, while nobody has the floor.
        tries: How often in a row the turn of a conversation did not count.
        aside: Messages that belong to no turn of this activity.
        problem: Why the planner could not say who is next, or "".
    """

    opener: int
    cast: tuple[str, ...] = ()
    cover: tuple[str, ...] = ()
    turns: list[HadTurn] = field(factory=list)
    since: int = 0
    tries: dict[str, int] = field(factory=dict)
    aside: list[int] = field(factory=list)
    problem: str = ""

    @property
    def round(self) -> int:
        """The highest round that anybody had a turn in."""
        return max((turn.round for turn in self.turns), default=0)
