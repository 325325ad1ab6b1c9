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
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple

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


class _Part(NamedTuple):
    """When a part is written, "" for always; its text; and an f-string behind that."""

    when: str
    text: str
    value: str = ""


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
    types. What else is in `body` is written with its default; the first always is.
    """
    values = {field: f"value_{place}" for place, field in enumerate(given)}
    scope: dict[str, Any] = {"quoted": quoted, "text_of": text_of}
    scope["truth"] = ("false", "true")

    def parts(declared: Declared) -> Iterator[_Part]:
        for field, default in declared:
            if field not in given:
                yield _Part("", member(field, default))
                continue
            value, kind = values[field], given[field]
            scope[f"default_of_{value}"] = default
            if kind is not NoneType or default is not None:
                when, said = _condition(kind, value, default), _said(kind, value)
                yield _Part(when, f",{quoted(field)}:", said)

    who = _Part("", '{"by":', "{quoted(by)}"), _Part("", ',"rules":', "{rules}{noted}")
    known = parts(one for one in header if one[0] in given)
    source = [
        f"def write(by, rules, noted, ending, {', '.join(values.values())}):",
        *_lines("head", [*who, *known, _Part("", "}")]),
    ]
    if words := [*parts(body)]:
        words[0] = words[0]._replace(text="{" + words[0].text[1:])
        words += [_Part("", "", "{ending}"), _Part("", "}")]
        source += [*_lines("said", words), " return head.encode(), said.encode()"]
    else:
        source += [" return head.encode(), None"]
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


def _lines(name: str, parts: Iterable[_Part]) -> Iterator[str]:
    """What gives a name the text of all parts; those always written at one go."""
    sign = "="
    for when, run in groupby(parts, attrgetter("when")):
        each = [f"{one.text!r} f'{one.value}'" for one in run]
        if when:
            yield from [f" if {when}: {name} += {one}" for one in each]
        else:
            yield f" {name} {sign} {' '.join(each)}"
        sign = "+="
