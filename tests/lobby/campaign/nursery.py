"""
Processes by the dozen: each is a fork of one that has loaded the library already.

    python nursery.py

Each line on its standard input is a JSON list, answered by a line with a number:

    ["start", stdin, stdout, program, ...]   forks a process with these two pipes, and
                                             runs a program with arguments: its id
    ["kill", id]                             kills it (SIGKILL): its exit code
    ["wait", id]                             waits until it has ended: its exit code

It opens no lobby: a fork has nothing that another one has.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import print_exc
from types import TracebackType
from typing import IO, Any, Self

from attrs import frozen

__all__ = ["Child", "start"]

TESTS = Path(__file__).parents[2]


@frozen
class Child:
    """
    A process that was started; it ends with its context, if need be by a kill.

    Attributes:
        stdin, stdout: The other ends of its pipes.
        kill: Kills it, which has happened when this returns.
        wait: Waits until it has ended; its exit code, negative for a signal.
    """

    stdin: IO[str]
    stdout: IO[str]
    kill: Callable[[], object]
    wait: Callable[[], int]

    def tell(self, line: str) -> None:
        """Writes a line to it."""
        self.stdin.write(line)
        self.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.kill()
        self.stdout.close()
        self.stdin.close()
        self.wait()


def start(program: Path, *arguments: str) -> Child:
    """A process of its own that runs one of these programs."""
    if not hasattr(os, "fork"):
        return _slowly(program, *arguments)
    with TemporaryDirectory() as folder:
        pipes = [Path(folder) / name for name in ("in", "out")]
        for one in pipes:
            os.mkfifo(one)
        number = _asked("start", *map(str, (*pipes, program)), *arguments)
        stdin, stdout = pipes[0].open("w"), pipes[1].open()
    ended: list[int] = []

    def end(how: str) -> int:
        if not ended:
            ended.append(_asked(how, number))
        return ended[0]

    return Child(stdin, stdout, lambda: end("kill"), lambda: end("wait"))


def _slowly(program: Path, *arguments: str) -> Child:
    """Where nothing forks, each process loads everything anew."""
    process = subprocess.Popen(
        [sys.executable, str(program), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return Child(process.stdin, process.stdout, process.kill, process.wait)


def _asked(*words: Any) -> int:
    """What the process says whose forks all others are."""
    process = _nursery()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(words) + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


@cache
def _nursery() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # whoever interrupts the tests ends it by its input
    )
    atexit.register(process.communicate)
    return process


def work(stdin: str, stdout: str, program: str, *arguments: str) -> int:
    """What a fork does from its first breath on; its exit code."""
    sys.stdin, sys.stdout = Path(stdin).open(), Path(stdout).open("w")  # noqa: SIM115
    sys.argv = [program, *arguments]
    try:
        runpy.run_path(program, run_name="__main__")
        sys.stdout.close()
    except BaseException:  # noqa: BLE001 - nobody else tells it
        print_exc()
        return 1
    return 0


def main() -> None:
    """Forks, kills and waits, as it is told."""
    sys.path.insert(0, str(TESTS))
    from lobby.campaign.scene import Scene  # noqa: PLC0415 - by its own process alone
    from rooms import MemoryStorage, SQLiteStorage, hookimpl  # noqa: F401, PLC0415

    Scene(MemoryStorage())  # which loads what is loaded when it is needed
    for line in sys.stdin:
        match json.loads(line):
            case "start", *words:
                number = os.fork()
                if not number:
                    os._exit(work(*words))
            case how, child:
                if how == "kill":
                    os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                number = os.waitstatus_to_exitcode(status)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
