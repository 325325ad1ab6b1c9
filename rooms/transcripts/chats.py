"""
The form `chat`: the plain text that a messenger or an IRC client exports.

Three laws. The first message fixes how every message of the file begins, so that a line
of a body that begins in another way opens none. A line that begins no message belongs
to the one before it. And a day that could be two days is refused with its line until
the caller says which comes first: nothing is guessed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import Any

from attrs import define, field

from rooms.errors import InvalidInput
from rooms.pacing.zones import canonical_zone, zone
from rooms.planning import RoomEvent
from rooms.transcripts.recorded import Recorded, Transcript

__all__ = ["is_chat", "read_chat"]

_DAY = (
    r"(?:(?P<year>\d{4})(?P<s>[-/.])(?P<month>\d{1,2})(?P=s)(?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<t>[/.-])(?P<second>\d{1,2})(?P=t)(?P<late>\d{4}|\d{2}))"
)
_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<at>\d{2})(?:[.,](?P<part>\d{1,6}))?)?"
    r"(?:[ \u00a0\u202f]?(?P<half>[AaPp])\.?[Mm]\.?(?![A-Za-z]))?"
    r"(?P<zone> ?Z| ?UTC| ?[+-]\d{2}:?\d{2})?"
)
_STAMP = rf"{_DAY}(?:T|,?[ \u00a0\u202f]{{1,3}}){_TIME}"
_MARK = "[\u200e\u200f\ufeff]?"  # some messengers mark the direction of writing

# How a message begins, up to who said it.
_FRAMES = {
    "brackets": re.compile(rf"{_MARK}\[{_STAMP}\][ \t]{{0,4}}(?:- )?{_MARK}"),
    "dash": re.compile(rf"{_MARK}{_STAMP} ?[-\u2013] ?{_MARK}"),
    "bare": re.compile(rf"{_STAMP}(?:\t|,? {{1,4}})"),
}
_SPEAKERS = {
    "angles": re.compile(r"<[@+%&~! ]?(?P<who>[^<>\n]{1,128})>(?:[ \t]|$)"),
    "tab": re.compile(r"(?P<who>[^\t:]{1,128})\t"),
    "colon": re.compile(r"(?P<who>[^\n]{1,128}?):(?:[ \t]|$)"),
}


def read_chat(text: str, *, zone_name: str, day_first: bool | None) -> Transcript:
    """The transcript that a text of this form holds."""
    where = zone("zone", canonical_zone("zone", zone_name))
    reading = _Reading(where, day_first)
    for number, line in enumerate(text.split("\n"), start=1):
        reading.take(number, line.removesuffix("\r"))
    reading.end()
    if not reading.events:
        raise InvalidInput("text", "holds no messages", allowed=_ALLOWED)
    return Transcript(tuple(reading.events), notices=tuple(reading.notices))


def is_chat(text: str) -> bool:
    """Whether a text begins as one of this form does."""
    line = text[:_LONGEST_BEGINNING].lstrip().split("\n", 1)[0]
    for frame in _FRAMES.values():
        found = frame.match(line)
        if found:
            rest = line[found.end() :]
            return any(one.match(rest) for one in _SPEAKERS.values())
    return False


_LONGEST_BEGINNING = 1_000
_ALLOWED = "lines such as [2026-01-05 09:00] ana: text"


@define
class _Reading:
    """A chat, read from its first line on."""

    zone: tzinfo
    day_first: bool | None
    frame: str | None = None
    speaker: str | None = None
    events: list[Recorded] = field(factory=list)
    notices: list[int] = field(factory=list)
    begun: tuple[int, datetime, str] | None = None
    body: list[str] = field(factory=list)
    passing: bool = False  # over the lines of a notice

    def take(self, number: int, line: str) -> None:
        """Takes in the next line."""
        frame = self._framed(line)
        if frame is None:
            self._goes_on(number, line)
            return
        name, head = frame
        rest = line[head.end() :]
        spoken = self._spoken(rest)
        if spoken is None:
            if name == "bare" or self.frame is None:
                self._goes_on(number, line, begins=self.frame is None)
                return
            self.end()
            self.notices.append(number)
            self.passing = True
            return
        self.end()
        style, found = spoken
        self.frame, self.speaker = name, style
        self.begun = number, self._instant(number, head), found["who"].strip()
        self.body = [rest[found.end() :]]

    def end(self) -> None:
        """Ends the message that was begun."""
        self.passing = False
        if self.begun is None:
            return
        line, at, who = self.begun
        while len(self.body) > 1 and not self.body[-1].strip():
            self.body.pop()  # blank lines between messages are nobody's
        event = RoomEvent(who, "\n".join(self.body))
        self.events.append(Recorded(line, event, at))
        self.begun = None

    def _framed(self, line: str) -> tuple[str, re.Match[str]] | None:
        for name in (self.frame,) if self.frame else _FRAMES:
            found = _FRAMES[name].match(line)
            if found:
                return name, found
        return None

    def _spoken(self, rest: str) -> tuple[str, re.Match[str]] | None:
        for style in (self.speaker,) if self.speaker else _SPEAKERS:
            found = _SPEAKERS[style].match(rest)
            if found and found["who"].strip():
                return style, found
        return None

    def _goes_on(self, number: int, line: str, *, begins: bool = False) -> None:
        if self.begun is not None:
            self.body.append(line)
        elif begins:
            self.notices.append(number)  # before anybody spoke
            self.passing = True
        elif line.strip("\ufeff\u200e \t") and not self.passing:
            problem = f"begins no message: {line[:40]!a}"
            raise InvalidInput(f"line {number}", problem, allowed=_ALLOWED)

    def _instant(self, number: int, head: re.Match[str]) -> datetime:
        hour = int(head["hour"])
        if head["half"] is not None:
            if not 1 <= hour <= 12:
                raise _no_time(number, head)
            hour = hour % 12 + 12 * (head["half"] in "Pp")
        part = (head["part"] or "").ljust(6, "0")
        clock = (hour, int(head["minute"]), int(head["at"] or 0), int(part))
        day = self._day(number, head)
        try:
            local = datetime(*day, *clock, tzinfo=self.zone)
            offset = (head["zone"] or "").strip()
            if offset:
                plain = local.replace(tzinfo=None).isoformat()
                utc = offset in {"Z", "UTC"}
                written = plain + ("+00:00" if utc else offset)
                local = datetime.fromisoformat(written)
            return local.astimezone(UTC)
        except (ValueError, OverflowError):
            raise _no_time(number, head) from None

    def _day(self, number: int, head: re.Match[str]) -> tuple[int, int, int]:
        if head["year"]:
            return int(head["year"]), int(head["month"]), int(head["day"])
        first, second = int(head["first"]), int(head["second"])
        year = int(head["late"]) + (2000 if len(head["late"]) == 2 else 0)
        day_first = True if head["t"] == "." else self.day_first
        if day_first is None:
            if first != second and max(first, second) <= 12:
                raise InvalidInput(
                    f"line {number}",
                    f"is of {head.group().strip()[:40]!a}, which may be two days",
                    allowed="day_first=True (--day-first) or False (--month-first)",
                )
            day_first = first > 12
        day, month = (first, second) if day_first else (second, first)
        return year, month, day


def _no_time(number: int, head: re.Match[str]) -> InvalidInput:
    told: Any = head.group().strip()[:60]
    return InvalidInput(f"line {number}", f"has no time: {told!a}", allowed=_ALLOWED)
