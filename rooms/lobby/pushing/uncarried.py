"""
What plugins did not carry: of one handle, and in memory alone.

Law: what no plugin wants is offered again only with something new, or to a plugin that
comes later. What a plugin failed to carry is offered again by itself, after longer and
longer: an outage of a transport ends, and nobody may have to post for that.
"""

from __future__ import annotations

__all__ = ["Uncarried"]

_FIRST, _LONGEST = 30_000_000, 15 * 60_000_000  # microseconds

Key = tuple[str, str]


class Uncarried:
    """Up to which number each seat was offered, by its room and its name."""

    def __init__(self) -> None:
        self._upto: dict[Key, int] = {}
        self._again: dict[Key, int] = {}
        self._waits: dict[Key, int] = {}

    def note(self, key: Key, newest: int, *, failed_at: int | None) -> None:
        """Remembers what was not carried; and when it failed, that it comes again."""
        self._upto[key] = newest
        if failed_at is None:
            self.forget(key)
        else:
            waits = min(self._waits.get(key, 0) * 2 or _FIRST, _LONGEST)
            self._waits[key] = waits
            self._again[key] = failed_at + waits

    def covers(self, key: Key, newest: int) -> bool:
        """Whether all that a seat has up to a number was offered."""
        return self._upto.get(key, 0) >= newest

    def forget(self, key: Key) -> None:
        """Ends what a plugin has carried, or wants no more."""
        self._again.pop(key, None)
        self._waits.pop(key, None)

    def clear(self) -> None:
        """Begins anew: there is another plugin, to which nothing was offered."""
        self._upto.clear()
        self._again.clear()
        self._waits.clear()

    @property
    def next_again(self) -> int | None:
        """When something comes again."""
        return min(self._again.values(), default=None)

    def come_again(self, now: int) -> None:
        """Lets what failed long enough ago be offered again."""
        for key, at in tuple(self._again.items()):
            if at <= now:
                del self._again[key]
                self._upto.pop(key, None)
