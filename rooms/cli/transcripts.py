"""
Reading a recorded transcript from a file that anybody may have written.

A transcript is JSON (an array of events, or an object that holds one under
`transcript` or `events`) or JSON Lines (an event a line). A header names the roster:
the object itself, or a first entry without a speaker. Whatever is wrong is refused with
the number of its line, in JSON's words; nothing is guessed, and a field that is not
ours is reported as ignored. A file without a single event is no transcript.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from rooms import values
from rooms.cli.documents import JSON_KINDS, entries, json_kind, no_json
from rooms.cli.showing import listed, shown
from rooms.errors import InvalidInput
from rooms.planning import RoomEvent

__all__ = [
    "MAX_BYTES",
    "STANDARD_INPUT",
    "Recorded",
    "Transcript",
    "read_transcript",
]

MAX_BYTES = 64 * 1024 * 1024
STANDARD_INPUT = "-"

_EVENT_FIELDS = ("speaker", "content", "round", "passed", "human")
_HEADER_FIELDS = (
    *("roster", "agents", "name", "planner"),
    *("max_rounds", "max_messages", "strict_mentions"),
)
_FORMS = "an event a line, or an array of events, alone or under transcript or events"


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
        strict_mentions: Whether the header says so; None where it says nothing.
        ignored: The names of fields that were passed over, sorted.
    """

    events: tuple[Recorded, ...] = ()
    roster: tuple[str, ...] | None = None
    max_rounds: int | None = None
    max_messages: int | None = None
    strict_mentions: bool | None = None
    ignored: tuple[str, ...] = field(default=())


def read_transcript(path: str | Path) -> Transcript:
    """
    The transcript in a file; `-` is the standard input.

    Raises:
        InvalidInput: `invalid_json` with the line for what is not JSON, `too_large` for
            more than 64 MiB, `invalid_request` with the line for an event or a header
            that is none, and for a file that cannot be read or holds no event.
    """
    text = _decoded(_bytes(path))
    transcript = Transcript()
    events: list[Recorded] = []
    ignored: set[str] = set()
    for line, value in entries(text):
        where = f"line {line}"
        if not isinstance(value, dict):
            raise InvalidInput(where, f"is {json_kind(value)}", allowed="an event")
        if "speaker" in value:
            events.append(Recorded(line, _event(where, value)))
            ignored.update(set(value).difference(_EVENT_FIELDS))
        elif events or transcript.roster is not None:
            raise InvalidInput(
                where, f"has no speaker (it has: {_fields(value)})", allowed="an event"
            )
        else:
            transcript = _with_header(transcript, where, value)
            ignored.update(set(value).difference(_HEADER_FIELDS))
    if not events:
        raise _no_events(text, ignored)
    return evolve(transcript, events=tuple(events), ignored=tuple(sorted(ignored)))


def _no_events(text: str, ignored: set[str]) -> InvalidInput:
    if not text.strip():
        return InvalidInput("file", "is empty", allowed=_FORMS)
    has = f" (it has: {listed(sorted(ignored))})" if ignored else ""
    return InvalidInput("file", f"holds no events{has}", allowed=_FORMS)


def _event(where: str, value: Mapping[str, Any]) -> RoomEvent:
    with _in_json_words(f"{where}: "):
        return RoomEvent(
            **{name: value[name] for name in _EVENT_FIELDS if name in value}
        )


def _with_header(
    transcript: Transcript, where: str, value: Mapping[str, Any]
) -> Transcript:
    roster = value.get("roster")
    if roster is None:  # PraisonAI's configuration takes either name (P-RUN-09)
        roster = value.get("agents")
    if roster is None:
        raise InvalidInput(
            where,
            f"has neither a speaker nor a roster (it has: {_fields(value)})",
            allowed="an event or a header",
        )
    strict = value.get("strict_mentions")
    with _in_json_words(f"{where}: "):
        values.member("planner", value.get("planner", "round_robin"), ("round_robin",))
        return evolve(
            transcript,
            roster=values.names("roster", roster),
            max_rounds=_cap(value, "max_rounds"),
            max_messages=_cap(value, "max_messages"),
            strict_mentions=strict
            if strict is None
            else values.flag("strict_mentions", strict),
        )


def _cap(value: Mapping[str, Any], name: str) -> int | None:
    written = value.get(name)
    if isinstance(written, str) and written.isascii() and written.isdecimal():
        written = int(written[:18])  # a number as text counts as one (P-RUN-09)
    return None if written is None else values.whole_number(name, written, at_least=1)


_PYTHON_WORDS = re.compile(r"of type (\w+)|\bNone\b|\bTrue or False\b|a sequence of")
_JSON_WORDS = {
    "None": "null",
    "True or False": "true or false",
    "a sequence of": "an array of",
}


def _json_words(text: str) -> str:
    return _PYTHON_WORDS.sub(
        lambda found: JSON_KINDS[found[1]] if found[1] else _JSON_WORDS[found[0]], text
    )


@contextmanager
def _in_json_words(where: str) -> Iterator[None]:
    """Tells what is wrong with a value of the file by its line and in JSON's words."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(
            f"{where}{error.field}",
            _json_words(error.details["problem"]),
            allowed=_json_words(str(error.details["allowed"])),
        ) from error


def _fields(value: Mapping[str, Any]) -> str:
    return listed(value) or "nothing"


def _bytes(path: str | Path) -> bytes:
    try:
        if path == STANDARD_INPUT:
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        name = shown(str(path), at_most=4_096)
        raise InvalidInput("file", f"{name} cannot be read: {problem}") from error
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
        raise no_json(line, "is not UTF-8") from error
