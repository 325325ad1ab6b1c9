"""
What a room's memory is, as a state: who curates, and what stands how.

Law: it holds no words. What was said is in the records whose versions stand here; a
fragment or an entry is known by the version that brought it.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

__all__ = ["EntryState", "FragmentState", "MemoryState"]


@define
class FragmentState:
    """
    What a member gave to remember.

    Attributes:
        version: The record that brought it.
        at: When.
        sender: The conversation that gave it.
        author: Its agent.
        about: The entry or fragment that it corrects; 0 for none.
        state: `pending`, `used` or `refused`.
        settled: The record that said so; 0 while it is pending.
        settled_at: When.
        unlanded: Whether it was refused only because its code had not landed.
    """

    version: int
    at: int
    sender: str
    author: str
    about: int = 0
    state: str = "pending"
    settled: int = 0
    settled_at: int = 0
    unlanded: bool = False


@define
class EntryState:
    """
    What the room remembers.

    Attributes:
        version: The record that brought it first.
        kind: `gotcha`, `fix` or `procedure`.
        rows: The records that say what it says, each with its instant, the newest last.
        created_at: When it was added.
        updated_at: When it last said something else.
        checked_at: When it was last checked: added, updated or verified.
        commit: The commit that it was checked at, or "".
        disputed: Whether somebody has doubts that nobody resolved.
        archived: The record that archived it; 0 where it is active.
        archived_at: When.
        into: The entry that it was merged into, or 0.
    """

    version: int
    kind: str
    rows: list[list[int]]
    created_at: int
    updated_at: int
    checked_at: int
    commit: str = ""
    disputed: bool = False
    archived: int = 0
    archived_at: int = 0
    into: int = 0


@define
class MemoryState:
    """
    A room's memory.

    Attributes:
        curator: The agent that curates, or "" where the room keeps no memory now.
        revision: The last record of a run, of another curator, or of an erasing.
        reviewed_at: When a curator last looked.
        failures: How many runs failed since one did not.
        runs: The records of runs, each with its instant, the newest last.
    """

    curator: str = ""
    revision: int = 0
    reviewed_at: int = 0
    failures: int = 0
    runs: list[list[int]] = field(factory=list)
    fragments: dict[int, FragmentState] = field(factory=dict)
    entries: dict[int, EntryState] = field(factory=dict)

    def active(self) -> Iterator[EntryState]:
        """The entries that are not archived, the oldest first."""
        return (one for one in self.entries.values() if not one.archived)

    def pending(self) -> Iterator[FragmentState]:
        """The fragments that wait for the curator, the one that waits longest first."""
        return (one for one in self.fragments.values() if one.state == "pending")
