"""The stories and the exploration find the mistakes that are planted for them."""

from __future__ import annotations

import pytest

from effort import sized
from log import test_confirming, test_held, test_owed, test_turns
from log.exploring import SETTINGS, explore
from log.planted import MISTAKES, stories

STORIES = (test_held, test_turns, test_owed, test_confirming)


def fails_a_story() -> str | None:
    for name, story in stories(STORIES):
        try:
            story()
        except (Exception, pytest.fail.Exception):  # noqa: BLE001 - whatever breaks
            return name
    return None


def fails_the_exploration(depth: int) -> str | None:
    try:
        explore(SETTINGS, depth=depth)
    except Exception as error:  # noqa: BLE001 - a mistake may break anything
        return repr(error)
    return None


def test_without_a_mistake_there_is_nothing_to_find() -> None:
    assert fails_a_story() is None
    assert fails_the_exploration(1) is None


def test_hardly_a_mistake_escapes() -> None:
    escaped = []
    for name, plant in list(MISTAKES.items())[:: sized(4, 1)]:
        with pytest.MonkeyPatch.context() as patch:
            plant(patch)
            if not (fails_the_exploration(1) or fails_a_story()):
                escaped.append(name)

    assert len(MISTAKES) >= 20
    assert len(escaped) <= len(MISTAKES) // 10, escaped
    assert escaped == []
