"""
Claimed: what a team's members say that they will change, found by path.

Law: whoever is no member any more claims nothing, and no more is kept of what was
released than a team keeps (S-CLAIM-09, S-CLAIM-13).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field

from rooms.log.patterns import MOST_RELEASED, PatternIndex

__all__ = ["ClaimState", "ClaimsState"]


@define
class ClaimState:
    """
    A claim.

    Attributes:
        key: The member's.
        pattern: What it claims, normalised.
        version: The record that claimed it, with the reason.
        at: When.
        width: For how long, in microseconds; 0 for as long as it is not released.
        until: When it expires, unless it is renewed before; 0 for never.
        released: When it was released, or expired; 0 while it is held.
    """

    key: str
    pattern: str
    version: int
    at: int
    width: int = 0
    until: int = 0
    released: int = 0

    def holds(self, at: int) -> bool:
        """Whether it is not over at an instant."""
        return not self.until or at < self.until


@define
class ClaimsState:
    """
    The claims of a team's members.

    Attributes:
        held: By member and pattern, in the order of claiming; some may have expired.
        released: Those that are over, the oldest first.
    """

    held: dict[str, dict[str, ClaimState]] = field(factory=dict)
    released: list[ClaimState] = field(factory=list)
    _index: PatternIndex = field(factory=PatternIndex, eq=False, repr=False, init=False)
    _expiring: dict[tuple[str, str], ClaimState] = field(
        factory=dict, eq=False, repr=False, init=False
    )

    def of(self, key: str, at: int) -> dict[str, ClaimState]:
        """What a member claims at an instant, by pattern."""
        held = self.held.get(key, {})
        return {name: one for name, one in held.items() if one.holds(at)}

    def active(self, at: int) -> Iterator[ClaimState]:
        """All that is claimed at an instant."""
        for held in self.held.values():
            yield from (one for one in held.values() if one.holds(at))

    def cost(self, patterns: Iterable[str]) -> int:
        """How many steps it may take to say what overlaps these."""
        return sum(self._index.cost(one) for one in patterns)

    def meeting(self, key: str, pattern: str, at: int) -> list[ClaimState]:
        """Others' claims that a pattern overlaps, the oldest first (S-CLAIM-03)."""
        found = [
            self.held[holder][held]
            for holder, held in self._index.meeting(pattern)
            if holder != key and self.held[holder][held].holds(at)
        ]
        return sorted(found, key=lambda one: (one.version, one.pattern))

    # -- folding

    def hold(self, claim: ClaimState) -> None:
        """A claim from here on."""
        self.held.setdefault(claim.key, {})[claim.pattern] = claim
        self._index.add(claim.key, claim.pattern)
        if claim.until:
            self._expiring[claim.key, claim.pattern] = claim

    def release(self, key: str, pattern: str, at: int) -> None:
        """One claim is over."""
        held = self.held[key]
        claim = held.pop(pattern)
        if not held:
            del self.held[key]
        self._index.remove(key, pattern)
        self._expiring.pop((key, pattern), None)
        claim.released = at
        self.released.append(claim)
        del self.released[:-MOST_RELEASED]

    def release_all(self, key: str, at: int) -> None:
        """A member is none any more."""
        for pattern in list(self.held.get(key, ())):
            self.release(key, pattern, at)

    def expire(self, at: int) -> None:
        """What has expired is over since it did."""
        over = [one for one in self._expiring.values() if not one.holds(at)]
        for one in sorted(over, key=lambda one: (one.until, one.version)):
            self.release(one.key, one.pattern, one.until)
