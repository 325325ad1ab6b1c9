"""
JSON and JSON Lines, read value by value so that each is known by its line.

Two laws: what another reader could take otherwise is refused (a field twice, `NaN`, a
number out of range), and every refusal names the line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from rooms.errors import InvalidInput

__all__ = ["JSON_KINDS", "entries", "json_kind", "no_json"]

_BLANKS = re.compile(r"[ \t\r\n]*")
_DIGITS = 18  # a longer number is no round, cap or count of anything

JSON_KINDS = {
    "dict": "an object",
    "list": "an array",
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "a boolean",
    "NoneType": "null",
}
"""What JSON calls the types of Python that it is read into."""


def json_kind(value: Any) -> str:
    """What JSON calls a value that was read from it."""
    return JSON_KINDS[type(value).__name__]


def entries(text: str, lists: tuple[str, ...], first: str) -> Iterator[tuple[int, Any]]:
    """
    Each header and event with the number of the line on which it begins.

    `lists` are the names under which an object may hold the array of events, `first` is
    a field that every event has.
    """
    document = _Document(text, lists=lists, first=first)
    if document.peek() == "[":
        yield from document.array()
    elif document.is_one_object():
        yield from document.wrapped_array()
    else:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, _Document(line, first_line=number).only_value()


class _Document:
    """A JSON text that is read value by value, so that each is known by its line."""

    def __init__(
        self,
        text: str,
        *,
        first_line: int = 1,
        lists: tuple[str, ...] = (),
        first: str = "",
    ) -> None:
        self.text = text
        self.lists, self.first = lists, first
        self.place = 0
        self.counted_to, self.line = 0, first_line
        self.skip_blanks()

    def skip_blanks(self) -> None:
        blanks = _BLANKS.match(self.text, self.place)
        self.place = blanks.end() if blanks else self.place

    def peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def line_here(self) -> int:
        self.line += self.text.count("\n", self.counted_to, self.place)
        self.counted_to = self.place
        return self.line

    def take(self, expected: str) -> None:
        if self.peek() != expected:
            found = ascii(self.peek()) if self.peek() else "the end"
            raise no_json(self.line_here(), f"has {found}", allowed=f"{expected!r}")
        self.place += 1
        self.skip_blanks()

    def value(self) -> Any:
        line = self.line_here()
        try:
            value, self.place = _DECODER.raw_decode(self.text, self.place)
        except json.JSONDecodeError as error:
            at = line + self.text.count("\n", self.place, error.pos)
            raise no_json(at, f"is no JSON: {error.msg}") from error
        except RecursionError as error:
            raise no_json(line, "is nested too deeply") from error
        except _Unacceptable as error:
            raise no_json(line, str(error)) from error
        self.skip_blanks()
        return value

    def only_value(self) -> Any:
        value = self.value()
        if self.peek():
            raise self.goes_on(value)
        return value

    def goes_on(self, value: Any) -> InvalidInput:
        kind = json_kind(value).removeprefix("an ").removeprefix("a ")
        rest = ascii(self.text[self.place : self.place + 20].split("\n", 1)[0])
        return no_json(self.line_here(), f"has more text behind its {kind}: {rest}")

    def array(self) -> Iterator[tuple[int, Any]]:
        yield from self.elements()
        if self.peek():
            raise self.goes_on([])

    def elements(self) -> Iterator[tuple[int, Any]]:
        self.take("[")
        while self.peek() != "]":
            yield self.line_here(), self.value()
            if self.peek() != "]":
                self.take(",")
                if self.peek() == "]":
                    raise no_json(self.line_here(), "has a comma before ']'")
        self.take("]")

    def is_one_object(self) -> bool:
        """Whether this is an object over several lines, or one that holds a list."""
        if self.peek() != "{":
            return False
        line = self.text[self.place :].split("\n", 1)[0]
        try:
            first = _Document(line).only_value()
        except InvalidInput:
            return True  # the first line is no value by itself
        return (
            isinstance(first, dict)
            and self.first not in first
            and any(name in first for name in self.lists)
        )

    def wrapped_array(self) -> Iterator[tuple[int, Any]]:
        """The header made of an object's fields, then the events of its list."""
        start, header = self.line_here(), dict[str, Any]()
        events: list[tuple[int, Any]] | None = None
        self.take("{")
        while self.peek() != "}":
            line, name = self.line_here(), self.value()
            if not isinstance(name, str) or name in header:
                raise no_json(line, "has no field name of its own")
            self.take(":")
            if name in self.lists:
                if events is not None:
                    raise no_json(line, "has a second list of events")
                events = self.list_of_events(line, name)
            else:
                header[name] = self.value()
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        if self.peek():
            raise self.goes_on({})
        if header:
            yield start, header
        yield from events or ()

    def list_of_events(self, line: int, name: str) -> list[tuple[int, Any]]:
        if self.peek() == "[":
            return list(self.elements())
        kind = json_kind(self.value())
        raise InvalidInput(
            f"line {line}: {name}", f"is {kind}", allowed="an array of events"
        )


class _Unacceptable(Exception):
    """Valid to a lenient reader, and yet not one value that everybody would read."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _Unacceptable("has a field twice in one object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise _Unacceptable(f"has {name}, which is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Unacceptable("has a number out of range")
    return number


def _short(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _Unacceptable(f"has a number of more than {_DIGITS} digits")
    return int(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_short,
)


def no_json(line: int, problem: str, *, allowed: Any = None) -> InvalidInput:
    """What is said of a line that is not JSON."""
    return InvalidInput(
        f"line {line}", problem, allowed=allowed, code="invalid_json", line=line
    )
