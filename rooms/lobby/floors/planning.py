"""
Planning the floor, as the shell does it: gather the activity, ask, record.

Four laws. The library's own planners are rules: what they answer follows from a commit
and stands in it, so a turn's end and the next one's floor are one. A plugin's planner
is asked behind the commit, with no lock held, and its answer counts only if the
activity stands still as it was asked about (ledger 16). A planner that fails refuses
nothing: the floor stays unplanned with its reason, and is planned by the next who
delivers (foundation 25). And what was committed before is never undone by it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rooms.errors import InvalidInput, NotFound, RoomsError
from rooms.lobby.floors.asking import Asked, answered, asked, unread
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import Stream, room_stream
from rooms.log import floors
from rooms.log.actors import SYSTEM
from rooms.log.events import Event, Fact
from rooms.log.state import RoomState
from rooms.log.team import following
from rooms.planning.floors import (
    PLANNERS,
    FloorPlan,
    plan_with,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["AGAIN", "follow", "plan"]

_LOG = logging.getLogger("rooms")

AGAIN = 30_000_000
"""After how many microseconds a planner that failed is due again by itself."""


def follow(desk: Desk, stream: Stream, said: Sequence[Fact]) -> Sequence[Event]:
    """
    What one of the library's own planners answers behind facts that are folded, and
    stored nowhere yet; nothing where another one is to be asked, or this one fails.
    """
    room = stream.state
    if not isinstance(room, RoomState) or floors.to_plan(room) is None:
        return ()
    try:
        plan, roster = unread(room), _NO_ROSTER
        if plan is None:
            question = asked(desk.storage, room, said, desk.heard)
            if question is None or not question.is_ours:
                return ()
            plan, roster = answered(question), question.roster
        events = floors.given(room, plan, roster)
    except Exception:  # noqa: BLE001 - `plan` meets it again, and records it
        return ()
    return events if room.team is None else [*events, *following(room, events)]


_NO_ROSTER: Mapping[str, str] = MappingProxyType({})
"""Nobody has to be found by a name."""


def plan(desk: Desk, room_id: str, *, now: datetime | None) -> None:
    """
    Sees to it that somebody has the floor, or that the activity ends.

    Whatever goes wrong is logged and stays due: it is called behind a commit that
    stands.
    """
    try:
        while question := _question(desk, room_id):
            if not _planned(desk, room_id, question, now):
                return
    except NotFound:  # the room is gone
        return
    except RoomsError as error:
        _LOG.warning("the floor of %s is not planned: %s", room_id, error.code)


def _planned(desk: Desk, room_id: str, question: Asked, now: datetime | None) -> bool:
    """Asks the planner and records its answer; False where it has none."""
    problem, answer = "", None
    try:
        answer = _answer(desk, question)
    except InvalidInput as error:
        known = {"not_on_roster", "unknown_planner"}
        problem = error.code if error.code in known else "planner_failed"
        if error.code == "unknown_planner":
            _LOG.warning("%s is not planned: %s", room_id, error)
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        problem = "planner_failed"
        # The error's own words may quote a message, so they are not logged (S16).
        words = (question.planner, room_id, type(error).__name__)
        _LOG.warning("planner %r of %s failed: %s", *words)
    stream = room_stream(room_id)

    def decide(at: int) -> Decision:
        room = desk.room(room_id)
        if floors.to_plan(room) != question.about:
            return Decision()
        events: Sequence[Event]
        if answer is None:
            activity = room.activity
            if activity and activity.problem == problem and activity.since > at:
                return Decision()  # it is on record already, and due again
            events = floors.unplanned(room, problem, again=at + AGAIN)
        else:
            events = floors.given(room, answer, room.rostered())
        return Decision({stream: events})

    desk.record(decide, stream, by=SYSTEM, now=now, planning=True)
    if problem:
        desk.unplanned[room_id] = None
        return False
    desk.unplanned.pop(room_id, None)
    return True


def _question(desk: Desk, room_id: str) -> Asked | None:
    """The question about a room's activity; None where nobody is to be asked."""
    with desk.lock:
        return asked(desk.storage, desk.room(room_id), heard=desk.heard)


def _answer(desk: Desk, question: Asked) -> FloorPlan:
    if question.is_ours:
        return answered(question)
    return plan_with(_plugged(desk, question.planner), question.question)


def _plugged(desk: Desk, name: str) -> Any:
    """The planner that a plugin brings under a name, made once for each handle."""
    if name not in desk.planners:
        offers = desk.plugins.collect("rooms_planners") if desk.plugins else None
        offered = None if offers is None else offers.found.get(name)
        if offered is None:
            raise InvalidInput(
                "planner",
                f"{name[:80]!a} is offered by no plugin",
                allowed=", ".join(["none", *PLANNERS]),
                code="unknown_planner",
            )
        desk.planners[name] = offered.value()
    return desk.planners[name]
