"""
The form `events`: what a panel's gateway keeps, JSON or JSON Lines.

An array of events, or an object that holds one under `transcript` or `events`, or an
event a line. A header names the roster: the object itself, or a first entry without a
speaker. Whatever is wrong is refused with the number of its line, in JSON's words;
nothing is guessed, and a field that is not ours is reported as ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from attrs import asdict, evolve

from rooms import values
from rooms.errors import InvalidInput
from rooms.planning import RoomEvent
from rooms.rendering.showing import listed
from rooms.transcripts.documents import JSON_KINDS, entries, json_kind
from rooms.transcripts.recorded import Recorded, Transcript

__all__ = ["read_events", "write"]

_EVENT_FIELDS = ("speaker", "content", "round", "passed", "human")
_BESIDES = ("at", "to", "failed")
_HEADER_FIELDS = (
    *("roster", "agents", "name", "planner"),
    *("max_rounds", "max_messages", "strict_mentions"),
)
_CAPS = ("max_rounds", "max_messages", "strict_mentions")
_FORMS = "an event a line, or an array of events, alone or under transcript or events"


def read_events(text: str) -> Transcript:
    """The transcript that a text of this form holds."""
    transcript = Transcript()
    events: list[Recorded] = []
    ignored: set[str] = set()
    for line, value in entries(text, ("transcript", "events"), "speaker"):
        where = f"line {line}"
        if not isinstance(value, dict):
            raise InvalidInput(where, f"is {json_kind(value)}", allowed="an event")
        if "speaker" in value:
            told = _besides(value)
            events.append(Recorded(line, _event(where, value), **told))
            ignored.update(set(value).difference(_EVENT_FIELDS, told))
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


def write(transcript: Transcript) -> Iterator[str]:
    """
    A transcript in the form `events`, a line at a time; read again, it is the same but
    for the lines on which its events begin, and for what was passed over.

    Raises:
        InvalidInput: `invalid_request` for what is no transcript.
    """
    given: Any = transcript
    if not isinstance(given, Transcript):
        kind = type(given).__name__
        raise InvalidInput("transcript", f"is of type {kind}", allowed="a Transcript")
    if transcript.roster is not None:
        header: dict[str, Any] = {"roster": transcript.roster}
        header |= {name: getattr(transcript, name) for name in _CAPS}
        yield _line(header)
    for one in transcript.events:
        event = asdict(one.event)
        event["at"] = one.at and one.at.isoformat()
        event["to"] = one.to or None
        event["failed"] = one.failed or None
        yield _line(event)


def _line(fields: Mapping[str, Any]) -> str:
    told = {name: value for name, value in fields.items() if value is not None}
    return f"{json.dumps(told)}\n"


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


def _besides(value: Mapping[str, Any]) -> dict[str, Any]:
    """What `write` tells beside an event; of another's like fields nothing is known."""
    told: dict[str, Any] = {}
    at, to, failed = (value.get(name) for name in _BESIDES)
    if isinstance(at, str):
        with suppress(ValueError, OverflowError):
            instant = datetime.fromisoformat(at)
            if instant.tzinfo is not None:
                told["at"] = instant.astimezone(UTC)
    if isinstance(to, list) and all(isinstance(one, str) and one for one in to):
        told["to"] = tuple(to)
    if isinstance(failed, bool):
        told["failed"] = failed
    return told


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
