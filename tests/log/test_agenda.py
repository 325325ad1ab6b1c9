"""
What folding does not compute anew is what it would compute: after every fact, whom the
room waits for and who may take is what the plain definitions say of the whole state.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from log.exploring import OPERATIONS, SETTINGS, Setting, step
from log.room import SECOND, room
from rooms.log import folding
from rooms.log.events import decoded
from rooms.log.records import Record
from rooms.log.state import RoomState
from rooms.log.team_looks import look_at
from rooms.pacing import Pushes, RateWindow
from rooms.policy import RoomPolicy

TOLD_AND_CLAIMED = [
    *("ops to Ada", "Ada takes", "Ada opens", "Ada ends"),
    *("Ada is claimed", "Ada takes"),
]
GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.jsonl"))


def plain(state: RoomState) -> None:
    """Nothing is computed here by what changed."""
    for name, seat in state.seats.items():
        lanes = seat.owed or {}
        every = [one for lane in lanes.values() for one in lane.values()]
        ready = [*lanes.get("ready", {}).values()]
        takes = bool(ready) or state.is_due(seat)
        assert (name in state.takeable) == (takes and seat.place == "in"), name
        assert all(lanes.values()), "a lane that is empty is none"
        assert seat.fresh == sum(one.push is None for one in ready)
        assert seat.backlog == sum(one.size for one in every)
        assert seat.next == state.next_of(seat), name
        assert seat.next is None or (seat.next, name) in state.agenda
    nexts = [one.next for one in state.seats.values()]
    waits = [at for at in nexts if at is not None]
    assert (state.agenda[0][0] if state.agenda else None) == min(waits, default=None)
    if state.activity is not None and state.floor is None:
        waits.append(state.activity.since)
    coming = None if state.coming is None else state.coming.deadline()
    looks = None if state.team is None else look_at(state)
    waits += [at for at in (coming, looks) if at is not None]
    assert state.deadline() == min(waits, default=None)


def logs(path: Path) -> list[list[Record]]:
    """The rooms' streams of an exported log."""
    streams: dict[str, list[Record]] = {}
    for line in path.read_text("ascii").splitlines()[1:]:
        row = json.loads(line)
        if row.get("stream", "").startswith("room:"):
            named = {name: row[name] for name in row if name in Record._fields}
            named |= {"header": row["header"].encode(), "body": None, "salt": None}
            streams.setdefault(row["stream"], []).append(Record(**named))
    return [*streams.values()]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_golden_room_waits_as_its_whole_state_says(path: Path) -> None:
    for records in logs(path):
        state, at_once = RoomState(), RoomState()
        facts = [decoded(record) for record in records]
        for fact in facts:
            folding.evolve(state, fact)
            plain(state)
        for first in range(0, len(facts), 7):
            folding.evolve_all(at_once, facts[first : first + 7])
            plain(at_once)

        assert at_once == state
        assert at_once.shape == state.shape


@settings(max_examples=120, derandomize=True)
@given(
    setting=st.sampled_from(SETTINGS),
    names=st.lists(st.sampled_from(list(OPERATIONS)), max_size=30),
    batch=st.integers(1, 9),
)
@example(SETTINGS[5], ["eve to Ada", "ops to Ada", "eve to Ada"], 2)
@example(SETTINGS[1], TOLD_AND_CLAIMED, 1)
def test_a_room_waits_as_its_whole_state_says(
    setting: Setting, names: list[str], batch: int
) -> None:
    walk = setting.start()
    for name in names:
        after = walk.clone()
        if step(walk, after, name, OPERATIONS[name]):
            walk = after
            plain(walk.room.state)
    at_once, facts = RoomState(), walk.room.facts
    for first in range(0, len(facts), batch):
        folding.evolve_all(at_once, facts[first : first + batch])
        plain(at_once)

    assert at_once == walk.room.state


def test_what_is_ready_behind_an_open_wake_leaves_its_claim_to_wait_for() -> None:
    hall = room("eve", "ben")
    hall.post("eve", "agent:ben", at=1)
    hall.take("ben", at=2)
    claim = hall.seat("ben").next
    hall.post("eve", "agent:ben", at=3)

    assert hall.seat("ben").next == claim
    assert [*hall.state.takeable] == ["ben"]
    plain(hall.state)


def test_what_is_ready_moves_no_place_that_somebody_else_waits_for() -> None:
    one_a_minute = RateWindow(1, timedelta(minutes=1))
    hall = room("eve", "ben", policy=RoomPolicy(wake_window=one_a_minute))
    hall.post("eve", "agent:ben", at=1)
    hall.post("eve", "agent:ben", at=2)
    assert hall.seat("ben").next == 61 * SECOND

    hall.post("ops", "agent:ben", at=3)  # a person takes along what was held

    assert hall.lanes("ben") == {1: "ready", 2: "ready", 3: "ready"}
    assert hall.seat("ben").next is None
    plain(hall.state)


def test_pushes_are_waited_for_from_the_first_message_on() -> None:
    hall = room("eve", "ben", policy=RoomPolicy(pushes=Pushes()))
    hall.post("eve", "agent:ben", at=1)
    assert hall.seat("ben").next == 2 * SECOND
    hall.post("eve", "agent:ben", at=1)

    assert hall.seat("ben").next == 2 * SECOND
    plain(hall.state)


def test_those_who_are_owed_it_alike_share_one_entry_and_what_it_cost() -> None:
    hall = room("eve", "ben", "cy", "dan", modes={"dan": "digest"})
    for second in (1, 2):
        hall.post("eve", "agent:ben", "agent:cy", "room", at=second)
    ben, cy, dan = (hall.seat(name) for name in ("ben", "cy", "dan"))

    assert ben.entry(1) is cy.entry(1)
    assert dan.entry(1) is not ben.entry(1)
    assert ben.charges is cy.charges
    assert ben.charges == (SECOND, 2 * SECOND)
