"""
What a record of a stranger must look like to be folded.

Law: a fact that passes has in every field what the event's class declares, and where a
word decides, one of the words that there are; so nothing behind it meets a list where a
number was recorded. Fields that this version does not know are left alone (foundation
9), and so are facts of types that it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from rooms.errors import CorruptLog
from rooms.hearing import Hearing, Mode, Tag
from rooms.log.documents import CHANGES, DocumentChanged
from rooms.log.events import Event, Fact, Unknown, decoded
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import Record
from rooms.log.seats import SeatJoined, Subscribed
from rooms.log.state import Lane
from rooms.values import LARGEST

__all__ = ["checked_fact"]

_MODES, _HEARINGS, _TAGS = map(frozenset, (Mode, Hearing, Tag))
_LANES = frozenset(word for name, word in vars(Lane).items() if name.isupper())
_STARTS = frozenset({"address", "left", "no_seat"})
_HINTS: dict[type[Event], dict[str, Any]] = {}


def checked_fact(record: Record) -> Fact:
    """
    The fact that a record holds, each of its fields of the declared type.

    Raises:
        CorruptLog: `corrupt_log`, naming the field.
    """
    fact = decoded(record)
    named = {"by": str, "rules": int, "keys": tuple[tuple[str, str], ...]}
    for name, hint in named.items():
        _check(record, name, getattr(fact, name), hint)
    if not isinstance(fact.event, Unknown):
        for name, hint in _hints(type(fact.event)).items():
            _check(record, name, getattr(fact.event, name), hint)
    if not _has_its_words(fact.event):
        raise _misfit(record, "word")
    return fact


def _check(record: Record, name: str, value: Any, hint: Any) -> None:
    if not _fits(value, hint):
        raise _misfit(record, name)


def _misfit(record: Record, name: str) -> CorruptLog:
    where = f"{record.stream} {record.version}"
    problem = f"{where} has another {name} than it may"
    return CorruptLog("corrupt_log", problem, where=where)


def _has_its_words(event: Event) -> bool:
    """Whether a mode, a class, a tag and a lane are ones that there are."""
    match event:
        case SeatJoined():
            return event.mode in _MODES and event.interval > 0
        case Subscribed():
            return (
                (event.mode is None or event.mode in _MODES)
                and event.interval > 0
                and all(
                    hearing in _HEARINGS and lane in _LANES
                    for _, hearing, lane, _ in event.reheard
                )
            )
        case DocumentChanged():
            return event.change in CHANGES
        case MessageScheduled():
            return all(tag in _TAGS for _, tag in event.reached) and all(
                why in _STARTS for _, why, _ in event.starts
            )
        case MessagePosted():
            return all(
                hearing in _HEARINGS and tag in _TAGS and lane in _LANES
                for _, hearing, tag, _, lane in event.owed
            )
    return True


def _hints(kind: type[Event]) -> dict[str, Any]:
    if kind not in _HINTS:
        every = get_type_hints(kind)
        header, body = kind.fields()
        _HINTS[kind] = {name: every[name] for name in (*header, *body)}
    return _HINTS[kind]


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is tuple:
        return type(value) is tuple and _fits_each(value, get_args(hint))
    if origin is UnionType:
        return any(_fits(value, part) for part in get_args(hint))
    if origin is not None:
        return isinstance(value, Mapping)
    if hint is int:  # a bool is none, nor what no storage keeps
        return type(value) is int and -LARGEST <= value <= LARGEST
    return type(value) is hint


def _fits_each(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if hints[-1] is Ellipsis:
        return all(_fits(value, hints[0]) for value in values)
    return len(values) == len(hints) and all(map(_fits, values, hints))
