"""Every order of actions reaches only legal states, and a result is sent once."""

from __future__ import annotations

import pytest

from effort import sized
from rooms.team import TeamStatus
from team.explored import ACTIONS, World, explore, first_world

DEPTH = sized(4, 6, 8)


def reached(*actions: str) -> World:
    world = first_world()
    for action in actions:
        world = ACTIONS[action](world)
    return world


STARTED = ("start",) * 4
RUNNING = ("lead", "lead", "builder", "builder")


@pytest.mark.rule("S-STATUS-03", "S-STATUS-04", "S-STATUS-06")
@pytest.mark.parametrize(
    "begun",
    [(), STARTED, (*STARTED, *RUNNING), (*STARTED, *RUNNING, "finish")],
    ids=["draft", "ready", "running", "completing"],
)
def test_every_order_of_actions_reaches_only_legal_states(
    begun: tuple[str, ...],
) -> None:
    worlds = list(explore(DEPTH, reached(*begun)))

    assert len(worlds) > 15


@pytest.mark.rule("S-STATUS-01", "S-DELIVER-08")
def test_every_status_is_reached_and_a_result_is_sent_at_most_once() -> None:
    every = [*explore(4), *explore(4, reached(*STARTED, "lead", "lead"))]

    statuses = {world.state().team.status for world in every}  # type: ignore[union-attr]
    assert statuses == {one.value for one in TeamStatus}
    assert {world.sent for world in every} == {0, 1}
