"""
Notes: what the operator is told beside the answers, as data, and the default words.

Two laws. A note is a value with names and settings; wording is the host's, or that of
`render_note`. And notes follow the replies in one order: what was cut, what is waited
for, that a cap stopped the room (R-NOTE-06).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import frozen

from rooms.driving.outcomes import Turned

__all__ = ["Note", "notes_of", "render_note"]


@frozen
class Note:
    """
    Something to tell the operator.

    Attributes:
        kind: `catch_up_cut`, `waiting`, or `round_cap`.
        names: Whom it is about, each once, in addressed order.
        settings: The options that change it.
        rounds: For `round_cap`, how many rounds ran.
    """

    kind: Literal["catch_up_cut", "waiting", "round_cap"]
    names: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    rounds: int = 0


def notes_of(
    cast: Sequence[str],
    turns: Iterable[Turned],
    reason: str,
    *,
    waiting: Iterable[str] = (),
) -> tuple[Note, ...]:
    """
    The notes of an address, in their order.

    Args:
        cast: Who was addressed, in written order.
        turns: What came of them.
        reason: Why the activity ended.
        waiting: Whose unfinished answers are being collected.
    """
    had = list(turns)
    clipped = {one.name for one in had if one.outcome == "spoke" and one.clipped}
    waited = set(waiting)
    rounds = max((one.round for one in had), default=0) + 1
    notes = [
        Note("catch_up_cut", _in_order(cast, clipped), _CATCH_UP),
        Note("waiting", _in_order(cast, waited)),
    ]
    told = [note for note in notes if note.names]
    if reason == "round_cap":
        told.append(Note("round_cap", tuple(cast), ("max_rounds",), rounds))
    return tuple(told)


_CATCH_UP = ("catchup_max_messages", "catchup_max_chars")


def _in_order(cast: Sequence[str], names: set[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(cast) if name in names)


def render_note(note: Note) -> str:
    """The default words of a note."""
    names = ", ".join(note.names)
    if note.kind == "catch_up_cut":
        widen = " and ".join(note.settings)
        return f"Not all that came before was shown to {names}; {widen} widen it."
    if note.kind == "waiting":
        return f"Still working, and posted here when it is done: {names}."
    return (
        f"The room stopped at its cap of {note.rounds} rounds and had not settled."
        " Ask again to go on, or raise max_rounds."
    )
