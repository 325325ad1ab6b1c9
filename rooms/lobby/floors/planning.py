"""
Planning the floor, as the shell does it: gather the activity, ask, record.

Three laws. The planner is asked with no lock held, and its answer counts only if the
activity stands still as it was asked about (ledger 16). A planner that fails refuses
nothing: the floor stays unplanned with its reason, and is planned by the next who
delivers (foundation 25). And what was committed before is never undone by it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.errors import InvalidInput, NotFound, RoomsError
from rooms.lobby.recording.commits import Decision
from rooms.lobby.recording.streams import room_stream
from rooms.log import floors
from rooms.log.activities import Activity
from rooms.log.actors import SYSTEM
from rooms.log.events import Event, decoded
from rooms.log.posting import MessagePosted
from rooms.log.state import RoomState
from rooms.planning.events import RoomEvent
from rooms.planning.floors import (
    PLANNERS,
    FloorOptions,
    FloorPlan,
    FloorQuestion,
    HadFloor,
    plan_floor,
    plan_with,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["AGAIN", "plan"]

_LOG = logging.getLogger("rooms")

AGAIN = 30_000_000
"""After how many microseconds a planner that failed is due again by itself."""


@frozen
class _Asked:
    """What a planner is asked, and about which state of the activity."""

    planner: str
    about: tuple[int, int, int]
    question: FloorQuestion


def plan(desk: Desk, room_id: str, *, now: datetime | None) -> None:
    """
    Sees to it that somebody has the floor, or that the activity ends.

    Whatever goes wrong is logged and stays due: it is called behind a commit that
    stands.
    """
    try:
        while asked := _question(desk, room_id):
            if not _planned(desk, room_id, asked, now):
                return
    except NotFound:  # the room is gone
        return
    except RoomsError as error:
        _LOG.warning("the floor of %s is not planned: %s", room_id, error.code)


def _planned(desk: Desk, room_id: str, asked: _Asked, now: datetime | None) -> bool:
    """Asks the planner and records its answer; False where it has none."""
    problem, answer = "", None
    try:
        answer = _answer(desk, asked)
    except InvalidInput as error:
        known = {"not_on_roster", "unknown_planner"}
        problem = error.code if error.code in known else "planner_failed"
        if error.code == "unknown_planner":
            _LOG.warning("%s is not planned: %s", room_id, error)
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        problem = "planner_failed"
        # The error's own words may quote a message, so they are not logged (S16).
        words = (asked.planner, room_id, type(error).__name__)
        _LOG.warning("planner %r of %s failed: %s", *words)
    stream = room_stream(room_id)

    def decide(at: int) -> Decision:
        room = desk.room(room_id)
        if floors.to_plan(room) != asked.about:
            return Decision()
        events: Sequence[Event]
        if answer is None:
            activity = room.activity
            if activity and activity.problem == problem and activity.since > at:
                return Decision()  # it is on record already, and due again
            events = floors.unplanned(room, problem, again=at + AGAIN)
        else:
            events = floors.given(room, answer)
        return Decision({stream: events})

    desk.record(decide, stream, by=SYSTEM, now=now, planning=True)
    if problem:
        desk.unplanned[room_id] = None
        return False
    desk.unplanned.pop(room_id, None)
    return True


def _answer(desk: Desk, asked: _Asked) -> FloorPlan:
    if asked.planner in PLANNERS:
        return plan_floor(asked.planner, asked.question)
    return plan_with(_plugged(desk, asked.planner), asked.question)


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


# -- what a planner is asked


def _question(desk: Desk, room_id: str) -> _Asked | None:
    """The question about a room's activity; None where nobody is to be asked."""
    with desk.lock:
        room = desk.room(room_id)
        about, activity = floors.to_plan(room), room.activity
        if about is None or activity is None:
            return None
        said = _said(desk, room, activity)
        names = _Names(room)
        policy = room.policy
        opener = said.pop(activity.opener, None)
        question = FloorQuestion(
            tuple(room.rostered()),
            RoomEvent(
                opener.author if opener else "person",
                opener.text if opener else "",
                human=True,
            ),
            tuple(_turns(activity, said, names)),
            tuple(map(names.of, activity.cast)),
            tuple(map(names.of, activity.cover)),
            FloorOptions(
                policy.max_rounds,
                policy.max_messages,
                policy.handoffs,
                policy.last_question,
                policy.stop_line,
            ),
        )
        return _Asked(policy.planner, about, question)


class _Names:
    """What a planner calls conversations: the agent's name, for its rostered seat."""

    def __init__(self, room: RoomState) -> None:
        self._names = {one: name for name, one in room.rostered().items()}

    def of(self, conversation: str) -> str:
        """A conversation's name; one that has no turns here is called by its id."""
        return self._names.get(conversation, conversation)


def _said(desk: Desk, room: RoomState, activity: Activity) -> dict[int, MessagePosted]:
    """
    The messages of the activity by their numbers, for a planner that reads them.

    Rounds over a cast read none: all that counts is what came of each turn.
    """
    policy = room.policy
    heedless = policy.planner in {"addressed", "roster"} and not (
        policy.handoffs or policy.last_question or policy.stop_line
    )
    last = activity.opener if heedless else room.seq
    said: dict[int, MessagePosted] = {}
    after = activity.opener - 1
    while after < last:
        records = desk.storage.messages(
            room_stream(room.id), after=after, limit=min(last - after, 1_000)
        )
        if not records:
            break
        for record in records:
            event = decoded(record).event
            if isinstance(event, MessagePosted):
                said[event.seq] = event
                after = event.seq
    return said


def _turns(
    activity: Activity, said: dict[int, MessagePosted], names: _Names
) -> list[HadFloor]:
    """The turns, with what was said out of turn between them (P-RUN-07)."""
    turns: list[HadFloor] = []
    of_turns = {seq for turn in activity.turns for seq in turn.seqs}
    spare = [
        event
        for seq, event in said.items()
        if seq not in of_turns and seq not in activity.aside
        if event.sender and not event.late and not event.failed
    ]
    for turn in activity.turns:
        while spare and turn.seqs and spare[0].seq < turn.seqs[0]:
            turns.append(_spare(spare.pop(0), turns, names))
        words = [said[seq].text for seq in turn.seqs if seq in said]
        content = "\n".join(words)
        turns.append(
            HadFloor(names.of(turn.conversation), content, turn.round, turn.outcome)
        )
    for event in spare:
        turns.append(_spare(event, turns, names))
    return turns


def _spare(event: MessagePosted, before: Sequence[HadFloor], names: _Names) -> HadFloor:
    current = max((turn.round for turn in before), default=0)
    return HadFloor(names.of(event.sender), event.text, current)
