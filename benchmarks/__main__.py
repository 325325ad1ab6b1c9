"""
Print one table of paired ratios: `python -m benchmarks` in the project's folder.

`python -m benchmarks lobby growth` prints these groups alone.
"""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))  # for `peer`

import peer
from benchmarks import (
    aio,
    broker,
    claims,
    driving,
    frameworks,
    growth,
    importing,
    lobby,
    memory,
    mentions,
    planning,
    processes,
    storage,
    turns,
    views,
)
from benchmarks.paired import Row

GROUPS = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        *(planning, mentions, importing, claims, turns),
        *(storage, lobby, growth, broker, views, processes, aio, driving, memory),
        frameworks,
    )
}
HEAD = ("operation", "against", "ratio", "must", "stretch", "verdict", "a call of each")


def cells(row: Row) -> tuple[str, ...]:
    """A row as text; the times of both sides inform, the ratio counts."""
    sign = ">=" if row.more_is_better else "<="
    bounds = [
        f"{sign} {bound:,}" if bound is not None else ""
        for bound in (row.must, row.stretch)
    ]
    sides = [one for one in (row.pair.first, row.pair.second) if one is not None]
    times = " / ".join(map(_time, sides))
    ratio = f"{row.pair.ratio:,.2f}"
    return (row.operation, row.against, ratio, *bounds, row.verdict, times)


def _time(nanoseconds: float) -> str:
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def table(lines: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The lines as a Markdown table with columns of one width."""
    listed = [HEAD, *lines]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for number, line in enumerate(listed):
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield f"| {' | '.join(padded)} |"
        if number == 0:
            yield f"| {' | '.join('-' * width for width in widths)} |"


def main(names: Sequence[str]) -> None:
    """Measure all rows, then print them; a missed must is marked, and no failure."""
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        sys.exit(f"no group {unknown[0]!r}; there are {', '.join(GROUPS)}")
    module = peer.load()
    rows = [row for name in names or GROUPS for row in GROUPS[name].rows(module)]
    print(
        f"{' '.join(('python -m benchmarks', *names))}: "
        f"{platform.python_implementation()} "
        f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"{peer.NAME} {peer.release() or 'not installed: its rows are missing'}\n"
    )
    print("\n".join(table(cells(row) for row in rows)))
    missed = sum(row.verdict == "MISSED" for row in rows)
    judged = sum(row.must is not None for row in rows)
    print(f"\n{judged} rows with a must, {missed} missed")


if __name__ == "__main__":
    main(sys.argv[1:])
