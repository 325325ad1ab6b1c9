"""
Operations: what a curator hands in, checked, as the rules take it.

Law: what is wrong is named by its place in the run, and then nothing of it is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rooms import values
from rooms.errors import InvalidInput, NotFound
from rooms.lobby.memory.values import (
    AddEntry,
    ArchiveEntry,
    RefuseFragment,
    UpdateEntry,
    VerifyEntry,
)
from rooms.log.memory import KINDS, Operation
from rooms.log.memory.keeping import check_words
from rooms.log.records import record_named

__all__ = ["MOST_OPERATIONS", "checked", "version_named"]

MOST_OPERATIONS = 500
_TITLE = 250
_TEXT: Mapping[str, int] = {"gotcha": 500, "fix": 800, "procedure": 2_000}
_NOTE = 500
_KEYWORDS, _KEYWORD = 20, 40
_SOURCES = 100
_COMMIT = re.compile(r"(?:[0-9a-f]{7,64})?")
_Given = AddEntry | UpdateEntry | VerifyEntry | ArchiveEntry | RefuseFragment


def checked(
    room: str, given: Any, kind_of: Callable[[int], str]
) -> tuple[Operation, ...]:
    """
    The operations of a run.

    Args:
        room: The room's id.
        given: What the curator hands in.
        kind_of: The kind of an entry, by its record; "" for none.
    """
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        kind = type(given).__name__
        raise InvalidInput("operations", f"is of type {kind}", allowed="a list")
    if len(given) > MOST_OPERATIONS:
        raise InvalidInput(
            "operations",
            f"has {len(given)} of them",
            allowed=f"at most {MOST_OPERATIONS}",
            code="too_many",
            limit=MOST_OPERATIONS,
        )
    return tuple(
        _checked(_Place(room, place), one, kind_of) for place, one in enumerate(given)
    )


class _Place:
    """Where an operation stands, for whatever is wrong with it."""

    def __init__(self, room: str, place: int) -> None:
        self.room = room
        self.place = place

    def field(self, name: str) -> str:
        return f"operations[{self.place}].{name}"

    def words(self, name: str, value: Any, most: int, *, empty: bool = False) -> str:
        words = check_words(self.field(name), value, most=most)
        if not empty and not words.strip():
            raise InvalidInput(self.field(name), "is empty", allowed="some words")
        return words

    def title(self, value: Any) -> str:
        title = self.words("title", value, _TITLE)
        if len(title.splitlines()) > 1 or not title.isprintable():
            raise InvalidInput(
                self.field("title"), "is no line", allowed="one line: condition → rule"
            )
        return title

    def keywords(self, value: Any) -> tuple[str, ...]:
        found = values.names(self.field("keywords"), value)
        if len(found) > _KEYWORDS:
            raise InvalidInput(
                self.field("keywords"), f"has {len(found)}", allowed=f"{_KEYWORDS}"
            )
        return tuple(self.words("keywords", one, _KEYWORD) for one in found)

    def version(self, name: str, value: Any) -> int:
        return version_named(self.room, value, field=self.field(name))

    def sources(self, value: Any) -> tuple[int, ...]:
        found = values.names(self.field("sources"), value)
        if len(found) > _SOURCES:
            raise InvalidInput(
                self.field("sources"), f"has {len(found)}", allowed=f"{_SOURCES}"
            )
        return tuple(
            version_named(self.room, one, field=self.field(f"sources[{number}]"))
            for number, one in enumerate(found)
        )

    def commit(self, value: Any) -> str:
        commit = values.text(self.field("commit"), value)
        if not _COMMIT.fullmatch(commit):
            raise InvalidInput(
                self.field("commit"), "is no commit", allowed="7 to 64 hex digits"
            )
        return commit

    def flag(self, name: str, value: Any) -> bool:
        return values.flag(self.field(name), value)


def _checked(at: _Place, one: Any, kind_of: Callable[[int], str]) -> Operation:
    match one:
        case AddEntry():
            kind = values.member(at.field("kind"), one.kind, KINDS)
            return Operation(
                op="add",
                place=at.place,
                kind=kind,
                title=at.title(one.title),
                text=at.words("text", one.text, _TEXT[kind]),
                keywords=at.keywords(one.keywords),
                sources=at.sources(one.sources),
                commit=at.commit(one.commit),
            )
        case UpdateEntry():
            entry = at.version("entry", one.entry)
            most = _TEXT.get(kind_of(entry), _TEXT["procedure"])
            kept = one.keywords
            return Operation(
                op="update",
                place=at.place,
                entry=entry,
                title=None if one.title is None else at.title(one.title),
                text=None if one.text is None else at.words("text", one.text, most),
                keywords=None if kept is None else at.keywords(kept),
                sources=at.sources(one.sources),
                resolves=at.flag("resolves", one.resolves),
                commit=at.commit(one.commit),
            )
        case VerifyEntry():
            return Operation(
                op="verify",
                place=at.place,
                entry=at.version("entry", one.entry),
                commit=at.commit(one.commit),
            )
        case ArchiveEntry():
            return Operation(
                op="archive",
                place=at.place,
                entry=at.version("entry", one.entry),
                into=0 if one.into is None else at.version("into", one.into),
                note=at.words("reason", one.reason, _NOTE, empty=True),
            )
        case RefuseFragment():
            return Operation(
                op="refuse",
                place=at.place,
                fragment=at.version("fragment", one.fragment),
                note=at.words("reason", one.reason, _NOTE, empty=True),
                erase=at.flag("erase", one.erase),
                dispute=at.flag("dispute", one.dispute),
                unlanded=at.flag("unlanded", one.unlanded),
            )
    raise InvalidInput(
        f"operations[{at.place}]",
        f"is of type {type(one).__name__}",
        allowed="AddEntry, UpdateEntry, VerifyEntry, ArchiveEntry, RefuseFragment",
    )


def version_named(room: str, given: Any, *, field: str) -> int:
    """
    The record of a room that an id names, there or not.

    Raises:
        NotFound: `memory_entry_not_found` for an id of another room, or no id.
    """
    named = values.text(field, given)
    version = record_named(room, named)
    if not version:
        raise NotFound(
            "memory_entry_not_found",
            f"{field} names no entry and no fragment of this room",
            field=field,
        )
    return version
