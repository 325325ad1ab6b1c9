"""
Forgetting: what the owner erases, and what is kept only for so long.

Law: what goes is an event first, and then its words go from all of the storage: those
of the item, of its former rows, and of the notes on it (foundation 8, L-MEM-14,
L-MEM-15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import pairwise

from rooms.log.events import Event
from rooms.log.memory.events import FragmentSettled, MemoryForgotten
from rooms.log.remembered import MemoryState

__all__ = ["erase", "expired", "words_of"]

_MICROSECOND = timedelta(microseconds=1)
_CURATED = timedelta(days=30) // _MICROSECOND
_ROWS = timedelta(days=90) // _MICROSECOND
_ARCHIVED = timedelta(days=365) // _MICROSECOND


def erase(memory: MemoryState, version: int) -> list[Event]:
    """The end of an entry or a fragment; nothing where there is none any more."""
    if version in memory.fragments:
        return [MemoryForgotten("erased", fragments=(version,))]
    if version in memory.entries:
        return [MemoryForgotten("erased", entries=(version,))]
    return []


def expired(memory: MemoryState, now: int) -> list[Event]:
    """
    What is past the time that it is kept: fragments that were dealt with 30 days ago,
    rows that were current 90 days ago and runs of that age, entries that were archived
    a year ago.

    Source: L-MEM-15.
    """
    fragments = tuple(
        one.version
        for one in memory.fragments.values()
        if one.settled and one.settled_at + _CURATED <= now
    )
    entries = tuple(
        one.version
        for one in memory.entries.values()
        if one.archived and one.archived_at + _ARCHIVED <= now
    )
    rows = tuple(
        version
        for one in memory.entries.values()
        for (version, _), (_, until) in pairwise(one.rows)
        if until + _ROWS <= now
    )
    runs = tuple(version for version, at in memory.runs if at + _ROWS <= now)
    if not (fragments or entries or rows or runs):
        return []
    return [MemoryForgotten("expired", fragments, entries, rows, runs)]


def words_of(memory: MemoryState, events: Iterable[Event]) -> Iterator[int]:
    """The records whose words go with what is forgotten, from the state before it."""
    for event in events:
        if isinstance(event, FragmentSettled) and event.erased:
            yield event.fragment
        if not isinstance(event, MemoryForgotten):
            continue
        yield from event.rows
        yield from event.runs
        for version in event.fragments:
            fragment = memory.fragments[version]
            yield from (one for one in (version, fragment.settled) if one)
        for version in event.entries:
            entry = memory.entries[version]
            yield from (row for row, _ in entry.rows)
            yield from (one for one in (entry.archived,) if one)
