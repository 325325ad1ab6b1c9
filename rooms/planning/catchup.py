"""
The room since a participant last spoke, within two bounds.

The start is derived from the transcript at each call and never stored, so it cannot
drift (R-CATCHUP-02). Both bounds keep the newest end, and the newest message is cut
rather than lost: a window is never empty because somebody wrote much (R-CATCHUP-08).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from attrs import evolve, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.planning.cast import CastReply
from rooms.planning.events import Event, RoomEvent, from_mapping
from rooms.planning.limits import CATCHUP_CHARS, CATCHUP_MESSAGES

__all__ = ["CatchUp", "catch_up"]

Entry = TypeVar("Entry", CastReply, RoomEvent, Event)


@frozen
class CatchUp(Generic[Entry]):
    """
    What a participant is shown before it answers.

    Attributes:
        messages: The newest entries since its last own, oldest first.
        truncated: Whether anything was left out or cut.
        omitted: How many entries were left out at the old end.
        cut_from: The full length of the newest entry's text, in characters, when only
            its beginning is shown; else None. So a cut window says that it is one.

    Source: area CATCHUP of docs/rules/thread.md.
    """

    messages: tuple[Entry, ...]
    truncated: bool
    omitted: int = 0
    cut_from: int | None = None


def catch_up(
    transcript: Sequence[Entry],
    participant: str,
    *,
    max_messages: int = CATCHUP_MESSAGES.default,
    max_chars: int = CATCHUP_CHARS.default,
) -> CatchUp[Entry]:
    """
    The messages that landed after a participant's own last one.

    Args:
        transcript: `CastReply` values or events, oldest first; any object with
            `speaker` and `content` is an event, and is given back as it is, or as a
            `RoomEvent` where it is cut. Entries without words are not messages. A
            failed reply is a message of its author, with the error as its words, but
            does not move its author's start: the author received nothing. Any other
            entry of its own does, with words or without: that turn was had.
        participant: Whose view it is; one that never spoke gets everything.
        max_messages: At most so many entries, 40 unless said, never above 500.
        max_chars: At most so many characters of authors and texts together, 8,000
            unless said, never above 200,000; the newest entry's author is shown in any
            case. Zero, a negative number and nonsense mean the default for both bounds
            (R-CONFIG-02).

    Raises:
        InvalidInput: `invalid_request` for a transcript or participant of wrong types.

    Costs what has landed since the participant last spoke, whatever came before.

    >>> said = [CastReply("operator", "what broke?"), CastReply("reviewer", "auth")]
    >>> [entry.author for entry in catch_up(said, "proto").messages]
    ['operator', 'reviewer']
    """
    values.text("participant", participant, empty=False)
    most = CATCHUP_MESSAGES.used(max_messages)
    room = CATCHUP_CHARS.used(max_chars)
    missed = list(_missed(transcript, participant))
    sizes = [len(_author(entry)) + len(_words(entry)) for entry in missed]
    shown = missed[: fitting(sizes, most, room)]
    omitted, cut_from = len(missed) - len(shown), None
    if shown and sizes[0] > room:
        cut_from = len(_words(shown[0]))
        shown[0] = _cut(shown[0], max(0, room - len(_author(shown[0]))))
    truncated = omitted > 0 or cut_from is not None
    return CatchUp(tuple(shown[::-1]), truncated, omitted, cut_from)


def fitting(sizes: Iterable[int], most: int, room: int) -> int:
    """
    How many of the newest entries fit, given their sizes, the newest first. The first
    one does in any case: it is cut, and never left out (R-CATCHUP-08).
    """
    shown = 0
    for size in sizes:
        if shown == most or (shown and size > room):
            break
        shown += 1
        room -= size
    return shown


def _missed(transcript: Sequence[Entry], participant: str) -> Iterator[Entry]:
    """What landed after the participant's own last turn, newest first."""
    entries: Any = transcript
    if isinstance(entries, str | bytes) or not isinstance(entries, Sequence):
        kind = type(entries).__name__
        raise InvalidInput(
            "transcript", f"is of type {kind}", allowed="a sequence of entries"
        )
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        _check_entry(place, entry)
        own = _author(entry) == participant
        if own and _received(entry):
            return
        if not own and _words(entry).strip():
            yield entry


def _check_entry(place: int, entry: Any) -> None:
    if isinstance(entry, CastReply | RoomEvent):
        return
    where = f"transcript[{place}]"
    if isinstance(entry, Mapping):
        raise from_mapping(where, entry)
    for name in ("speaker", "content"):
        if not isinstance(getattr(entry, name, None), str):
            kind = f"{type(entry).__module__}.{type(entry).__qualname__}"
            raise InvalidInput(
                where,
                f"is of type {kind}, and its {name} is no string",
                allowed="a CastReply, or an event with speaker and content",
            )


def _author(entry: CastReply | Event) -> str:
    return entry.author if isinstance(entry, CastReply) else entry.speaker


def _received(entry: CastReply | Event) -> bool:
    """Whether the author had been shown what came before (R-CATCHUP-12)."""
    return entry.ok if isinstance(entry, CastReply) else True


def _words(entry: CastReply | Event) -> str:
    if isinstance(entry, CastReply):
        return entry.text if entry.text.strip() else entry.error
    return entry.content


def _cut(entry: Any, length: int) -> Any:
    """The entry with the beginning of its words, whichever of its fields holds them."""
    if isinstance(entry, CastReply):
        if entry.text.strip():
            return evolve(entry, text=entry.text[:length])
        return evolve(entry, error=entry.error[:length])
    if isinstance(entry, RoomEvent):
        return evolve(entry, content=entry.content[:length])
    others = {
        name: getattr(entry, name)
        for name in ("round", "passed", "human")
        if hasattr(entry, name)
    }
    return RoomEvent(entry.speaker, entry.content[:length], **others)
