"""Processes that were stopped, or that race for one conversation (L-FENCE)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from effort import sized
from lobby.test_contention import OPEN, together
from rooms import Lobby, presets

HOLDER = Path(__file__).parent / "campaign" / "holder.py"
LONGEST = 20  # s, until a process stops itself


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """The process of a runtime that stops itself whenever it is asked to work."""
    command = [sys.executable, str(HOLDER), str(path), "7"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_stopped(process: subprocess.Popen[str]) -> None:
    for _ in range(LONGEST * 200):
        found, status = os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG)
        if found:
            assert os.WIFSTOPPED(status), "it ended"
            return
        sleep(0.005)
    raise AssertionError("it never stopped")


def said(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.flush()


def gone_on(process: subprocess.Popen[str]) -> Any:
    """What a process that goes on now says of all that it tried."""
    assert process.stdout is not None
    process.send_signal(signal.SIGCONT)
    return json.loads(process.stdout.readline())


def furnished(path: Path) -> None:
    with Lobby.open(path) as lobby:
        lea = lobby.add_agent("lea", manage_rooms=True).conversation()
        lobby.add_agent("ben")
        policy = presets.broker(wake_window=None, send_window=None)
        room = lobby.create_room("work", by=lea, policy=policy)
        room.set_members(["lea", "ben"], by=lea)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGSTOP")
@pytest.mark.rule("L-FENCE-03", "L-FENCE-06", "L-FENCE-08")
def test_a_holder_that_was_stopped_past_its_claim_writes_nothing(
    tmp_path: Path,
) -> None:
    path, rounds = tmp_path / "team.db", sized(2, 6, 50)
    furnished(path)
    with Lobby.open(path) as lobby, holder(path) as process:
        ben, lea = lobby.conversation("ben"), lobby.conversation("lea")
        room = lobby.room("work")
        for number in range(rounds):
            room.post(f"for ben {number}", by=lea, to=[ben])
            said(process, "go\n")
            wait_until_stopped(process)
            ben.claim("r-1")  # as another process of the same runtime
            before = list(lobby.export())

            refused = gone_on(process)

            assert len(refused) == 16
            assert set(refused.values()) == {"stale_runtime"}, refused
            assert list(lobby.export()) == before, number


@pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGSTOP")
def test_a_holder_that_was_stopped_past_its_wake_does_not_answer_it(
    tmp_path: Path,
) -> None:
    path, rounds = tmp_path / "team.db", sized(2, 4, 50)
    furnished(path)
    with Lobby.open(path) as lobby, holder(path) as process:
        ben, lea = lobby.conversation("ben"), lobby.conversation("lea")
        room = lobby.room("work")
        for number in range(rounds):
            posted = room.post(f"for ben {number}", by=lea, to=[ben])
            said(process, "expires\n")
            wait_until_stopped(process)
            sleep(0.005)  # longer than it holds its wake
            [wake] = lobby.take_wakes(agents=["ben"], holder="another")
            before = list(lobby.export())

            refused = gone_on(process)

            assert refused == {"reply": "stale_wake", "turn": "stale_wake"}
            assert list(lobby.export()) == before
            with lobby.turn(wake):
                pass
            mine = lobby.inbox(ben, by=ben.claim("r-1"))
            mine.acknowledge([posted.message.id])


def test_of_processes_that_race_for_a_conversation_one_has_it(tmp_path: Path) -> None:
    path, many = tmp_path / "team.db", sized(8, 30, 300)
    shelved(path, many)

    given = together("claim", path, ["r-1", "r-2"], many)

    for number in range(many):
        claims = sorted((one[number] for one in given), key=str)
        assert claims == [1, "runtime_conflict"]
    with Lobby.open(path) as lobby:
        assert lobby.room("work").position == many


def test_of_processes_of_one_runtime_the_last_that_started_goes_on(
    tmp_path: Path,
) -> None:
    path, many = tmp_path / "team.db", sized(8, 30, 300)
    shelved(path, many)

    given = together("start", path, ["first", "second"], many)

    for number in range(many):
        claims = sorted(one[number] for one in given)
        assert [generation for generation, _ in claims] == [1, 2]
        assert claims[1][1] == ""
        assert claims[0][1] in {"", "stale_runtime"}  # it may have posted before


def shelved(path: Path, many: int) -> None:
    """A room in which a threaded agent has many conversations."""
    with Lobby.open(f"sqlite:///{path}?durability=relaxed") as lobby:
        eve = lobby.add_agent("Eve", threaded=True)
        room = lobby.create_room("work", by=lobby.person("ana"), policy=OPEN)
        for number in range(many):
            room.join(by=eve.conversation(label=f"c-{number}"))
