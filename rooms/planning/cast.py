"""
The thread: bounded rounds over the cast that a message addressed.

Three laws:

- The cast is fixed before the first turn and never grows; nothing that anybody says
  brings in a third party (R-ROUND-01, R-ROUND-02).
- Whoever failed is not asked again (R-FAIL-02), and a room of one is one round,
  whatever the cap says (R-ROUND-04, R-ROUND-05).
- An ending is looked for in the order exhausted, settled, capped (R-SETTLE-04).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.planning.limits import MAX_ROUNDS
from rooms.planning.passing import is_pass

__all__ = ["CastPlanner", "CastReply", "RoundPlan", "RoundReason"]

RoundReason = Literal["", "settled", "capped", "exhausted"]
"""Why no round follows, or nothing where one does: see `RoundPlan`."""


@frozen
class CastReply:
    """
    What came of one participant's turn.

    Attributes:
        author: The participant's name; not empty.
        text: What it replied; "" is silence where passing was offered.
        ok: False when the turn failed: it received nothing and said nothing.
        error: The failure in the adapter's own words.

    Raises:
        InvalidInput: `invalid_request` for a wrong type or an empty author.
    """

    author: str
    text: str = ""
    ok: bool = True
    error: str = ""

    def __attrs_post_init__(self) -> None:
        values.text("author", self.author, empty=False)
        values.text("text", self.text)
        values.flag("ok", self.ok)
        values.text("error", self.error)


@frozen
class RoundPlan:
    """
    Who speaks in the next round, or how the room ended.

    Attributes:
        speakers: Whom to ask, in this order; empty exactly when `done`.
        round: The round that they speak in, from 1; once done, how many rounds ran.
        done: Whether the room is over.
        reason: "" while it goes on. `settled`: a whole round brought no speech.
            `capped`: the last round that may be has run. `exhausted`: everybody failed.
        note: What to tell the operator: that the cap stopped a room which had not
            settled, else "" (R-NOTE-03, R-NOTE-04).
        may_pass: Whether the speakers are to be told that they may decline, by replying
            `pass` and nothing else; only then is a reply read as silence (R-PASS-01).
    """

    speakers: tuple[str, ...]
    round: int
    done: bool
    reason: RoundReason = ""
    note: str = ""
    may_pass: bool = False


@frozen
class CastPlanner:
    """
    Plans the rounds of one address, as a pure function of cast, outcomes and cap.

    Attributes:
        max_rounds: The cap as written. What is used lies between 1 and 10; nonsense
            counts as 1 (R-CONFIG-03, R-CONFIG-06).

    Source: the areas ROUND, SETTLE and CAP of docs/rules/thread.md.

    >>> planner = CastPlanner()
    >>> planner.plan_round(["proto", "reviewer"], []).speakers
    ('proto', 'reviewer')
    """

    max_rounds: int = field(default=MAX_ROUNDS.default)

    @property
    def cap(self) -> int:
        """The cap that is used, from 1 to 10."""
        written: Any = self.max_rounds
        number = written if isinstance(written, int) else None
        return MAX_ROUNDS.used(number, instead=1)

    def plan_round(
        self, cast: Sequence[str], rounds: Sequence[Sequence[CastReply]]
    ) -> RoundPlan:
        """
        Who is asked next.

        Args:
            cast: The names addressed, in written order; a repeated one counts once.
            rounds: What came of each round so far, oldest first. A last round in which
                somebody of the cast has no outcome yet goes on with those who have
                none, so that a restart in the middle asks nobody twice.

        Raises:
            InvalidInput: `invalid_request` for wrong types, or for an outcome whose
                author is not of the cast.
        """
        asked = tuple(dict.fromkeys(values.names("cast", cast)))
        _check_outcomes(asked, rounds)
        for replies in rounds[:-1]:
            asked = _survivors(asked, replies)
        last = rounds[-1] if rounds else ()
        return next_round(asked, last, self.cap, ran=len(rounds))


def next_round(
    asked: tuple[str, ...], last: Sequence[CastReply], cap: int, *, ran: int
) -> RoundPlan:
    """
    Who is asked after so many rounds, of which the last may go on: it asked these, and
    this came of it.
    """
    heard = {reply.author for reply in last}
    missing = tuple([name for name in asked if name not in heard])
    if ran and missing:
        return _next(missing, ran, may_pass=_may_pass(asked, cap))
    return _after(asked, last, cap, ran=ran)


def _after(
    asked: tuple[str, ...], last: Sequence[CastReply], cap: int, *, ran: int
) -> RoundPlan:
    """What follows a complete round, or the address itself where none ran yet."""
    left = _survivors(asked, last)
    if not left:
        return _over(ran, "exhausted" if asked else "settled")
    may_pass = _may_pass(asked, cap)
    if last and not any(_speaks(reply, may_pass=may_pass) for reply in last):
        return _over(ran, "settled")
    if ran and ran >= _effective(cap, left):
        return _over(ran, "capped", note=_note(cap, left))
    return _next(left, ran + 1, may_pass=_may_pass(left, cap))


def _next(speakers: tuple[str, ...], number: int, *, may_pass: bool) -> RoundPlan:
    return RoundPlan(speakers, number, done=False, may_pass=may_pass)


def _speaks(reply: CastReply, *, may_pass: bool) -> bool:
    """Whether somebody spoke; a failure is not speech (R-SETTLE-03)."""
    return reply.ok and not (may_pass and is_pass(reply.text))


def _effective(cap: int, left: Sequence[str]) -> int:
    return cap if len(left) > 1 else 1


def _may_pass(asked: Sequence[str], cap: int) -> bool:
    """Passing is offered, and read, above one effective round only (R-PASS-05)."""
    return _effective(cap, asked) > 1


def _note(cap: int, left: Sequence[str]) -> str:
    if _effective(cap, left) == 1:
        return ""
    return (
        f"The room stopped at its cap of {cap} rounds and had not settled. "
        "Ask again to go on, or raise max_rounds."
    )


def _over(ran: int, reason: RoundReason, *, note: str = "") -> RoundPlan:
    return RoundPlan((), ran, done=True, reason=reason, note=note)


def _survivors(asked: tuple[str, ...], replies: Sequence[CastReply]) -> tuple[str, ...]:
    failed = {reply.author for reply in replies if not reply.ok}
    if not failed:
        return asked
    return tuple([name for name in asked if name not in failed])


def _check_outcomes(cast: Sequence[str], rounds: Sequence[Sequence[CastReply]]) -> None:
    """Refuses what is no outcome of the cast, naming its place."""
    given: Any = rounds
    members = frozenset(cast)
    _check_sequence("rounds", given)
    for number, replies in enumerate(given):
        _check_sequence(f"rounds[{number}]", replies)
        for place, reply in enumerate(replies):
            where = f"rounds[{number}][{place}]"
            if not isinstance(reply, CastReply):
                kind = type(reply).__name__
                raise InvalidInput(where, f"is of type {kind}", allowed="a CastReply")
            if reply.author not in members:
                values.member(f"{where}.author", reply.author, cast)


def _check_sequence(where: str, value: Any) -> None:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        kind = type(value).__name__
        raise InvalidInput(where, f"is of type {kind}", allowed="a sequence")
