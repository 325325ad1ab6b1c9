"""
What is recorded of a room's memory.

Law: whoever does not know these events may go on with the room: they change nothing of
who is told what.
"""

from __future__ import annotations

from rooms.log.events import Event, recorded

__all__ = [
    "CuratorNamed",
    "EntryChanged",
    "FragmentKept",
    "FragmentSettled",
    "MemoryForgotten",
    "MemoryRun",
]


@recorded("curator_named", critical=False)
class CuratorNamed(Event):
    """The room's memory is this agent's to curate; "" ends it."""

    agent: str = ""


@recorded("fragment_kept", body=("text", "evidence"), critical=False)
class FragmentKept(Event):
    """A member gave something to remember; `about` is the record that it corrects."""

    kind: str
    sender: str
    author: str
    about: int = 0
    text: str = ""
    evidence: str = ""


@recorded("memory_run", body=("summary",), critical=False)
class MemoryRun(Event):
    """
    A curator's run: `curated`, and what follows in the commit is what it did; or it
    `failed`, and the summary says why.
    """

    outcome: str
    base: int = 0
    operations: int = 0
    summary: str = ""


@recorded(
    "memory_entry",
    body=("title", "text", "keywords", "provenance", "reason"),
    critical=False,
)
class EntryChanged(Event):
    """
    An entry is another from here on.

    Attributes:
        change: `added`, `updated`, `verified` or `archived`.
        entry: The record that brought it; 0 where it is this one.
        kind: `gotcha`, `fix` or `procedure`.
        sources: The fragments that it was made from, by their records.
        commit: What it was checked at, or "".
        disputed: Whether a doubt stands.
        into: For an archived one, the entry that took it over, or 0.
        title: The rule, in one line. Words stand where it says something new.
        text: All of it.
        keywords: By which it is found.
        provenance: Authors and evidence, the latest last, at most ten.
        reason: Why it was archived.
    """

    change: str
    entry: int = 0
    kind: str = ""
    sources: tuple[int, ...] = ()
    commit: str = ""
    disputed: bool = False
    into: int = 0
    title: str = ""
    text: str = ""
    keywords: tuple[str, ...] = ()
    provenance: tuple[tuple[str, str], ...] = ()
    reason: str = ""


@recorded("fragment_settled", body=("note",), critical=False)
class FragmentSettled(Event):
    """
    A fragment was `used` or `refused`, with a note for its author; `disputes` is the
    entry on which it casts a doubt, `erased` whether its words went with it.
    """

    fragment: int
    state: str
    unlanded: bool = False
    disputes: int = 0
    erased: bool = False
    note: str = ""


@recorded("memory_forgotten", critical=False)
class MemoryForgotten(Event):
    """
    Fragments, entries, former rows and runs are gone, words and all: `erased`, or
    `expired` by the time that they are kept.
    """

    why: str
    fragments: tuple[int, ...] = ()
    entries: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    runs: tuple[int, ...] = ()
