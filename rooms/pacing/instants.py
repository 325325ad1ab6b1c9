"""
The arithmetic of windows and digests, on microseconds.

One place for both: the log counts in integers, and `RateWindow` and `digest_due` are
the same functions for datetimes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["digest_tick", "frees_at", "holding"]


def holding(period: int, grants: Iterable[int], now: int) -> list[int]:
    """
    The grants that hold a place at `now`, rising; one later than now counts as at now.

    Half open: a grant at t frees its place at t + period.
    """
    return sorted([min(grant, now) for grant in grants if grant + period > now])


def frees_at(limit: int, period: int, grants: Sequence[int], now: int) -> int | None:
    """
    The earliest instant from `now` on at which one more is admitted; None for limit 0.
    """
    if len(grants) < limit:
        return now
    held = holding(period, grants, now)
    if len(held) < limit:
        return now
    # Once this one is gone, all older ones are too, and limit - 1 places are held.
    return held[len(held) - limit] + period if limit else None


def digest_tick(anchor: int, interval: int, first_untold: int) -> int:
    """`anchor + k * interval`, the first whole k >= 1 not before the first untold."""
    return anchor + max(1, -((anchor - first_untold) // interval)) * interval
