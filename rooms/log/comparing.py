"""
Comparing and setting: whoever changes a thing says what it was when it was read.

Law: there is one way to do it. Whatever has revisions (a document, a checkpoint, a
memory, a status that is claimed) is changed only by who names the current one, and
every refusal carries that, so that the caller can start over from it (unify.md, 2).
"""

from __future__ import annotations

from typing import Any

from rooms.errors import Conflict

__all__ = ["check_base"]


def check_base(base: Any, current: Any, *, code: str, **details: Any) -> None:
    """
    Refuses a change that started from anything but what is current.

    Args:
        base: What the caller read; None where it found nothing.
        current: What is there; None where there is nothing.
        code: The error's code.
        details: What else the error should say.

    Raises:
        Conflict: With that code, and `current`.

    >>> check_base("r-1", "r-1", code="stale_revision")
    """
    if base == current:
        return
    there = "nothing is there" if current is None else f"{current} is current"
    began = "started from nothing" if base is None else f"started from {base}"
    raise Conflict(code, f"the change {began}; {there}", current=current, **details)
