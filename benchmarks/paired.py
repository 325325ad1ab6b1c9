"""
Ratios that repeat: two sides timed in turns, in one process.

Absolute times move by half from run to run on a shared machine. So each round times
both sides shortly, one right after the other, and in every second round the other way
about; the result is the median of the rounds' ratios. Garbage is not collected
meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from itertools import repeat
from statistics import median
from time import perf_counter_ns
from typing import Any

from attrs import frozen

__all__ = ["Pair", "Row", "compare"]

ROUNDS = 101
SHORTEST_ROUND = 1_000_000  # ns: long against the clock's grain, short against drift


@frozen
class Pair:
    """
    The median ratio of two sides, `first / second`, and what each took in ns.

    A count, such as bytes, stands in `ratio` alone.
    """

    ratio: float
    first: float | None = None
    second: float | None = None


@frozen
class Row:
    """
    One line of the table.

    `must` and `stretch` bound the ratio from above where it says how much ours costs,
    from below (`more_is_better`) where it says how much faster ours is. A row without
    `must` only informs.
    """

    operation: str
    against: str
    pair: Pair
    must: float | None = None
    stretch: float | None = None
    more_is_better: bool = False

    @property
    def verdict(self) -> str:
        """`stretch`, `must`, `MISSED`, or nothing for a row that only informs."""
        for name, bound in (("stretch", self.stretch), ("must", self.must)):
            if bound is not None and self._reaches(bound):
                return name
        return "" if self.must is None else "MISSED"

    def _reaches(self, bound: float) -> bool:
        ratio = self.pair.ratio
        return ratio >= bound if self.more_is_better else ratio <= bound


def compare(
    first: Callable[[], Any],
    second: Callable[[], Any],
    *,
    rounds: int | None = None,
    calls: tuple[int, int] | None = None,
) -> Pair:
    """
    Time both sides in turns; the calls a round are fitted to each side's speed, unless
    they are given, for a side that is too slow to be tried first.
    """
    times, ratios = ([], []), []  # type: tuple[list[float], list[float]], list[float]
    sides = (first, second)
    if calls is None:
        calls = (_calls_for(first), _calls_for(second))
    collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds or ROUNDS):
            took = [0.0, 0.0]
            for side in (0, 1) if number % 2 else (1, 0):
                took[side] = _time(sides[side], calls[side])
                times[side].append(took[side])
            ratios.append(took[0] / took[1])
    finally:
        if collecting:
            gc.enable()
    return Pair(median(ratios), median(times[0]), median(times[1]))


def _calls_for(side: Callable[[], Any]) -> int:
    calls = 1
    while (took := _time(side, calls) * calls) < SHORTEST_ROUND:
        calls = max(calls + 1, int(calls * min(10, 1.2 * SHORTEST_ROUND / took)))
    return calls


def _time(side: Callable[[], Any], calls: int) -> float:
    """Nanoseconds a call."""
    repeats = repeat(None, calls)  # as timeit does: it makes no numbers
    start = perf_counter_ns()
    for _ in repeats:
        side()
    return (perf_counter_ns() - start) / calls
