"""
Curating: fragments become entries, entries are checked, changed, merged and archived.

Three laws. A run holds for the revision that it looked at, and applies as a whole or
not at all. What is cited is a fragment that waits in this room. And a doubt stands
until an update resolves it (L-MEM-10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from attrs import field, frozen

from rooms.addressing import name_key
from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.log.actors import Actor
from rooms.log.comparing import check_base
from rooms.log.events import Event
from rooms.log.memory.events import EntryChanged, FragmentSettled, MemoryRun
from rooms.log.memory.keeping import check_kept
from rooms.log.records import record_id
from rooms.log.remembered import EntryState, MemoryState
from rooms.log.rooms import check_open
from rooms.log.seats import member_seat
from rooms.log.state import RoomState

__all__ = ["Contents", "Operation", "curate", "fail"]

_LATEST = 10
"""How many authors with their evidence an entry names (L-MEM-07)."""

Provenance = tuple[tuple[str, str], ...]


@frozen(kw_only=True)
class Operation:
    """
    One thing that a curator does, with entries and fragments by their records.

    Attributes:
        op: `add`, `update`, `verify`, `archive` or `refuse`.
        place: Its place in the run, for errors.
        entry: Which entry; 0 for a new one.
        kind: Of a new entry.
        title: What it says from here on; None where an update leaves it.
        sources: The waiting fragments that it is made from.
        resolves: Whether an update settles the doubt.
        commit: What it was checked at.
        into: The entry that takes an archived one over, or 0.
        fragment: Which fragment is refused.
        note: Why it is archived or refused.
        dispute: Whether a refused correction leaves a doubt on what it is about.
        unlanded: Whether it is refused only because its code has not landed.
        erase: Whether the words of a refused fragment go at once.
    """

    op: Literal["add", "update", "verify", "archive", "refuse"]
    place: int
    entry: int = 0
    kind: str = ""
    title: str | None = None
    text: str | None = None
    keywords: tuple[str, ...] | None = None
    sources: tuple[int, ...] = ()
    resolves: bool = False
    commit: str = ""
    into: int = 0
    fragment: int = 0
    note: str = ""
    dispute: bool = False
    unlanded: bool = False
    erase: bool = False


@frozen
class Contents:
    """
    What the shell read for a run: what entries say now, and what fragments bring.

    Attributes:
        entries: The newest words of each entry that is updated or merged.
        evidence: The evidence of each fragment that is cited, with its author.
    """

    entries: Mapping[int, EntryChanged] = field(factory=dict)
    evidence: Mapping[int, tuple[str, str]] = field(factory=dict)


def curate(
    room: RoomState,
    operations: Sequence[Operation],
    contents: Contents,
    *,
    base: str | None,
    summary: str,
    by: Actor,
) -> list[Event]:
    """
    A run and all that it does, or nothing of it.

    Args:
        base: The revision that the curator looked at; None before there was one.

    Raises:
        NotAllowed: `not_curator` for anybody but the curator, `not_a_member`.
        Conflict: `memory_not_kept`; `stale_revision` where another one is current.
        NotFound: `memory_entry_not_found`, with the `field` that names nothing here.
    """
    memory = _as_curator(room, by)
    current = record_id(room.id, memory.revision) if memory.revision else None
    check_base(base, current, code="stale_revision")
    run = _Run(memory, contents)
    events = [event for one in operations for event in run.apply(one)]
    return [MemoryRun("curated", memory.revision, len(operations), summary), *events]


def fail(room: RoomState, why: str, *, by: Actor) -> list[Event]:
    """A curator's run that came to nothing."""
    _as_curator(room, by)
    return [MemoryRun("failed", summary=why)]


def _as_curator(room: RoomState, by: Actor) -> MemoryState:
    check_open(room)
    memory = check_kept(room)
    if by.kind != "conversation" or name_key(by.agent) != name_key(memory.curator):
        raise NotAllowed(
            "not_curator",
            "only the curator that the owner named does this",
            curator=memory.curator,
        )
    member_seat(room, by.id, action="curate_memory")
    return memory


