"""
Four processes at once: all that they post, beside four that write bare rows.

Each worker opens its handle, says that it is ready, and begins when all are. What is
measured is the time from then until the last one has said that it is done.

`python -m benchmarks.processes` is a worker, and no command for people.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from types import ModuleType
from typing import IO, Any

from benchmarks.floor import Floor
from benchmarks.paired import Pair, Row
from benchmarks.scene import TEXT, UNPACED, folder
from rooms import Lobby, SQLiteStorage

WORKERS = 4
POSTS = {"relaxed": 500, "full": 100}
ROUNDS = 5
_HERE = Path(__file__).resolve().parent.parent


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    for durability in ("relaxed", "full"):
        judged = durability == "full"  # what a lobby has unless it is told otherwise
        for kind, must, stretch in (("own", 0.6, 0.8), ("one", 0.5, 0.7)):
            where = "each into its own room" if kind == "own" else "into one room"
            yield Row(
                f"{WORKERS} processes post {where}, {durability}",
                f"{WORKERS} raw writers, messages a second, ours / raw",
                _compared(kind, durability),
                must if judged else None,
                stretch if judged else None,
                more_is_better=True,
            )


def _compared(kind: str, durability: str) -> Pair:
    """What a message took; the raw writers' time / ours is ours / theirs a second."""
    times: dict[str, list[float]] = {"raw": [], kind: []}
    for number in range(ROUNDS):
        for side in list(times)[:: 1 if number % 2 else -1]:
            times[side].append(_together(side, durability))
    ratios = [raw / ours for raw, ours in zip(times["raw"], times[kind], strict=True)]
    return Pair(median(ratios), median(times["raw"]), median(times[kind]))


def _together(kind: str, durability: str) -> float:
    """Nanoseconds a message, of all workers together."""
    with folder() as place, ExitStack() as ended:
        path = place / "shared.db"
        _prepare(path, kind, durability)
        workers = [
            ended.enter_context(_started(kind, path, durability, number))
            for number in range(WORKERS)
        ]
        for worker in workers:
            _expect(worker.stdout, "ready")
        start = perf_counter_ns()
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        for worker in workers:
            _expect(worker.stdout, "done")
        return (perf_counter_ns() - start) / (WORKERS * POSTS[durability])


def _prepare(path: Path, kind: str, durability: str) -> None:
    if kind == "raw":
        Floor(path, durability).close()
        return
    with Lobby(SQLiteStorage(path, durability=durability)) as lobby:
        me = lobby.person("me")
        agents = [
            lobby.add_agent(f"agent-{number}").conversation()
            for number in range(max(3, WORKERS))
        ]
        for number in range(WORKERS if kind == "own" else 1):
            room = lobby.create_room(f"work {number}", by=me, policy=UNPACED)
            for one in agents:
                room.join(by=one)


def _started(
    kind: str, path: Path, durability: str, number: int
) -> subprocess.Popen[str]:
    work = (kind, str(path), durability, str(number), str(POSTS[durability]))
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.processes", *work],
        cwd=_HERE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _expect(stream: IO[str] | None, word: str) -> None:
    said = "" if stream is None else stream.readline().strip()
    assert said == word, f"a worker says {said!r}, and should say {word!r}"


# -- a worker


def work(kind: str, path: str, durability: str, number: int, posts: int) -> None:
    """Opens a handle, waits for the word, and writes."""
    write, close = (_raw if kind == "raw" else _ours)(path, durability, number, kind)
    write()  # what is prepared once only is prepared
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(posts):
        write()
    print("done", flush=True)
    close()


Handle = tuple[Callable[[], Any], Callable[[], None]]


def _raw(path: str, durability: str, number: int, _: str) -> Handle:
    floor = Floor(Path(path), durability, stream=number)
    return floor.insert, floor.close


def _ours(path: str, durability: str, number: int, kind: str) -> Handle:
    lobby = Lobby(SQLiteStorage(path, durability=durability))
    names = [agent.id for agent in lobby.agents]
    by = lobby.agent(names[number]).conversation()
    room = lobby.room(f"work {number if kind == 'own' else 0}")
    others = [name for name in names if name != names[number]][:2]
    to = tuple(f"agent:{name}" for name in others)
    return (lambda: room.post(TEXT, by=by, to=to)), lobby.close


if __name__ == "__main__":
    _, kind, path, durability, number, posts = sys.argv
    work(kind, path, durability, int(number), int(posts))
