"""
Commands without the start of a Python: each is a fork of one that has loaded them.

    python readied.py ASKED TOLD

`ASKED` and `TOLD` are open file descriptors. Each line on the one is a JSON list,
answered by a line with an exit code on the other:

    [folder, arguments, stdin, stdout, stderr]   runs `python -m rooms` with these
                                                 arguments and files in this folder

Law: a command finds what it would find in a process of its own. Its streams are not
used before it, no lobby is open, and it ends as any Python does.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["Readied"]


class Readied:
    """A process whose forks are the commands; it ends with its context."""

    def __init__(self, env: Mapping[str, str]) -> None:
        ours, theirs = os.pipe(), os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(ours[0]), str(theirs[1])],
            env=env,
            stdin=subprocess.DEVNULL,
            pass_fds=(ours[0], theirs[1]),
            start_new_session=True,  # whoever interrupts the tests ends it by its input
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._asked, self._told = open(ours[1], "w"), open(theirs[0])  # noqa: PTH123, SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._asked.close()
        self._told.close()
        self._process.wait()

    def run(
        self, arguments: Sequence[str], *, folder: Path, given: str, streams: Path
    ) -> subprocess.CompletedProcess[str]:
        """What a command in this folder says and how it ends; it is given a text."""
        files = [streams / name for name in ("stdin", "stdout", "stderr")]
        files[0].write_text(given, "utf-8")
        words = str(folder), list(arguments), *map(str, files)
        self._asked.write(json.dumps(words) + "\n")
        self._asked.flush()
        code = int(self._told.readline())
        said = (file.read_text("utf-8") for file in files[1:])
        return subprocess.CompletedProcess(list(arguments), code, *said)


def command(folder: str, arguments: list[str], *files: str) -> None:
    """What a fork does from its first breath on."""
    os.chdir(folder)
    for number, path in enumerate(files):
        how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY
        opened = os.open(path, how)
        os.dup2(opened, number)
        os.close(opened)
    sys.path[0] = folder
    sys.argv = ["rooms", *arguments]
    runpy.run_module("rooms", run_name="__main__", alter_sys=True)


def asked_for(asked: int, told: int) -> list[Any] | None:
    """Says how each command ended; in a fork, the words of the one that it is."""
    with open(asked) as lines, open(told, "w") as answers:
        for line in lines:
            child = os.fork()
            if not child:
                words: list[Any] = json.loads(line)
                return words
            _, status = os.waitpid(child, 0)
            answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
            answers.flush()
    return None


def main(asked: int, told: int) -> None:
    """Loads what most commands need, and forks them."""
    import rooms.cli  # noqa: PLC0415 - by its own process alone
    import rooms.lobby  # noqa: PLC0415
    import rooms.storage.sqlite  # noqa: F401, PLC0415

    gc.freeze()  # so that no fork copies what it only looks through
    if words := asked_for(asked, told):
        command(*words)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
