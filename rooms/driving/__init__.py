"""
Driving: somebody has the floor, is asked, and what came of it is recorded, on and on.

`drive` is the loop over a callable that asks your agents, `drive_async` the same for a
coroutine function; `rooms.driving.loop` shows all of it. `open_panel` opens a panel,
`Thread` answers a person who addresses participants by name, and `Talk` drives a
transcript that a gateway keeps itself. Beside them stand what a
group chat needs of a peer: `ContinuityStore` and `LateAnswers`.
"""

from rooms.driving.casts import cast_line, cast_of, with_cast_line
from rooms.driving.continuity import ContinuityStore, Peer
from rooms.driving.late import (
    BACK_OFF,
    BackOff,
    InactivityClock,
    LateAnswers,
    LateEnd,
    Pending,
    post_late_answer,
)
from rooms.driving.loop import drive, drive_async
from rooms.driving.notes import Note, render_note
from rooms.driving.outcomes import Driven, Quorum, Reply, Turned, TurnFailed, quorum
from rooms.driving.panel import by_name, open_panel
from rooms.driving.rounds import SeatOutcome, outcomes_of
from rooms.driving.talks import Talk, events_of
from rooms.driving.thread import Thread, ThreadAnswer
from rooms.driving.views import View

__all__ = [
    "BACK_OFF",
    "BackOff",
    "ContinuityStore",
    "Driven",
    "InactivityClock",
    "LateAnswers",
    "LateEnd",
    "Note",
    "Peer",
    "Pending",
    "Quorum",
    "Reply",
    "SeatOutcome",
    "Talk",
    "Thread",
    "ThreadAnswer",
    "TurnFailed",
    "Turned",
    "View",
    "by_name",
    "cast_line",
    "cast_of",
    "drive",
    "drive_async",
    "events_of",
    "open_panel",
    "outcomes_of",
    "post_late_answer",
    "quorum",
    "render_note",
    "with_cast_line",
]
