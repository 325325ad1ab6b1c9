"""
Who is next, at every length of the history.

The transcript is many finished activities and one that is going on: a person and three
agents of a roster of four have spoken, the fourth is next. The talk is the same at
every length; what is before it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, repeat
from types import ModuleType
from typing import Any

from benchmarks.paired import Row, compare
from rooms import RoomEvent, RoundRobinRoomPlanner

ROSTER = ["planner", "coder", "reviewer", "tester"]
TALK = (
    ("ana", "The login form loses what I typed when the password is wrong.", 0),
    ("planner", "It should keep the name and clear the password. @coder, please.", 0),
    ("coder", "Done, the name stays. @reviewer, can you have a look at the diff?", 0),
    ("reviewer", "Reads well. One thing: the error message names the field twice.", 0),
)
FINISHED = (
    *TALK,
    ("tester", "Ran the suite on the branch, all of it passes.", 0),
    ("coder", "Said once now. @reviewer, again please.", 1),
    ("reviewer", "Good to go.", 1),
    ("reviewer", "Nothing to add.", 2),
)
AT_LENGTH = {  # must, stretch: peer / ours
    4: (1.2, 1.8),
    20: (1.5, 2.5),
    100: (3, 4),
    1_000: (25, 30),
    10_000: (250, 300),
    100_000: (2_000, 2_500),
}


def transcript(make: Callable[..., Any], length: int) -> Sequence[Any]:
    """So many events, the last four of which are the talk."""
    history = islice(chain.from_iterable(repeat(FINISHED)), length - len(TALK))
    return [make(*event) for event in (*history, *TALK)]


def rows(peer: ModuleType | None) -> Iterator[Row]:
    ours = RoundRobinRoomPlanner()
    longest = transcript(RoomEvent, max(AT_LENGTH))
    shortest = longest[-len(TALK) :]
    assert ours.plan_next(ROSTER, longest) == "tester"
    yield Row(
        "plan_next, 100,000 events",
        "4 events, the same activity",
        compare(
            partial(ours.plan_next, ROSTER, longest),
            partial(ours.plan_next, ROSTER, shortest),
        ),
        must=1.3,
        stretch=1.1,
    )
    if peer is None:
        return
    theirs = peer.RoundRobinRoomPlanner()
    for length, (must, stretch) in AT_LENGTH.items():
        theirs_reads = transcript(peer.RoomEvent, length)
        assert theirs.plan_next(ROSTER, theirs_reads) == "tester"
        yield Row(
            f"plan_next, {length:,} events",
            "the peer's, peer / ours",
            compare(
                partial(theirs.plan_next, ROSTER, theirs_reads),
                partial(ours.plan_next, ROSTER, longest[-length:]),
            ),
            must=must,
            stretch=stretch,
            more_is_better=True,
        )
