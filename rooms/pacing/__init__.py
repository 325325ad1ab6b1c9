"""
When something may happen: rate windows, digests, the hop guard, recurring times; and
how the use of what renews itself goes.

Pure: time is an argument everywhere, and what is held is said with its time of release.
"""

from __future__ import annotations

from rooms.pacing.digest import digest_due
from rooms.pacing.gauges import Gauge, Pace, pace
from rooms.pacing.hops import PERSON_HOPS, hops_of_post, hops_of_wake, only_rides
from rooms.pacing.instants import digest_tick, frees_at, holding
from rooms.pacing.pushes import Pushes
from rooms.pacing.recurrence import WEEKDAYS, Recurrence
from rooms.pacing.window import RateWindow

__all__ = [
    "PERSON_HOPS",
    "WEEKDAYS",
    "Gauge",
    "Pace",
    "Pushes",
    "RateWindow",
    "Recurrence",
    "digest_due",
    "digest_tick",
    "frees_at",
    "holding",
    "hops_of_post",
    "hops_of_wake",
    "only_rides",
    "pace",
]
