"""What each preset sets, as rows: made from the code, so that no table can be stale."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Any

from attrs import asdict, fields

from rooms import RateWindow, RoomPolicy, presets
from rooms.pacing import Pushes

SAME = ""
"""What stands where a preset leaves an option as it is."""


def options() -> list[tuple[str, ...]]:
    """A line of headings, and one for each option of `RoomPolicy`, in its order."""
    usual = RoomPolicy()
    policies = [presets.named(name) for name in presets.NAMES]
    lines: list[tuple[str, ...]] = [("option", "usual", *presets.NAMES)]
    for option in fields(RoomPolicy):
        value = getattr(usual, option.name)
        sets = (getattr(policy, option.name) for policy in policies)
        told = (SAME if one == value else said(one) for one in sets)
        lines.append((option.name, said(value), *told))
    return lines


def said(value: Any) -> str:
    """A value as a reader would write it."""
    for kind, words in _WORDS.items():
        if isinstance(value, kind):
            return words(value)
    return str(value)


def _span(value: timedelta) -> str:
    seconds = int(value.total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds % size == 0:
            many = seconds // size
            return f"{many} {unit}s" if many > 1 else f"a {unit}"
    return f"{seconds} seconds"


def _window(value: RateWindow) -> str:
    return f"{value.limit} in {_span(value.period)}"


def _pushes(value: Pushes) -> str:
    return "Pushes()" if value == Pushes() else f"Pushes({asdict(value)})"


_WORDS: dict[type, Callable[[Any], str]] = {
    RateWindow: _window,
    Pushes: _pushes,
    timedelta: _span,
    Enum: lambda value: str(value.value),
    bool: str,  # before the numbers, of which it is one
    int: lambda value: f"{value:,}",
    str: lambda value: value or '""',
}
