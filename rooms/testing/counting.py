"""
Ids and salts that count, so that a run is the same each time.

Law: what comes next depends on what was asked for before, and on nothing else. Keep the
same ones for one storage when its lobby is opened again: no id is given twice.
"""

from __future__ import annotations

from itertools import count

from rooms import values

__all__ = ["CountingIds", "CountingSalts"]

_SALT_BYTES = 16


class CountingIds:
    """
    Ids for `Lobby(ids=...)`, each prefix with numbers of its own.

    >>> ids = CountingIds()
    >>> ids("room"), ids("conversation"), ids("room")
    ('room_1', 'conversation_1', 'room_2')
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def __call__(self, prefix: str) -> str:
        """The next id with that prefix."""
        number = self._counts.get(values.text("prefix", prefix), 0) + 1
        self._counts[prefix] = number
        return f"{prefix}_{number}"


class CountingSalts:
    """
    Salts for `Lobby(salt=...)`: 16 bytes that count.

    What they salt can be guessed, so they are for tests alone.

    >>> CountingSalts()().hex()
    '00000000000000000000000000000001'
    """

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self) -> bytes:
        """The next salt."""
        return next(self._numbers).to_bytes(_SALT_BYTES, "big")
