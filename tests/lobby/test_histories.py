"""What processes saw that post and read at once could have been seen one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effort import sized
from lobby.campaign.history import anomalies, messages_of
from lobby.test_contention import furnished, together
from rooms import Lobby

OPERATIONS = sized(25, 40, 10_000)

ONE = [("post", "a", 1), ("read", 0, [(1, "a"), (2, "b")], 2), ("refused", "long")]
TWO = [("post", "b", 2), ("read", 1, [(2, "b"), (3, "c")], 3), ("post", "c", 3)]
SAID = [(1, "a"), (2, "b"), (3, "c")]
PLANTED: dict[str, tuple[list[Any], list[Any], list[Any]]] = {
    "gap": (ONE, TWO, [(1, "a"), (2, "b"), (4, "c")]),
    "duplicate": (ONE, TWO, [*SAID, (4, "a")]),
    "lost": (ONE, [*TWO, ("post", "d", 4)], SAID),
    "aborted read": (ONE, TWO, [*SAID, (4, "long")]),
    "phantom": (ONE, TWO, [*SAID, (4, "nobody's")]),
    "order": (ONE, [TWO[2], TWO[0]], SAID),
    "skipped": (ONE, [("read", 0, [(1, "a"), (3, "c")], 3), *TWO], SAID),
    "inconsistent": (ONE, [("read", 1, [(2, "other")], 3), *TWO], SAID),
    "non-monotonic": ([*ONE, ("read", 2, [], 2)], [*TWO, ("read", 3, [], 2)], SAID),
    "stale own read": (ONE, [TWO[2], ("read", 2, [], 2)], SAID),
    "ahead": (ONE, [("read", 0, [(1, "a"), (2, "b")], 1), *TWO], SAID),
}


def test_a_history_that_may_have_been_has_no_anomaly() -> None:
    assert anomalies([ONE, [TWO[0], TWO[2], TWO[1]]], SAID) == []


def test_a_post_without_an_answer_may_be_there_or_not() -> None:
    three = [("asked", "d"), ("asked", "e")]

    assert anomalies([ONE, TWO, three], [*SAID, (4, "e")]) == []


@pytest.mark.parametrize("planted", PLANTED)
def test_each_anomaly_that_is_planted_is_found(planted: str) -> None:
    one, two, said = PLANTED[planted]

    assert planted in anomalies([one, two], said)


def test_processes_that_post_and_read_at_once_see_no_anomaly(tmp_path: Path) -> None:
    path, names = tmp_path / "team.db", ["ann", "ben", "cy"]
    with Lobby.open(path) as lobby:
        furnished(lobby, *names)

    histories = together("watch", path, names, OPERATIONS)

    with Lobby.open(path) as lobby:
        every = messages_of(lobby.room("work"), lobby.person("watcher"))
        said = [(one.seq, one.content[:50]) for one in every]
    assert {one[0] for history in histories for one in history} == {
        *("post", "refused", "read")
    }
    assert anomalies(histories, said) == []
