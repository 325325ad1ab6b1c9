"""What a conversation is owed that a message starts: rules 2, 3 and 5 of the ledger."""

from __future__ import annotations

import pytest

from log.room import Room, room
from rooms import presets
from rooms.log.posting import MessagePosted
from rooms.log.posting.adding import Addition, add
from rooms.policy import RoomPolicy


def owed_to_message(hall: Room) -> tuple[tuple[str, ...], ...]:
    """All that the newest message is owed to: seat, class, tag, rule and lane."""
    messages = [one.event for one in hall.facts if isinstance(one.event, MessagePosted)]
    return messages[-1].owed


def added(hall: Room, held: str = "") -> tuple[tuple[str, ...], ...]:
    """What a conversation of Bo's is owed for the word with which eve brings it in."""
    bo = Addition("Bo", "Bo/b", "agent:Bo/b", "ops", "look at this", held)
    hall.do(lambda: add(hall.state, bo, by=hall.actor("eve"), now=hall.now), by="eve")
    return tuple(one for one in owed_to_message(hall) if one[0] == "Bo/b")


@pytest.mark.rule("G-ADDR-05")
def test_it_is_woken_by_what_started_it() -> None:
    hall = room("eve", "Ada/a")
    hall.post("eve", "agent:Ada", at=1)

    assert owed_to_message(hall) == (("new/1", "now", "direct", "started", "ready"),)
    assert hall.wake("new/1", at=2).messages == [1]


def test_too_far_from_a_persons_word_it_is_not_woken_but_told_with_its_next_wake() -> (
    None
):
    hall = room("eve", "Ada/a", policy=RoomPolicy(max_hops=1))
    hall.post("ops", "agent:eve", at=1)
    hall.turn("eve", at=2)
    hall.post("eve", "agent:Ada", at=3)  # one hop

    assert owed_to_message(hall) == (
        ("new/1", "rider", "direct", "hop_guard", "rider"),
    )
    assert hall.take("new/1", at=4) == []
    hall.post("ops", "agent:Ada/all", confirm=True, at=5)
    assert hall.wake("new/1", at=6).messages == [2, 3]


def test_in_a_planned_room_it_hears_what_started_it_and_waits_for_the_floor() -> None:
    hall = room("eve", "Ada/a", policy=presets.panel())
    hall.post("eve", "agent:Ada", at=1)

    started = [one for one in owed_to_message(hall) if one[0] == "new/1"]
    assert started == [("new/1", "rider", "direct", "planned", "rider")]


@pytest.mark.rule("G-ADD-01", "G-ADD-02")
@pytest.mark.parametrize("policy", [RoomPolicy(), presets.panel()])
def test_who_was_added_is_woken_at_once_in_a_planned_room_too(
    policy: RoomPolicy,
) -> None:
    hall = room("eve", policy=policy)

    assert added(hall) == (("Bo/b", "now", "direct", "added", "ready"),)


def test_who_was_added_while_its_agent_is_held_is_woken_when_that_goes_on() -> None:
    hall = room("eve")

    assert added(hall, held="paused") == (("Bo/b", "now", "direct", "added", "held"),)
