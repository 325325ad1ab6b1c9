"""
What came of deciding a log again.

Law: a divergence tells what was recorded and what would be decided today, event by
event, without the words of people.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from rooms.log.events import Event
from rooms.log.posting import MessagePosted
from rooms.values import moment

__all__ = ["Divergence", "ReplayReport", "differences", "told"]


@frozen
class Divergence:
    """
    A decision that would be another one today.

    Attributes:
        stream: Where it stands.
        version: Of the last event that was recorded by it.
        at: When it was decided, in microseconds, UTC.
        kind: What was decided: `post`, `take`, `end`, `due`, `seat`, `floor`.
        recorded: The events that the log has, a line each.
        decided: Those of today's rules; none where they refuse.
        refused: The code of the refusal, or "".
        reasons: Where the two part, a line each.
    """

    stream: str
    version: int
    at: int
    kind: str
    recorded: tuple[str, ...]
    decided: tuple[str, ...]
    refused: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        when = str(moment(self.at)).removesuffix("+00:00")
        lines = [f"{self.stream} {self.version}, a {self.kind} at {when}:"]
        lines += [f"  {reason}" for reason in self.reasons]
        lines += [f"  recorded: {line}" for line in self.recorded]
        lines += [f"  today:    {line}" for line in self.decided]
        if self.refused:
            lines.append(f"  today:    refused with {self.refused}")
        return "\n".join(lines)


@frozen
class ReplayReport:
    """
    What was decided again, and where today's rules decide otherwise.

    Attributes:
        decided: How many decisions of each kind were made again.
        passed_over: How many events of each type were taken as they stand: their
            commands, or the words that they were decided on, are in no log.
        divergences: The decisions that differ, in the order of the log.
    """

    decided: Mapping[str, int]
    passed_over: Mapping[str, int]
    divergences: tuple[Divergence, ...]

    @property
    def agrees(self) -> bool:
        """Whether at least one decision was made again, and none differs."""
        return not self.divergences and any(self.decided.values())

    def __str__(self) -> str:
        again = ", ".join(f"{count} {kind}" for kind, count in self.decided.items())
        lines = [f"decided again: {again or 'nothing'}"]
        if self.passed_over:
            kept = (f"{count} {kind}" for kind, count in self.passed_over.items())
            lines.append(f"taken as they stand: {', '.join(kept)}")
        lines.append(f"divergences: {len(self.divergences) or 'none'}")
        return "\n".join([*lines, *map(str, self.divergences)])


def told(event: Event) -> str:
    """An event as a line: its type, and what its header says beside defaults."""
    header, _ = event.fields()
    defaults = dict(event._HEADER)  # noqa: SLF001 - our own
    said = [
        f"{name}={getattr(event, name)!r}"
        for name in header
        if getattr(event, name) != defaults[name]
    ]
    return " ".join([event.TYPE, *said])


def differences(recorded: Sequence[Event], decided: Sequence[Event]) -> tuple[str, ...]:
    """Where two decisions part: by seat for a message, else by field."""
    parted: list[str] = []
    if [one.TYPE for one in recorded] != [one.TYPE for one in decided]:
        before, after = (
            ", ".join(one.TYPE for one in several) or "nothing"
            for several in (recorded, decided)
        )
        parted.append(f"recorded {before}; today {after}")
        if not (recorded and decided and recorded[-1].TYPE == decided[-1].TYPE):
            return tuple(parted)
        recorded, decided = recorded[-1:], decided[-1:]
    for old, new in zip(recorded, decided, strict=True):
        parted += _fields(old, new)
    return tuple(parted)


def _fields(old: Event, new: Event) -> Iterable[str]:
    if isinstance(old, MessagePosted) and isinstance(new, MessagePosted):
        yield from _seats(old.owed, new.owed)
    header, body = old.fields()
    for name in (*header, *body):
        before, after = getattr(old, name), getattr(new, name)
        if before == after or name == "owed":
            continue
        if name in body:
            yield f"{old.TYPE}.{name}: the words differ"
        else:
            yield f"{old.TYPE}.{name}: recorded {before!r}; today {after!r}"


def _seats(
    recorded: Iterable[Sequence[str]], decided: Iterable[Sequence[str]]
) -> Iterable[str]:
    old = {one[0]: one for one in recorded}
    new = {one[0]: one for one in decided}
    for conversation in dict.fromkeys([*old, *new]):
        if old.get(conversation) != new.get(conversation):
            before, after = (_hears(one.get(conversation)) for one in (old, new))
            yield f"{conversation}: recorded {before}; today {after}"


def _hears(owed: Any) -> str:
    if owed is None:
        return "nothing"
    _, hearing, tag, rule, lane = owed
    return f"{lane} as {hearing} by {rule} (tag {tag})"
