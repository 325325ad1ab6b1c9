"""
Strips: when an agent worked in the last day, for people to look at.

Law: it adds up stretches of work; whatever conversation of an agent worked, a minute
counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import frozen

from rooms import values
from rooms.lobby.working.connecting import connected
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["Strip", "last_seen", "strip_of"]

_BARS = 96
_MINUTE = 60_000_000
_QUARTER = 15 * _MINUTE


@frozen
class Strip:
    """
    When an agent worked: the last 96 quarter hours of UTC, the one that goes on
    included.

    Attributes:
        begins_at: When the first of them begins, UTC.
        minutes: How many whole minutes it worked in each, the oldest first.
        worked: How long it worked in all of them.

    Source: L-VIEW-04.
    """

    begins_at: datetime
    minutes: tuple[int, ...]
    worked: timedelta


def strip_of(
    desk: Desk, conversations: Iterable[Conversation], *, now: datetime | None
) -> Strip:
    """As `Agent.strip`, which documents it."""
    desk.check_usable()
    every, at = list(conversations), desk.time(now)
    first = at - at % _QUARTER - (_BARS - 1) * _QUARTER
    there = connected(desk, every, at)
    spans: list[tuple[int, int]] = []
    with desk.lock:
        for one in every:
            until = at if one.id in there else min(at, last_seen(desk, one))
            for began, ended in desk.lately.stretches(one.id, first):
                spans.append((max(began, first), until if ended is None else ended))
    bars = [0] * _BARS
    for low, high in _joined(spans):
        for bar in range((low - first) // _QUARTER, _BARS):
            opens = first + bar * _QUARTER
            if opens >= high:
                break
            bars[bar] += min(high, opens + _QUARTER) - max(low, opens)
    return Strip(
        moment(first) or values.LAST,
        tuple(bar // _MINUTE for bar in bars),
        timedelta(microseconds=sum(bars)),
    )


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans in order, those that meet as one."""
    low = high = 0
    for began, ended in sorted(spans):
        if ended <= began:
            continue
        if began > high:
            if high > low:
                yield low, high
            low, high = began, ended
        high = max(high, ended)
    if high > low:
        yield low, high


def last_seen(desk: Desk, one: Conversation) -> int:
    """
    When whoever runs a conversation last gave a sign, by a check-in or a report; 0 for
    never. The lock is held.
    """
    known = desk.talks(one.agent).work.known.get(one.id)
    reported = 0 if known is None else known.reported_at
    return max(desk.presence.last(one.id), reported)
