"""
A room's memory as values: fragments, entries, what a curator looks at and does.

Law: a value shows no words when it is printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from attrs import field, frozen

from rooms.lobby.handles import Conversation

__all__ = [
    "AddEntry",
    "ArchiveEntry",
    "Curation",
    "Entries",
    "Entry",
    "Fragment",
    "MemoryStatus",
    "RefuseFragment",
    "Review",
    "UpdateEntry",
    "VerifyEntry",
]

Kind = Literal["gotcha", "fix", "procedure"]


def _measured(words: str) -> str:
    return f"<{len(words)} characters>"


@frozen
class Fragment:
    """
    What a member gave to remember.

    Attributes:
        id: Its id.
        kind: `gotcha`, `fix` or `procedure`.
        text: What it says; "" where it was erased.
        evidence: What it can be checked against.
        about: The id of the entry or fragment that it corrects, or None.
        author: Who gave it.
        at: When, UTC.
        state: `pending`, `used` or `refused`.
        note: What the curator says to it.
        resembles: In a review, the ids of archived entries that say nearly the same.
    """

    id: str
    kind: str
    text: str = field(repr=_measured)
    evidence: str = field(repr=_measured)
    about: str | None
    author: Conversation
    at: datetime
    state: Literal["pending", "used", "refused"]
    note: str = field(default="", repr=_measured)
    resembles: tuple[str, ...] = ()


@frozen
class Entry:
    """
    What a room remembers.

    Attributes:
        id: Its id, which stays through every change.
        kind: `gotcha`, `fix` or `procedure`.
        title: The rule in one line: condition → what to do or expect.
        text: All of it.
        keywords: By which it is found.
        provenance: Agents with their evidence, the latest last, at most ten.
        checked_commit: What it was checked at, or "".
        checked_at: When, UTC.
        disputed: Whether a doubt stands.
        created_at: When it was added, UTC.
        updated_at: When it last said something else, UTC.
        archived_at: When it was archived, UTC; None where it is active.
        earlier: What it said before, the latest first, where the owner lists it.
    """

    id: str
    kind: str
    title: str = field(repr=_measured)
    text: str = field(repr=_measured)
    keywords: tuple[str, ...] = field(repr=False)
    provenance: tuple[tuple[str, str], ...] = field(repr=False)
    checked_commit: str
    checked_at: datetime
    disputed: bool
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None = None
    earlier: tuple[Entry, ...] = ()

    @property
    def line(self) -> str:
        """The line that a brief shows of it."""
        return f"{self.id} {self.kind}: {self.title}"


@frozen
class Entries:
    """
    Entries that were asked for by their ids.

    Attributes:
        items: Those that there are, in the order of the asking.
        missing: Why any other is not: `archived`, `merged into ...`, `unknown`.
    """

    items: tuple[Entry, ...]
    missing: Mapping[str, str]


@frozen
class MemoryStatus:
    """
    How a room's memory stands.

    Attributes:
        curator: The agent that curates; None where the room keeps no memory.
        revision: What a run has to start from; None before there is any.
        entries: How many active entries there are.
        disputed: On how many of them a doubt stands.
        pending: How many fragments wait.
        oldest_pending_at: Since when the first of them does, UTC, or None.
        failures: How many runs failed since one did not.
    """

    curator: str | None
    revision: str | None
    entries: int
    disputed: int
    pending: int
    oldest_pending_at: datetime | None
    failures: int


@frozen
class Review:
    """
    What a curator looks at.

    Attributes:
        revision: What `curate` starts from.
        last_review_at: When the last run that did not fail was, UTC, or None.
        lines: The rule line of every active entry.
        entries: In full: those to check again, and those that a fragment resembles or
            corrects.
        recheck: The ids of those checked longest ago, one in twenty-five and at least
            one.
        fragments: The fifty that wait longest, and what they correct among the others.
        unlanded: Fragments that were refused within 30 days only because their code had
            not landed.
        changed: The ids of entries that were archived or rewritten since.
    """

    revision: str | None
    last_review_at: datetime | None
    lines: tuple[str, ...] = field(repr=False)
    entries: tuple[Entry, ...]
    recheck: tuple[str, ...]
    fragments: tuple[Fragment, ...]
    unlanded: tuple[Fragment, ...]
    changed: tuple[str, ...]


@frozen(kw_only=True)
class AddEntry:
    """A new entry, made from fragments that wait."""

    kind: Kind
    title: str = field(repr=_measured)
    text: str = field(repr=_measured)
    keywords: tuple[str, ...] = field(default=(), repr=False)
    sources: tuple[str, ...] = ()
    commit: str = ""


@frozen(kw_only=True)
class UpdateEntry:
    """Other words for an entry; None leaves them. `resolves` settles the doubt."""

    entry: str
    title: str | None = field(default=None, repr=False)
    text: str | None = field(default=None, repr=False)
    keywords: tuple[str, ...] | None = field(default=None, repr=False)
    sources: tuple[str, ...] = ()
    resolves: bool = False
    commit: str = ""


@frozen(kw_only=True)
class VerifyEntry:
    """An entry was checked and holds, at a commit where one is named."""

    entry: str
    commit: str = ""


@frozen(kw_only=True)
class ArchiveEntry:
    """An entry holds no more, or another of its kind takes it over."""

    entry: str
    reason: str = field(default="", repr=_measured)
    into: str | None = None


@frozen(kw_only=True)
class RefuseFragment:
    """
    A fragment becomes no entry.

    Attributes:
        fragment: Which.
        reason: Why; its author reads it.
        erase: Take its words away at once.
        dispute: Leave a doubt on the entry that it corrects.
        unlanded: Only because its code has not landed yet.
    """

    fragment: str
    reason: str = field(default="", repr=_measured)
    erase: bool = False
    dispute: bool = False
    unlanded: bool = False


@frozen
class Curation:
    """
    What a run came to.

    Attributes:
        revision: The revision that it made.
        added: The ids of new entries, in the order of their adding.
        duplicate: Whether the same request had been accepted before.
    """

    revision: str
    added: tuple[str, ...]
    duplicate: bool = False
