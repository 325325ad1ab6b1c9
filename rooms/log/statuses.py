"""
Statuses: the line that a conversation keeps for its peers, and what waits on its owner.

Two laws. Both are the conversation's own word: nothing here sets or ages them, and only
who retires its runtime clears them (L-ACT-11, L-ACT-12). And the same word again keeps
the instant at which it was first said.
"""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.log.events import Event, Fact, recorded

__all__ = [
    "Line",
    "OwnerRequestsSet",
    "StatusSet",
    "StatusState",
    "StatusesCleared",
    "clear",
    "evolve",
    "set_owner_requests",
    "set_status",
]

_LONGEST = 300
_MOST_REQUESTS = 20


@recorded("status_set", body=("text",), critical=False)
class StatusSet(Event):
    """The line of a conversation is another one; a `blank` one is none."""

    conversation: str
    blank: bool = False
    text: str = ""


@recorded("owner_requests_set", body=("text",), critical=False)
class OwnerRequestsSet(Event):
    """So many things of a conversation wait on its owner; 0 for nothing."""

    conversation: str
    count: int = 0
    text: str = ""


@recorded("statuses_cleared", critical=False)
class StatusesCleared(Event):
    """What a conversation said of itself is void: its runtime is retired."""

    conversation: str


@frozen
class Line:
    """Where the words stand, since when they are said, and what they count."""

    version: int
    at: int
    count: int = 0


@frozen
class StatusState:
    """What the conversations of an agent say of themselves, by conversation."""

    lines: dict[str, Line] = field(factory=dict)
    requests: dict[str, Line] = field(factory=dict)


def evolve(state: StatusState, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case StatusSet(blank=True) as blank:
            state.lines.pop(blank.conversation, None)
        case StatusSet() as said:
            state.lines[said.conversation] = Line(fact.version, fact.at)
        case OwnerRequestsSet(count=0) as done:
            state.requests.pop(done.conversation, None)
        case OwnerRequestsSet() as asked:
            line = Line(fact.version, fact.at, asked.count)
            state.requests[asked.conversation] = line
        case StatusesCleared() as cleared:
            state.lines.pop(cleared.conversation, None)
            state.requests.pop(cleared.conversation, None)
        case _:
            pass


def set_status(conversation: str, text: Any, current: str) -> list[Event]:
    """
    Another line, `current` being the one there is; nothing where it is the same.

    Raises:
        InvalidInput: `invalid_request` for more than a line of 300 characters.
    """
    line = _one_line(text)
    if line == current:
        return []
    return [StatusSet(conversation, not line, line)]


def set_owner_requests(
    state: StatusState, conversation: str, count: Any, text: Any, current: str
) -> list[Event]:
    """
    What waits on the owner, `current` being the words there are; nothing where both
    are the same.

    Raises:
        InvalidInput: `invalid_request` for a count beyond 20, or none in words.
    """
    many = values.whole_number("count", count, at_least=0, at_most=_MOST_REQUESTS)
    known = state.requests.get(conversation)
    if not many:
        values.text("text", text)
        return [] if known is None else [OwnerRequestsSet(conversation)]
    line = _one_line(text)
    if not line:
        raise InvalidInput(
            "text", "is empty", allowed="a line that says what waits on the owner"
        )
    if known is not None and (known.count, current) == (many, line):
        return []
    return [OwnerRequestsSet(conversation, many, line)]


def clear(state: StatusState) -> list[StatusesCleared]:
    """What makes all words of an agent's conversations void."""
    return [StatusesCleared(one) for one in {**state.lines, **state.requests}]


def _one_line(text: Any) -> str:
    line = values.storable("text", text).strip()
    one = not line or line.isprintable()
    if len(line) > _LONGEST or not one:
        raise InvalidInput(
            "text",
            f"has {len(line)} characters" if one else "is no line",
            allowed=f"one line of at most {_LONGEST} printable characters",
        )
    return line
