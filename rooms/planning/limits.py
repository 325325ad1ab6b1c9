"""
The thread's three settings: a default each, and a ceiling that is never exceeded.

They are cost knobs that people write into files, so nonsense means the default and
never "nothing" (R-CONFIG-02); a larger number is kept as written and clamped when it is
used (R-CONFIG-03).
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

__all__ = ["CATCHUP_CHARS", "CATCHUP_MESSAGES", "MAX_ROUNDS", "Limit"]


@frozen
class Limit:
    """
    A number from 1 to a ceiling.

    Attributes:
        default: What stands for zero, a negative number, nothing and nonsense.
        ceiling: The largest value that is used.

    >>> MAX_ROUNDS.used(0), MAX_ROUNDS.used("4"), MAX_ROUNDS.used(50)
    (3, 4, 10)
    """

    default: int
    ceiling: int

    def used(self, written: Any, *, instead: int | None = None) -> int:
        """
        The number that a written value stands for.

        Args:
            written: Whatever a settings file holds: an int, a whole float, digits as
                text; anything else is nonsense.
            instead: What nonsense stands for, where that is not the default.
        """
        number = _whole(written)
        if number is None or number < 1:
            return self.default if instead is None else instead
        return min(number, self.ceiling)


def _whole(written: Any) -> int | None:
    if isinstance(written, bool):
        return None
    if isinstance(written, str):
        digits = written.strip()
        # Eighteen digits are beyond every ceiling, and so is whatever has more.
        return int(digits[:18]) if digits.isascii() and digits.isdigit() else None
    if isinstance(written, float):
        return int(written) if written.is_integer() else None
    return written if isinstance(written, int) else None


CATCHUP_MESSAGES = Limit(default=40, ceiling=500)
"""How many messages a catch-up has: 40 unless said, 500 at most."""
CATCHUP_CHARS = Limit(default=8_000, ceiling=200_000)
"""How many characters it has: 8,000 unless said, 200,000 at most."""
MAX_ROUNDS = Limit(default=3, ceiling=10)
"""How many rounds a cast goes: 3 unless said, 10 at most."""
