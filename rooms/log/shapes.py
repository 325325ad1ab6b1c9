"""
What a record of a stranger must look like to be folded.

Law: a fact that passes has in every field what the event's class declares, so nothing
behind it meets a list where a number was recorded. Fields that this version does not
know are left alone (foundation 9).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from rooms.errors import CorruptLog
from rooms.log.events import Event, Fact, Unknown, decoded
from rooms.log.records import Record

__all__ = ["checked_fact"]

_LARGEST = 2**63 - 1
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
    return fact


def _check(record: Record, name: str, value: Any, hint: Any) -> None:
    if not _fits(value, hint):
        where = f"{record.stream} {record.version}"
        raise CorruptLog(
            "corrupt_log", f"{where} has another {name} than it may", where=where
        )


def _hints(kind: type[Event]) -> dict[str, Any]:
    if kind not in _HINTS:
        every = get_type_hints(kind)
        named = (*kind._HEADER, *kind._BODY)  # noqa: SLF001 - our own base
        _HINTS[kind] = {name: every[name] for name, _ in named}
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
        return type(value) is int and -_LARGEST <= value <= _LARGEST
    return type(value) is hint


def _fits_each(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if hints[-1] is Ellipsis:
        return all(_fits(value, hints[0]) for value in values)
    return len(values) == len(hints) and all(map(_fits, values, hints))
