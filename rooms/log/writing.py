"""
Writing: how the header and the body of an event become text.

Law: what is written is what `canonical` makes of the header (who did it, the rules,
what is noted with them, then each field that has not its default, in the order of their
declaration) and of the words, likewise.

A writer is compiled from source, as the methods that attrs makes are, for the fields
that an event was given and the types of their values: which of them may be left out,
and how one is written, is decided once. It takes a third of the time of making the two
objects and having them encoded. The names in the source are its own; all that classes
declare stands in it as a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from types import NoneType
from typing import Any

from attrs import NOTHING

from rooms.log.records import quoted, text_of

__all__ = ["Declared", "Writer", "compiled", "member"]

Writer = Callable[..., tuple[bytes, bytes | None]]
"""
Writes header and body, from who did it, the rules, what is noted behind these, what
ends the words, both as `member` writes them or "", and the values of the fields.
"""

Declared = Iterable[tuple[str, Any]]
"""Fields in their order, each with the default that is left out, or `NOTHING`."""

_Part = tuple[str, str]
"""When a part is written, "" for always, and what: an expression of Python."""

_EMPTY = frozenset({bool, int, str, tuple})
"""Types of which one value alone is false."""


def member(name: str, value: Any) -> str:
    """A member of an object that is not its first, as text."""
    return f",{quoted(name)}:{text_of(value)}"


def compiled(
    name: str, header: Declared, body: Declared, given: Mapping[str, type]
) -> Writer:
    """
    The writer of one type's events that were given these fields with values of these
    types. What else is in `body` is written with its default.
    """
    values = {field: f"value_{place}" for place, field in enumerate(given)}
    scope: dict[str, Any] = {"quoted": quoted, "text_of": text_of}
    scope["truth"] = ("false", "true")

    def parts(declared: Declared) -> Iterator[_Part]:
        for field, default in declared:
            if field not in given:
                yield "", repr(member(field, default))
                continue
            value, kind = values[field], given[field]
            scope[f"default_of_{value}"] = default
            if kind is not NoneType or default is not None:
                told = f"{f',{quoted(field)}:'!r} f'{_said(kind, value)}'"
                yield _condition(kind, value, default), told

    start = "'{\"by\":' f'{quoted(by)}' ',\"rules\":' f'{rules}{noted}'"
    known = [one for one in header if one[0] in given]
    source = [
        f"def write(by, rules, noted, ending, {', '.join(values.values())}):",
        *_lines("head", [("", start), *parts(known)]),
    ]
    words = [*parts(body)]
    if words:  # each begins with a comma; that of the first is cut off
        source += _lines("said", words)
        source += [" said = '{' + (said + ending)[1:] + '}'"]
        source += [" return (head + '}').encode(), said.encode()"]
    else:
        source += [" return (head + '}').encode(), None"]
    code = compile("\n".join(source), f"<writer of {name}>", "exec")
    exec(code, scope)  # noqa: S102 - of nothing but what is written above
    write: Writer = scope["write"]
    return write


def _said(kind: type, value: str) -> str:
    """How a value of a type is written, within an f-string."""
    if kind is str:
        return f"{{quoted({value})}}"
    if kind is int:
        return f"{{{value}}}"
    if kind is bool:
        return f"{{truth[{value}]}}"
    return f"{{text_of({value})}}"


def _condition(kind: type, value: str, default: Any) -> str:
    """When a value is not the default."""
    if default is NOTHING:
        return ""
    if type(default) is kind and kind in _EMPTY and not default:
        return value
    return f"{value} != default_of_{value}"


def _lines(text: str, parts: Iterable[_Part]) -> Iterator[str]:
    """What gives `text` all of these parts; those always written at one go."""
    yield f" {text} = ''"
    for condition, run in groupby(parts, itemgetter(0)):
        if condition:
            yield from (f" if {condition}: {text} += {one}" for _, one in run)
        else:
            yield f" {text} += {' '.join(one for _, one in run)}"
