"""What an import costs, each in a fresh process, the two sides in turns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from types import ModuleType

from benchmarks.paired import Pair, Row

ROUNDS = 21
PROGRAM = (
    "from time import perf_counter_ns as now; start = now(); {}; print(now() - start)"
)


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    yield Row("import rooms", "import attrs", _compare("import rooms"), 1.6, 1.3)
    planner = "from rooms import RoundRobinRoomPlanner"
    yield Row(planner, "import attrs", _compare(planner))


def _compare(statement: str) -> Pair:
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS):
        sides = (statement, "import attrs")
        for side in (0, 1) if number % 2 else (1, 0):
            times[side].append(_nanoseconds(sides[side]))
    ratios = [first / second for first, second in zip(*times, strict=True)]
    return Pair(median(ratios), median(times[0]), median(times[1]))


def _nanoseconds(statement: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(statement)],
        capture_output=True,
        check=True,
    )
    return float(done.stdout)
