"""
Reading a recorded transcript from a file that anybody may have written.

A transcript is JSON (an array of events, or an object that holds one under
`transcript`) or JSON Lines (an event a line). A header names the roster: the object
itself, or a first entry without a speaker. Whatever is wrong is refused with the number
of its line; nothing is guessed, and a field that is not ours is reported as ignored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from attrs import evolve, field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.planning import RoomEvent

__all__ = ["MAX_BYTES", "Recorded", "Transcript", "read_transcript"]

MAX_BYTES = 64 * 1024 * 1024

_BLANKS = re.compile(r"[ \t\r\n]*")
_EVENT_FIELDS = ("speaker", "content", "round", "passed", "human")
_HEADER_FIELDS = ("roster", "agents", "name", "planner", "max_rounds", "max_messages")
_LIST_FIELDS = ("transcript", "events")
_DIGITS = 18  # a longer number is no round, cap or count of anything


@frozen
class Recorded:
    """An event and the line of the file on which it begins, from 1."""

    line: int
    event: RoomEvent


@frozen
class Transcript:
    """
    What a file holds.

    Attributes:
        events: The events in the file's order.
        roster: The roster of the header, if there is one.
        max_rounds: The header's cap, if it names one; `max_messages` likewise.
        ignored: The names of fields that were passed over, sorted.
    """

    events: tuple[Recorded, ...] = ()
    roster: tuple[str, ...] | None = None
    max_rounds: int | None = None
    max_messages: int | None = None
    ignored: tuple[str, ...] = field(default=())


def read_transcript(path: str | Path) -> Transcript:
    """
    The transcript in a file.

    Raises:
        InvalidInput: `invalid_json` with the line for what is not JSON, `too_large` for
            more than 64 MiB, `invalid_request` with the line for an event or a header
            that is none, and for a file that cannot be read.
    """
    text = _decoded(_bytes(Path(path)))
    transcript = Transcript()
    events: list[Recorded] = []
    ignored: set[str] = set()
    for line, value in _entries(text):
        where = f"line {line}"
        if not isinstance(value, dict):
            raise InvalidInput(where, "holds no object", allowed="an event")
        if "speaker" in value:
            events.append(Recorded(line, _event(where, value)))
            ignored.update(set(value).difference(_EVENT_FIELDS))
        elif events or transcript.roster is not None:
            raise InvalidInput(where, "has no speaker", allowed="an event")
        else:
            transcript = _with_header(transcript, where, value)
            ignored.update(set(value).difference(_HEADER_FIELDS))
    return evolve(transcript, events=tuple(events), ignored=tuple(sorted(ignored)))


def _event(where: str, value: Mapping[str, Any]) -> RoomEvent:
    known = {name: value[name] for name in _EVENT_FIELDS if name in value}
    try:
        return RoomEvent(**known)
    except InvalidInput as error:
        raise InvalidInput(
            f"{where}: {error.field}",
            error.details["problem"],
            allowed=error.details["allowed"],
        ) from error


def _with_header(
    transcript: Transcript, where: str, value: Mapping[str, Any]
) -> Transcript:
    roster = value.get("roster", value.get("agents"))
    if roster is None:
        raise InvalidInput(
            where, "has neither a speaker nor a roster", allowed="an event or a header"
        )
    return evolve(
        transcript,
        roster=values.names(f"{where}: roster", roster),
        max_rounds=_cap(where, value, "max_rounds"),
        max_messages=_cap(where, value, "max_messages"),
    )


def _cap(where: str, value: Mapping[str, Any], name: str) -> int | None:
    written = value.get(name)
    if written is None:
        return None
    return values.whole_number(f"{where}: {name}", written, at_least=1)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("file", f"{path} cannot be read: {problem}") from error
    if len(content) > MAX_BYTES:
        raise InvalidInput(
            "file", "is longer than 64 MiB", allowed="<= 64 MiB", code="too_large"
        )
    return content


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _no_json(line, "is not UTF-8") from error


def _entries(text: str) -> Iterator[tuple[int, Any]]:
    """Each header and event with the number of the line on which it begins."""
    document = _Document(text)
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

    def __init__(self, text: str, *, first_line: int = 1) -> None:
        self.text = text
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
            found = repr(self.peek()) if self.peek() else "the end"
            raise _no_json(self.line_here(), f"has {found}", allowed=f"{expected!r}")
        self.place += 1
        self.skip_blanks()

    def value(self) -> Any:
        line = self.line_here()
        try:
            value, self.place = _DECODER.raw_decode(self.text, self.place)
        except json.JSONDecodeError as error:
            at = line + self.text.count("\n", self.place, error.pos)
            raise _no_json(at, f"is no JSON: {error.msg}") from error
        except RecursionError as error:
            raise _no_json(line, "is nested too deeply") from error
        except _Unacceptable as error:
            raise _no_json(line, str(error)) from error
        self.skip_blanks()
        return value

    def only_value(self) -> Any:
        value = self.value()
        if self.peek():
            raise _no_json(self.line_here(), "goes on behind its value")
        return value

    def array(self) -> Iterator[tuple[int, Any]]:
        yield from self.elements()
        if self.peek():
            raise _no_json(self.line_here(), "goes on behind the array")

    def elements(self) -> Iterator[tuple[int, Any]]:
        self.take("[")
        while self.peek() != "]":
            yield self.line_here(), self.value()
            if self.peek() != "]":
                self.take(",")
                if self.peek() == "]":
                    raise _no_json(self.line_here(), "has a comma before ']'")
        self.take("]")

    def is_one_object(self) -> bool:
        """Whether this is an object over several lines, or one that holds a list."""
        if self.peek() != "{":
            return False
        line = self.text[self.place :].split("\n", 1)[0]
        try:
            first = _Document(line).only_value()
        except InvalidInput:
            return line.strip() == "{" or '"speaker"' not in line
        return isinstance(first, dict) and any(name in first for name in _LIST_FIELDS)

    def wrapped_array(self) -> Iterator[tuple[int, Any]]:
        """The header made of an object's fields, then the events of its list."""
        start, header = self.line_here(), dict[str, Any]()
        events: list[tuple[int, Any]] | None = None
        self.take("{")
        while self.peek() != "}":
            line, name = self.line_here(), self.value()
            if not isinstance(name, str) or name in header:
                raise _no_json(line, "has no field name of its own")
            self.take(":")
            if name in _LIST_FIELDS and self.peek() == "[":
                if events is not None:
                    raise _no_json(line, "has a second list of events")
                events = list(self.elements())
            else:
                header[name] = self.value()
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        if self.peek():
            raise _no_json(self.line_here(), "goes on behind the object")
        if header:
            yield start, header
        yield from events or ()


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


def _no_json(line: int, problem: str, *, allowed: Any = None) -> InvalidInput:
    return InvalidInput(
        f"line {line}", problem, allowed=allowed, code="invalid_json", line=line
    )
