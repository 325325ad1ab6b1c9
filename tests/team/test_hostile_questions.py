"""What models, hosts and people hand to a team's questions that is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rooms.errors import RoomsError
from team.scene import Scene

NONE_OF_IT: list[Any] = [None, 7, b"x", "", "\ud800", "x" * 10**6, ["x"], object()]
CALLS: dict[str, Callable[[Scene, Any], object]] = {
    "ask": lambda scene, given: scene.acts("builder").ask(given, to=["scout"]),
    "ask whom": lambda scene, given: scene.acts("builder").ask("Which?", to=given),
    "ask one": lambda scene, given: scene.acts("builder").ask("Which?", to=[given]),
    "ask and wait": lambda scene, given: scene.acts("builder").ask(
        "Which?", to=["scout"], wait=given
    ),
    "ask again": lambda scene, given: scene.acts("builder").ask(
        "Which?", to=["scout"], request_id=given or ""
    ),
    "reply to": lambda scene, given: scene.acts("scout").reply(given, "That."),
    "wait": lambda scene, given: scene.acts("scout").wait(given),
    "withdraw": lambda scene, given: scene.acts("scout").withdraw_question(given),
    "attention": lambda scene, given: scene.acts("scout").request_attention(given),
    "broadcast": lambda scene, given: scene.acts("scout").broadcast(given),
    "broadcast and wake": lambda scene, given: scene.acts("scout").broadcast(
        "Hear.", wake=given
    ),
    "send and wake": lambda scene, given: scene.acts("scout").send(
        "Hear.", to=["lead"], wake=given
    ),
    "answer whom": lambda scene, given: scene.team().answer(given, "That."),
    "answer": lambda scene, given: scene.team().answer("builder", given),
    "release": lambda scene, given: scene.team().release(given),
    "wake": lambda scene, given: scene.team().wake(given),
}


@pytest.mark.rule("S-QUESTION-15")
@pytest.mark.parametrize("call", CALLS)
def test_what_is_none_is_refused_by_code_and_changes_nothing(
    scene: Scene, call: str
) -> None:
    scene.started()
    scene.acts("builder").ask("Which?", to=["lead"])
    scene.lobby.deliver()
    before = list(scene.lobby.export())

    for given in NONE_OF_IT:
        with pytest.raises(RoomsError) as error:
            CALLS[call](scene, given)
        assert error.value.code, (call, given)
        assert list(scene.lobby.export()) == before, (call, given)
