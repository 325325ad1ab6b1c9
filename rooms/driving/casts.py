"""
The cast: who is in a room, as its lead is told.

Two laws. Whoever has spoken here is in it, in the order of first speech, and a failure
is no presence (R-CAST-01, R-CAST-02). And it is awareness and never permission: who can
be addressed is the roster's to say (R-CAST-03).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rooms import values
from rooms.addressing import name_key
from rooms.lobby import Room
from rooms.lobby.given import check_room
from rooms.rendering.lines import token

__all__ = ["cast_line", "cast_of", "with_cast_line"]

_LINE = re.compile(r"^\[cast · .*\]\n?", re.MULTILINE)


def cast_of(room: Room) -> tuple[str, ...]:
    """
    The agents that have spoken in a room, in the order of their first message, without
    the lead; persons are not listed.
    """
    check_room(room)
    desk = room._desk  # noqa: SLF001 - our own handle
    with desk.lock:
        state = desk.room(room.id)
        spoken = [state.seats[one].agent for one in state.spoken]
        lead = name_key(state.policy.lead)
    return tuple(name for name in dict.fromkeys(spoken) if name_key(name) != lead)


def cast_line(reader: str, cast: Sequence[str]) -> str:
    """
    The line for the lead's prompt; "" where nobody else has spoken (R-CAST-05).

    >>> print(cast_line("lead", ["proto"]))
    [cast · you are lead · here are proto: other agents, ... as one of them.]
    """
    values.text("reader", reader, empty=False)
    names = values.names("cast", cast)
    if not names:
        return ""
    here = ", ".join(token(name) for name in names)
    head = f"[cast · you are {token(reader)} · here are {here}: other agents, however"
    return (
        f"{head} alike the names. Each message names its author; answer as yourself,"
        " and never as one of them.]"
    )


def with_cast_line(prompt: str, line: str) -> str:
    """A prompt with this line at its head, instead of an earlier one (R-CAST-04)."""
    rest = _LINE.sub("", values.text("prompt", prompt))
    return f"{line}\n{rest}" if line else rest
