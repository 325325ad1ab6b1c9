"""Names that somebody else wrote, on a line of a terminal: none can forge another."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listed", "shown"]


def shown(name: str, *, at_most: int = 60) -> str:
    """A name that cannot move the cursor or forge a line, cut to so many characters."""
    short = name if len(name) <= at_most else f"{name[: at_most - 1]}…"
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode()
        for sign in short
    )


def listed(names: Iterable[str], *, at_most: int = 8) -> str:
    """The first few names, fit to be shown."""
    known = list(names)
    more = [f"and {len(known) - at_most} more"] if len(known) > at_most else []
    return ", ".join([*map(shown, known[:at_most]), *more])
