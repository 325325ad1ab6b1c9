"""
Claiming: a member says what it is going to change, and learns whom that concerns.

Law: a claim keeps nobody from anything; what it does to the next one is decided by
`rooms.log.team.claims` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import frozen

from rooms import values
from rooms.lobby.team.acting import Acting
from rooms.lobby.team.records import event_at
from rooms.log.claimed import ClaimState
from rooms.log.events import Event
from rooms.log.patterns import check_patterns
from rooms.log.state import RoomState
from rooms.log.team import PathsClaimed, PathsReleased, claims
from rooms.log.team.claims import ClaimsRenewed, Overlapping
from rooms.log.team_state import MemberState
from rooms.team.blueprints import check_words
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Claim", "Claimed", "Claiming", "Overlap", "claims_of"]

_LONGEST_REASON = 20_000  # as it is handed in; 300 characters of it are kept


@frozen
class Claim:
    """
    A claim.

    Attributes:
        member: The key of whose it is.
        pattern: What is claimed, normalised.
        reason: Why, in the member's words.
        at: When it was claimed, UTC.
        until: When it expires unless it is renewed; None for never.
        released_at: When it was released, or expired; None while it is active.
    """

    member: str
    pattern: str
    reason: str = ""
    at: datetime | None = None
    until: datetime | None = None
    released_at: datetime | None = None

    @property
    def active(self) -> bool:
        """Whether it was held when it was asked for."""
        return self.released_at is None


@frozen
class Overlap:
    """
    A pattern that was wanted, and somebody else's claim that it overlaps.

    Attributes:
        pattern: What was wanted.
        claim: What it overlaps.
    """

    pattern: str
    claim: Claim


@frozen
class Claimed:
    """
    What came of claiming.

    Attributes:
        claims: What is claimed from here on and was not before.
        overlaps: Whom it concerns: all that others claim of what was wanted.
    """

    claims: tuple[Claim, ...] = ()
    overlaps: tuple[Overlap, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """The members with claims that overlap, each once."""
        return tuple(dict.fromkeys(one.claim.member for one in self.overlaps))


class Claiming(Acting):
    """What a member does with claims."""

    __slots__ = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is claimed now, by all members of the team."""
        return self._seen(lambda state, _: claims_of(self._desk, state))

    def claim_paths(
        self,
        patterns: Iterable[str],
        *,
        reason: str = "",
        expires_after: timedelta | None = None,
        now: datetime | None = None,
    ) -> Claimed:
        """
        Says that it is going to change something, and is told whom that concerns.

        Args:
            patterns: Paths, folders, patterns of `rooms.paths` or names of anything
                else; relative to the workspace's root.
            reason: Why; 300 characters of it are kept.
            expires_after: When the claim is over by itself unless it is renewed; None
                for as long as it is not released.
            now: The instant; the lobby's clock unless given.

        Returns:
            The claims that are new, and the claims of others that overlap what was
            wanted. What the member claims already stays as it is.

        Raises:
            InvalidInput: `no_patterns` where nothing is named; `bad_path`, `too_large`
                for what is no pattern.
            OverLimit: `too_many` beyond 50 claims of one member; `too_large` for
                patterns that cannot be compared with all claims in bounded time.
            Conflict: `blocked_by_claim` for an overlap where the team's claims block,
                or both members edit one shared tree. Nothing of it is claimed then.

        Source: S-CLAIM-01 to S-CLAIM-11.
        """
        wanted = check_patterns(patterns)
        check_words("reason", reason, most=_LONGEST_REASON)
        width = 0
        if expires_after is not None:
            values.duration("expires_after", expires_after, at_least=_SHORTEST)
            if expires_after > _LONGEST:
                values.whole_number(
                    "expires_after (days)", expires_after.days, at_least=0, at_most=365
                )
            width = expires_after // timedelta(microseconds=1)
        met: list[Overlapping] = []

        def decide(state: RoomState, by: MemberState, at: int) -> Sequence[Event]:
            events, met[:] = claims.claim(
                state, by, wanted, at=at, width=width, reason=reason
            )
            return events

        facts = self._acts(decide, now=now)
        made = [
            Claim(
                fact.event.key,
                one,
                fact.event.reason,
                moment(fact.at),
                moment(fact.at + width) if width else None,
            )
            for fact in facts
            if isinstance(fact.event, PathsClaimed)
            for one in fact.event.patterns
        ]
        with self._desk.lock:
            found = [
                Overlap(one.pattern, _told(self._desk, self.room.id, one.claim))
                for one in met
            ]
        return Claimed(tuple(made), tuple(found))

    def release_paths(
        self, patterns: Iterable[str] = (), *, now: datetime | None = None
    ) -> tuple[str, ...]:
        """
        Claims these no more, or nothing at all where none is named.

        Returns:
            The patterns that it claimed until then; what it did not claim is no error.

        Raises:
            InvalidInput: `no_patterns`, `bad_path`, `too_large`.

        Source: S-CLAIM-13.
        """
        named = _named(patterns)
        facts = self._acts(
            lambda state, by, at: claims.release(state, by, named, at=at), now=now
        )
        return tuple(
            one
            for fact in facts
            if isinstance(fact.event, PathsReleased)
            for one in fact.event.patterns
        )

    def renew_paths(
        self, patterns: Iterable[str] = (), *, now: datetime | None = None
    ) -> tuple[str, ...]:
        """
        Holds claims that expire for as long again as they were made for; all of its own
        where none is named.

        Returns:
            The patterns whose claims were renewed; one that never expires is not.

        Raises:
            NotFound: `unknown_claim` for one that has expired, or was never claimed; it
                is claimed anew, as any other. Nothing is renewed then.
            InvalidInput: `no_patterns`, `bad_path`, `too_large`.
        """
        named = _named(patterns)
        facts = self._acts(
            lambda state, by, at: claims.renew(state, by, named, at=at), now=now
        )
        return tuple(
            one
            for fact in facts
            if isinstance(fact.event, ClaimsRenewed)
            for one in fact.event.patterns
        )


_SHORTEST, _LONGEST = timedelta(seconds=1), timedelta(days=365)


def _named(patterns: Iterable[str]) -> tuple[str, ...]:
    return check_patterns(patterns) if patterns not in ((), []) else ()


def claims_of(
    desk: Desk, state: RoomState, *, released: bool = False
) -> tuple[Claim, ...]:
    """What a team's members claim now, or what they claimed, as far as it is kept."""
    at = max(desk.time(None), state.at)
    found = claims.released_claims if released else claims.active_claims
    return tuple(_told(desk, state.id, one) for one in found(state, at))


def _told(desk: Desk, room: str, claim: ClaimState) -> Claim:
    return Claim(
        claim.key,
        claim.pattern,
        event_at(desk, room, claim.version, PathsClaimed).reason,
        moment(claim.at),
        moment(claim.until) if claim.until else None,
        moment(claim.released) if claim.released else None,
    )
