"""Folding: what a room's memory is after each fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rooms.log.events import Event, Fact
from rooms.log.memory.events import (
    CuratorNamed,
    EntryChanged,
    FragmentKept,
    FragmentSettled,
    MemoryForgotten,
    MemoryRun,
)
from rooms.log.remembered import EntryState, FragmentState, MemoryState
from rooms.log.state import RoomState

__all__ = ["evolve"]


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    fold = _FOLDS.get(type(fact.event))
    if fold is None:
        return False
    if room.memory is None:
        room.memory = MemoryState()
    fold(room.memory, fact.event, fact)
    if isinstance(fact.event, FragmentKept):
        seat = room.seats.get(fact.event.sender)
        if seat is not None:
            seat.noting().seen_at = fact.at
    return True


def _name(memory: MemoryState, event: CuratorNamed, fact: Fact) -> None:
    memory.curator, memory.revision = event.agent, fact.version


def _keep(memory: MemoryState, event: FragmentKept, fact: Fact) -> None:
    memory.fragments[fact.version] = FragmentState(
        fact.version, fact.at, event.sender, event.author, event.about
    )


def _run(memory: MemoryState, event: MemoryRun, fact: Fact) -> None:
    memory.runs.append([fact.version, fact.at])
    if event.outcome == "curated":
        memory.failures = 0
        memory.reviewed_at, memory.revision = fact.at, fact.version
    else:
        memory.failures += 1


def _change(memory: MemoryState, event: EntryChanged, fact: Fact) -> None:
    at = fact.at
    entry = memory.entries.get(event.entry)
    if event.change == "added" or entry is None:
        entry = EntryState(fact.version, event.kind, [], at, at, at)
        memory.entries[fact.version] = entry
    if event.change == "archived":
        entry.archived, entry.archived_at, entry.into = fact.version, at, event.into
        return
    entry.checked_at = at
    entry.disputed = event.disputed
    entry.commit = event.commit or entry.commit
    if event.change != "verified":
        entry.rows.append([fact.version, at])
        entry.updated_at = at


def _settle(memory: MemoryState, event: FragmentSettled, fact: Fact) -> None:
    fragment = memory.fragments.get(event.fragment)
    if fragment is not None:
        fragment.state, fragment.unlanded = event.state, event.unlanded
        fragment.settled, fragment.settled_at = fact.version, fact.at
    disputed = memory.entries.get(event.disputes)
    if disputed is not None:
        disputed.disputed = True


def _forget(memory: MemoryState, event: MemoryForgotten, fact: Fact) -> None:
    for one in event.fragments:
        memory.fragments.pop(one, None)
    for one in event.entries:
        memory.entries.pop(one, None)
    gone, runs = set(event.rows), set(event.runs)
    for entry in memory.entries.values() if gone else ():
        entry.rows = [row for row in entry.rows if row[0] not in gone]
    memory.runs = [run for run in memory.runs if run[0] not in runs]
    if event.why == "erased":
        memory.revision = fact.version


_FOLDS: Mapping[type[Event], Callable[[MemoryState, Any, Fact], None]] = {
    CuratorNamed: _name,
    FragmentKept: _keep,
    MemoryRun: _run,
    EntryChanged: _change,
    FragmentSettled: _settle,
    MemoryForgotten: _forget,
}
