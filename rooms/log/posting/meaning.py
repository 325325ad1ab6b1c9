"""
Meaning: what a message asks of its readers, and what it says as data beside its words.

Two laws. A kind states an expectation and enforces nothing: whoever is asked may stay
silent, and whoever is not may answer (L-KIND-04). And two requests that ask for the
same have one normal form, however much of it is spelled out (L-SEND-19).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from rooms import values
from rooms.errors import InvalidInput
from rooms.log.records import canonical

__all__ = ["FIELDS", "KINDS", "PLAIN", "URGENCIES", "Meaning", "meaning_of"]

KINDS: Mapping[str, bool] = MappingProxyType(
    {
        "request": True,
        "notice": False,
        "assignment": True,
        "report": False,
        "question": True,
    }
)
"""Each kind, and whether it expects a reply where nobody says so (L-KIND-01)."""

URGENCIES = ("quiet", "normal", "now")
"""
How soon a message should be told: with whatever wakes the reader next, in its turn, or
before all that is not as urgent (L-SEND-02).
"""

_MOST_BYTES = 8 * 2**10  # all fields together, as JSON (L-KIND-07)
_LONGEST_CORRELATION = 128
_EVIDENCE = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+:(//)?[^\s\\/](.*\S)?")


class Meaning(NamedTuple):
    """
    What a message is besides its text.

    Attributes:
        kind: One of `KINDS`, or "" for none.
        expects_reply: As it was asked for; None leaves it to the kind.
        urgency: One of `URGENCIES`.
        correlation: The sender's own id of what it belongs to, or "".
        supersedes: The id of the sender's own message that it replaces, or "".
        fields: What it says as data, as JSON of one object; "" for nothing.
        notify_when_seen: Whether its sender is told of each acknowledgement.
    """

    kind: str = ""
    expects_reply: bool | None = None
    urgency: str = "normal"
    correlation: str = ""
    supersedes: str = ""
    fields: str = ""
    notify_when_seen: bool = False

    def expected(self, *, to_itself: bool) -> bool | None:
        """
        Whether a reply is expected; None where nobody says (L-KIND-02, L-KIND-03).
        """
        if self.expects_reply is not None or not self.kind:
            return self.expects_reply
        return KINDS[self.kind] and not to_itself

    def asked(self, *, to_itself: bool) -> dict[str, Any]:
        """
        What a retry has to ask for again, without what says the same as its omission.

        A report is the exception: to write that it expects no reply is another request
        than to leave it out (L-SEND-20).
        """
        asked: dict[str, Any] = {}
        kind, expects = self.kind, self.expects_reply
        if kind and kind != "request":
            asked["kind"] = kind
        default = kind and KINDS[kind] and not to_itself
        if expects is not None and (
            not kind or kind == "report" or expects is not default
        ):
            asked["expects_reply"] = expects
        if self.urgency != "normal":
            asked["urgency"] = self.urgency
        if self.correlation:
            asked["correlation"] = self.correlation
        if self.supersedes:
            asked["supersedes"] = self.supersedes
        if self.fields:
            asked["fields"] = self.fields
        if self.notify_when_seen:
            asked["notify_when_seen"] = True
        return asked


PLAIN = Meaning()
"""A message that is nothing but its text."""


def meaning_of(
    *,
    kind: str | None = None,
    expects_reply: bool | None = None,
    urgency: str = "normal",
    correlation: str | None = None,
    supersedes: str | None = None,
    fields: Mapping[str, Any] | None = None,
    notify_when_seen: bool = False,
) -> Meaning:
    """
    A meaning from what a caller hands in, each value checked.

    Raises:
        InvalidInput: `invalid_request`, naming the argument or the field and what it
            may be; `too_large` for fields of more than 8 KiB together.
    """
    if kind is not None:
        values.member("kind", kind, KINDS)
    if expects_reply is not None:
        values.flag("expects_reply", expects_reply)
    values.member("urgency", urgency, URGENCIES)
    values.flag("notify_when_seen", notify_when_seen)
    if correlation is not None:
        _line("correlation", correlation, _LONGEST_CORRELATION)
    if supersedes is not None:
        values.storable("supersedes", supersedes)
        values.text("supersedes", supersedes, empty=False)
    meaning = Meaning(
        kind or "",
        expects_reply,
        urgency,
        correlation or "",
        supersedes or "",
        "" if fields is None else _fields(fields),
        notify_when_seen,
    )
    return PLAIN if meaning == PLAIN else meaning


def _fields(given: Any) -> str:
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise InvalidInput("fields", f"is of type {kind}", allowed="a mapping")
    checked = {}
    for name in given:
        values.member("fields", name, FIELDS)
    for name, check in FIELDS.items():
        if given.get(name) is not None:
            checked[name] = check(f"fields[{name!r}]", given[name])
    if not checked:
        return ""
    written = canonical(checked)
    if len(written) > _MOST_BYTES:
        raise InvalidInput(
            "fields",
            f"are {len(written)} bytes of JSON",
            allowed=f"{_MOST_BYTES} bytes together",
            code="too_large",
            limit=_MOST_BYTES,
        )
    return written.decode()


def _line(field: str, given: Any, longest: int) -> str:
    line = _words(field, given, longest)
    if not line.isprintable():
        raise InvalidInput(
            field, "is no line", allowed=f"1 to {longest} printable characters"
        )
    return line


def _words(field: str, given: Any, longest: int) -> str:
    words = values.storable(field, values.text(field, given, empty=False))
    if not words.strip() or len(words) > longest:
        raise InvalidInput(
            field,
            f"has {len(words)} characters" if words.strip() else "is empty",
            allowed=f"1 to {longest} characters",
        )
    return words


def _lines(longest: int, most: int) -> Callable[[str, Any], list[str]]:
    def check(field: str, given: Any) -> list[str]:
        if not isinstance(given, list | tuple):
            kind = type(given).__name__
            raise InvalidInput(field, f"is of type {kind}", allowed="a list of lines")
        if not 1 <= len(given) <= most:
            raise InvalidInput(
                field, f"has {len(given)} entries", allowed=f"1 to {most} entries"
            )
        return [
            _line(f"{field}[{place}]", one, longest) for place, one in enumerate(given)
        ]

    return check


def _evidence(field: str, given: Any) -> str:
    place = _line(field, given, 500)
    if not _EVIDENCE.fullmatch(place):
        raise InvalidInput(
            field,
            "is no logical location",
            allowed="scheme:rest with a lowercase scheme of two letters or more and no"
            " path of one machine, such as repo:docs/report.md or ticket:4711",
        )
    return place


FIELDS: Mapping[str, Callable[[str, Any], Any]] = MappingProxyType(
    {
        "commit": lambda field, given: _line(field, given, 100),
        "commits": _lines(100, 10),
        "files": _lines(300, 50),
        "evidence": _evidence,
        "options": _lines(500, 10),
        "recommendation": lambda field, given: _words(field, given, 2_000),
    }
)
"""What a message may say as data, and how each is checked (L-KIND-06, L-KIND-08)."""
