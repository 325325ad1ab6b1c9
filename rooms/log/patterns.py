"""
Patterns: what a member says that it will change, and where two of them may meet.

Two laws. A claim is a notice and never a lock (S-CLAIM-01): nothing here keeps anybody
from a file. And whom a pattern can meet is found by the folder that it begins in: one
without wildcards is compared with what it lies below, and what lies below it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from rooms import values
from rooms.errors import InvalidInput, OverLimit
from rooms.paths import may_overlap, normalize_pattern, normalized_overlap

__all__ = [
    "LONGEST_REASON",
    "MOST_CLAIMS",
    "MOST_RELEASED",
    "MOST_STEPS",
    "PatternIndex",
    "check_patterns",
]

MOST_CLAIMS = 50
"""Active claims of one member (S-CLAIM-08)."""

MOST_RELEASED = 200
"""Released claims that a team keeps (S-CLAIM-09)."""

LONGEST_REASON = 300
"""Characters of a reason; the rest is cut off (S-CLAIM-02)."""

MOST_STEPS = 4_000_000
"""Steps of comparing that one request may ask for; they take some 1.5 s at worst."""

_MOST_HANDED = 1_000
_UNORDERED = (str, bytes, set, frozenset, Mapping)


def check_patterns(given: Any) -> tuple[str, ...]:
    """
    Patterns as they are kept: normalised, each once, without those that name nothing.

    Raises:
        InvalidInput: `no_patterns` where none is left, and as `normalize_pattern`.
        OverLimit: `too_many` for more than a member may claim.

    Source: S-CLAIM-10.

    >>> check_patterns(["./src/", "src", " "])
    ('src',)
    """
    if isinstance(given, _UNORDERED) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InvalidInput("patterns", f"is of type {kind}", allowed="several strings")
    kept: dict[str, None] = {}
    handed = list(islice(given, _MOST_HANDED + 1))
    if len(handed) > _MOST_HANDED:
        raise too_many_claims()
    for place, one in enumerate(handed):
        named = f"patterns[{place}]"
        values.text(named, one)
        try:
            kept[normalize_pattern(one, field=named)] = None
        except InvalidInput as error:
            if error.code != "no_patterns":
                raise
    if not kept:
        raise InvalidInput(
            "patterns",
            "name nothing",
            allowed="at least one path below the root",
            code="no_patterns",
        )
    if len(kept) > MOST_CLAIMS:
        raise too_many_claims()
    return tuple(kept)


def too_many_claims() -> OverLimit:
    """What is said of more claims than a member may hold."""
    return OverLimit(
        "too_many",
        f"a member holds at most {MOST_CLAIMS} claims at once",
        field="patterns",
        limit=MOST_CLAIMS,
    )


def head_of(pattern: str) -> str:
    """
    The folder, or the file, in which all that a pattern matches lies.

    >>> head_of("src/api/*.ts"), head_of("src/a.ts"), head_of("**/a.ts")
    ('src/api', 'src/a.ts', '')
    """
    if not _is_wild(pattern):
        return pattern
    plain = []
    for segment in pattern.split("/"):
        if _is_wild(segment):
            break
        plain.append(segment)
    return "/".join(plain)


def _is_wild(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def _size(pattern: str) -> int:
    """The signs that count when it is compared: from `**` on, all overlaps."""
    across = pattern.find("**")
    return 1 + (len(pattern) if across < 0 else across)


class PatternIndex:
    """
    Patterns with their holders, by the heads that they have.

    >>> index = PatternIndex()
    >>> index.add("ann", "src/api")
    >>> index.add("bob", "docs/*.md")
    >>> list(index.meeting("src/api/u.ts")), list(index.meeting("docs"))
    ([('ann', 'src/api')], [('bob', 'docs/*.md')])
    """

    def __init__(self) -> None:
        self._at: dict[str, dict[tuple[str, str], None]] = {}
        self._heads: list[str] = []  # sorted

    def add(self, holder: str, pattern: str) -> None:
        """Keeps a pattern, in its normal form."""
        head = head_of(pattern)
        if head not in self._at:
            self._at[head] = {}
            insort(self._heads, head)
        self._at[head][holder, pattern] = None

    def remove(self, holder: str, pattern: str) -> None:
        """Keeps it no more."""
        head = head_of(pattern)
        held = self._at[head]
        del held[holder, pattern]
        if not held:
            del self._at[head]
            del self._heads[bisect_left(self._heads, head)]

    def meeting(self, pattern: str) -> Iterator[tuple[str, str]]:
        """Who holds a pattern that overlaps this one, and which."""
        for holder, held in self.near(pattern):
            if normalized_overlap(pattern, held):
                yield holder, held

    def cost(self, pattern: str) -> int:
        """How many steps `meeting` may take at most: no more than there are signs."""
        size, wild = _size(pattern), _is_wild(pattern)
        return sum(
            size * _size(held)
            for _, held in self.near(pattern)
            if (wild or _is_wild(held)) and may_overlap(pattern, held)
        )

    def near(self, pattern: str) -> Iterator[tuple[str, str]]:
        """
        Those that may overlap it: their heads lie on one way from the root with its
        own. Without wildcards, it costs its own depth and what it finds.
        """
        head = head_of(pattern)
        for above in _ways_to(head):
            yield from self._at.get(above, ())
        first, last = 0, len(self._heads)
        if head:
            first = bisect_left(self._heads, f"{head}/")
            last = bisect_left(self._heads, f"{head}{_BEHIND_SLASH}")
        for below in self._heads[first:last]:
            if below != head:
                yield from self._at[below]


_BEHIND_SLASH = chr(ord("/") + 1)


def _ways_to(head: str) -> Iterator[str]:
    """The root, each folder on the way, and the head itself."""
    yield ""
    place = head.find("/")
    while place >= 0:
        yield head[:place]
        place = head.find("/", place + 1)
    if head:
        yield head