class _Run:
    """The operations of a run, each on what the ones before left."""

    def __init__(self, memory: MemoryState, contents: Contents) -> None:
        self.memory = memory
        self.words = dict(contents.entries)
        self.evidence = contents.evidence
        self.cited: set[int] = set()
        self.archived: set[int] = set()
        self.resolved: set[int] = set()

    def apply(self, one: Operation) -> list[Event]:
        match one.op:
            case "add":
                return self._add(one)
            case "update":
                return self._update(one)
            case "verify":
                entry = self._entry(one, one.entry, "entry")
                return [self._changed(entry, "verified", one)]
            case "archive":
                return self._archive(one)
            case "refuse":
                return self._refuse(one)

    def _add(self, one: Operation) -> list[Event]:
        added = EntryChanged(
            "added",
            kind=one.kind,
            sources=one.sources,
            commit=one.commit,
            title=one.title or "",
            text=one.text or "",
            keywords=one.keywords or (),
            provenance=self._provenance((), one),
        )
        return [added, *self._used(one)]

    def _update(self, one: Operation) -> list[Event]:
        entry = self._entry(one, one.entry, "entry")
        said = self.words[entry.version]
        if one.resolves:
            self.resolved.add(entry.version)
        updated = self._changed(
            entry,
            "updated",
            one,
            title=said.title if one.title is None else one.title,
            text=said.text if one.text is None else one.text,
            keywords=said.keywords if one.keywords is None else one.keywords,
            provenance=self._provenance(said.provenance, one),
        )
        self.words[entry.version] = updated
        return [updated, *self._used(one)]

    def _archive(self, one: Operation) -> list[Event]:
        entry = self._entry(one, one.entry, "entry")
        events: list[Event] = []
        if one.into:
            into = self._entry(one, one.into, "into")
            if into is entry or into.kind != entry.kind:
                raise InvalidInput(
                    f"operations[{one.place}].into",
                    "is the entry itself, or of another kind",
                    allowed=f"another {entry.kind}",
                )
            said, gone = self.words[into.version], self.words[entry.version]
            merged = self._changed(
                into,
                "updated",
                one,
                title=said.title,
                text=said.text,
                keywords=said.keywords,
                provenance=_latest((*gone.provenance, *said.provenance)),
            )
            self.words[into.version] = merged
            events.append(merged)
        self.archived.add(entry.version)
        archived = EntryChanged(
            "archived", entry.version, entry.kind, into=one.into, reason=one.note
        )
        return [*events, archived]

    def _refuse(self, one: Operation) -> list[Event]:
        self._cite(one, one.fragment, "fragment")
        about = self.memory.fragments[one.fragment].about
        disputed = about if one.dispute and about in self.memory.entries else 0
        refused = FragmentSettled(
            one.fragment, "refused", one.unlanded, disputed, one.erase, one.note
        )
        return [refused]

    def _changed(
        self,
        entry: EntryState,
        change: str,
        one: Operation,
        *,
        title: str = "",
        text: str = "",
        keywords: tuple[str, ...] = (),
        provenance: Provenance = (),
    ) -> EntryChanged:
        return EntryChanged(
            change,
            entry.version,
            entry.kind,
            sources=one.sources,
            commit=one.commit,
            disputed=entry.disputed and entry.version not in self.resolved,
            title=title,
            text=text,
            keywords=keywords,
            provenance=provenance,
        )

    def _entry(self, one: Operation, version: int, name: str) -> EntryState:
        """An active entry, as the operations before left it."""
        entry = self.memory.entries.get(version)
        if entry is None or entry.archived or version in self.archived:
            raise _unknown(one, name, "is no active entry of this room")
        return entry

    def _used(self, one: Operation) -> list[Event]:
        for place, source in enumerate(one.sources):
            self._cite(one, source, f"sources[{place}]")
        return [FragmentSettled(source, "used") for source in one.sources]

    def _cite(self, one: Operation, version: int, name: str) -> None:
        """A fragment that waits, and that no operation before has dealt with."""
        fragment = self.memory.fragments.get(version)
        if fragment is None or fragment.state != "pending" or version in self.cited:
            raise _unknown(one, name, "is no fragment that waits in this room")
        self.cited.add(version)

    def _provenance(self, before: Provenance, one: Operation) -> Provenance:
        new = [self.evidence[one] for one in one.sources if one in self.evidence]
        return _latest((*before, *new))


def _latest(every: Provenance) -> Provenance:
    return tuple(dict.fromkeys(reversed(every)))[:_LATEST][::-1]


def _unknown(one: Operation, name: str, problem: str) -> NotFound:
    named = f"operations[{one.place}].{name}"
    return NotFound("memory_entry_not_found", f"{named} {problem}", field=named)
